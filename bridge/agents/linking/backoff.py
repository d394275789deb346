"""Waits between attempts, growing and with jitter."""

from __future__ import annotations

from random import Random
from typing import Final

_GROWTH: Final = 2.0
_LEAST_SHARE: Final = 0.5
"""The part of a wait that is not left to chance."""


class BackOff:
    """Waits from ``first`` to ``longest`` seconds, doubled at each failure. Half of each wait is random, so that many
    links whose provider has gone do not come back at the same moment."""

    __slots__ = ("_first", "_longest", "_next", "_random")

    def __init__(self, first: float, longest: float, random: Random) -> None:
        self._first = min(first, longest)
        self._longest = longest
        self._next = self._first
        self._random = random

    def wait(self, *, longest: bool = False) -> float:
        """Count a failure and return the seconds until the next attempt. ``longest``: nobody expects it to pass by
        itself."""
        wait = self._longest if longest else self._next
        self._next = min(self._next * _GROWTH, self._longest)
        return wait * (_LEAST_SHARE + (1 - _LEAST_SHARE) * self._random.random())

    def reset(self) -> None:
        """An attempt has succeeded."""
        self._next = self._first
