"""SC-22: listeners, waits, and reading a queue until it is empty."""

from __future__ import annotations

import pytest

from mqbridge.bridge.everyplace.effects import AskPartner, MessageArrived
from mqbridge.bridge.everyplace.queues.message_event import MessageEvent
from mqbridge.protocol.everyplace.calls import ConfirmPut, Done, Get, Got, Outcome, Put, Refused, Undo
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError, NoMatchingMessage
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address
from support.everyplace import Station, World, text_message

pytestmark = pytest.mark.spec("SC-22")
Q = Address("Q", "MOON")


def order(number: int, *, kind: str = "Order", priority: int | None = 7) -> Message:
    found = Message()
    found["MsgType"], found["number"] = kind, number
    found.priority = priority
    found.msg_id, found.correl_id = b"m%d" % number, b"c%d" % number
    return found


def orders() -> Fields:
    found = Message()
    found["MsgType"] = "Order"
    found.priority = 7
    return found


def events(station: Station) -> list[MessageEvent]:
    station.go_on()
    return [each.event for each in station.effects if isinstance(each, MessageArrived)]


@pytest.fixture
def moon() -> Station:
    moon = World().queue_manager("MOON")
    moon.local("Q")
    return moon


@pytest.mark.spec("E-160", "E-167", "E-205", "E-207", "E-208")
def test_there_is_one_event_for_each_visible_message_that_matches(moon: Station) -> None:
    moon.put("Q", order(0))
    listener = moon.manager.programs.listen(Q, orders(), lambda _: None)
    late = order(1)
    moon.put("Q", late, confirm=5)
    moon.put("Q", order(2))
    moon.put("Q", order(3, priority=6))
    moon.put("Q", order(4, kind="Note"))
    assert [each.message_id for each in events(moon)] == [b"m2"]
    assert late.uid is not None
    moon.ask(ConfirmPut(Q, late.uid))
    first, second = events(moon)
    assert second == MessageEvent(Q, late.uid, 7, b"m1", b"c1")
    assert moon.get("Q", second.wanted)["number"] == 1
    with pytest.raises(NoMatchingMessage):
        moon.get("Q", second.wanted)
    assert moon.get("Q", first.wanted)["number"] == 2
    moon.manager.programs.remove(listener)
    moon.put("Q", order(5))
    assert len(events(moon)) == 2
    with pytest.raises(EveryplaceError) as found:
        moon.manager.programs.remove(listener)
    assert found.value.code is Code.NOT_FOUND


@pytest.mark.spec("E-153", "E-208")
def test_what_becomes_visible_again_is_told_again(moon: Station) -> None:
    moon.manager.programs.listen(Q, Fields(), lambda _: None)
    moon.put("Q", order(1))
    moon.get("Q", confirm=3)
    assert len(events(moon)) == 1
    moon.ask(Undo(Q, 3))
    assert len(events(moon)) == 2


@pytest.mark.spec("E-167", "E-169", "E-206")
def test_a_listener_on_a_queue_that_is_not_local_is_refused(moon: Station) -> None:
    moon.connection("EARTH")
    moon.remote("Q", "EARTH", synchronous=True)
    moon.remote("R", "EARTH")
    moon.store_and_forward("SAF", ["MARS"])
    for address in (("Q", "EARTH"), ("R", "EARTH"), ("ANY", "MARS"), ("UNKNOWN", "EARTH")):
        with pytest.raises(EveryplaceError) as found:
            moon.manager.programs.listen(Address(*address), Fields(), lambda _: None)
        assert found.value.code is Code.NOT_SUPPORTED


@pytest.mark.spec("E-209", "E-234", "E-235")
@pytest.mark.parametrize("at_once", [False, True])
def test_no_event_comes_after_close_began(moon: Station, at_once: bool) -> None:
    moon.manager.programs.listen(Q, Fields(), lambda _: None)
    message = order(1)
    moon.put("Q", message, confirm=3)
    late = order(2)
    moon.manager.call(Put(Q, late), lambda _: None, moon.now)
    if at_once:
        moon.manager.life.close_immediate(moon.now)
    else:
        moon.manager.life.close_quiesce(1000, moon.now)
    moon.write()
    assert message.uid is not None
    (outcome,) = moon.call(ConfirmPut(Q, message.uid))
    assert outcome == Done() or (at_once and isinstance(outcome, Refused) and outcome.code is Code.CLOSED)
    assert events(moon) == []
    (refused,) = moon.call(Get(Q, Fields()))
    assert isinstance(refused, Refused)
    assert refused.code is (Code.CLOSED if at_once else Code.STOPPED)


@pytest.mark.spec("E-168", "E-210")
def test_a_wait_ends_when_its_message_comes_or_its_time_is_over(moon: Station) -> None:
    outcomes: list[Outcome] = []
    start = moon.now
    moon.manager.programs.wait(Get(Q, orders()), 60_000, outcomes.append, moon.now)
    moon.put("Q", order(1, kind="Note"))
    moon.world.run(30)
    assert outcomes == []
    moon.put("Q", order(2))
    moon.world.settle()
    moon.world.run(0)
    (got,) = outcomes
    assert isinstance(got, Got)
    assert got.message["number"] == 2
    assert moon.now == start + 30
    outcomes.clear()
    moon.manager.programs.wait(Get(Q, orders()), 60_000, outcomes.append, moon.now)
    moon.world.run(59.9)
    assert outcomes == []
    moon.world.run(0.2)
    (refused,) = outcomes
    assert isinstance(refused, Refused)
    assert isinstance(refused.error(), NoMatchingMessage)


@pytest.mark.spec("E-210", "E-235")
def test_a_wait_may_be_ended_before(moon: Station) -> None:
    outcomes: list[Outcome] = []
    programs = moon.manager.programs
    programs.cancel(programs.wait(Get(Q, Fields()), 60_000, outcomes.append, moon.now))
    programs.wait(Get(Q, Fields()), 60_000, outcomes.append, moon.now)
    moon.manager.life.close_immediate(moon.now)
    assert [each.code for each in outcomes if isinstance(each, Refused)] == [Code.STOPPED, Code.STOPPED]
    moon.manager.programs.wait(Get(Address("NONE", "MOON"), Fields()), 1, outcomes.append, moon.now)
    assert isinstance(outcomes[-1], Refused)
    assert outcomes[-1].code is Code.Q_UNKNOWN


@pytest.mark.spec("E-168", "E-210")
def test_a_wait_on_a_remote_queue_repeats_its_request(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World()
    moon, earth = world.queue_manager("MOON"), world.queue_manager("EARTH")
    earth.local("Q")
    moon.connection("EARTH")
    moon.remote("Q", "EARTH", synchronous=True)
    requests: list[float] = []
    take = moon.manager.take_effects

    def counting() -> list[object]:
        found = take()
        requests.extend(moon.now for each in found if isinstance(each, AskPartner))
        return found  # type: ignore[return-value]

    monkeypatch.setattr(moon.manager, "take_effects", counting)
    outcomes: list[Outcome] = []
    remote = Get(Address("Q", "EARTH"), Fields())
    moon.manager.programs.wait(remote, 60_000, outcomes.append, moon.now, interval=5.0)
    start = moon.now
    world.run(61)
    assert len(outcomes) == 1
    assert isinstance(outcomes[0], Refused)
    assert outcomes[0].code is Code.Q_NO_MATCHING_MSG
    assert [round(each - start) for each in requests] == list(range(0, 60, 5))
    outcomes.clear()
    moon.manager.programs.wait(remote, 60_000, outcomes.append, moon.now, interval=5.0)
    world.run(7)
    earth.put("Q", "one")
    began = moon.now
    world.run_until(lambda: bool(outcomes))
    assert isinstance(outcomes[0], Got)
    assert moon.now - began <= 5


@pytest.mark.spec("E-180", "E-569")
@pytest.mark.parametrize("confirm", [0, 9])
def test_a_queue_is_read_until_it_is_empty_and_other_errors_are_passed_on(moon: Station, confirm: int) -> None:
    for number in range(5):
        moon.put("Q", str(number))
    found: list[str] = []
    outcomes: list[Outcome] = []
    get = Get(Q, Fields(), confirm)
    moon.manager.programs.read_empty(get, lambda each: found.append(each["text"]), outcomes.append, moon.now)
    while moon.write():
        pass
    assert (found, outcomes) == (["0", "1", "2", "3", "4"], [Done()])
    assert len(moon.stored("Q")) == 0
    gone = Get(Address("GONE", "MOON"), Fields())
    moon.manager.programs.read_empty(gone, lambda _: None, outcomes.append, moon.now)
    assert isinstance(outcomes[-1], Refused)
    assert outcomes[-1].code is Code.Q_UNKNOWN


@pytest.mark.spec("E-205", "E-208")
def test_a_listener_hears_of_messages_that_come_by_transfer() -> None:
    world = World()
    moon, earth = world.queue_manager("MOON"), world.queue_manager("EARTH")
    earth.local("Q")
    moon.connection("EARTH")
    moon.remote("Q", "EARTH")
    earth.manager.programs.listen(Address("Q", "EARTH"), Fields(), lambda _: None)
    for text in ("one", "two"):
        moon.put("Q@EARTH", text_message(text))
    world.run(5)
    assert [each.uid for each in events(earth)] == [each.uid for each in earth.browse("Q")]
    assert len(events(earth)) == 2
