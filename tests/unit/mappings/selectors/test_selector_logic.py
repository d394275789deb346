"""What a selector says of a message: three-valued logic and types (mqi.md 18.1, 21.19)."""

from __future__ import annotations

import math

import pytest

from mqbridge.mappings.selectors import compile_selector

T, F, U = True, False, None


def decide(text: str, **properties: object) -> bool | None:
    return compile_selector(text).decide(properties.get)


@pytest.mark.spec("mqi.md 21.19")
@pytest.mark.parametrize(
    ("a", "b", "conjunction", "disjunction"),
    [
        (T, T, T, T), (T, F, F, T), (T, U, U, T),
        (F, T, F, T), (F, F, F, F), (F, U, F, U),
        (U, T, U, T), (U, F, F, U), (U, U, U, U),
    ],
)  # fmt: skip
def test_and_or(a: bool | None, b: bool | None, conjunction: bool | None, disjunction: bool | None) -> None:
    assert decide("a AND b", a=a, b=b) is conjunction
    assert decide("a OR b", a=a, b=b) is disjunction
    assert decide("a = TRUE AND b = TRUE", a=a, b=b) is conjunction
    assert compile_selector("a AND b").selects({"a": a, "b": b}.get) is (conjunction is True)


@pytest.mark.spec("mqi.md 21.19")
@pytest.mark.parametrize(("a", "negated"), [(T, F), (F, T), (U, U)])
def test_not(a: bool | None, negated: bool | None) -> None:
    assert decide("NOT a", a=a) is negated
    assert decide("NOT NOT a", a=a) is a
    assert decide("a IS NULL", a=a) is (a is None)
    assert decide("a IS NOT NULL", a=a) is (a is not None)


@pytest.mark.spec("mqi.md 21.19")
@pytest.mark.parametrize(
    "text",
    [
        "n = 1", "n <> 1", "n < 1", "1 >= n", "n = 'x'", "n = m", "n = TRUE", "n = \"0x00\"", "n BETWEEN 1 AND 2",
        "n NOT BETWEEN 1 AND 2", "n IN ('x')", "n NOT IN ('x')", "n LIKE '%'", "n NOT LIKE '%'", "n + 1 = 2",
        "-n = 1", "n / 0 = 1", "NOT n = 1", "'x' = n", "1.5 = n",
    ],
)  # fmt: skip
def test_null_makes_everything_unknown(text: str) -> None:
    assert decide(text) is None


@pytest.mark.spec("mqi.md 21.19")
@pytest.mark.parametrize("value", ["1", True, b"\x01"])
@pytest.mark.parametrize("sign", ["=", "<>", "<", "<=", ">", ">="])
def test_a_number_compared_with_another_type_is_false(value: object, sign: str) -> None:
    assert decide(f"p {sign} 1", p=value) is False
    assert decide(f"1 {sign} p", p=value) is False
    assert decide(f"p {sign} 1.0", p=value) is False
    assert decide(f"p {sign} q", p=value, q=1) is False


@pytest.mark.spec("mqi.md 21.19")
@pytest.mark.parametrize(
    ("literal", "value"), [("'x'", 1), ("'x'", True), ("'x'", b"x"), ("TRUE", 1), ("TRUE", "TRUE"), ('"0x78"', "x")]
)
@pytest.mark.parametrize("sign", ["=", "<>", "<", ">="])
def test_other_mixes_are_false(literal: str, value: object, sign: str) -> None:
    assert decide(f"p {sign} {literal}", p=value) is False
    assert decide(f"{literal} {sign} p", p=value) is False


@pytest.mark.spec("mqi.md 18.1")
@pytest.mark.parametrize("value", ["a", True, b"a"])
@pytest.mark.parametrize("sign", ["<", "<=", ">", ">="])
def test_only_numbers_have_an_order(value: object, sign: str) -> None:
    assert decide(f"p {sign} q", p=value, q=value) is False
    if value == "a":
        assert decide(f"p {sign} 'a'", p=value) is False


@pytest.mark.spec("mqi.md 18.1")
def test_strings_and_booleans_are_equal_or_not() -> None:
    assert decide("p = 'red'", p="red") is True
    assert decide("p = 'red'", p="RED") is decide("p = 'red'", p="red ") is False
    assert decide("p <> 'red'", p="blue") is True
    assert decide("p = ''", p="") is True
    assert decide("p = FALSE", p=False) is decide("p <> TRUE", p=False) is True
    assert decide("p = q", p="x", q="x") is True


@pytest.mark.spec("mqi.md 18.1")
def test_whole_numbers_become_doubles_beside_doubles() -> None:
    assert decide("p = 2", p=2.0) is decide("p = 2.0", p=2) is decide("p < 2.5", p=2) is True
    assert decide("p = 9007199254740992.0", p=2**53 + 1) is True
    assert decide("p = 9007199254740993", p=2.0**53) is True
    assert decide("p = 9007199254740993", p=2**53) is False


@pytest.mark.spec("mqi.md 18.1")
@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("7 / 2", 3), ("-7 / 2", -3), ("7 / -2", -3), ("7 / 2.0", 3.5), ("1 - 2", -1), ("2 * 3.5", 7.0),
        ("p + 1", 6), ("-p", -5), ("p * p - p", 20), ("- p + 5.0", 0.0),
    ],
)  # fmt: skip
def test_arithmetic(expression: str, value: float) -> None:
    assert decide(f"{expression} = q", p=5, q=value) is True


@pytest.mark.spec("mqi.md 18.1")
@pytest.mark.parametrize(
    "expression",
    ["1 / p", "p / p", "9223372036854775807 + 1 + p", "-9223372036854775807 - 2 - p", "m * 2", "-m", "m / -1",
     "'x' + p", "t + 1", "-t", "s * 2", "-s"],
)  # fmt: skip
def test_arithmetic_without_answer_is_unknown(expression: str) -> None:
    properties = {"p": 0, "m": -(2**63), "t": True, "s": "5"}
    assert decide(f"{expression} = 1", **properties) is None
    assert decide(f"{expression} <> 1", **properties) is None


def test_doubles_divide_by_zero() -> None:
    assert decide("1.0 / z > 1e300", z=0) is decide("-1.0 / z < -1e300", z=0.0) is True
    assert decide("z / z = z / z", z=0.0) is False
    assert decide("p <> p", p=math.nan) is True
    assert decide("1e308 * p > 1e308", p=10) is True


@pytest.mark.spec("mqi.md 18.1")
@pytest.mark.parametrize(("value", "inside"), [(14, F), (15, T), (15.5, T), (19, T), (20, F), ("16", F)])
def test_between(value: object, inside: bool) -> None:
    assert decide("age BETWEEN 15 AND 19", age=value) is inside
    outside = not inside and not isinstance(value, str)
    assert decide("age NOT BETWEEN 15 AND 19", age=value) is outside
    assert decide("age BETWEEN low AND 19", age=value) is (None if inside or value == 14 else False)


@pytest.mark.spec("mqi.md 18.1")
def test_in() -> None:
    assert decide("c IN ('UK', 'US')", c="UK") is True
    assert decide("c IN ('UK', 'US')", c="uk") is decide("c IN ('1')", c=1) is False
    assert decide("c NOT IN ('UK')", c="UK") is False
    assert decide("c NOT IN ('UK')", c="US") is decide("c NOT IN ('1')", c=1) is True
    assert decide("(c) IN ('it''s')", c="it's") is True


@pytest.mark.spec("mqi.md 18.1")
@pytest.mark.parametrize(
    ("pattern", "fits", "misses"),
    [
        ("12%3", ["123", "12993", "12%3", "12\n3"], ["1234", "0123", "12"]),
        ("l_se", ["lose", "l.se", "l\nse"], ["loose", "lse", "LOSE"]),
        ("%", ["", "a", "\n"], []),
        ("", [""], ["a"]),
        ("_%_", ["ab", "abc"], ["", "a"]),
        ("%a%", ["a", "ba", "ab", "bab"], ["", "b"]),
        ("a%b%a", ["aba", "abba", "a1b2a", "abaa"], ["aa", "ab", "aba1"]),
        ("%ab%ab", ["abab", "ababab"], ["ab", "aab", "abxa"]),
        ("a.c", ["a.c"], ["abc"]),
        ("[a]*", ["[a]*"], ["a"]),
        ("%%__", ["ab", "abc"], ["a"]),
    ],
)
def test_like(pattern: str, fits: list[str], misses: list[str]) -> None:
    for text in fits:
        assert decide(f"p LIKE '{pattern}'", p=text) is True, text
        assert decide(f"p NOT LIKE '{pattern}'", p=text) is False, text
    for text in misses:
        assert decide(f"p LIKE '{pattern}'", p=text) is False, text
        assert decide(f"p NOT LIKE '{pattern}'", p=text) is True, text


@pytest.mark.spec("mqi.md 18.1")
def test_like_escapes() -> None:
    assert decide(r"p LIKE '\_%' ESCAPE '\'", p="_foo") is True
    assert decide(r"p LIKE '\_%' ESCAPE '\'", p="bar") is False
    assert decide("p LIKE '1!%!!' ESCAPE '!'", p="1%!") is True
    assert decide("p LIKE '!a%' ESCAPE '!'", p="abc") is True
    assert decide("p LIKE '%%' ESCAPE '%'", p="%") is True
    assert decide("p LIKE 'it''s_' ESCAPE ''''", p="its_") is True


def test_like_is_quick_on_texts_that_nearly_fit() -> None:
    text = "a" * 20_000
    assert decide("p LIKE '" + "%a" * 2_000 + "b'", p=text) is False
    assert decide("p LIKE '" + "%a_a" * 1_000 + "%b%'", p=text) is False
    assert decide("p LIKE '%" + "_" * 9_000 + "b'", p=text) is False


@pytest.mark.spec("mqi.md 18.1")
@pytest.mark.parametrize(("value", "truth"), [("true", F), (1, F), (0, F), (b"\1", F)])
def test_what_is_no_boolean_is_not_true(value: object, truth: bool) -> None:
    assert decide("p", p=value) is truth
    assert decide("p OR FALSE", p=value) is truth


@pytest.mark.spec("mqi.md 15.4")
def test_delivery_modes_by_word_and_number() -> None:
    assert decide("JMSDeliveryMode = 'PERSISTENT'", JMSDeliveryMode=2) is True
    assert decide("'NON_PERSISTENT' = JMSDeliveryMode", JMSDeliveryMode=1) is True
    assert decide("JMSDeliveryMode <> 'PERSISTENT'", JMSDeliveryMode=2) is False
    assert decide("JMSDeliveryMode = 2", JMSDeliveryMode=2) is True
    assert decide("JMSDeliveryMode IN ('PERSISTENT', 'x')", JMSDeliveryMode=2) is True
    assert decide("JMSDeliveryMode NOT IN ('PERSISTENT', 'x')", JMSDeliveryMode=1) is True


def test_descriptor_text_is_compared_without_blanks_at_its_end() -> None:
    assert decide("Root.MQMD.Format = 'MQSTR   '", **{"Root.MQMD.Format": "MQSTR"}) is True
    assert decide("Root.MQMD.Format IN ('MQSTR   ')", **{"Root.MQMD.Format": "MQSTR"}) is True


@pytest.mark.spec("mqi.md 18.3")
@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("JMSDeliveryMode = 'PERSISTENT' AND JMSPriority = 4", True),
        ("JMSMessageID = 'ID:1' AND JMSCorrelationID = 'ID:2' AND JMSType = 'order'", True),
        ("JMSTimestamp = 1053000000000", True),
        ("colour IS NULL AND size = 3", True),
        ("price = 2.5", True),
        ("size = '3'", False),
        ("JMSType = 4", False),
        ("colour = 'red'", False),
        ("ready = TRUE AND size = 3", True),
    ],
)
def test_selectors_of_small_devices(text: str, chosen: bool) -> None:
    """What they may say: AND, equality and IS NULL of header fields and properties; other types are never equal."""
    message = {
        "JMSDeliveryMode": 2, "JMSPriority": 4, "JMSMessageID": "ID:1", "JMSTimestamp": 1053000000000,
        "JMSCorrelationID": "ID:2", "JMSType": "order", "size": 3, "price": 2.5, "ready": True,
    }  # fmt: skip
    assert compile_selector(text).selects(message.get) is chosen
