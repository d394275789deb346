"""Expiry deadlines of the messages of a queue: a heap of 16 bytes a message (deadline, position)."""

from __future__ import annotations

import heapq
import struct
from collections.abc import Iterable, Iterator
from typing import Final

from .rows import POSITION_BYTES, deadline_of

_DEADLINE = struct.Struct(">Q")
_CLEAN_AT: Final = 1024


class Deadlines:
    """Expiry deadlines of the messages of a queue, in milliseconds since the epoch.

    Entries of messages that were got are removed late: a position that is due may no longer be on the queue.
    """

    __slots__ = ("_heap", "count")

    def __init__(self) -> None:
        self._heap: list[bytes] = []
        self.count = 0

    def add(self, row: bytes, deadline: int) -> None:
        """Add a message that becomes visible."""
        self.count += 1
        heapq.heappush(self._heap, _DEADLINE.pack(deadline) + row[:POSITION_BYTES])

    def forget(self, rows: Iterable[bytes]) -> None:
        """Count one message less. ``rows``: the remaining ones, read only when the heap is cleaned."""
        self.count -= 1
        if len(self._heap) > _CLEAN_AT and len(self._heap) > 4 * self.count:
            self._heap = [
                _DEADLINE.pack(deadline) + row[:POSITION_BYTES] for row in rows if (deadline := deadline_of(row))
            ]
            heapq.heapify(self._heap)

    def next(self) -> int | None:
        """The earliest deadline, possibly of a message that is no longer there; None if there is none."""
        return int.from_bytes(self._heap[0][:8], "big") if self._heap else None

    def due(self, now: int) -> Iterator[bytes]:
        """Positions (eight bytes) of messages whose deadline is reached, removed from the heap."""
        limit = _DEADLINE.pack(now + 1)
        while self._heap and self._heap[0] < limit:
            yield heapq.heappop(self._heap)[8:]
