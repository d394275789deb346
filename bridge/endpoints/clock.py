"""The clock of a queue manager: runs steadily, and knows how far it is from calendar time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

from mqbridge.bridge.agents.gateway.driver_interface import Moment

TOLERANCE: Final = 0.02
"""Seconds by which calendar time may differ before the clock counts as set."""
SURE: Final = 0.005
"""Seconds within which both clocks must be read; otherwise the two values are not compared."""
TOLD: Final = 1.0
"""Smallest change of the clock, in seconds, that the operator is told of."""
LOOK_EVERY: Final = 0.01
"""Seconds for which a reading of calendar time is reused: the time is needed several times for each message."""


class SteadyClock:
    """A clock of seconds since the epoch that advances steadily: setting the system clock ends no wait.

    After the system clock was set, calls return a `Moment` with the calendar time, and ``on_set`` is called with the
    seconds by which it was set.
    """

    def __init__(self, calendar: Callable[[], float] = time.time, steady: Callable[[], float] = time.monotonic) -> None:
        self._calendar = calendar
        self._steady = steady
        self._base = calendar() - steady()
        self._ahead = 0.0
        self._look_at = 0.0
        self.on_set: Callable[[float], None] = lambda _: None

    def __call__(self) -> float:
        """The current time."""
        steady = self._steady()
        now = steady + self._base
        if steady >= self._look_at:
            self._look_at = steady + LOOK_EVERY
            if abs(self._calendar() - now - self._ahead) > TOLERANCE:
                self._clock_set()
        return Moment(now, now + self._ahead) if self._ahead else now

    def _clock_set(self) -> None:
        before = self._steady()
        date = self._calendar()
        after = self._steady()
        ahead = date - after - self._base
        change = ahead - self._ahead
        if after - before > SURE or abs(change) <= TOLERANCE:
            return
        self._ahead = ahead
        if abs(change) >= TOLD:
            self.on_set(change)


def make_steady(reactor: Any) -> None:
    """Make a Twisted reactor time its calls by the monotonic clock instead of the system clock. Only for a process of
    our own, before anything is scheduled."""
    reactor.seconds = time.monotonic
