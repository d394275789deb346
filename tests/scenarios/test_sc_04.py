"""SC-04: an assured get whose requests and answers are lost gives the message once."""

from __future__ import annotations

import pytest
from scenarios.test_sc_03 import CONFIRM, Q, ask, code, two

from mqbridge.protocol.everyplace.calls import ConfirmGet, Done, Get, Got, Undo
from mqbridge.protocol.everyplace.errors import Code
from mqbridge.protocol.everyplace.fields import Fields

pytestmark = pytest.mark.spec("SC-04")


@pytest.mark.spec("E-148", "E-151", "E-153", "E-164", "E-173", "E-200", "E-201", "E-202")
@pytest.mark.parametrize("get_cut", ["", "request", "answer"])
@pytest.mark.parametrize("confirm_cut", ["", "request", "answer"])
def test_by_the_rules_for_repetition_it_is_received_once(get_cut: str, confirm_cut: str) -> None:
    moon, earth = two()
    earth.put("Q", "two apples")
    get = Get(Q, Fields(), CONFIRM)
    outcome = ask(moon, earth, get, get_cut)
    if get_cut:
        assert code(outcome) is Code.OUTCOME_UNKNOWN
        visible = [] if get_cut == "answer" else ["two apples"]
        assert earth.texts("Q") == visible
        assert code(ask(moon, earth, Undo(Q, CONFIRM))) is None
        outcome = ask(moon, earth, get)
    assert isinstance(outcome, Got)
    assert outcome.message["text"] == "two apples"
    assert code(earth.ask(Get(Q, Fields()))) is Code.Q_NO_MATCHING_MSG
    assert outcome.message.uid is not None
    confirm = ConfirmGet(Q, outcome.message.uid)
    done = ask(moon, earth, confirm, confirm_cut)
    if confirm_cut:
        assert code(done) is Code.OUTCOME_UNKNOWN
        assert code(ask(moon, earth, confirm)) is (Code.NOT_FOUND if confirm_cut == "answer" else None)
    else:
        assert done == Done()
    assert len(earth.stored("Q")) == 0


@pytest.mark.spec("E-153", "E-181")
def test_an_undo_gives_back_what_its_own_queue_manager_has_got_and_nothing_else() -> None:
    moon, earth = two()
    earth.put("Q", "two apples")
    got = ask(moon, earth, Get(Q, Fields(), CONFIRM))
    assert isinstance(got, Got)
    assert got.message.uid is not None
    # Programs of other queue managers, and of this one, count from 1 too.
    assert earth.ask(Undo(Q, CONFIRM)) == Done()
    assert earth.call(Undo(Q, CONFIRM), "VENUS") == [Done()]
    assert earth.texts("Q") == []
    assert ask(moon, earth, Undo(Q, CONFIRM)) == Done()
    assert earth.texts("Q") == ["two apples"]
