"""Tells the operator of certificates that expire: at the start, and every day, 30, 7 and 1 days ahead."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final

from mqbridge.bridge.service.channel_keys import ChannelKeys
from mqbridge.bridge.tls import TlsError
from mqbridge.bridge.tls.expiry import expiring, stage

INTERVAL: Final = 86_400.0
"""Seconds between two looks at the certificates."""


class ExpiryWatch:
    """Looks at the certificates of a key repository every day.

    ``date``: returns the current date in seconds since the epoch. ``log``: writes an operator message. Each certificate
    is reported once for each of the days ahead, and once when it has expired.
    """

    def __init__(
        self,
        reactor: Any,
        keys: ChannelKeys,
        date: Callable[[], float],
        log: Callable[[str, tuple[str | int, ...]], None],
    ) -> None:
        self._reactor = reactor
        self._keys = keys
        self._date = date
        self._log = log
        self._told: set[tuple[str, float, int | None]] = set()
        self._timer: Any = None

    def start(self) -> None:
        """Look now, and from now on every day."""
        self.look()
        self._timer = self._reactor.callLater(INTERVAL, self.start)

    def look(self) -> None:
        """Report what has come closer since the last look. A repository that cannot be read is reported to who uses
        it."""
        try:
            rows = expiring(self._keys.repository, self._date())
        except TlsError:
            return
        for label, ends, days in rows:
            reached = (label, ends, stage(days))
            if reached not in self._told:
                self._told.add(reached)
                until = datetime.fromtimestamp(ends, UTC).strftime("%Y-%m-%d")
                if days < 0:
                    self._log("AMQ5057", (label, until))
                else:
                    self._log("AMQ5056", (label, days, until))

    def stop(self) -> None:
        """Look no more."""
        timer, self._timer = self._timer, None
        if timer is not None and timer.active():
            timer.cancel()
