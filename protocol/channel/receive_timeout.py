"""The receive time-out: how long one end waits for the other (channels.md 6.1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .link import Link, Timer
from .wire import SEND_AT_ONCE


class ReceiveTimeout:
    """The receive time-out of one end.

    ``limit``: seconds of silence, None for no limit; set it when the heartbeat interval is negotiated.
    """

    __slots__ = ("_link", "_question_end", "_sent_mark", "limit")

    def __init__(self, link: Link[Any]) -> None:
        self._link = link
        self._question_end = self._sent_mark = 0
        self.limit: float | None = None

    def asked(self, now: float) -> None:
        """Note that a question to the partner was queued: its silence counts from here."""
        link = self._link
        link.silent_since = now
        self._sent_mark = link.wire.counters.bytes_sent
        self._question_end = self._sent_mark + link.wire.unsent

    def timers(self) -> Iterator[Timer]:
        """Yield the end of the partner's permitted silence, unless reading is stopped at our end."""
        if self.limit is not None and not self._link.paused:
            yield self._link.silent_since + self.limit, self._passed

    def _passed(self, now: float) -> None:
        link, sent = self._link, self._link.wire.counters.bytes_sent
        if self._question_end - self._sent_mark > SEND_AT_ONCE and sent > self._sent_mark:
            # The question is queued behind other output, some of which the partner has taken: it is slow, not gone.
            self._sent_mark = sent
            link.silent_since = now
            return
        link.finish(f"nothing heard for {now - link.silent_since:g} seconds", "AMQ9259", retryable=True)
