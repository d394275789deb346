"""Time that goes on when the calendar's clock is set back."""

from __future__ import annotations


class SteadyTime:
    """``now``: seconds since 1970 of the last event, as the calendar's clock said. `steady`: the same, but that it does
    not go back; what is due after some time is due by it.

    Steps back count in whole seconds, so that adding and subtracting them is exact. A step forward is time that has
    passed: a device may have slept.
    """

    __slots__ = ("_back", "_now")

    def __init__(self) -> None:
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
        """The time by which durations are counted."""
        return self._now + self._back

    def date(self, steady: float) -> float:
        """Return what the calendar's clock will say at a steady time."""
        return steady - self._back
