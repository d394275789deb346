"""The identity of a message: origin and time, mqe.md 3 (E-036)."""

from __future__ import annotations

from typing import NamedTuple

from .errors import Code, EveryplaceError


class MessageUid(NamedTuple):
    """``origin``: the queue manager on which the message was put first. ``time``: milliseconds since 1970, strictly
    rising at each queue manager. Written ``MOON+1795251600123``."""

    origin: str
    time: int

    def __str__(self) -> str:
        return f"{self.origin}+{self.time}"

    @classmethod
    def parse(cls, text: str) -> MessageUid:
        """Read ``ORIGIN+TIME``. Raises `EveryplaceError` SYNTAX."""
        origin, _, time = text.rpartition("+")
        if not origin or not time.isdecimal():
            raise EveryplaceError(Code.SYNTAX, f"{text[:60]!r} is no UID, such as MOON+1795251600123")
        return cls(origin, int(time))


class UidClock:
    """Times for new messages, strictly rising, over restarts and steps of the clock too (E-040).

    ``last``: the last time given before. What is given must be on disk before the message is: a queue manager keeps
    an upper bound and moves it ahead.
    """

    __slots__ = ("last",)

    def __init__(self, last: int = 0) -> None:
        self.last = last

    def next(self, now: float) -> int:
        """Return a new time in milliseconds. ``now``: seconds since 1970."""
        self.last = max(self.last + 1, int(now * 1000))
        return self.last
