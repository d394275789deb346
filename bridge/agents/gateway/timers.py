"""A heap of deadlines, most of which are cancelled or put off."""

from __future__ import annotations

import heapq
from typing import Final, Protocol

from mqbridge.mappings.moment import Time

_CLEAN_AT: Final = 64
"""Size of the heap from which at most half of its entries may be stale."""


class Timed(Protocol):
    """The owner of a deadline, and its key."""

    def timeout(self, now: Time) -> None:
        """The deadline has passed."""
        ...


class Timers:
    """Deadlines by key, in seconds since the epoch.

    A deadline that is put off or cancelled costs nothing: its entry in the heap is corrected when its old time comes.
    One that moves forward leaves a stale entry; the heap is cleaned when most entries are stale.
    """

    __slots__ = ("_count", "_deadlines", "_entries", "_heap")

    def __init__(self) -> None:
        self._deadlines: dict[Timed, float] = {}
        self._entries: dict[Timed, float] = {}
        self._heap: list[tuple[float, int, Timed]] = []
        self._count = 0

    def set(self, key: Timed, when: float | None) -> None:
        """Set or move the deadline of a key; None cancels it."""
        if when is None:
            self._deadlines.pop(key, None)
            return
        self._deadlines[key] = when
        entry = self._entries.get(key)
        if entry is None or when < entry:
            self._push(key, when)

    def next(self) -> float | None:
        """The earliest deadline."""
        heap, deadlines, entries = self._heap, self._deadlines, self._entries
        while heap:
            when, _, key = heap[0]
            real = deadlines.get(key)
            if real == when:
                return real
            heapq.heappop(heap)
            if entries.get(key) == when:
                del entries[key]
                if real is not None:
                    self._push(key, real)
        return None

    def not_before(self) -> float | None:
        """A lower bound of the earliest deadline, without looking up deadlines that were put off."""
        return self._heap[0][0] if self._deadlines else None

    def due(self, now: Time) -> list[Timed]:
        """Remove and return the keys whose deadlines have passed, in order."""
        found: list[Timed] = []
        while (when := self.next()) is not None and when <= now:
            key = heapq.heappop(self._heap)[2]
            del self._entries[key], self._deadlines[key]
            found.append(key)
        return found

    def __len__(self) -> int:
        return len(self._deadlines)

    def _push(self, key: Timed, when: float) -> None:
        self._count += 1
        self._entries[key] = when
        heap, deadlines = self._heap, self._deadlines
        heapq.heappush(heap, (when, self._count, key))
        if len(heap) > _CLEAN_AT and len(heap) > 2 * len(deadlines):
            heap[:] = [(real, number, name) for number, (name, real) in enumerate(deadlines.items())]
            heapq.heapify(heap)
            self._entries.clear()
            self._entries.update(deadlines)
