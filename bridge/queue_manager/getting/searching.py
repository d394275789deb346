"""Searches that yield: their progress, and messages that have become visible behind it.

A search continues behind the last message that it has examined. First it examines messages that have meanwhile become
visible in front of that place, so it finds what an uninterrupted search would find and misses nothing. Messages that
were removed or are hidden by other units of work are skipped.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from typing import TYPE_CHECKING

from mqbridge.bridge.queue_manager.queues.rows import GROUPED, POSITION_BYTES, flags_of

if TYPE_CHECKING:
    from collections.abc import Hashable

    from mqbridge.bridge.queue_manager.queues.local_queue import LocalQueue


class Search:
    """Progress of the search of one get. While it runs it is registered as an index of the queue, which reports changes
    to it.

    ``running``: begun and not ended. ``after``: position (eight bytes) of the last message examined; ``own``: of the
    last one visible only to the get's unit of work. ``phase``: index of the source of candidates. ``stale``: an item of
    a group has become visible, so that a message already examined may be eligible now.
    """

    __slots__ = ("_key", "_missed", "_queue", "after", "own", "phase", "running", "stale")

    def __init__(self) -> None:
        self._queue: LocalQueue | None = None
        self._key: Hashable = None
        self._missed: list[bytes] = []
        self.after = b""
        self.running = False
        self.own = b""
        self.phase = 0
        self.stale = False

    def resume(self, queue: LocalQueue, key: Hashable, after: bytes) -> None:
        """Continue the search if queue and key are the same, else begin a new one behind a position."""
        if self._queue is not queue or self._key != key:
            self.end()
            self._queue, self._key, self.after = queue, key, after
            queue.indexes[self] = self
            self.running = True

    def next_phase(self, phase: int, after: bytes) -> None:
        """Continue with another source of candidates, from a position on."""
        self.phase, self.after = phase, after
        self._missed.clear()

    def passed(self, row: bytes) -> None:
        """Record that a message was examined."""
        if row[:POSITION_BYTES] > self.after:
            self.after = row[:POSITION_BYTES]
        else:
            self.remove(row)

    @property
    def missed(self) -> list[bytes]:
        """Messages that have become visible behind the search's progress; a copy."""
        return list(self._missed)

    def add(self, row: bytes) -> None:
        """Handle a message that has become visible."""
        if row[:POSITION_BYTES] <= self.after:
            insort(self._missed, row)
        elif flags_of(row) & GROUPED:
            self.stale = True

    def remove(self, row: bytes) -> None:
        """Handle a message that is no longer visible."""
        index = bisect_left(self._missed, row[:POSITION_BYTES])
        if index < len(self._missed) and self._missed[index][:POSITION_BYTES] == row[:POSITION_BYTES]:
            del self._missed[index]

    def end(self) -> None:
        """End or abandon the search."""
        if self._queue is not None:
            del self._queue.indexes[self]
        self._queue = None
        self.running = False
        self._missed.clear()
        self.after, self.own, self.phase, self.stale = b"", b"", 0, False
