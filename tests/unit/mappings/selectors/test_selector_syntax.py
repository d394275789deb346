"""What is a selector and what is none (mqi.md 18.1, 18.2)."""

from __future__ import annotations

import pytest

from mqbridge.mappings.selectors import MAX_DEPTH, MAX_LENGTH, SelectorError, compile_selector
from mqbridge.protocol.constants import MQRC


def decide(text: str, **properties: object) -> bool | None:
    return compile_selector(text).decide(properties.get)


def fault(text: str) -> int:
    with pytest.raises(SelectorError) as caught:
        compile_selector(text)
    return caught.value.reason


@pytest.mark.spec("mqi.md 18.1")
@pytest.mark.parametrize(
    ("literal", "value"),
    [
        ("'it''s'", "it's"), ("''", ""), ("''''", "'"), ("'a\nb'", "a\nb"),
        ("5", 5), ("0", 0), ("57L", 57), ("57l", 57), ("-957", -957), ("+62", 62), ("- 1", -1), ("-(-3)", 3),
        ("0x1F", 31), ("0X1fL", 31), ("0177", 127), ("00", 0), ("0xFFFFFFFFFFFFFFFF", -1),
        ("9223372036854775807", 2**63 - 1), ("-9223372036854775808", -(2**63)),
        ("7.", 7.0), ("7E3", 7000.0), ("-57.9E2", -5790.0), ("-95.7", -95.7), (".5", 0.5), ("1e-2d", 0.01),
        ("7f", 7.0), ("1.5D", 1.5),
        ("TRUE", True), ("false", False), ("FaLsE", False),
        ('"0x2F1C"', b"\x2f\x1c"), ('"0XD43a"', b"\xd4\x3a"),
    ],
)  # fmt: skip
def test_literal_equals_its_value_and_no_other(literal: str, value: object) -> None:
    assert decide(f"p = {literal}", p=value) is True
    assert decide(f"{literal} = p", p=value) is True
    assert decide(f"p <> {literal}", p=value) is False
    other = {str: "other", int: 77, float: 77.5, bool: not value, bytes: b"\0" + bytes(2)}[type(value)]
    assert decide(f"p = {literal}", p=other) is False
    assert decide(f"p <> {literal}", p=other) is True


@pytest.mark.spec("mqi.md 18.1")
@pytest.mark.parametrize(
    "name", ["p", "_p", "$p", "p1", "Größe", "日本", "a.b.c", "usr.p", "mq_usr.g.p", "nota", "Android", "p$1", "isnull"]
)
def test_names(name: str) -> None:
    selector = compile_selector(f"{name} = 1")
    assert selector.names == {name}
    assert selector.selects({name: 1}.get)
    assert not selector.selects({name.swapcase() if name.swapcase() != name else "x": 1}.get)


@pytest.mark.spec("mqi.md 18.1")
@pytest.mark.parametrize("keyword", ["AND", "and", "aNd"])
def test_keywords_in_any_case(keyword: str) -> None:
    assert decide(f"a {keyword} b", a=True, b=True) is True


@pytest.mark.spec("mqi.md 18.1")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("TRUE OR a AND FALSE", True),
        ("(a OR TRUE) AND FALSE", False),
        ("NOT FALSE AND a", None),
        ("NOT (FALSE AND a)", True),
        ("NOT NOT TRUE AND a IS NULL", True),
        ("a IS NULL AND 1 + 2 * 3 = 7", True),
        ("a IS NULL AND (1 + 2) * 3 = 9", True),
        ("a IS NULL AND 10 - 3 - 2 = 5", True),
        ("a IS NULL AND 12 / 3 / 2 = 2", True),
        ("a IS NULL AND 2 * -3 = -6", True),
        ("a IS NULL AND 5-3=2", True),
        ("a IS NULL AND 1 BETWEEN 0 AND 1 AND 2 = 2", True),
        ("a IS NULL AND(1)=((1))", True),
    ],
)
def test_precedence(text: str, expected: bool | None) -> None:
    assert decide(text) is expected


@pytest.mark.spec("mqi.md 21.19")
@pytest.mark.spec("mqi.md 18.2")
@pytest.mark.parametrize(
    "text",
    [
        "", " ", "colour = = 3", "a = 1 b", "a == 1", "a != 1", "a && b", "(a = 1", "a = 1)", "a = 'x", "a = \"x\"",
        "a AND", "AND a", "NOT", "1", "'x'", "a + 1", "1.5", '"0x00"', "a = b = c", "20 < b < 30",
        "a LIKE b", "a LIKE 5", "a LIKE 'x' ESCAPE 'xy'", "a LIKE 'x' ESCAPE ''", "a LIKE 'x!' ESCAPE '!'",
        "a IN ()", "a IN (1, 2)", "a IN 'x'", "a IN ('x',)", "5 IN ('x')", "'x' IN ('x')", "5 LIKE 'x'",
        "a BETWEEN 1", "a BETWEEN 1 AND", "a IS", "a IS NOT", "a IS TRUE", "5 IS NULL", "(a = 1) IS NULL",
        "(a = 1) = TRUE", "(a = 1) + 1 = 2", "-(a = 1) = 1", "a AND 5", "NOT 5", "a OR 'x'", "(a AND b) = (c AND d)",
        "a = 09", "a = 0x", "a = 0xG", "a = 1a", "a = 7e", "a = 1 AND2 = 2", "a = 0xAFC23FFFFFFFFFFFFF",
        "a = 9223372036854775808", "a = --9223372036854775808", "a = +9223372036854775808", "a = 1e999",
        'a = "0xAFC"', 'a = "0x"', 'a = "2F1C"', "a = 0777777777777777777777777",
        "NULL = 1", "like = 1", "Is = 1", "a. = 1", ".a = 1", "a..b = 1", "a.1 = 1", "a#b = 1", "a-b", "\0",
        "JMSFoo = 1", "JMS_IBM_MsgType = 8", "usr.JMSPriority = 4", "Root.MQMD.Nothing = 1", "Root.MQMD.StrucId = 'MD'",
        "Root.MQMD.Version = 2", "Root.XMLNSC.order.id = 5", "Body.x = 1 AND Root.x IS NULL", "mqfoo.a.b = 1",
        "n" * 4096 + " = 1",
    ],
)  # fmt: skip
def test_wrong_ones_are_2551(text: str) -> None:
    assert fault(text) == MQRC.SELECTION_NOT_AVAILABLE


@pytest.mark.spec("mqi.md 18.2")
@pytest.mark.parametrize(
    "text", ["FALSE", "1 = 2", "TRUE <> TRUE", "NOT TRUE", "1 = 'x'", "1 / 0 = 1", "FALSE AND TRUE"]
)
def test_always_false_is_2504_where_no_property_is_asked_for(text: str) -> None:
    assert fault(text) == MQRC.SELECTOR_ALWAYS_FALSE


def test_always_true_is_fine() -> None:
    assert decide("TRUE") is decide("1 = 1.0") is decide("TRUE <> FALSE") is True


@pytest.mark.spec("mqi.md 18.1")
def test_length_limit() -> None:
    text = "a = '" + "x" * (MAX_LENGTH - 6) + "'"
    assert len(text) == MAX_LENGTH == 10_240
    assert decide(text, a="x" * (MAX_LENGTH - 6)) is True
    assert fault(text + " ") == MQRC.SELECTION_STRING_ERROR


@pytest.mark.spec("mqi.md 18.2")
def test_ten_thousand_terms_are_refused_and_what_fits_is_taken() -> None:
    assert fault(" OR ".join(f"a = {number}" for number in range(10_000))) == MQRC.SELECTION_STRING_ERROR
    fitting = " OR ".join(f"a={number}" for number in range(1_100))
    assert len(fitting) <= MAX_LENGTH
    assert decide(fitting, a=1_099) is True
    assert decide(fitting, a=1_100) is False
    assert decide("5119 = a" + "+1" * 5_115, a=5) is False
    assert decide("0" + "+1" * 5_116 + "=a", a=5_116) is True


@pytest.mark.spec("mqi.md 18.1")
@pytest.mark.parametrize(
    "text",
    [
        "(" * 5_000 + "a" + ")" * 5_000,
        "NOT " * 2_500 + "a",
        "(a AND " * 1_200 + "a" + ")" * 1_200,
        "(" * 900 + "a" + " OR a)" * 900,
    ],
)  # fmt: skip
def test_parentheses_and_chains_are_not_depth(text: str) -> None:
    assert decide(text, a=True) is True


def nested(levels: int) -> str:
    return "a OR (a AND (" * levels + "a" + "))" * levels


@pytest.mark.spec("mqi.md 18.2")
def test_depth_limit() -> None:
    deepest = (MAX_DEPTH - 1) // 2
    assert decide(nested(deepest), a=False) is False
    assert fault(nested(deepest + 1)) == MQRC.SELECTION_NOT_AVAILABLE
    assert fault("(a + " * 1_500 + "1" + ")" * 1_500 + " = 1") == MQRC.SELECTION_NOT_AVAILABLE


def test_errors_say_where() -> None:
    with pytest.raises(SelectorError, match="at character 9: '= 3'"):
        compile_selector("colour = = 3")
    with pytest.raises(SelectorError, match="ends too early"):
        compile_selector("colour =")


def test_names_and_required_equalities() -> None:
    selector = compile_selector("a = 1 AND ('x' = b) AND NOT (c = 2) AND d > 3 AND a = 2")
    assert selector.names == {"a", "b", "c", "d"}
    assert selector.required() == {"a": 1, "b": "x"}
    assert compile_selector("a = 1").required() == {"a": 1}
    assert compile_selector("a = 1 OR b = 2").required() == {}


def test_the_same_text_is_compiled_once() -> None:
    assert compile_selector("a = 1") is compile_selector("a = 1")
