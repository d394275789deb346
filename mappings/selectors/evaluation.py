"""Compilation of selector trees into fast functions.

Each node becomes a function of the look-up of properties. Those of conditions give True, False or None (unknown);
AND and OR end at the first part that decides. Comparisons of a property with a literal, which most are, have functions
of their own. The depth of the calls is that of the tree.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from mqbridge.mappings.properties import Value

from .like import like_pattern
from .nodes import And, Arithmetic, Between, Comparison, In, IsNull, Like, Literal, Name, Negative, Node, Not, Or
from .values import COMPARE, EQUALITIES, between, compare, negative, not_between, reckon

LookUp: TypeAlias = Callable[[str], Value]
"""From a name to the value of the property, None if the message has none."""
Evaluate: TypeAlias = Callable[[LookUp], Value]
Decide: TypeAlias = Callable[[LookUp], bool | None]


MAX_PATTERN_WORK: Final = 4_000_000
"""Characters of a text times those that are looked for in it by all LIKEs of a selector (`search_length`) from which on
a LIKE is unknown: it can take as long as their product."""


def condition(node: Node, patterns: int = 0) -> Decide:
    """The function of a condition, of a name or of a boolean literal. ``patterns``: sum of `search_length`
    of the selector that it belongs to."""
    match node:
        case And():
            return _and([condition(part, patterns) for part in node.parts])
        case Or():
            return _or([condition(part, patterns) for part in node.parts])
        case Not():
            return _not(condition(node.part, patterns))
        case Comparison():
            return _comparison(node)
        case Between():
            return _between(node)
        case In():
            return _in(node)
        case Like():
            return _like(node, patterns)
        case IsNull():
            return _is_null(node)
    return _truth(value(node))


def value(node: Node) -> Evaluate:
    """The function of a value."""
    match node:
        case Literal():
            return _constant(node.value)
        case Name():
            name = node.name
            return lambda look_up: look_up(name)
        case Negative():
            operand = value(node.operand)
            return lambda look_up: negative(operand(look_up))
        case Arithmetic():
            return _arithmetic(node)
    return condition(node)


def _constant(constant: Value) -> Evaluate:
    def evaluate(_look_up: LookUp) -> Value:
        return constant

    return evaluate


def _and(parts: list[Decide]) -> Decide:
    def decide(look_up: LookUp) -> bool | None:
        found: bool | None = True
        for part in parts:
            answer = part(look_up)
            if answer is False:
                return False
            if answer is None:
                found = None
        return found

    return decide


def _or(parts: list[Decide]) -> Decide:
    def decide(look_up: LookUp) -> bool | None:
        found: bool | None = False
        for part in parts:
            answer = part(look_up)
            if answer is True:
                return True
            if answer is None:
                found = None
        return found

    return decide


def _not(part: Decide) -> Decide:
    def decide(look_up: LookUp) -> bool | None:
        answer = part(look_up)
        return None if answer is None else not answer

    return decide


def _truth(operand: Evaluate) -> Decide:
    """A value where a condition stands: as if it were compared with TRUE."""

    def decide(look_up: LookUp) -> bool | None:
        answer = operand(look_up)
        return None if answer is None else answer is True

    return decide


def _comparison(node: Comparison) -> Decide:
    sign, left, right = node.operator, node.left, node.right
    if isinstance(left, Name) and isinstance(right, Literal) and isinstance(right.value, str | bytes):
        return _name_with_text(left.name, sign, right.value)
    if isinstance(left, Name) and isinstance(right, Literal) and type(right.value) is int:
        return _name_with_whole(left.name, sign, right.value)
    one, other = value(left), value(right)
    return lambda look_up: compare(sign, one(look_up), other(look_up))


def _name_with_text(name: str, sign: str, constant: str | bytes) -> Decide:
    kind = type(constant)
    if sign not in EQUALITIES:
        return lambda look_up: None if look_up(name) is None else False
    same = sign == "="

    def decide(look_up: LookUp) -> bool | None:
        found = look_up(name)
        if found is None:
            return None
        return type(found) is kind and (found == constant) is same

    return decide


def _name_with_whole(name: str, sign: str, constant: int) -> Decide:
    test = COMPARE[sign]

    def decide(look_up: LookUp) -> bool | None:
        found = look_up(name)
        return test(found, constant) if type(found) is int else compare(sign, found, constant)

    return decide


def _between(node: Between) -> Decide:
    subject, low, high = value(node.subject), value(node.low), value(node.high)
    test = not_between if node.negated else between
    return lambda look_up: test(subject(look_up), low(look_up), high(look_up))


def _in(node: In) -> Decide:
    name, values, negated = node.subject.name, node.values, node.negated

    def decide(look_up: LookUp) -> bool | None:
        found = look_up(name)
        if found is None:
            return None
        kind = type(found)
        return ((kind is str or kind is int) and found in values) is not negated

    return decide


def _is_null(node: IsNull) -> Decide:
    name, negated = node.subject.name, node.negated
    return lambda look_up: (look_up(name) is None) is not negated


def _like(node: Like, patterns: int) -> Decide:
    name, negated = node.subject.name, node.negated
    fits = like_pattern(node.pattern, node.escape)
    longest = MAX_PATTERN_WORK // max(patterns, 1)

    def decide(look_up: LookUp) -> bool | None:
        found = look_up(name)
        if found is None:
            return None
        if type(found) is not str:
            return negated
        return None if len(found) > longest else fits(found) is not negated

    return decide


def _arithmetic(node: Arithmetic) -> Evaluate:
    first = value(node.first)
    rest = [(sign, value(operand)) for sign, operand in node.rest]

    def evaluate(look_up: LookUp) -> Value:
        found = first(look_up)
        for sign, operand in rest:
            found = reckon(sign, found, operand(look_up))
            if found is None:
                return None
        return found

    return evaluate
