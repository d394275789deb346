"""Times at which something is due, by what is due."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import count


class Timers:
    """One time for each key; setting it again replaces it.

    ``now``: seconds since 1970 of the last event, as the calendar's clock said. `steady`: the same, but that it does
    not go back, which it counts in whole seconds, so that adding and subtracting them is exact; what is due after some
    time is due by it. A step forward is time that has passed: a device may have slept.
    """

    __slots__ = ("_back", "_count", "_due", "_heap", "_now")

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, object]] = []
        self._due: dict[object, tuple[float, int, Callable[[], None]]] = {}
        self._count = count()
        self._now = 0.0
        self._back = 0

    @property
    def now(self) -> float:
        """See the class."""
        return self._now

    @now.setter
    def now(self, now: float) -> None:
        if now < self._now:
            self._back += int(self._now - now)
        self._now = now

    @property
    def steady(self) -> float:
        """See the class."""
        return self._now + self._back

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
                return when - self._back
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
