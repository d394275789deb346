"""The messages of one band in the order of their positions: the only place where visible messages are kept.

A chain is a list of rows (:mod:`bridge.queue_manager.queues.rows`) and the index of the first one still there. Rows
sort by their first eight bytes, so places are found by bisection on the bytes themselves. A row taken out of the
middle leaves its position behind, eight bytes, which sorts alike and is passed over; the list is cleaned when too
much of it is left-overs. Taking from the front, adding at the end and putting back at the front need no moving about.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import Final

from mqbridge.bridge.queue_manager.queues.rows import POSITION_BYTES

_CLEAN_AT: Final = 1024
"""Left-over places at the front or in the middle below which a list is not cleaned."""
_MERGE_AT: Final = 32
"""Rows to insert from which on the list is merged instead of opened for each."""


class RowChain:
    """An ordered set of rows, ``count`` of them."""

    __slots__ = ("_head", "_rows", "count")

    def __init__(self) -> None:
        self._rows: list[bytes] = []
        self._head = 0
        self.count = 0

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[bytes]:
        """Rows in order. The chain must not change meanwhile."""
        for index in range(self._head, len(self._rows)):
            row = self._rows[index]
            if len(row) > POSITION_BYTES:
                yield row

    def append(self, row: bytes) -> None:
        """Adds a row; at the end when it belongs there, else at its place."""
        rows = self._rows
        if self._head == len(rows) or rows[-1] < row[:POSITION_BYTES]:
            rows.append(row)
            self.count += 1
        else:
            self.restore([row])

    def restore(self, restored: list[bytes]) -> None:
        """Puts rows back to where they were, in any order."""
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
        """The first row, left where it is."""
        rows = self._rows
        while self._head < len(rows):
            row = rows[self._head]
            if len(row) > POSITION_BYTES:
                return row
            self._pass()
        return None

    def pop_first(self) -> bytes | None:
        """Takes the first row out."""
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

    def _pass(self) -> None:
        self._rows[self._head] = b""
        self._head += 1
        if self._head > _CLEAN_AT and self._head * 2 > len(self._rows):
            self._drop_front()

    def _drop_front(self) -> None:
        del self._rows[: self._head]
        self._head = 0

    def find(self, position: bytes) -> bytes | None:
        """The row at a position (eight bytes), left where it is."""
        index = bisect_left(self._rows, position, self._head)
        if index < len(self._rows):
            row = self._rows[index]
            if len(row) > POSITION_BYTES and row.startswith(position):
                return row
        return None

    def next_after(self, position: bytes) -> Iterator[bytes]:
        """Rows behind a position (eight bytes; empty: from the front) in order; the chain must not change meanwhile."""
        index = bisect_left(self._rows, position + b"\xff", self._head) if position else self._head
        for index in range(index, len(self._rows)):  # noqa: B020, the place where to begin is not used again
            row = self._rows[index]
            if len(row) > POSITION_BYTES:
                yield row

    def remove(self, row: bytes) -> bool:
        """Takes a row out wherever it stands; False if it is not there."""
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
