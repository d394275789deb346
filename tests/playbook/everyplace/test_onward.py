"""A gateway between two others whose queue leads on synchronously: every crash and cut, message by message.

L keeps messages for ``ORDERS@T`` and pushes them to R, which keeps nothing and puts them to T at once (E-192, E-353).
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy

import pytest

from mqbridge.bridge.everyplace.access import AccessList
from mqbridge.bridge.everyplace.onward.onward_lane import TABLE
from mqbridge.bridge.everyplace.onward.onward_unit import MOST
from mqbridge.bridge.everyplace.states import State
from mqbridge.protocol.everyplace.calls import Done, Get, Got, Put, Undo
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.names import Address
from support.everyplace import Station, World, text_message

pytestmark = pytest.mark.spec("E-192", "E-196", "E-198", "E-199", "E-353")

SOON = 900.0
TEXTS = ["one", "two", "three"]


def put(station: Station, address: str, text: str) -> bool:
    """A program puts a message, and nothing else happens yet."""
    return station.call(Put(Address.parse(address), text_message(text))) == [Done()]


def visible(station: Station) -> list[str]:
    messages = station.stored("ORDERS")
    return [messages.read(each)["text"] for each in messages.held.list if each.state is State.UNLOCKED]


class Course:
    """``left`` L, ``relay`` R and ``target`` T."""

    def __init__(self) -> None:
        self.world = world = World()
        self.left, self.relay, self.target = (world.queue_manager(name) for name in "LRT")
        self.target.local("ORDERS")
        self.left.connection("R")
        self.left.connection("T", via="R")
        self.left.remote("ORDERS", "T")
        self.relay.connection("T")

    def send(self, *texts: str) -> None:
        """Programs at L put messages, which are on their way when this returns."""
        for text in texts:
            assert put(self.left, "ORDERS@T", text)

    def decided(self) -> bool:
        """Whether R has committed a batch, and not confirmed all of it."""
        return bool(list(self.relay.store.records(TABLE)))

    def hidden(self) -> int:
        """How many messages T has that are not confirmed."""
        entries = self.target.stored("ORDERS").held.list
        return sum(entry.state is State.PUT_UNCONFIRMED for entry in entries)

    def check(self, *texts: str) -> None:
        """Everything has come, once, in order, and nothing is left anywhere."""
        self.world.run(SOON)
        assert self.target.texts("ORDERS") == list(texts)
        assert self.hidden() == 0
        assert len(self.left.stored("ORDERS@T")) == 0
        assert not self.decided()

    def step_until(self, there: Callable[[], bool]) -> None:
        """Let the world go on, a commit or some bytes at a time, until something is so."""
        for _ in range(5000):
            if there():
                return
            self._small_step()
        raise AssertionError("it does not come to pass")

    def _small_step(self) -> None:
        for station in self.world.stations.values():
            if station.write_one():
                return
        moved = False
        for station in self.world.stations.values():
            moved = station.go_on_without_writing() or moved
        for wire in list(self.world.wires):
            for end in (0, 1):
                if wire in self.world.wires and wire.on_the_way[end]:
                    self.world.deliver(wire, end, len(wire.on_the_way[end][0]))
                    return
        if not moved:
            self.world.tick(0.25)


@pytest.fixture(params=["defined", "discovered"])
def course(request: pytest.FixtureRequest) -> Course:
    found = Course()
    if request.param == "defined":
        found.relay.remote("ORDERS", "T", synchronous=True)
    return found


def test_messages_in_transit_go_on_at_once(course: Course) -> None:
    course.send(*TEXTS)
    course.check(*TEXTS)
    assert all(queue.size == 0 for queue in course.relay.manager.queues)


def test_a_batch_goes_on_in_groups(course: Course) -> None:
    texts = [str(number) for number in range(2 * MOST + 1)]
    course.target.away = True
    course.relay.away = True
    course.send(*texts)
    course.target.away = course.relay.away = False
    course.check(*texts)


@pytest.mark.parametrize("who", ["left", "relay", "target"])
@pytest.mark.parametrize("when", ["hidden", "all hidden", "decided"])
def test_each_of_the_three_dies_at_each_moment(course: Course, who: str, when: str) -> None:
    course.send(*TEXTS)
    moments = {
        "hidden": lambda: course.hidden() == 1,
        "all hidden": lambda: course.hidden() == len(TEXTS),
        "decided": course.decided,
    }
    course.step_until(moments[when])
    getattr(course, who).kill()
    course.check(*TEXTS)


@pytest.mark.parametrize("line", ["LR", "RT"])
@pytest.mark.parametrize("when", ["hidden", "all hidden", "decided"])
def test_a_line_is_cut_at_each_moment(course: Course, line: str, when: str) -> None:
    course.send(*TEXTS)
    moments = {
        "hidden": lambda: course.hidden() == 1,
        "all hidden": lambda: course.hidden() == len(TEXTS),
        "decided": course.decided,
    }
    course.step_until(moments[when])
    course.world.cut_all(*line)
    course.check(*TEXTS)


def test_a_confirm_whose_answer_is_lost_is_repeated_though_the_message_was_got_meanwhile(course: Course) -> None:
    """Without the row that decides, it would be put again."""
    course.send("one")
    course.step_until(lambda: visible(course.target) == ["one"])
    (got,) = course.target.call(Get(Address("ORDERS", "T"), Fields()))
    assert isinstance(got, Got)
    assert course.decided()
    course.relay.kill()
    course.check()
    assert not course.relay.alarms


def test_a_message_that_was_undone_between_put_and_confirm_is_an_alarm(course: Course) -> None:
    course.send("one")
    course.step_until(course.decided)
    (entry,) = course.target.stored("ORDERS").held.list
    course.target.call(Undo(Address("ORDERS", "T"), entry.marks.confirm))
    course.check()
    assert any("no longer" in text for text in course.relay.alarms)


def test_what_is_decided_is_confirmed_when_the_target_is_there_again(course: Course) -> None:
    course.send(*TEXTS)
    course.step_until(course.decided)
    course.target.away = True
    course.world.cut_all("R", "T")
    course.world.run(60.0)
    assert course.decided()
    assert any("not confirmed" in text for text in course.relay.alarms)
    course.send("four")
    course.world.run(60.0)
    course.target.away = False
    course.check(*TEXTS, "four")


def test_a_refused_message_stays_at_its_sender_and_blocks_those_behind_it(course: Course) -> None:
    course.target.local("SMALL", MAX_Q_SIZE=1)
    course.left.remote("SMALL", "T")
    course.relay.remote("SMALL", "T", synchronous=True)
    for text in TEXTS:
        assert put(course.left, "SMALL@T", text)
    course.world.run(SOON)
    assert course.target.texts("SMALL") == ["one"]
    assert len(course.left.stored("SMALL@T")) == 2
    assert any("SMALL" in text for text in course.left.alarms)
    for text in TEXTS:
        course.world.run(SOON)
        assert course.target.get("SMALL")["text"] == text


@pytest.mark.spec("E-155")
def test_a_message_that_the_target_has_already_is_done(course: Course) -> None:
    """Its sender was restored from a backup, and readmitted."""
    course.relay.away = True
    course.send("one")
    backup = deepcopy(course.left.tables)
    course.relay.away = False
    course.check("one")
    course.left.restore(backup)
    course.world.run(5.0)
    course.left.network.readmit("R", lambda _: None)
    course.relay.network.readmit("L", lambda _: None)
    course.check("one")


@pytest.mark.spec("E-155", "E-481")
def test_another_message_of_its_uid_stays_at_its_sender(course: Course) -> None:
    course.send("one")
    course.check("one")
    other = text_message("two")
    uid = course.target.browse("ORDERS")[0].uid
    assert uid is not None
    other.identify(uid)
    queue, address = course.left.manager.resolve(Address("ORDERS", "T"))
    course.left.manager.submit(course.left.manager.place(other, address, course.left.now), lambda _: None)
    course.left.write()
    course.world.run(60.0)
    assert course.target.texts("ORDERS") == ["one"]
    assert queue.size == 1
    assert any("holds message" in text for text in course.left.alarms)


def test_a_target_that_is_away_keeps_them_at_the_first_sender(course: Course) -> None:
    course.target.away = True
    course.send(*TEXTS)
    course.world.run(60.0)
    assert len(course.left.stored("ORDERS@T")) == 3
    assert all(queue.size == 0 for queue in course.relay.manager.queues)
    course.target.away = False
    course.check(*TEXTS)


def test_a_queue_that_the_target_does_not_have_is_told(course: Course) -> None:
    course.left.remote("NOWHERE", "T")
    assert put(course.left, "NOWHERE@T", "one")
    course.world.run(60.0)
    assert len(course.left.stored("NOWHERE@T")) == 1
    assert any("NOWHERE" in text for text in course.left.alarms)


def test_an_access_list_lets_others_put_and_undo(course: Course) -> None:
    course.target.manager.guard(AccessList())
    course.send(*TEXTS)
    course.step_until(lambda: course.hidden() == 1)
    course.world.cut_all("L", "R")
    course.check(*TEXTS)


def test_what_is_decided_takes_its_route_even_if_another_queue_has_the_name_by_now(course: Course) -> None:
    course.send(*TEXTS)
    course.step_until(course.decided)
    course.relay.kill()
    course.relay.store_and_forward("LATER", ["T"])
    course.check(*TEXTS)


def test_a_message_that_is_pulled_goes_on_too() -> None:
    """The name of the queue manager that pulls may be one of another by then (E-312)."""
    world = World()
    left, relay, target = (world.queue_manager(name) for name in "LRT")
    target.local("ORDERS")
    left.store_and_forward("HELD", ["R"])
    relay.connection("L")
    relay.home_server("L", POLL_INTERVAL=1000)
    relay.connection("T", aliases=("R",))
    relay.remote("ORDERS", "T", synchronous=True)
    assert left.put("ORDERS@R", "one") == Done()
    world.run(60.0)
    assert target.texts("ORDERS") == ["one"]
    assert len(left.stored("HELD")) == 0
