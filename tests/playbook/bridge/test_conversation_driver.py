"""A driver and the conversation on it, turn by turn; and the queue of a machine's events."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from mqbridge.bridge.agents.event_queue import EventQueue
from mqbridge.bridge.agents.gateway.conversation_driver import CloseConnection, ConversationDriver, Resume, Send
from mqbridge.bridge.agents.unsent_budget import UnsentBudget
from mqbridge.bridge.store.interface import StoreError
from mqbridge.protocol.channel import BatchFailed, Closed
from mqbridge.protocol.channel.link import Link, Timer
from mqbridge.protocol.channel.states import RECEIVER, State
from mqbridge.protocol.channel.wire import Wire
from mqbridge.protocol.constants import StatusCode
from mqbridge.protocol.framing import SegmentWriter

NOW = 1000.0


class Host:
    """Keeps what a driver says."""

    def __init__(self) -> None:
        self.unsent = UnsentBudget()
        self.ready: dict[ConversationDriver, None] = {}
        self.moved: dict[ConversationDriver, None] = {}
        self.effects: list[Any] = []
        self.emit = self.effects.append
        self.lines: list[tuple[str | int, ...]] = []
        self.forgotten: list[ConversationDriver] = []

    def log(self, *line: str | int) -> None:
        self.lines.append(line)

    def forget(self, driver: ConversationDriver) -> None:
        driver.count_unsent()
        self.forgotten.append(driver)

    def kinds(self) -> list[type]:
        """Kinds of the effects since the last question."""
        found = [type(each) for each in self.effects]
        self.effects.clear()
        return found


class Script:
    """A conversation that says on each verb what the play wants, and keeps the verbs."""

    def __init__(self, **says: bytes) -> None:
        self.out = Wire(SegmentWriter())
        self.verbs: list[tuple[str, Any]] = []
        self.says = says
        self.due: float | None = None

    def _verb(self, name: str, *about: Any) -> None:
        self.verbs.append((name, *about))
        if name in self.says:
            self.out.queue((self.says[name],), len(self.says[name]))

    def receive_data(self, data: bytes, now: float) -> None:
        self._verb("receive_data", data)

    def wake(self, now: float) -> None:
        self._verb("wake", now)

    def writable(self, now: float) -> None:
        self._verb("writable", now)

    def timeout(self, now: float) -> None:
        self._verb("timeout", now)

    def next_timeout(self) -> float | None:
        return self.due

    def row(self) -> None:
        return None


def driven(**says: bytes) -> tuple[Host, ConversationDriver, Script]:
    host = Host()
    driver = ConversationDriver(host, "10.0.0.1", 5000)
    driver.conversation = script = Script(**says)
    return host, driver, script


def receive(driver: ConversationDriver, data: bytes, now: float) -> None:
    """Bytes come, as an endpoint hands them over."""
    driver.conversation.receive_data(data, now)
    driver.turn_ends()


@pytest.mark.parametrize("verb", ["receive_data", "wake", "writable", "timeout"])
def test_what_a_turn_has_to_say_is_sent_whatever_began_it(verb: str) -> None:
    host, driver, _ = driven(**{verb: b"answer"})
    turns = {"wake": driver.turn, "receive_data": lambda now: receive(driver, b"bytes", now)}
    turn: Callable[[float], None] = turns.get(verb) or getattr(driver, verb)
    turn(NOW)
    assert host.kinds() == [Send]
    assert driver in host.moved
    assert driver.data_to_send() == [b"answer"]
    assert driver.data_to_send() == []


def test_what_waits_to_be_sent_is_told_once_until_it_is_asked_for() -> None:
    host, driver, _ = driven(receive_data=b"answer")
    for _ in range(3):
        receive(driver, b"bytes", NOW)
    assert host.kinds() == [Send]
    assert len(driver.data_to_send()) == 3
    receive(driver, b"bytes", NOW)
    assert host.kinds() == [Send]


def test_a_turn_without_anything_to_say_says_nothing() -> None:
    host, driver, _ = driven()
    receive(driver, b"bytes", NOW)
    assert host.kinds() == []


def test_a_turn_that_was_asked_for_many_times_comes_once() -> None:
    host, driver, script = driven()
    for _ in range(3):
        driver.wake()
    assert list(host.ready) == [driver]
    assert script.verbs == []


def test_the_end_comes_once_as_no_bytes_and_nothing_after_it() -> None:
    host, driver, script = driven(receive_data=b"never sent", wake=b"never sent")
    driver.lost(NOW)
    driver.lost(NOW)
    driver.wake()
    driver.turn(NOW)
    driver.writable(NOW)
    assert script.verbs == [("receive_data", b"")]
    assert host.forgotten == [driver]
    assert host.kinds() == []
    assert not host.ready


def test_another_conversation_goes_on() -> None:
    host, driver, first = driven()
    second = Script(receive_data=b"second")
    driver.continue_with(second)
    assert driver in host.ready
    driver.turn(NOW)
    receive(driver, b"bytes", NOW)
    assert (first.verbs, second.verbs) == ([], [("wake", NOW), ("receive_data", b"bytes")])
    assert driver.data_to_send() == [b"second"]


def test_bytes_that_the_transport_does_not_take_count_among_all_until_it_does() -> None:
    host, driver, _ = driven(receive_data=bytes(1000))
    receive(driver, b"bytes", NOW)
    assert host.unsent.total == 0
    driver.stalls()
    receive(driver, b"more", NOW)
    assert host.unsent.total == 2000
    driver.data_to_send()
    assert host.unsent.total == 0
    receive(driver, b"again", NOW)
    assert host.unsent.total == 0, "it takes what there is"
    driver.stalls()
    driver.lost(NOW)
    assert host.unsent.total == 0


def test_a_message_that_cannot_be_read_ends_the_connection() -> None:
    host, driver, script = driven()

    def take(limit: int) -> list[bytes]:
        raise StoreError("gone", "read")

    script.out = SimpleNamespace(take=take, wants_to_send=True, buffered=0)  # type: ignore[assignment]
    assert driver.data_to_send() == []
    assert driver.data_to_send() == []
    assert [line[:2] for line in host.lines] == [("AMQ9206", "10.0.0.1(5000)")]
    (closing,) = host.effects
    assert (type(closing), closing.abort) == (CloseConnection, True)


def test_it_is_closed_once_and_read_again_when_resumed() -> None:
    host, driver, _ = driven()
    driver.pause()
    assert driver.paused
    driver.resume()
    assert not driver.paused
    driver.close()
    driver.close(abort=True)
    assert host.kinds() == [Resume, CloseConnection]


# Events of a machine


class Machine:
    """A machine on a link, which gives as events the bytes that it is given, and ``late`` when time has passed."""

    def __init__(self) -> None:
        self.link: Link[Any] = Link(self, Wire(SegmentWriter()), RECEIVER, State.RUNNING, NOW)
        self.link.take = self._take
        self.gives: list[Any] | None = None
        self.waits = True

    def _take(self, data: bytes, now: float) -> None:
        for event in self.gives or [bytes((each,)) for each in data]:
            self.link.emit(event)

    def timers(self) -> list[Timer]:
        return [(NOW, self._late)] if self.waits else []

    def _late(self, now: float) -> None:
        self.waits = False
        self.link.emit(b"late")

    def quiesce(self, status: StatusCode, now: float) -> None:
        """It has nothing to end."""

    def force(self, status: StatusCode) -> None:
        """It has nothing to end."""

    def abandon(self, ending: Closed) -> bool:
        return False


ENDED = Closed(
    reason="the partner closed the connection",
    amq="AMQ9209",
    status=None,
    normal=False,
    retryable=True,
    by_partner=True,
    in_doubt=False,
    call_back=False,
    value=None,
)
FAILED = BatchFailed(luwid=bytes(16), count=1, in_doubt=False)


class Agent:
    """Keeps the events in order; ``acts``: what it does at one of them."""

    def __init__(self) -> None:
        self.host = Host()
        self.driver = ConversationDriver(self.host, "10.0.0.1", 5000)
        self.driver.conversation = Script()
        self.machine = Machine()
        self.link = self.machine.link
        self.queue = EventQueue(self.machine, self.handle, self.driver)
        self.seen: list[Any] = []
        self.acts: dict[Any, Callable[[], None]] = {}
        self.deep = 0

    def handle(self, event: Any, now: float) -> None:
        self.deep += 1
        assert self.deep == 1, "an event inside another"
        self.seen.append(event)
        if event in self.acts:
            self.acts[event]()
        self.deep -= 1


def test_what_an_event_leads_to_comes_behind_the_others_in_the_same_turn() -> None:
    agent = Agent()

    def act() -> None:
        agent.queue.add([b"own"])
        agent.queue.run(NOW)

    agent.acts[b"a"] = act
    agent.queue.receive_data(b"ab", NOW)
    assert agent.seen == [b"a", b"b", b"own"]


def test_held_events_wait_and_the_partner_is_not_read() -> None:
    agent = Agent()
    agent.acts[b"b"] = agent.queue.hold
    agent.queue.receive_data(b"abc", NOW)
    agent.queue.timeout(NOW)
    assert agent.seen == [b"a", b"b"]
    assert (agent.driver.paused, agent.link.paused) == (True, True)
    agent.queue.release(NOW)
    assert agent.seen == [b"a", b"b", b"c", b"late"]
    assert (agent.driver.paused, agent.link.paused) == (False, False)
    assert agent.host.kinds() == [Resume]


def test_events_that_are_held_again_are_not_resumed() -> None:
    agent = Agent()
    agent.acts[b"a"] = agent.acts[b"b"] = agent.queue.hold
    agent.queue.receive_data(b"abc", NOW)
    agent.queue.release(NOW)
    assert agent.seen == [b"a", b"b"]
    assert agent.driver.paused


def test_at_the_end_held_events_count_as_never_received() -> None:
    agent = Agent()
    agent.acts[b"a"] = agent.queue.hold
    agent.queue.receive_data(b"ab", NOW)
    agent.queue.receive_data(b"", NOW)
    agent.queue.receive_data(b"", NOW)
    assert agent.seen == [b"a", ENDED]


def test_of_dropped_events_those_of_the_end_remain() -> None:
    agent = Agent()
    agent.acts[b"a"] = agent.queue.drop
    agent.machine.gives = [b"a", b"b", FAILED, ENDED]
    agent.queue.receive_data(b"x", NOW)
    assert agent.seen == [b"a", FAILED, ENDED]


def test_a_machine_that_ends_while_events_are_held_lets_go_of_them() -> None:
    agent = Agent()
    agent.acts[b"a"] = agent.queue.hold
    agent.queue.receive_data(b"ab", NOW)
    agent.link.state = State.CLOSED
    agent.queue.add([FAILED, ENDED])
    agent.queue.run(NOW)
    assert agent.seen == [b"a", FAILED, ENDED]


def test_an_event_that_fails_leaves_the_others_to_the_next_turn() -> None:
    agent = Agent()

    def fail() -> None:
        agent.deep = 0
        raise RuntimeError

    agent.acts[b"a"] = fail
    with pytest.raises(RuntimeError):
        agent.queue.receive_data(b"ab", NOW)
    agent.queue.receive_data(b"c", NOW)
    assert agent.seen == [b"a", b"b", b"c"]
