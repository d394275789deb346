"""Parsing of selection strings into trees."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from mqbridge.mappings.properties import PropertyNameError, Value, check_selectable
from mqbridge.protocol.constants import MQRC

from .errors import SelectorError
from .grammar import GRAMMAR
from .nodes import (
    CONDITIONS,
    And,
    Arithmetic,
    Between,
    Comparison,
    In,
    IsNull,
    Like,
    Literal,
    Name,
    Negative,
    Node,
    Not,
    Or,
)

if TYPE_CHECKING:
    from lark import Lark

MAX_LENGTH: Final = 10_240
"""Longest selection string in characters (MQ_SELECTOR_LENGTH); also limits the number of terms, to about half."""
MAX_DEPTH: Final = 200
"""Deepest nesting of nodes; parentheses alone, and AND in AND or OR in OR, do not count."""

_INT64_LIMIT: Final = 1 << 63
_DELIVERY_MODE: Final = "JMSDeliveryMode"
_DELIVERY_MODES: Final[dict[str, Value]] = {"NON_PERSISTENT": 1, "PERSISTENT": 2}
_DESCRIPTOR: Final = "Root.MQMD."
_IDS: Final = frozenset(("JMSMessageID", "JMSCorrelationID"))
_WRITTEN_ID: Final = re.compile(r"ID:[0-9A-Fa-f]{48}\Z")


def parse_selector(text: str) -> Node:
    """Return the tree of a selection string. Raises `SelectorError` 2519 if it is too long, 2551 for other faults."""
    from lark import UnexpectedInput, UnexpectedToken

    if len(text) > MAX_LENGTH:
        raise SelectorError(f"{len(text)} characters; {MAX_LENGTH} are allowed", MQRC.SELECTION_STRING_ERROR)
    try:
        tree: Any = _parser().parse(text)
    except UnexpectedInput as error:
        if isinstance(error, UnexpectedToken) and error.token.type == "$END":
            raise SelectorError("wrong syntax: it ends too early") from None
        place = error.pos_in_stream or 0
        raise SelectorError(f"wrong syntax at character {place}: {text[place : place + 40]!r}") from None
    return _condition(tree)


@lru_cache(maxsize=1)
def _parser() -> Lark:
    """Return the parser; lark is imported and the tables are built on first use."""
    from lark import Lark

    return Lark(GRAMMAR, parser="lalr", lexer="basic", start="disjunction", transformer=_Builder())


def _checked(node: Node) -> Node:
    if node.depth > MAX_DEPTH:
        raise SelectorError(f"conditions are nested deeper than {MAX_DEPTH}")
    return node


def _condition(node: Node) -> Node:
    """Return the node, which must be a condition."""
    if isinstance(node, (*CONDITIONS, Name)) or (isinstance(node, Literal) and isinstance(node.value, bool)):
        return node
    raise SelectorError("a value stands where a condition is expected")


def _value(node: Node) -> Node:
    """Return the node, which must be a value."""
    if isinstance(node, CONDITIONS):
        raise SelectorError("a condition stands where a value is expected")
    if isinstance(node, Literal) and type(node.value) is int and node.value == _INT64_LIMIT:
        raise SelectorError(f"{node.value} does not fit 64 bits")
    return node


def _name(node: Node) -> Name:
    if isinstance(node, Name):
        return node
    raise SelectorError("IN, LIKE and IS NULL ask for properties only")


def _text(token: str) -> str:
    return token[1:-1].replace("''", "'")


def _fitting(name: Name, value: Value) -> Value:
    """Return a literal in the form of a name's values: words of delivery modes, lower-case ids, no trailing blanks."""
    if not isinstance(value, str):
        return value
    if name.name == _DELIVERY_MODE:
        return _DELIVERY_MODES.get(value, value)
    if name.name in _IDS and _WRITTEN_ID.match(value):
        return "ID:" + value[3:].lower()
    return value.rstrip(" ") if name.name.startswith(_DESCRIPTOR) else value


def _fitted(node: Node, other: Node) -> Node:
    return Literal(_fitting(other, node.value)) if isinstance(node, Literal) and isinstance(other, Name) else node


class _Builder:
    """Callbacks of the parser, one for each grammar rule, with the rule's children."""

    def disjunction(self, parts: list[Node]) -> Node:
        flat: list[Node] = []
        for part in parts:
            flat += part.parts if isinstance(part, Or) else (_condition(part),)
        return _checked(Or(tuple(flat)))

    def conjunction(self, parts: list[Node]) -> Node:
        flat: list[Node] = []
        for part in parts:
            flat += part.parts if isinstance(part, And) else (_condition(part),)
        return _checked(And(tuple(flat)))

    def negated(self, found: list[Any]) -> Node:
        part = _condition(found[1])
        return part.part if isinstance(part, Not) else _checked(Not(part))

    def comparison(self, found: list[Any]) -> Node:
        left, operator, right = _value(found[0]), str(found[1]), _value(found[2])
        return _checked(Comparison(operator, _fitted(left, right), _fitted(right, left)))

    def between(self, found: list[Any]) -> Node:
        subject, negation, low, high = found
        return _checked(Between(_value(subject), _value(low), _value(high), negation is not None))

    def membership(self, found: list[Any]) -> Node:
        subject, negation, *texts = found
        name = _name(subject)
        return In(name, frozenset(_fitting(name, _text(text)) for text in texts), negation is not None)

    def like(self, found: list[Any]) -> Node:
        subject, negation, pattern, escape = found
        character = "" if escape is None else _text(escape)
        if escape is not None and len(character) != 1:
            raise SelectorError("ESCAPE takes one character")
        text = _text(pattern)
        if character and _ends_escaped(text, character):
            raise SelectorError("the pattern ends with its escape character")
        return Like(_name(subject), text, character, negation is not None)

    def null(self, found: list[Any]) -> Node:
        return IsNull(_name(found[0]), found[1] is not None)

    def sum(self, found: list[Any]) -> Node:
        pairs = zip(found[1::2], found[2::2], strict=True)
        return _checked(Arithmetic(_value(found[0]), tuple((str(sign), _value(each)) for sign, each in pairs)))

    product = sum

    def signed(self, found: list[Any]) -> Node:
        sign, operand = found
        if sign == "+":
            return _value(operand)
        if isinstance(operand, Literal) and type(operand.value) in (int, float):
            return _negative(operand)
        operand = _value(operand)
        return operand.operand if isinstance(operand, Negative) else _checked(Negative(operand))

    def group(self, found: list[Any]) -> Any:
        return found[0]

    def string(self, found: list[Any]) -> Node:
        return Literal(_text(found[0]))

    def byte_string(self, found: list[Any]) -> Node:
        return Literal(bytes.fromhex(found[0][3:-1]))

    def approximate(self, found: list[Any]) -> Node:
        value = float(found[0].rstrip("dDfF"))
        if value in (float("inf"), float("-inf")):
            raise SelectorError(f"{found[0][:40]} is beyond the numbers of 64 bits")
        return Literal(value)

    def decimal(self, found: list[Any]) -> Node:
        digits = found[0].rstrip("lL")
        value = int(digits) if len(digits) < 20 else _INT64_LIMIT + 1
        if value > _INT64_LIMIT:  # the limit itself is allowed behind a minus sign
            raise SelectorError(f"{digits[:40]} does not fit 64 bits")
        return Literal(value)

    def hexadecimal(self, found: list[Any]) -> Node:
        return _bits(found[0][2:].rstrip("lL"), 16)

    def octal(self, found: list[Any]) -> Node:
        return _bits(found[0].rstrip("lL"), 8)

    def true(self, found: list[Any]) -> Node:
        return Literal(True)

    def false(self, found: list[Any]) -> Node:
        return Literal(False)

    def name(self, found: list[Any]) -> Node:
        name = str(found[0])
        try:
            check_selectable(name)
        except PropertyNameError as error:
            raise SelectorError(str(error)) from None
        return Name(name)


def _negative(operand: Literal) -> Literal:
    value = operand.value
    assert isinstance(value, int | float)
    if value == -_INT64_LIMIT and isinstance(value, int):
        raise SelectorError(f"{-value} does not fit 64 bits")
    return Literal(-value)


def _bits(digits: str, base: int) -> Literal:
    """Return a number as 64 bits or less in two's complement."""
    significant = digits.lstrip("0") or "0"
    value = int(significant, base) if len(significant) <= 22 else 1 << 64
    if value >= 1 << 64:
        raise SelectorError(f"{digits[:40]} does not fit 64 bits")
    return Literal(value - (1 << 64) if value >= _INT64_LIMIT else value)


def _ends_escaped(pattern: str, escape: str) -> bool:
    """Return whether a pattern ends with an escape character that escapes nothing."""
    place, end = 0, len(pattern)
    while place < end:
        if pattern[place] == escape:
            if place + 1 == end:
                return True
            place += 1
        place += 1
    return False
