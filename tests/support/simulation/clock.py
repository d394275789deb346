"""Simulated time: things happen in the order of their times, and no time passes otherwise."""

from __future__ import annotations

import heapq
from collections.abc import Callable


class SimulatedClock:
    """``now`` in seconds since the epoch; `at` and `after` plan, `run` lets things happen."""

    def __init__(self, start: float = 1_700_000_000.0) -> None:
        self.now = start
        self._heap: list[tuple[float, int, Callable[[], None]]] = []
        self._count = 0

    def at(self, when: float, action: Callable[[], None]) -> None:
        self._count += 1
        heapq.heappush(self._heap, (max(when, self.now), self._count, action))

    def after(self, delay: float, action: Callable[[], None]) -> None:
        self.at(self.now + delay, action)

    def run(self, until: float, done: Callable[[], bool], limit: int = 2_000_000) -> bool:
        """Runs until `done` says so (True), time is up or nothing is left (False)."""
        for _ in range(limit):
            if done():
                return True
            if not self._heap or self._heap[0][0] > until:
                return False
            self.now, _, action = heapq.heappop(self._heap)
            action()
        raise AssertionError(f"{limit} steps and no end")
