"""Comparison and arithmetic of property values (mqi.md 18.1). None is NULL; its results are unknown.

None is NULL: what is made of it is unknown. Numbers are compared and reckoned as Java does: with a double on one side
the other becomes one; division of whole numbers drops the fraction. What has no answer is unknown: whole numbers
divided by zero, results beyond 64 bits, arithmetic with what is no number.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, Final

from mqbridge.mappings.properties import Value

COMPARE: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
EQUALITIES: Final = frozenset(("=", "<>"))
"""Operators for values other than numbers."""
_INT64: Final = 1 << 63


def compare(sign: str, left: Value, right: Value) -> bool | None:
    """Compare two values: false for different types, unknown for NULL."""
    if left is None or right is None:
        return None
    left_type, right_type = type(left), type(right)
    if left_type is right_type:
        if left_type is int or left_type is float or sign in EQUALITIES:
            return COMPARE[sign](left, right)
        return False
    if left_type is int and right_type is float:
        return COMPARE[sign](float(left), right)
    if left_type is float and right_type is int:
        return COMPARE[sign](left, float(right))
    return False


def between(value: Value, low: Value, high: Value) -> bool | None:
    """Evaluate ``value >= low AND value <= high``."""
    return both(compare(">=", value, low), compare("<=", value, high))


def not_between(value: Value, low: Value, high: Value) -> bool | None:
    """Evaluate ``value < low OR value > high``; false if the types differ."""
    return either(compare("<", value, low), compare(">", value, high))


def both(one: bool | None, other: bool | None) -> bool | None:
    """AND in three-valued logic."""
    if one is False or other is False:
        return False
    return None if one is None or other is None else True


def either(one: bool | None, other: bool | None) -> bool | None:
    """OR in three-valued logic."""
    if one is True or other is True:
        return True
    return None if one is None or other is None else False


def reckon(sign: str, left: Value, right: Value) -> Value:
    """Compute ``left`` + - * / ``right``."""
    if type(left) is int and type(right) is int:
        return _whole(sign, left, right)
    if _is_number(left) and _is_number(right):
        return _double(sign, float(left), float(right))  # type: ignore[arg-type]
    return None


def negative(value: Value) -> Value:
    """Return the negated number."""
    if type(value) is int:
        return _within(-value)
    return -value if type(value) is float else None


def _is_number(value: Value) -> bool:
    return type(value) is int or type(value) is float


def _whole(sign: str, left: int, right: int) -> Value:
    if sign == "+":
        return _within(left + right)
    if sign == "-":
        return _within(left - right)
    if sign == "*":
        return _within(left * right)
    if right == 0:
        return None
    quotient = abs(left) // abs(right)
    return _within(quotient if (left < 0) == (right < 0) else -quotient)


def _within(value: int) -> Value:
    return value if -_INT64 <= value < _INT64 else None


def _double(sign: str, left: float, right: float) -> float:
    if sign == "+":
        return left + right
    if sign == "-":
        return left - right
    if sign == "*":
        return left * right
    if right != 0.0:
        return left / right
    if left == 0.0 or math.isnan(left) or math.isnan(right):
        return math.nan
    return math.copysign(math.inf, math.copysign(1.0, left) * math.copysign(1.0, right))
