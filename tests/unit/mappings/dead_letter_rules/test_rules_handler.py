"""What a dead-letter queue handler decides about messages, and how it counts attempts."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.mappings.dead_letter import dead_letter
from mqbridge.mappings.dead_letter_rules import (
    Discard,
    Leave,
    Move,
    Rule,
    RulesHandler,
    dead_letter_of,
    read_rules,
)
from mqbridge.mappings.dead_letter_rules import handler as handler_module
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQAT, MQFB, MQRC, ByteOrder

KEY = b"key"


def original(**fields: Any) -> Message:
    known = {
        "format": "MQSTR",
        "coded_char_set_id": 437,
        "encoding": 546,
        "persistence": 1,
        "msg_type": 1,
        "feedback": int(MQFB.COA),
        "reply_to_q": "REPLY",
        "reply_to_q_mgr": "FAR",
        "user_identifier": "joe",
        "put_appl_type": int(MQAT.UNIX),
        "put_appl_name": "amqsput",
        "appl_identity_data": "till 7",
    }
    return Message.build(b"text", order=ByteOrder.BIG, ccsid=819, **(known | fields))


def dead(**fields: Any) -> Message:
    return dead_letter(
        original(**fields),
        int(MQRC.Q_FULL),
        "ORDERS",
        "EARTH",
        put_appl_type=int(MQAT.QMGR),
        put_appl_name="EARTH",
        now=0.0,
    )


def decided(rules: str, message: Message | None = None) -> Any:
    return RulesHandler(read_rules(rules)).decide(KEY, message or dead(), 0.0)


def test_the_message_without_its_header_is_as_it_was() -> None:
    letter = dead_letter_of(dead())
    assert letter is not None
    assert (letter.reason, letter.destq, letter.destqm, letter.format) == (MQRC.Q_FULL, "ORDERS", "EARTH", "MQSTR")
    before = original()
    assert letter.message.data == b"text"
    assert letter.message.raw_md == before.raw_md


@pytest.mark.parametrize(
    ("pattern", "other"),
    [
        ("APPLIDAT('till ?')", "APPLIDAT('till')"),
        ("APPLNAME('amqs*')", "APPLNAME(AMQS*)"),
        ("APPLTYPE(MQAT_UNIX)", "APPLTYPE(MQAT_CICS)"),
        ("DESTQ(ORD*)", "DESTQ(ORD)"),
        ("DESTQM(earth)", "DESTQM('earth')"),
        ("FEEDBACK(MQFB_COA)", "FEEDBACK(MQFB_COD)"),
        ("FORMAT(MQSTR)", "FORMAT(MQDEAD)"),
        ("MSGTYPE(MQMT_REQUEST)", "MSGTYPE(8)"),
        ("PERSIST(1)", "PERSIST(0)"),
        ("REASON(MQRC_Q_FULL)", "REASON(MQRC_PUT_INHIBITED)"),
        ("REPLYQ(REPL?)", "REPLYQ(REPL?Y)"),
        ("REPLYQM(F*R)", "REPLYQM(F*T)"),
        ("USERID('joe   ')", "USERID('jo')"),
    ],
)
def test_every_pattern_keyword(pattern: str, other: str) -> None:
    assert isinstance(decided(f"{pattern} ACTION(DISCARD)"), Discard)
    assert decided(f"{other} ACTION(DISCARD)") == Leave("no rule matches")


def test_all_patterns_of_a_rule_and_the_first_such_rule() -> None:
    found = decided("PERSIST(1) DESTQ(X) ACTION(IGNORE)\nPERSIST(1) ACTION(DISCARD)\nACTION(IGNORE)")
    assert found.rule.line == 2
    assert decided("ACTION(IGNORE)\nACTION(DISCARD)") == Leave("the rule of line 1")


@pytest.mark.parametrize(
    ("rule", "queue", "manager", "with_header", "user"),
    [
        ("ACTION(RETRY)", "ORDERS", "EARTH", False, ""),
        ("ACTION(RETRY) PUTAUT(CTX)", "ORDERS", "EARTH", False, "joe"),
        ("ACTION(FWD) FWDQ(Q)", "Q", "", True, ""),
        ("ACTION(FWD) FWDQ(Q) FWDQM(MARS) HEADER(NO)", "Q", "MARS", False, ""),
        ("ACTION(FWD) FWDQ(&DESTQ) FWDQM(&REPLYQM)", "ORDERS", "FAR", True, ""),
        ("ACTION(FWD) FWDQ(&REPLYQ) FWDQM(&DESTQM) PUTAUT(CTX)", "REPLY", "EARTH", True, "joe"),
    ],
)
def test_where_a_message_goes(rule: str, queue: str, manager: str, with_header: bool, user: str) -> None:
    found = decided(rule)
    assert isinstance(found, Move)
    assert (found.queue, found.queue_manager, found.user) == (queue, manager, user)
    assert found.message == (dead() if with_header else original())


@pytest.mark.parametrize(
    "message",
    [
        original(),
        Message.build(b"DLH ", format="MQDEAD", encoding=273),
        Message.build(b"RFH " + bytes(200), format="MQDEAD", encoding=273),
        Message.build(bytes(200), format="MQDEAD", encoding=0),
    ],
)
def test_what_has_no_valid_header_stays(message: Message) -> None:
    assert decided("ACTION(DISCARD)", message) == Leave("it does not begin with an MQDLH")


def fail(handler: RulesHandler, now: float) -> Rule:
    found = handler.decide(KEY, dead(), now)
    assert isinstance(found, Move), found
    handler.failed(KEY, found.rule, now)
    return found.rule


def test_attempts_come_after_the_interval_and_end_with_the_next_rule() -> None:
    table = "RETRYINT(10)\nACTION(RETRY) RETRY(3)\nDESTQ(X) ACTION(DISCARD)\nACTION(FWD) FWDQ(Q) RETRY(2)"
    handler = RulesHandler(read_rules(table))
    assert fail(handler, 100.0).line == 2
    assert handler.next_attempt() == 110.0
    assert handler.decide(KEY, dead(), 109.9) == Leave("")
    assert fail(handler, 110.0).line == 2
    assert fail(handler, 120.0).line == 2
    assert fail(handler, 120.0).line == 4
    assert fail(handler, 130.0).line == 4
    assert handler.decide(KEY, dead(), 130.0) == Leave("all attempts failed")
    assert handler.decide(KEY, dead(), 1e9) == Leave("all attempts failed")
    assert handler.next_attempt() is None


def test_a_success_forgets_the_attempts() -> None:
    handler = RulesHandler(read_rules("ACTION(RETRY) RETRY(2)"))
    fail(handler, 0.0)
    handler.done(KEY)
    assert handler.next_attempt() is None
    assert isinstance(handler.decide(KEY, dead(), 0.0), Move)


def test_messages_that_are_gone_are_forgotten() -> None:
    handler = RulesHandler(read_rules("ACTION(RETRY) RETRY(2)"))
    fail(handler, 0.0)
    handler.still_there({KEY})
    assert handler.next_attempt() == 60.0
    handler.still_there(set())
    assert handler.next_attempt() is None


def test_when_no_later_rule_matches_the_message_stays() -> None:
    handler = RulesHandler(read_rules("ACTION(RETRY)\nDESTQ(X) ACTION(DISCARD)"))
    fail(handler, 0.0)
    assert handler.decide(KEY, dead(), 0.0) == Leave("all attempts failed")
    assert handler.next_attempt() is None


def test_after_attempts_a_rule_may_leave_the_message() -> None:
    handler = RulesHandler(read_rules("ACTION(RETRY)\nACTION(IGNORE)"))
    fail(handler, 0.0)
    assert handler.decide(KEY, dead(), 0.0) == Leave("the rule of line 2")
    assert handler.next_attempt() is None


def test_attempts_of_a_limited_number_of_messages_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handler_module, "MAX_REMEMBERED", 1)
    handler = RulesHandler(read_rules("ACTION(RETRY) RETRY(2)"))
    fail(handler, 0.0)
    found = handler.decide(b"other", dead(), 0.0)
    assert isinstance(found, Move)
    handler.failed(b"other", found.rule, 0.0)
    assert isinstance(handler.decide(b"other", dead(), 0.0), Move)
