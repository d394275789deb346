"""Heartbeats of a sender, by which each end learns that the other is alive (channels.md 6.1)."""

from __future__ import annotations

from collections.abc import Iterator

from mqbridge.protocol import inferred
from mqbridge.protocol.constants import SegmentType

from .events import Event
from .link import Link, Timer
from .receive_timeout import ReceiveTimeout
from .states import Trigger


class Heartbeats:
    """Unanswered heartbeats, and when the next one is due.

    ``interval``: seconds between heartbeats, 0 for none; set it when it is negotiated. ``last_sent``: time of the last
    segment that makes a heartbeat unnecessary.
    """

    __slots__ = ("_link", "_timeout", "interval", "last_sent", "unanswered")

    def __init__(self, link: Link[Event], timeout: ReceiveTimeout, now: float) -> None:
        self._link = link
        self._timeout = timeout
        self.interval = 0
        self.last_sent = now
        self.unanswered = 0

    def send(self, now: float) -> None:
        """Send a heartbeat, which the partner must answer."""
        self._link.wire.send(SegmentType.HEARTBEAT, flags=int(inferred.HEARTBEAT_FLAGS))
        self.unanswered += 1
        self.asked(now)

    def asked(self, now: float) -> None:
        """Note that a question was queued: the next heartbeat is due an interval later, and the partner's silence
        counts."""
        self.last_sent = now
        self._timeout.asked(now)

    def answered(self) -> None:
        """Take the answer to a heartbeat. Raises ``ChannelError`` if the state does not allow it."""
        self._link.step(Trigger.HEARTBEAT_ANSWERED)
        self.unanswered = max(self.unanswered - 1, 0)

    def timers(self) -> Iterator[Timer]:
        """Yield the time of the next heartbeat, or the deadline of its answer."""
        if self.unanswered:
            yield from self._timeout.timers()
        elif self.interval:
            yield self.last_sent + self.interval, self._due

    def _due(self, now: float) -> None:
        self._link.go(Trigger.HEARTBEAT)
        self.send(now)
