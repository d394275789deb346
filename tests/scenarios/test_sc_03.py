"""SC-03: an assured put whose requests and answers are lost is there once."""

from __future__ import annotations

import pytest

from mqbridge.bridge.everyplace.effects import MessageArrived
from mqbridge.protocol.everyplace.calls import Call, ConfirmPut, Done, Get, Outcome, Put, Refused
from mqbridge.protocol.everyplace.errors import Code
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.names import Address
from support.everyplace import Station, World, text_message

pytestmark = pytest.mark.spec("SC-03")
Q = Address("Q", "EARTH")
CONFIRM = 77


def two() -> tuple[Station, Station]:
    world = World()
    moon, earth = world.queue_manager("MOON"), world.queue_manager("EARTH")
    earth.local("Q")
    moon.connection("EARTH")
    moon.remote("Q", "EARTH", synchronous=True)
    return moon, earth


def ask(moon: Station, earth: Station, call: Call, cut: str = "") -> Outcome:
    """Make a call over a connection that is cut before the request arrives, or before its answer does."""
    moon.browse("Q@EARTH")  # the connection is there
    found = moon.call(call)
    if cut:
        moon.go_on()
        for wire in moon.world.wires_of("MOON", "EARTH"):
            while cut == "answer" and wire.on_the_way[1]:
                wire.ends[1].receive_data(wire.on_the_way[1].popleft(), earth.now)
        earth.go_on()
        moon.world.cut_all("MOON", "EARTH")
    moon.world.run_until(lambda: bool(found))
    return found[0]


def code(outcome: Outcome) -> Code | None:
    return outcome.code if isinstance(outcome, Refused) else None


@pytest.mark.spec(
    "E-145", "E-151", "E-155", "E-157", "E-172", "E-179", "E-195", "E-196", "E-197", "E-198", "E-199", "E-203", "E-208"
)
@pytest.mark.parametrize("put_cut", ["", "request", "answer"])
@pytest.mark.parametrize("confirm_cut", ["", "request", "answer"])
def test_by_the_rules_for_repetition_it_is_there_once(put_cut: str, confirm_cut: str) -> None:
    moon, earth = two()
    events: list[object] = []
    earth.manager.programs.listen(Q, Fields(), events.append)
    message = text_message("two apples")
    outcome = ask(moon, earth, Put(Q, message, CONFIRM), put_cut)
    assert code(outcome) is (Code.OUTCOME_UNKNOWN if put_cut else None)
    assert earth.browse("Q") == []
    assert code(earth.ask(Get(Q, Fields()))) is Code.Q_NO_MATCHING_MSG
    if put_cut:
        message.resend = True
        assert ask(moon, earth, Put(Q, message, CONFIRM)) == Done()
    assert earth.browse("Q") == []
    assert not any(isinstance(each, MessageArrived) for each in earth.effects)
    assert message.uid is not None
    confirm = ConfirmPut(Q, message.uid)
    outcome = ask(moon, earth, confirm, confirm_cut)
    if confirm_cut:
        assert code(outcome) is Code.OUTCOME_UNKNOWN
        again = code(ask(moon, earth, confirm))
        assert again is (Code.NOT_FOUND if confirm_cut == "answer" else None)
    assert earth.texts("Q") == ["two apples"]
    assert len(earth.stored("Q")) == 1
    assert len([each for each in earth.effects if isinstance(each, MessageArrived)]) == 1


@pytest.mark.spec("E-172", "E-195")
@pytest.mark.parametrize(("cut", "copies"), [("request", 1), ("answer", 1)])
def test_without_confirm_id_a_new_message_instead_of_a_repetition_may_come_twice(cut: str, copies: int) -> None:
    moon, earth = two()
    assert code(ask(moon, earth, Put(Q, text_message("one")), cut)) is Code.OUTCOME_UNKNOWN
    assert ask(moon, earth, Put(Q, text_message("one"))) == Done()
    assert earth.texts("Q") == ["one"] * (copies + (cut == "answer"))
