"""When to try again: after 1, 2, 4 … 60 seconds."""

from __future__ import annotations

from typing import Final

SHORTEST: Final = 1.0
LONGEST: Final = 60.0


class Retrying:
    """Attempts that have failed one after the other."""

    __slots__ = ("_wait",)

    def __init__(self) -> None:
        self._wait = SHORTEST

    def reset(self) -> None:
        """Note that an attempt has succeeded."""
        self._wait = SHORTEST

    def next(self, now: float) -> float:
        """Note that an attempt has failed. Returns the time of the next one."""
        wait, self._wait = self._wait, min(2 * self._wait, LONGEST)
        return now + wait
