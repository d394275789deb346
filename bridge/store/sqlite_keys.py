"""Keys of messages in a store of SQLite: a number for queue and position, so that a message is in one tree (`sqlite`).

::

    key    number of a range << 40 | lower 40 bits of the position
    range  a queue, and the upper 24 bits of positions as `stored_position` has them

Ranges are rows of a table, few and never deleted; here they are in memory too.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from mqbridge.bridge.store.errors import RowError, StoreDamaged
from mqbridge.bridge.store.operations import MAX_QUEUE

TOP_BIT: Final = 1 << 63
"""What is taken from a position, which has 64 bits without a sign."""
SHIFT: Final = 40
"""Bits of a position in a key."""
LOW: Final = (1 << SHIFT) - 1
MAX_RANGES: Final = 1 << 22
_QUEUES: Final = range(MAX_QUEUE + 1)
_UPPER: Final = range(-TOP_BIT >> SHIFT, TOP_BIT >> SHIFT)
_NUMBERS: Final = range(1, MAX_RANGES + 1)


def stored_position(position: int) -> int:
    """Return a position as an integer of SQLite, which has a sign; the order stays."""
    return position - TOP_BIT


class Range(NamedTuple):
    """Positions of a queue. ``first``, ``last``: their keys. ``start``: the position of the first."""

    first: int
    last: int
    start: int

    def position(self, key: int) -> int:
        """Return the position of a key."""
        return self.start + (key & LOW)


class SqliteKeys:
    """The ranges of a store. ``rows``: runs a statement under the lock of the connection. ``path``: for errors.

    Methods raise `StoreDamaged` where the table cannot be read.
    """

    def __init__(self, database: sqlite3.Connection, rows: Callable[[str], list[Any]], path: str) -> None:
        self._database = database
        self._rows = rows
        self._path = path
        self._ranges: dict[tuple[int, int], int] | None = None

    def find(self, queue: int, position: int) -> int | None:
        """Return the key of a message; None if its queue has had none with a position near it."""
        number = self._known().get((queue, stored_position(position) >> SHIFT))
        return None if number is None else (number << SHIFT) | (position & LOW)

    def make(self, queue: int, position: int) -> int:
        """Return the key of a message that is being added, in its transaction. Raises `RowError`, `sqlite3.Error`."""
        ranges, what = self._known(), (queue, stored_position(position) >> SHIFT)
        number = ranges.get(what)
        if number is None:
            if len(ranges) >= MAX_RANGES:
                raise RowError(f"positions are in more than {MAX_RANGES} ranges")
            number = self._database.execute("INSERT INTO ranges (queue, upper) VALUES (?, ?)", what).lastrowid
            assert number is not None
            ranges[what] = number
        return (number << SHIFT) | (position & LOW)

    def is_known(self, queue: int, position: int) -> bool:
        """Whether `make` only computes."""
        return (queue, stored_position(position) >> SHIFT) in self._known()

    def of(self, queue: int) -> list[Range]:
        """Return the ranges of a queue, in order of positions."""
        found = sorted((upper, number) for (each, upper), number in list(self._known().items()) if each == queue)
        return [Range(number << SHIFT, number << SHIFT | LOW, (upper << SHIFT) + TOP_BIT) for upper, number in found]

    def queues(self) -> list[int]:
        """Return the queues that have had messages, in order."""
        return sorted({queue for queue, _ in list(self._known())})

    def taken_back(self) -> None:
        """A transaction was taken back, with ranges that it may have made."""
        self._ranges = None

    def _known(self) -> dict[tuple[int, int], int]:
        known = self._ranges
        if known is None:
            known = {}
            for queue, upper, number in self._rows("SELECT queue, upper, id FROM ranges"):
                if queue not in _QUEUES or upper not in _UPPER or number not in _NUMBERS:
                    raise StoreDamaged("a range of positions is not what was written", self._path)
                known[queue, upper] = number
            self._ranges = known
        return known
