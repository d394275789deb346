"""The clock of a queue manager: it goes on steadily, and knows how far the calendar is from it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

from mqbridge.bridge.agents.gateway.driver_interface import Moment

TOLERANCE: Final = 0.02
"""Seconds by which the calendar may differ before it counts as set."""
SURE: Final = 0.005
"""Seconds that looking at both clocks may take; if it took longer, the two values do not belong together."""
TOLD: Final = 1.0
"""Seconds by which the clock must have been set for the operator to be told."""
LOOK_EVERY: Final = 0.01
"""Seconds for which a look at the calendar is good: the time is asked for several times a message."""


class SteadyClock:
    """Called, gives seconds since the epoch as they were when it was made, and steadily since: setting the system's
    clock ends no wait. When the calendar has gone elsewhere, it gives a `Moment` with the date.

    ``told`` is called with the seconds by which somebody has set the clock.
    """

    def __init__(self, calendar: Callable[[], float] = time.time, steady: Callable[[], float] = time.monotonic) -> None:
        self._calendar = calendar
        self._steady = steady
        self._base = calendar() - steady()
        self._ahead = 0.0
        self._look_at = 0.0
        self.told: Callable[[float], None] = lambda _: None

    def __call__(self) -> float:
        """The time now."""
        steady = self._steady()
        now = steady + self._base
        if steady >= self._look_at:
            self._look_at = steady + LOOK_EVERY
            if abs(self._calendar() - now - self._ahead) > TOLERANCE:
                self._was_set()
        return Moment(now, now + self._ahead) if self._ahead else now

    def _was_set(self) -> None:
        before = self._steady()
        date = self._calendar()
        after = self._steady()
        ahead = date - after - self._base
        change = ahead - self._ahead
        if after - before > SURE or abs(change) <= TOLERANCE:
            return
        self._ahead = ahead
        if abs(change) >= TOLD:
            self.told(change)


def make_steady(reactor: Any) -> None:
    """Has a reactor of Twisted reckon its timers, which follow the system's clock, with the steady one. For a process
    of our own, before anything is scheduled."""
    reactor.seconds = time.monotonic
