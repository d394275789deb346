"""PutDate and PutTime of a message descriptor: a moment in UTC to hundredths of a second (mqi.md 5.4)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache

from .moment import date_of


def put_date_and_time(now: float) -> tuple[str, str]:
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
