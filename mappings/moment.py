"""Points in time by two clocks: a steady one, which nobody sets, and the calendar's, which may be set at any time.

The rules are told ``now``, in seconds since the epoch. Whatever lasts (waits, heartbeats, retries, marks) is reckoned
with ``now`` itself. Whatever is a date (PutDate, expiry, delivery delay, dates in displays) is made of :func:`date_of`.
Both are the same until somebody sets the clock; then ``now`` goes on as before and is a :class:`Moment`.
"""

from __future__ import annotations


class Moment(float):
    """A value of the steady clock; ``date`` is what the calendar shows at that moment. Sums with it are steady."""

    __slots__ = ("date",)

    date: float

    def __new__(cls, steady: float, date: float) -> Moment:
        """``steady`` and ``date``: seconds since the epoch."""
        moment = super().__new__(cls, steady)
        moment.date = date
        return moment


def date_of(now: float) -> float:
    """What the calendar shows, in seconds since the epoch."""
    return now.date if isinstance(now, Moment) else now
