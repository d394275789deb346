"""Searches that give way: where one has come to, and what has come to the queue behind its back.

A search that goes on later begins behind the last message that it has passed. Messages that have become visible in
front of that place meanwhile are looked at first, so that what it finds is what a search that was never interrupted
could have found, and nothing is missed; messages that are gone, or hidden by others' units of work, it does not meet.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from typing import TYPE_CHECKING

from mqbridge.bridge.queue_manager.queues.rows import GROUPED, POSITION_BYTES, flags_of

if TYPE_CHECKING:
    from collections.abc import Hashable

    from mqbridge.bridge.queue_manager.queues.local_queue import LocalQueue


class Search:
    """One search of one get. While it goes on the queue tells it of messages as it does its indexes; `end` ends that.

    ``running``: it has begun and not ended. ``after``: position of the last message that was passed, eight bytes;
    ``own``: of the last one that only the unit of work of the get sees. ``stale``: an item of a group came, so that one
    that was passed may be eligible now.
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
        """Goes on if the same is looked for in the same queue, else begins behind a position."""
        if self._queue is not queue or self._key != key:
            self.end()
            self._queue, self._key, self.after = queue, key, after
            queue.indexes[self] = self
            self.running = True

    def next_phase(self, phase: int, after: bytes) -> None:
        """Other messages are looked at, from another position on."""
        self.phase, self.after = phase, after
        self._missed.clear()

    def passed(self, row: bytes) -> None:
        """A message was looked at."""
        if row[:POSITION_BYTES] > self.after:
            self.after = row[:POSITION_BYTES]
        else:
            self.remove(row)

    @property
    def missed(self) -> list[bytes]:
        """Messages that have become visible behind the search's back."""
        return list(self._missed)

    def add(self, row: bytes) -> None:
        """A message has become visible."""
        if row[:POSITION_BYTES] <= self.after:
            insort(self._missed, row)
        elif flags_of(row) & GROUPED:
            self.stale = True

    def remove(self, row: bytes) -> None:
        """A message is no longer visible."""
        index = bisect_left(self._missed, row[:POSITION_BYTES])
        if index < len(self._missed) and self._missed[index][:POSITION_BYTES] == row[:POSITION_BYTES]:
            del self._missed[index]

    def end(self) -> None:
        """The search is over, or given up."""
        if self._queue is not None:
            del self._queue.indexes[self]
        self._queue = None
        self.running = False
        self._missed.clear()
        self.after, self.own, self.phase, self.stale = b"", b"", 0, False
