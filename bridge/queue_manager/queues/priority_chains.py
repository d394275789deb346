"""Priority chains: the visible messages of one band in order of their positions.

A chain is a list of rows (:mod:`mqbridge.bridge.queue_manager.queues.rows`) and the index of its first live row. Rows
sort by their first eight bytes, so a bisection on the bytes finds them. A row removed from the middle leaves its
position (eight bytes) as a tombstone, which sorts alike and is skipped; the list is compacted when it has too many.
Removing at the front, appending, and returning rows to the front move no other rows.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import Final

from mqbridge.bridge.queue_manager.queues.rows import DATA_LENGTH, POSITION_BYTES, data_length

_CLEAN_AT: Final = 1024
"""Dead entries, at the front or tombstones, up to which a list is not compacted."""
_MERGE_AT: Final = 32
"""Number of rows from which on they are merged by a sort instead of inserted one by one."""


class RowChain:
    """An ordered set of rows. ``count``: how many."""

    __slots__ = ("_head", "_rows", "count")

    def __init__(self) -> None:
        self._rows: list[bytes] = []
        self._head = 0
        self.count = 0

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[bytes]:
        """Rows in order. The chain must not change during the iteration."""
        for index in range(self._head, len(self._rows)):
            row = self._rows[index]
            if len(row) > POSITION_BYTES:
                yield row

    def append(self, row: bytes) -> None:
        """Add a row, normally at the end."""
        rows = self._rows
        if self._head == len(rows) or rows[-1] < row[:POSITION_BYTES]:
            rows.append(row)
            self.count += 1
        else:
            self.restore([row])

    def restore(self, restored: list[bytes]) -> None:
        """Return rows, given in any order, to their positions."""
        missing = []
        for row in sorted(restored, reverse=True):
            index = bisect_left(self._rows, row[:POSITION_BYTES], self._head)
            if index < len(self._rows) and self._rows[index] == row[:POSITION_BYTES]:
                self._rows[index] = row
            elif index == self._head and index > 0:
                self._head = index - 1
                self._rows[self._head] = row
            else:
                missing.append(row)
        self.count += len(restored)
        if missing:
            self._insert(missing)

    def _insert(self, added: list[bytes]) -> None:
        if len(added) < _MERGE_AT:
            for row in added:
                self._rows.insert(bisect_left(self._rows, row, self._head), row)
            return
        self._drop_front()
        self._rows.extend(sorted(added))
        self._rows.sort()

    def first(self) -> bytes | None:
        """The first row; it stays in the chain."""
        rows = self._rows
        while self._head < len(rows):
            row = rows[self._head]
            if len(row) > POSITION_BYTES:
                return row
            self._pass()
        return None

    def pop_first(self) -> bytes | None:
        """Remove and return the first row."""
        rows, head = self._rows, self._head
        while head < len(rows):
            row = rows[head]
            rows[head] = b""
            head += 1
            if len(row) > POSITION_BYTES:
                self.count -= 1
                self._head = head
                if head > _CLEAN_AT and head * 2 > len(rows):
                    self._drop_front()
                return row
        self._head = head
        return None

    def pop_front(self, most: int, room: int) -> tuple[list[bytes], int]:
        """Remove and return the first rows: at most ``most``, until ``room`` bytes of data are reached; return also
        the room that is left."""
        rows, head = self._rows, self._head
        found: list[bytes] = []
        while head < len(rows) and len(found) < most and room > 0:
            row = rows[head]
            rows[head] = b""
            head += 1
            if len(row) > POSITION_BYTES:
                found.append(row)
                room -= data_length(row, DATA_LENGTH)[0]
        self.count -= len(found)
        self._head = head
        if head > _CLEAN_AT and head * 2 > len(rows):
            self._drop_front()
        return found, room

    def _pass(self) -> None:
        self._rows[self._head] = b""
        self._head += 1
        if self._head > _CLEAN_AT and self._head * 2 > len(self._rows):
            self._drop_front()

    def _drop_front(self) -> None:
        del self._rows[: self._head]
        self._head = 0

    def find(self, position: bytes) -> bytes | None:
        """The row at a position (eight bytes); it stays in the chain."""
        index = bisect_left(self._rows, position, self._head)
        if index < len(self._rows):
            row = self._rows[index]
            if len(row) > POSITION_BYTES and row.startswith(position):
                return row
        return None

    def next_after(self, position: bytes) -> Iterator[bytes]:
        """Rows in order behind a position (eight bytes; empty: all). The chain must not change during the iteration."""
        index = bisect_left(self._rows, position + b"\xff", self._head) if position else self._head
        for index in range(index, len(self._rows)):  # noqa: B020, the place where to begin is not used again
            row = self._rows[index]
            if len(row) > POSITION_BYTES:
                yield row

    def remove(self, row: bytes) -> bool:
        """Remove a row; False if it is not in the chain."""
        position = row[:POSITION_BYTES]
        index = bisect_left(self._rows, position, self._head)
        if index == len(self._rows):
            return False
        found = self._rows[index]
        if len(found) == POSITION_BYTES or not found.startswith(position):
            return False
        self.count -= 1
        if index == self._head:
            self._pass()
            return True
        self._rows[index] = position
        left_over = len(self._rows) - self._head - self.count
        if left_over > _CLEAN_AT and left_over > self.count:
            self._rows = list(self)
            self._head = 0
        return True
