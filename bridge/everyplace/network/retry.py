"""When something that failed is tried again: after 1 second, then later and later, with jitter (O-08)."""

from __future__ import annotations

import random


class Retry:
    """``first``, ``most``: seconds. ``reached``: it has succeeded since the last trigger."""

    __slots__ = ("_failures", "_first", "_most", "_next", "_random", "reached")

    def __init__(self, random: random.Random, first: float, most: float) -> None:
        self._random = random
        self._first = first
        self._most = most
        self._failures = 0
        self._next = 0.0
        self.reached = False

    def due(self, now: float) -> bool:
        """Whether it may be tried."""
        return now >= self._next

    def reset(self) -> None:
        """An administrator or program wants it tried now."""
        self._failures, self._next, self.reached = 0, 0.0, False

    def succeeded(self) -> None:
        """It is right."""
        self._failures, self._next, self.reached = 0, 0.0, True

    def failed(self, now: float) -> float:
        """It has failed; returns the seconds until the next try."""
        delay = min(self._first * 2**self._failures, self._most / 2)
        self._failures = min(self._failures + 1, 30)
        return self._wait(now, delay)

    def lost(self, now: float) -> float:
        """It was right and is not; returns the seconds until the next try."""
        return self._wait(now, self._first)

    def _wait(self, now: float, delay: float) -> float:
        delay *= 1 + self._random.random()
        self._next = now + delay
        return delay
