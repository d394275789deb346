"""Filters of a query that can be applied to rows before their conversion to Arrow.

Spark applies every filter again to the rows it gets, so a condition may admit too many rows, never too few. Conditions
save work: captures and flows without a wanted row are not read, and other rows are not packed.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from pyspark.sql import datasource

from mqbridge.captures.tables import schema

_SLACK: Final = 2e-6
"""Seconds: times of rows are truncated to microseconds for Spark."""

_COMPARED: Final = ("string", "int", "long", "double", "boolean")
_COMPARISONS: Final[dict[type[datasource.Filter], Callable[[Any, Any], bool]]] = {
    datasource.EqualTo: operator.eq,
    datasource.GreaterThan: operator.gt,
    datasource.GreaterThanOrEqual: operator.ge,
    datasource.LessThan: operator.lt,
    datasource.LessThanOrEqual: operator.le,
    datasource.In: lambda value, wanted: value in wanted,
    datasource.StringStartsWith: str.startswith,
    datasource.StringEndsWith: str.endswith,
    datasource.StringContains: lambda value, wanted: wanted in value,
}


class Condition(NamedTuple):
    """Comparison of ``column`` with ``value``; ``negated``: rows for which it does not hold. Neither holds for NULL."""

    column: str
    holds: str
    value: Any
    negated: bool

    def admits(self, value: Any) -> bool:
        """Whether a row with this value may be wanted."""
        if self.holds == "IsNotNull":
            return (value is not None) is not self.negated
        if value is None:
            return False
        try:
            return _BY_NAME[self.holds](value, self.value) is not self.negated
        except TypeError:
            return True  # Spark compares more types than Python


class TimeSpan(NamedTuple):
    """Rows with a time in a span, seconds since the epoch."""

    column: str
    earliest: float
    latest: float

    def admits(self, value: Any) -> bool:
        """Whether a row with this time may be wanted."""
        return value is not None and self.earliest <= value <= self.latest


_BY_NAME: Final = {kind.__name__: compare for kind, compare in _COMPARISONS.items()}


class Conditions:
    """All conditions on the rows of a table."""

    def __init__(self, table: str, conditions: Iterable[Condition | TimeSpan] = ()) -> None:
        self.table = table
        self.all = list(conditions)
        names = [column.name for column in schema(table)]
        self._tests = [(names.index(each.column), each.admits) for each in self.all]

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.table, self.all)

    def admit(self, row: tuple[Any, ...]) -> bool:
        """Whether a row may be wanted."""
        return all(admits(row[place]) for place, admits in self._tests)

    def admit_value(self, column: str, value: Any) -> bool:
        """Whether any row with this value in a column may be wanted."""
        return all(each.admits(value) for each in self.all if each.column == column)


def read_filters(table: str, filters: Iterable[datasource.Filter]) -> Conditions:
    """Return the conditions of Spark's filters on rows of ``table``; filters that cannot be applied here are left
    out."""
    types = {column.name: column.type for column in schema(table)}
    found: list[Condition | TimeSpan] = []
    for each in filters:
        negated = isinstance(each, datasource.Not)
        inner = each.child if isinstance(each, datasource.Not) else each
        path: tuple[str, ...] = getattr(inner, "attribute", ())
        if len(path) != 1 or not isinstance(types.get(path[0]), str):
            continue
        column = path[0]
        if isinstance(inner, datasource.IsNotNull):
            found.append(Condition(column, "IsNotNull", None, negated))
        elif types[column] == "timestamp":
            span = None if negated else _span(column, inner)
            found += [span] if span else []
        elif type(inner) in _COMPARISONS and types[column] in _COMPARED:
            value = tuple(inner.value) if isinstance(inner, datasource.In) else inner.value  # type: ignore[attr-defined]
            nulls = value is None or (isinstance(value, tuple) and None in value)
            if not nulls:
                found.append(Condition(column, type(inner).__name__, value, negated))
    return Conditions(table, found)


def _span(column: str, condition: datasource.Filter) -> TimeSpan | None:
    value = getattr(condition, "value", None)
    if not isinstance(value, datetime):
        return None
    moment = (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp()
    earliest, latest = moment - _SLACK, moment + _SLACK
    if isinstance(condition, datasource.EqualTo):
        return TimeSpan(column, earliest, latest)
    if isinstance(condition, datasource.GreaterThan | datasource.GreaterThanOrEqual):
        return TimeSpan(column, earliest, float("inf"))
    if isinstance(condition, datasource.LessThan | datasource.LessThanOrEqual):
        return TimeSpan(column, float("-inf"), latest)
    return None
