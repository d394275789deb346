"""The heartbeats of a sender, which show each end that the other is there (channels.md 6.1)."""

from __future__ import annotations

from collections.abc import Iterator

from mqbridge.protocol import inferred
from mqbridge.protocol.constants import SegmentType

from .events import Event
from .link import Link, Timer
from .receive_timeout import ReceiveTimeout
from .states import Trigger


class Heartbeats:
    """Heartbeats sent and not answered yet.

    ``interval``: seconds after which one is sent, 0 for none; set it when it is agreed. ``last_sent``: when the last
    segment was sent that makes one needless.
    """

    __slots__ = ("_link", "_timeout", "interval", "last_sent", "unanswered")

    def __init__(self, link: Link[Event], timeout: ReceiveTimeout, now: float) -> None:
        self._link = link
        self._timeout = timeout
        self.interval = 0
        self.last_sent = now
        self.unanswered = 0

    def send(self, now: float) -> None:
        """Send one, which the partner has to answer."""
        self._link.wire.send(SegmentType.HEARTBEAT, flags=int(inferred.HEARTBEAT_FLAGS))
        self.unanswered += 1
        self.asked(now)

    def asked(self, now: float) -> None:
        """A question was queued: no heartbeat is due before another interval, and the partner's silence counts."""
        self.last_sent = now
        self._timeout.asked(now)

    def answered(self) -> None:
        """The partner answered one. Raises ``ChannelError`` where the state does not allow it."""
        self._link.step(Trigger.HEARTBEAT_ANSWERED)
        self.unanswered = max(self.unanswered - 1, 0)

    def timers(self) -> Iterator[Timer]:
        """When the next heartbeat is due, or its answer."""
        if self.unanswered:
            yield from self._timeout.timers()
        elif self.interval:
            yield self.last_sent + self.interval, self._due

    def _due(self, now: float) -> None:
        self._link.go(Trigger.HEARTBEAT)
        self.send(now)
