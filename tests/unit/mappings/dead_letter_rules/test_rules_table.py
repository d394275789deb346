"""Rules tables of a dead-letter queue handler: syntax, keywords, values, and their errors."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.mappings.dead_letter_rules import Action, Control, Rule, RulesError, read_rules
from mqbridge.mappings.dead_letter_rules.entries import MAX_ENTRIES, MAX_TEXT
from mqbridge.mappings.dead_letter_rules.patterns import Pattern, glob
from mqbridge.protocol.constants import MQAT, MQFB, MQMT, MQRC

EXAMPLE = """\
*************************************************
* Control data
inputqm(' ') inputq(' ')

REASON(MQRC_Q_FULL) ACTION(RETRY) RETRY(5)

MSGTYPE(MQMT_REQUEST) REPLYQM(AAAA.*) +
  ACTION(FWD) FWDQ(DEADQ) FWDQM(&REPLYQM)

DESTQM(bbbb.1) +
action(fwd) fwdq(&DESTQ) fwdqm(bbbb.2) header(no)
persist(mqper_persistent), userid('Joe ') , action(ignore)
ACTION(DISCARD)
"""


def rule(text: str) -> Rule:
    (found,) = read_rules(text).rules
    return found


def test_a_table_with_control_data_and_rules() -> None:
    table = read_rules(EXAMPLE)
    assert table.control == Control("", "", 60, None)
    assert table.rules == (
        Rule(5, (Pattern("REASON", MQRC.Q_FULL),), Action.RETRY, attempts=5),
        Rule(
            7,
            (Pattern("MSGTYPE", MQMT.REQUEST), Pattern("REPLYQM", "AAAA.*")),
            Action.FWD,
            "DEADQ",
            "&REPLYQM",
        ),
        Rule(10, (Pattern("DESTQM", "BBBB.1"),), Action.FWD, "&DESTQ", "BBBB.2", header=False),
        Rule(12, (Pattern("PERSIST", 1), Pattern("USERID", "Joe")), Action.IGNORE),
        Rule(13, (), Action.DISCARD),
    )


@pytest.mark.parametrize(
    ("control", "expected"),
    [
        ("INPUTQ(DEAD.Q)", Control("DEAD.Q")),
        ("INPUTQ('dead.q')", Control("dead.q")),
        ("INPUTQM(QM1) INPUTQ(' ')", Control("", "QM1")),
        ("RETRYINT(30)", Control("", "", 30)),
        ("WAIT(YES)", Control("", "", 60, None)),
        ("WAIT(no)", Control("", "", 60, 0)),
        ("WAIT(15), RETRYINT(999999999)", Control("", "", 999_999_999, 15)),
    ],
)
def test_control_data(control: str, expected: Control) -> None:
    assert read_rules(f"{control}\nACTION(IGNORE)").control == expected


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        ("APPLIDAT('a b')", "a b"),
        ("APPLNAME('amqsput*')", "amqsput*"),
        ("APPLTYPE(MQAT_UNIX)", MQAT.UNIX),
        ("DESTQ(Q?.IN)", "Q?.IN"),
        ("DESTQM(qm_1)", "QM_1"),
        ("FEEDBACK(MQFB_COA)", MQFB.COA),
        ("FEEDBACK(MQRC_Q_FULL)", MQRC.Q_FULL),
        ("FORMAT(' ')", ""),
        ("FORMAT('ABC   ')", "ABC"),
        ("MSGTYPE(2)", 2),
        ("PERSIST(MQPER_NOT_PERSISTENT)", 0),
        ("REASON(MQFB_APPL_CANNOT_BE_STARTED)", MQFB.APPL_CANNOT_BE_STARTED),
        ("REASON(02053)", 2053),
        ("REPLYQ('it''s')", "it's"),
        ("REPLYQM(A/B%)", "A/B%"),
        ("USERID(abc)", "ABC"),
    ],
)
def test_patterns(pattern: str, wanted: Any) -> None:
    assert rule(f"{pattern} ACTION(IGNORE)").patterns == (Pattern(pattern.partition("(")[0], wanted),)


@pytest.mark.parametrize("keyword", ["APPLIDAT", "APPLTYPE", "DESTQ", "FEEDBACK", "MSGTYPE", "REASON", "USERID"])
@pytest.mark.parametrize("value", ["*", "'*'", "'* '"])
def test_a_star_alone_is_no_test(keyword: str, value: str) -> None:
    assert rule(f"{keyword}({value}) ACTION(IGNORE)").patterns == ()


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ("ACTION(DISCARD)", Rule(1, (), Action.DISCARD)),
        ("ACTION(IGNORE) RETRY(3)", Rule(1, (), Action.IGNORE, attempts=3)),
        ("ACTION(RETRY) PUTAUT(CTX)", Rule(1, (), Action.RETRY, as_user=True)),
        ("ACTION(RETRY) PUTAUT(DEF) RETRY(2)", Rule(1, (), Action.RETRY, attempts=2)),
        ("ACTION(FWD) FWDQ(Q)", Rule(1, (), Action.FWD, "Q")),
        ("ACTION(FWD) FWDQ(&REPLYQ) FWDQM(' ')", Rule(1, (), Action.FWD, "&REPLYQ")),
        ("FWDQM(&DESTQM) FWDQ('q') HEADER(YES) ACTION(FWD)", Rule(1, (), Action.FWD, "q", "&DESTQM")),
        ("HEADER(NO) FWDQ(Q) ACTION(FWD)", Rule(1, (), Action.FWD, "Q", header=False)),
    ],
)
def test_actions(action: str, expected: Rule) -> None:
    assert rule(action) == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("APPLNAME('ABC+\n  D') ACTION(IGNORE)", "ABCD"),
        ("APPLNAME('ABC-\n  D') ACTION(IGNORE)", "ABC  D"),
        ("APPL+\n* a comment\n\n  NAME(ABC) ACTION(IGNORE)", "ABC"),
        ("APPLNAME ( ABC ) +\r\n,ACTION\t( IGNORE )\r\n", "ABC"),
    ],
)
def test_entries_over_several_lines(text: str, value: str) -> None:
    (found,) = rule(text).patterns
    assert found.wanted == value


@pytest.mark.parametrize(
    ("text", "line", "keyword", "what"),
    [
        ("", 0, "", "at least one rule"),
        ("* nothing\nINPUTQ(Q)", 0, "", "at least one rule"),
        ("DESTQ(Q)", 1, "ACTION", "every rule has an action"),
        ("ACTION(IGNORE)\nWAIT(NO)", 2, "WAIT", "first entry"),
        ("WAIT(NO) ACTION(IGNORE)", 1, "ACTION", "no keyword of control data"),
        ("\nCOLOUR(RED) ACTION(IGNORE)", 2, "COLOUR", "no keyword of rules"),
        ("ACTION(KEEP)", 1, "ACTION", "DISCARD, IGNORE, RETRY or FWD is expected, not 'KEEP'"),
        ("ACTION(IGNORE) action(ignore)", 1, "ACTION", "twice"),
        ("ACTION(FWD)", 1, "FWDQ", "needs the name of a queue"),
        ("ACTION(FWD) +\nFWDQ(' ')", 2, "FWDQ", "needs the name of a queue"),
        ("ACTION(RETRY) FWDQ(Q)", 1, "FWDQ", r"goes with ACTION\(FWD\)"),
        ("ACTION(RETRY) HEADER(NO)", 1, "HEADER", r"goes with ACTION\(FWD\)"),
        ("ACTION(FWD) FWDQ(Q) HEADER(MAYBE)", 1, "HEADER", "YES or NO"),
        ("ACTION(FWD) FWDQ(Q*)", 1, "FWDQ", "wildcards"),
        ("ACTION(FWD) FWDQ(&DESTQM)", 1, "FWDQ", "&DESTQ or &REPLYQ"),
        ("ACTION(FWD) FWDQ(Q) FWDQM(&DESTQ)", 1, "FWDQM", "&DESTQM or &REPLYQM"),
        (f"ACTION(FWD) FWDQ({'Q' * 49})", 1, "FWDQ", "at most 48 characters"),
        ("ACTION(RETRY) PUTAUT(ALL)", 1, "PUTAUT", "DEF or CTX"),
        ("ACTION(RETRY) RETRY(0)", 1, "RETRY", "at least one attempt"),
        ("ACTION(RETRY) RETRY(*)", 1, "RETRY", "a number is expected"),
        ("RETRYINT(0)\nACTION(IGNORE)", 1, "RETRYINT", "at least one second"),
        ("RETRYINT(1000000000)\nACTION(IGNORE)", 1, "RETRYINT", "at most 999999999"),
        (f"RETRYINT({'9' * 5000})\nACTION(IGNORE)", 1, "RETRYINT", "at most 999999999"),
        ("WAIT(-1)\nACTION(IGNORE)", 1, "WAIT", "parenthesis is expected, not '-1"),
        ("WAIT(SOON)\nACTION(IGNORE)", 1, "WAIT", "YES, NO or a number of seconds"),
        ("INPUTQ(&DESTQ)\nACTION(IGNORE)", 1, "INPUTQ", "is no name"),
        ("MSGTYPE(2*) ACTION(IGNORE)", 1, "MSGTYPE", "stands for the whole value only"),
        ("MSGTYPE(?) ACTION(IGNORE)", 1, "MSGTYPE", "a number is expected"),
        ("REASON(MQRC_NO_SUCH_REASON) ACTION(IGNORE)", 1, "REASON", "a number is expected, or a name"),
        ("FORMAT('123456789') ACTION(IGNORE)", 1, "FORMAT", "longer than the field, which has 8 characters"),
        ("USERID(*'x') ACTION(IGNORE)", 1, "USERID", "parenthesis is expected"),
        ("FORMAT('') ACTION(IGNORE)", 1, "FORMAT", "the value is empty"),
        ("FORMAT() ACTION(IGNORE)", 1, "FORMAT", "the value is empty"),
        ("FORMAT('abc ACTION(IGNORE)", 1, "FORMAT", "the quote at the end of the value is missing"),
        ("ACTION", 1, "ACTION", "a value in parentheses is expected"),
        ("ACTION(IGNORE", 1, "ACTION", "parenthesis"),
        ("(IGNORE)", 1, "", "a keyword is expected"),
        (", ,", 1, "", "a keyword is expected"),
        ("ACTION(IGNORE) +\n* only a comment", 1, "", "the entry continues, but no line follows"),
        ("DESTQ(A) +\n REPLYQ(B) +\n COLOUR(C) ACTION(IGNORE)", 3, "COLOUR", "no keyword"),
    ],
)
def test_a_malformed_table_is_an_error_with_line_and_keyword(text: str, line: int, keyword: str, what: str) -> None:
    with pytest.raises(RulesError, match=what) as refused:
        read_rules(text)
    assert (refused.value.line, refused.value.keyword) == (line, keyword)
    assert str(refused.value).startswith(f"line {line}: " if line else "")


def test_tables_have_limits() -> None:
    with pytest.raises(RulesError, match=f"more than {MAX_TEXT} characters"):
        read_rules("*" * (MAX_TEXT + 1))
    with pytest.raises(RulesError, match=f"line {MAX_ENTRIES + 1}: more than {MAX_ENTRIES} entries"):
        read_rules("ACTION(IGNORE)\n" * (MAX_ENTRIES + 1))


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("", "", True),
        ("", "a", False),
        ("A*", "A", True),
        ("*A", "BA", True),
        ("A?C", "ABC", True),
        ("A?", "A", False),
        ("A*C*E", "ABCDE", True),
        ("A*C*E", "ABCDEF", False),
        ("**", "x", True),
        ("*B?", "ABBC", True),
        ("*B?", "AB", False),
        ("[A]", "A", False),
    ],
)
def test_wildcards(pattern: str, text: str, matches: bool) -> None:
    assert glob(pattern, text) is matches


def test_many_stars_take_no_time() -> None:
    assert not glob("*a" * 24 + "*b", "a" * 48)
