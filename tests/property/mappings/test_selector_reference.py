"""Selectors against a slow reference: trees are drawn, written as text and decided by tables and exact arithmetic."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.mappings.selectors import compile_selector

pytestmark = [pytest.mark.spec("mqi.md 18.1"), pytest.mark.spec("mqi.md 21.19")]

NAMES = ("a", "b", "c", "colour", "n$1", "usr.d", "mq_usr.g.e", "JMSType", "Root.MQMD.Priority")
INT64 = 2**63
AND = {(x, y): min(x, y) for x in (0, 1, 2) for y in (0, 1, 2)}  # false 0, unknown 1, true 2
OR = {(x, y): max(x, y) for x in (0, 1, 2) for y in (0, 1, 2)}
LEVELS = {False: 0, None: 1, True: 2}
ANSWERS = (False, None, True)

texts = st.text(st.sampled_from("ab'%_\\ é"), max_size=4)
wholes = st.integers(-INT64, INT64 - 1) | st.integers(-4, 4)
doubles = st.floats(-1e6, 1e6, allow_nan=False) | st.sampled_from([0.0, 0.5, 2.0])
literals = texts | wholes | doubles | st.booleans() | st.binary(min_size=1, max_size=2)
property_values = st.none() | literals
tables = st.fixed_dictionaries(dict.fromkeys(NAMES, property_values))


def names() -> st.SearchStrategy[Any]:
    return st.sampled_from(NAMES).map(lambda name: ("name", name))


values = st.recursive(
    literals.map(lambda value: ("literal", value)) | names(),
    lambda inner: st.one_of(
        st.tuples(st.sampled_from("+-*/"), inner, inner),
        st.tuples(st.just("negative"), names()),
    ),
    max_leaves=4,
)
predicates = st.one_of(
    st.tuples(st.sampled_from(["=", "<>", "<", "<=", ">", ">="]), values, values),
    st.tuples(st.sampled_from(["BETWEEN", "NOT BETWEEN"]), values, values, values),
    st.tuples(st.sampled_from(["IN", "NOT IN"]), names(), st.lists(texts, min_size=1, max_size=3)),
    st.tuples(st.sampled_from(["LIKE", "NOT LIKE"]), names(), texts.filter(lambda text: not text.endswith("\\"))),
    st.tuples(st.sampled_from(["IS NULL", "IS NOT NULL"]), names()),
    names(),
    st.booleans().map(lambda value: ("literal", value)),
)
conditions = st.recursive(
    predicates,
    lambda inner: st.one_of(
        st.tuples(st.just("NOT"), inner),
        st.tuples(st.just("AND"), inner, inner),
        st.tuples(st.just("OR"), inner, inner),
    ),
    max_leaves=8,
)


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def literal(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, bytes):
        return f'"0x{value.hex()}"'
    return f"({value!r})" if value < 0 else repr(value)


def written(node: Any) -> str:
    kind, *parts = node
    if kind == "literal":
        return literal(parts[0])
    if kind == "name":
        return str(parts[0])
    if kind == "negative":
        return f"(-{written(parts[0])})"
    if kind in ("IN", "NOT IN"):
        return f"{written(parts[0])} {kind} ({', '.join(map(quoted, parts[1]))})"
    if kind in ("LIKE", "NOT LIKE"):
        return f"{written(parts[0])} {kind} {quoted(parts[1])} ESCAPE '\\'"
    if kind in ("IS NULL", "IS NOT NULL"):
        return f"{written(parts[0])} {kind}"
    if kind == "NOT":
        return f"NOT ({written(parts[0])})"
    if kind in ("BETWEEN", "NOT BETWEEN"):
        return f"({written(parts[0])} {kind} {written(parts[1])} and {written(parts[2])})"
    return f"({written(parts[0])} {kind} {written(parts[1])})"


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def compared(sign: str, left: Any, right: Any) -> bool | None:
    if left is None or right is None:
        return None
    if is_number(left) and is_number(right):
        if isinstance(left, float) or isinstance(right, float):
            left, right = float(left), float(right)
        below, same = left < right, left == right
        above = left > right
        return {"=": same, "<>": not same, "<": below, "<=": below or same, ">": above, ">=": above or same}[sign]
    if type(left) is not type(right) or sign not in ("=", "<>"):
        return False
    return (left == right) == (sign == "=")


def reckoned(sign: str, left: Any, right: Any) -> Any:
    if not (is_number(left) and is_number(right)):
        return None
    if isinstance(left, int) and isinstance(right, int):
        if sign == "/":
            if right == 0:
                return None
            exact = (abs(left) - abs(left) % abs(right)) // abs(right)
            found = exact if (left >= 0) == (right >= 0) else -exact
        else:
            found = {"+": left + right, "-": left - right, "*": left * right}[sign]
        return found if -INT64 <= found < INT64 else None
    left, right = float(left), float(right)
    if sign == "/" and right == 0:
        if left == 0 or left != left:
            return float("nan")
        return float("inf") if (str(left)[0] == "-") == (str(right)[0] == "-") else float("-inf")
    return left / right if sign == "/" else {"+": left + right, "-": left - right, "*": left * right}[sign]


def like(text: str, pattern: str) -> bool:
    """By trying all ways."""
    if not pattern:
        return not text
    head, rest = pattern[0], pattern[1:]
    if head == "%":
        return any(like(text[start:], rest) for start in range(len(text) + 1))
    if head == "\\":
        head, rest = rest[0], rest[1:]
    elif head == "_":
        return bool(text) and like(text[1:], rest)
    return text[:1] == head and like(text[1:], rest)


def decided(node: Any, table: dict[str, Any]) -> Any:
    kind, *parts = node
    if kind == "literal":
        return parts[0]
    if kind == "name":
        return table[parts[0]]
    if kind == "negative":
        found = table[parts[0][1]]
        return (None if found == -INT64 and isinstance(found, int) else -found) if is_number(found) else None
    if kind in "+-*/":
        return reckoned(kind, decided(parts[0], table), decided(parts[1], table))
    if kind == "NOT":
        return ANSWERS[2 - LEVELS[truth(parts[0], table)]]
    if kind in ("AND", "OR"):
        both = (LEVELS[truth(parts[0], table)], LEVELS[truth(parts[1], table)])
        return ANSWERS[(AND if kind == "AND" else OR)[both]]
    if kind.startswith("IS"):
        return (decided(parts[0], table) is None) == (kind == "IS NULL")
    subject = decided(parts[0], table)
    if kind.endswith("BETWEEN"):
        low, high = decided(parts[1], table), decided(parts[2], table)
        if kind == "BETWEEN":
            return ANSWERS[AND[LEVELS[compared(">=", subject, low)], LEVELS[compared("<=", subject, high)]]]
        return ANSWERS[OR[LEVELS[compared("<", subject, low)], LEVELS[compared(">", subject, high)]]]
    if kind.endswith(("IN", "LIKE")):
        if subject is None:
            return None
        inside = any(isinstance(subject, str) and subject == text for text in parts[1])
        if kind.endswith("LIKE"):
            inside = isinstance(subject, str) and like(subject, parts[1])
        return inside == (not kind.startswith("NOT"))
    return compared(kind, subject, decided(parts[1], table))


def truth(node: Any, table: dict[str, Any]) -> bool | None:
    found = decided(node, table)
    return None if found is None else found is True


def has_name(node: Any) -> bool:
    return re.search(r"\('name'|negative", repr(node)) is not None


@given(conditions.filter(has_name), tables)
def test_the_selector_says_what_the_reference_says(node: Any, table: dict[str, Any]) -> None:
    text = written(node)
    selector = compile_selector(text)
    assert selector.decide(table.get) is truth(node, table), text
    assert selector.selects(table.get) is (truth(node, table) is True)


@given(conditions.filter(has_name), tables, st.sampled_from(["AND", "and", "Or"]), conditions)
def test_laws_of_three_values(node: Any, table: dict[str, Any], word: str, other: Any) -> None:
    one, two = written(node), written(other)
    assert decide(f"{one} {word} {two}", table) is decide(f"{two} {word} {one}", table)
    dual = "OR" if word.upper() == "AND" else "AND"
    assert decide(f"NOT ({one} {word} {two})", table) is decide(f"NOT ({one}) {dual} NOT ({two})", table)
    assert decide(f"(({one}) {word} ({one}))", table) is truth(node, table)


def decide(text: str, table: dict[str, Any]) -> bool | None:
    return compile_selector(text).decide(table.get)
