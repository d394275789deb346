"""PutDate and PutTime of a message descriptor: a moment in UTC to hundredths of a second (mqi.md 5.4)."""

from __future__ import annotations

import time
from calendar import timegm


def put_date_and_time(now: float) -> tuple[str, str]:
    """(``YYYYMMDD``, ``HHMMSSTH``) of seconds since the epoch."""
    moment = time.gmtime(now)
    hundredths = int(now * 100) % 100
    return time.strftime("%Y%m%d", moment), time.strftime("%H%M%S", moment) + f"{hundredths:02}"


def put_moment(date: str, clock: str) -> float | None:
    """Seconds since the epoch of a PutDate and PutTime; None where they are blank or no time."""
    try:
        moment = timegm(time.strptime(date + clock[:6], "%Y%m%d%H%M%S"))
        return moment + int(clock[6:8]) / 100
    except ValueError:
        return None
