"""SC-19: what has expired is never delivered, wherever it was, and its rule is told."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.everyplace.queues.message_event import MessageEvent
from mqbridge.bridge.everyplace.rules.plug_ins import Kind
from mqbridge.bridge.everyplace.rules.queue_rule import QueueRule
from mqbridge.bridge.everyplace.rules.supplied import supplied
from mqbridge.bridge.everyplace.states import State
from mqbridge.protocol.everyplace.calls import (
    BrowseAndLock,
    Browsed,
    ConfirmPut,
    Done,
    Get,
    Outcome,
    Put,
    Refused,
    Unlock,
)
from mqbridge.protocol.everyplace.errors import Code, NoMatchingMessage
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.reserved import EXPIRE_TIME
from support.everyplace import START, Station, World, text_message

pytestmark = pytest.mark.spec("SC-19")
Log = list[tuple[str, str]]
Q = Address("Q", "MOON")


class Noting(QueueRule):
    """Notes what expires; what it returns does not matter."""

    def __init__(self, log: Log, name: str) -> None:
        self.log = log
        self.name = name

    def message_expired(self, event: MessageEvent, message: Message, now: float) -> Any:
        self.log.append((self.name, message["text"]))
        return False


def world_with(log: Log) -> World:
    world = World()
    world.plug_ins = supplied()
    world.plug_ins.register(Kind.QUEUE_RULE, "noting", lambda name: Noting(log, name))
    return world


@pytest.fixture
def log() -> Log:
    return []


@pytest.fixture
def moon(log: Log) -> Station:
    moon = world_with(log).queue_manager("MOON")
    moon.local("Q", RULE="noting:Q")
    return moon


def expiring(text: str, moon: Station, seconds: float, *, absolute: bool = False) -> Message:
    found = text_message(text)
    if absolute:
        found.expire_at(int((moon.now + seconds) * 1000))
    else:
        found.expire_after(int(seconds * 1000))
    return found


def code(outcome: Outcome) -> Code | None:
    return outcome.code if isinstance(outcome, Refused) else None


@pytest.mark.spec("E-047", "E-075", "E-076", "E-077", "E-078", "E-080", "E-084", "E-087", "E-089")
def test_a_message_goes_when_its_own_time_or_that_of_the_queue_is_over(moon: Station, log: Log) -> None:
    moon.local("HALF", EXPIRY=500, RULE="noting:HALF")
    moon.put("Q", expiring("relative", moon, 2))
    moon.put("Q", expiring("absolute", moon, 3, absolute=True))
    moon.put("Q", "stays")
    moon.put("HALF", "queue")
    moon.put("HALF", expiring("own", moon, 5))
    for seconds, half, all_others in ((0.499, 2, 3), (0.5, 1, 3), (1.999, 1, 3), (2.0, 1, 2)):
        moon.world.now = START + seconds
        assert (len(moon.texts("HALF")), len(moon.texts("Q"))) == (half, all_others)
    moon.world.now = START
    moon.world.run(2.5)
    assert (moon.texts("Q"), moon.texts("HALF")) == (["absolute", "stays"], ["own"])
    moon.world.run(10)
    assert (moon.texts("Q"), moon.texts("HALF")) == (["stays"], [])
    assert sorted(log) == [("HALF", "own"), ("HALF", "queue"), ("Q", "absolute"), ("Q", "relative")]


@pytest.mark.spec("E-079", "E-080", "E-088", "E-089")
def test_it_is_not_got_even_before_it_is_removed(moon: Station) -> None:
    moon.put("Q", expiring("one", moon, 1))
    uid = moon.browse("Q")[0].uid
    assert uid is not None
    moon.world.now += 1
    assert len(moon.stored("Q")) == 1
    found = moon.call(Get(Q, Fields()))
    assert code(found[0]) is Code.Q_NO_MATCHING_MSG
    late = expiring("late", moon, -1, absolute=True)
    assert code(moon.put("Q", late)) is Code.EXPIRED
    moon.world.run(1)
    assert moon.stored("Q").held.list.find(uid) is None


@pytest.mark.spec("E-081", "E-085")
def test_it_goes_when_its_queue_is_activated(moon: Station, log: Log) -> None:
    moon.put("Q", expiring("free", moon, 10))
    moon.put("Q", expiring("unconfirmed", moon, 10), confirm=3)
    moon.put("Q", expiring("got", moon, 10))
    wanted = Fields()
    wanted["text"] = "got"
    moon.get("Q", wanted, confirm=4)
    moon.world.now += 3600
    moon.kill()
    moon.world.run(0)
    assert sorted(log) == [("Q", "free"), ("Q", "unconfirmed")]
    assert [each.state for each in moon.stored("Q").held.list] == [State.GET_UNCONFIRMED]


@pytest.mark.spec("E-085")
def test_a_locked_one_goes_when_it_is_unlocked(moon: Station, log: Log) -> None:
    moon.put("Q", expiring("one", moon, 1))
    locked = moon.ask(BrowseAndLock(Q, Fields()))
    assert isinstance(locked, Browsed)
    moon.world.run(60)
    assert (len(moon.stored("Q")), log) == (1, [])
    uid = locked.messages[0].uid
    assert uid is not None
    assert moon.ask(Unlock(Q, uid, locked.lock)) == Done()
    with pytest.raises(NoMatchingMessage):
        moon.get("Q")
    moon.world.run(2)
    assert (len(moon.stored("Q")), log) == (0, [("Q", "one")])


@pytest.mark.spec("E-082", "E-083")
def test_it_goes_before_a_queue_is_deleted_or_counted(moon: Station, log: Log) -> None:
    moon.put("Q", expiring("one", moon, 1))
    moon.world.now += 5
    queue, _ = moon.manager.resolve(Q)
    change = moon.manager.expire(queue, moon.now)
    assert change is not None
    moon.write()
    assert (queue.size, log) == (0, [("Q", "one")])
    moon.expect_done(lambda then: moon.manager.define(lambda: moon.manager.objects.queues.delete(queue), then))


@pytest.mark.spec("E-079", "E-086")
def test_between_the_phases_of_a_transfer_each_queue_manager_tells_its_own_rule(log: Log) -> None:
    world = world_with(log)
    moon, earth = world.queue_manager("MOON"), world.queue_manager("EARTH")
    earth.local("Q", RULE="noting:EARTH")
    moon.connection("EARTH")
    moon.remote("Q", "EARTH", RULE="noting:MOON")
    moon.call(Put(Address("Q", "EARTH"), expiring("one", moon, 5)))
    # Phase 1 is done when the record of doubt is written; the confirmation is under way when the time passes.
    for _ in range(100):
        _small_step(world)
        if _confirming(world):
            break
    assert _confirming(world)
    held = [(wire, end, data) for wire in world.wires for end in (0, 1) for data in wire.on_the_way[end]]
    for wire, end, _ in held:
        wire.on_the_way[end].clear()
    world.now += 10
    moon.network.timeout(moon.now)
    assert log == [("MOON", "one")]
    for wire, end, data in held:
        wire.on_the_way[end].append(data)
    world.run(20)
    assert log == [("MOON", "one"), ("EARTH", "one")]
    assert earth.texts("Q") == []
    assert (len(earth.stored("Q")), len(moon.stored("Q@EARTH"))) == (0, 0)
    assert moon.alarms == earth.alarms == []


def _confirming(world: World) -> bool:
    """Whether a CONFIRM is on its way: the receiver has the batch, and has placed nothing."""
    moon = world.stations["MOON"]
    rows = list(moon.store.records("everyplace-sending"))
    return bool(rows) and any(wire.on_the_way[1] for wire in world.wires)


def _small_step(world: World) -> None:
    """Everybody does what there is to do, then one piece of bytes arrives."""
    for station in list(world.stations.values()):
        station.go_on()
    if _confirming(world):
        return
    for wire in list(world.wires):
        for end, station in enumerate((wire.caller, wire.called)):
            if wire.on_the_way[end]:
                wire.ends[end].receive_data(wire.on_the_way[end].popleft(), station.now)
                return


@pytest.mark.spec("E-079", "E-089")
def test_what_has_expired_on_the_way_ends_where_it_arrives(log: Log) -> None:
    world = world_with(log)
    moon, earth = world.queue_manager("MOON"), world.queue_manager("EARTH")
    earth.local("Q", RULE="noting:EARTH")
    earth.clock_ahead = 100
    moon.connection("EARTH")
    moon.remote("Q", "EARTH")
    moon.put("Q@EARTH", expiring("one", moon, 5))
    moon.put("Q@EARTH", "two")
    world.run(1)
    assert log == [("EARTH", "one")]
    assert earth.texts("Q") == ["two"]
    assert len(moon.stored("Q@EARTH")) == 0


@pytest.mark.spec("E-084", "E-156", "E-517")
def test_the_supplied_rule_copies_to_the_dead_letter_queue() -> None:
    moon = World().queue_manager("MOON")
    moon.local("Q", RULE="dead-letter-on-expiry")
    moon.local("OTHER", RULE="dead-letter-on-expiry:MISSING")
    moon.local("DeadLetterQ")
    message = expiring("one", moon, 1)
    moon.put("Q", message)
    moon.put("OTHER", expiring("two", moon, 1))
    moon.world.run(3)
    (copy,) = moon.browse("DeadLetterQ")
    assert (copy.uid, copy["text"], copy.resend, EXPIRE_TIME in copy) == (message.uid, "one", True, False)
    assert (len(moon.stored("Q")), len(moon.stored("OTHER"))) == (0, 0)


@pytest.mark.spec("E-085", "E-089")
def test_one_that_is_confirmed_too_late_is_not_seen(moon: Station, log: Log) -> None:
    message = expiring("one", moon, 1)
    moon.put("Q", message, confirm=3)
    assert message.uid is not None
    moon.world.now += 2
    moon.manager.programs.listen(Q, Fields(), lambda _: None)
    moon.call(ConfirmPut(Q, message.uid))
    moon.go_on()
    assert [type(each).__name__ for each in moon.effects] == []
    assert moon.texts("Q") == []
    moon.world.run(2)
    assert log == [("Q", "one")]
