"""Times by two clocks: a steady one, and the calendar's, which may be set at any time.

The rules receive ``now`` in seconds since the epoch. Durations (waits, heartbeats, retries, marks) are computed with
``now`` itself; dates (PutDate, expiry, delivery delay, displays) with :func:`date_of`. Both are equal until the clock
is set; then ``now`` continues steadily and is a :class:`Moment`.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TypeAlias


class Moment(float):
    """A time of the steady clock; ``date`` is the calendar's time at that moment. Sums with it are steady."""

    __slots__ = ("date",)

    date: float

    def __new__(cls, steady: float, date: float) -> Moment:
        """``steady`` and ``date``: seconds since the epoch."""
        moment = super().__new__(cls, steady)
        moment.date = date
        return moment


Time: TypeAlias = float | Moment
"""A time that may know the calendar's. Compiled code would make a bare number of what is declared as ``float``."""


def date_of(now: Time) -> float:
    """Return the calendar's time in seconds since the epoch."""
    return now.date if isinstance(now, Moment) else now


def put_date_and_time(now: Time) -> tuple[str, str]:
    """(``YYYYMMDD``, ``HHMMSSTH``) of seconds since the epoch."""
    now = date_of(now)
    whole = int(now // 1)
    date, clock = _second(whole)
    return date, f"{clock}{int((now - whole) * 100):02}"


@lru_cache(maxsize=8)
def _second(whole: int) -> tuple[str, str]:
    moment = datetime.fromtimestamp(whole, UTC)
    return moment.strftime("%Y%m%d"), moment.strftime("%H%M%S")


def put_moment(date: str, clock: str) -> float | None:
    """Seconds since the epoch of a PutDate and PutTime; None where they are blank or no time."""
    try:
        moment = datetime.strptime(date + clock[:6], "%Y%m%d%H%M%S").replace(tzinfo=UTC)
        return (moment + timedelta(milliseconds=10 * int(clock[6:8]))).timestamp()
    except ValueError:
        return None
