"""Times at which something is due, by what is due."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import count

from mqbridge.bridge.everyplace.steady import SteadyTime


class Timers(SteadyTime):
    """One time for each key; setting it again replaces it."""

    __slots__ = ("_count", "_due", "_heap")

    def __init__(self) -> None:
        super().__init__()
        self._heap: list[tuple[float, int, object]] = []
        self._due: dict[object, tuple[float, int, Callable[[], None]]] = {}
        self._count = count()

    def set(self, key: object, when: float, call: Callable[[], None]) -> None:
        """Call at a steady time."""
        number = next(self._count)
        self._due[key] = when, number, call
        heapq.heappush(self._heap, (when, number, key))
        if len(self._heap) > 64 and len(self._heap) > 4 * len(self._due):
            self._heap = [(each[0], each[1], name) for name, each in self._due.items()]
            heapq.heapify(self._heap)

    def after(self, key: object, delay: float, call: Callable[[], None]) -> None:
        """Call after so many seconds."""
        self.set(key, self.steady + delay, call)

    def clear(self, key: object) -> None:
        """Call no more."""
        self._due.pop(key, None)

    def has(self, key: object) -> bool:
        """Whether something is due for a key."""
        return key in self._due

    def next(self) -> float | None:
        """The earliest time, by the calendar."""
        while self._heap:
            when, number, key = self._heap[0]
            due = self._due.get(key)
            if due is not None and due[1] == number:
                return self.date(when)
            heapq.heappop(self._heap)
        return None

    def run(self) -> None:
        """Call what is due now."""
        while True:
            when = self.next()
            if when is None or when > self.now:
                return
            key = heapq.heappop(self._heap)[2]
            self._due.pop(key)[2]()
