"""Values of packets, and what building a packet needs beside them."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple, TypeAlias

Value: TypeAlias = str | bytes | int | float
"""Text, bytes, a number; a time is seconds since 1970 UTC. Bytes stand for themselves in a field of any type."""


class Values(NamedTuple):
    """What a packet says.

    ``transaction``: the name of its kind. ``fields``: values by name of the field. ``kept``: what was read where
    building would write other bytes, by name of the field, or by ``@`` and the offset for bytes of the template.
    """

    transaction: str
    fields: Mapping[str, Value]
    kept: Mapping[str, bytes]

    def changed(self, **fields: Value) -> Values:
        """Return these values with some fields changed."""
        return self._replace(fields={**self.fields, **fields})

    def without(self, names: Iterable[str]) -> Values:
        """Return these values without some fields."""
        gone = frozenset(names)
        return self._replace(
            fields={name: value for name, value in self.fields.items() if name not in gone},
            kept={name: raw for name, raw in self.kept.items() if name not in gone},
        )


def no_values(transaction: str, **fields: Value) -> Values:
    """Return values of which nothing was read."""
    return Values(transaction, fields, {})


class Counters:
    """Sequence numbers by the name of their counter. ``numbers``: the last that was given, for who keeps them."""

    __slots__ = ("numbers",)

    def __init__(self, numbers: Mapping[str, int] | None = None) -> None:
        self.numbers = dict(numbers or {})

    def next(self, name: str, first: int, last: int, step: int) -> int:
        """Return the next number of a counter: ``first`` again behind ``last``."""
        previous = self.numbers.get(name)
        number = first if previous is None else previous + step
        if not first <= number <= last:
            number = first
        self.numbers[name] = number
        return number


class SessionCounters(Counters):
    """The counters of one connection: those that begin again with it, named in ``own``, and those ``shared``."""

    __slots__ = ("_mine", "_own", "_shared")

    def __init__(self, shared: Counters, own: Collection[str]) -> None:
        self._shared = shared
        self._own = own
        self._mine = Counters()

    @property
    def numbers(self) -> dict[str, int]:
        """The last numbers that were given, in a dictionary of their own."""
        return {**self._shared.numbers, **self._mine.numbers}

    @numbers.setter
    def numbers(self, numbers: Mapping[str, int]) -> None:
        self._mine.numbers = {name: number for name, number in numbers.items() if name in self._own}
        self._shared.numbers = {name: number for name, number in numbers.items() if name not in self._own}

    def next(self, name: str, first: int, last: int, step: int) -> int:
        """See `Counters.next`."""
        return (self._mine if name in self._own else self._shared).next(name, first, last, step)


class Context(NamedTuple):
    """What computed fields need.

    ``now``: seconds since 1970 UTC. ``random``: for ids. ``counters``: sequence numbers. ``request``: the packet that
    is answered, of which fields are copied; None if there is none.
    """

    now: float
    random: random.Random
    counters: Counters
    request: Values | None = None
