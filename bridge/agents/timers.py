"""Many deadlines, of which most never come."""

from __future__ import annotations

import heapq
from collections.abc import Hashable


class Timers:
    """Deadlines by key, seconds since the epoch.

    A deadline that is put off costs nothing: the old entry stays in the heap and is put right when its time comes.
    """

    __slots__ = ("_count", "_deadlines", "_heap")

    def __init__(self) -> None:
        self._deadlines: dict[Hashable, float] = {}
        self._heap: list[tuple[float, int, Hashable]] = []
        self._count = 0

    def set(self, key: Hashable, when: float | None) -> None:
        """Sets, moves or (None) takes away the deadline of a key."""
        if when is None:
            self._deadlines.pop(key, None)
            return
        before = self._deadlines.get(key)
        self._deadlines[key] = when
        if before is None or when < before:
            self._count += 1
            heapq.heappush(self._heap, (when, self._count, key))

    def next(self) -> float | None:
        """The earliest deadline."""
        heap, deadlines = self._heap, self._deadlines
        while heap:
            when, _, key = heap[0]
            real = deadlines.get(key)
            if real is not None and real <= when:
                return real
            heapq.heappop(heap)
            if real is not None:
                self._count += 1
                heapq.heappush(heap, (real, self._count, key))
        return None

    def due(self, now: float) -> list[Hashable]:
        """Keys whose time has come, in order; their deadlines are gone."""
        found: list[Hashable] = []
        while (when := self.next()) is not None and when <= now:
            key = heapq.heappop(self._heap)[2]
            del self._deadlines[key]
            found.append(key)
        return found

    def __len__(self) -> int:
        return len(self._deadlines)
