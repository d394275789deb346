"""When to try again: after 1, 2, 4 … 60 seconds, and when a definition has changed that may have been in the way."""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.mappings.moment import Time

SHORTEST: Final = 1.0
LONGEST: Final = 60.0
RETRY_INTERVAL: Final = 0.5
"""Seconds until messages are tried again that the target had no room for, or that have failed."""
CHANGES: Final = frozenset((Kind.QLOCAL, Kind.QALIAS, Kind.QREMOTE, Kind.TOPIC, Kind.QMGR))
"""Kinds of definitions that may have been in the way."""


class Retrying:
    """Attempts that have failed one after the other."""

    __slots__ = ("_said", "_said_at", "_wait")

    def __init__(self) -> None:
        self._wait = SHORTEST
        self._said = ""
        self._said_at = 0.0

    def reset(self) -> None:
        """Note that an attempt has succeeded."""
        self._wait = SHORTEST

    def next(self, now: Time) -> float:
        """Note that an attempt has failed. Returns the time of the next one."""
        wait, self._wait = self._wait, min(2 * self._wait, LONGEST)
        return now + wait

    def is_news(self, error: str, now: Time) -> bool:
        """Return whether to tell the operator of an error: it is another one than that of the last minute."""
        if error == self._said and now - self._said_at < LONGEST:
            return False
        self._said, self._said_at = error, now
        return True
