"""Counts of a local queue while performance events are enabled, and when the events are due.

A queue without a meter counts nothing. As in MQ, the depth events enable and disable each other: depth high disables
itself and enables depth low, depth low disables itself and enables depth high and queue full, queue full disables
itself and enables depth low. Service interval high and OK alternate. Each event resets the counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQRC

if TYPE_CHECKING:
    from mqbridge.bridge.queue_manager.objects import Definition


class Metered(Protocol):
    """A local queue as its meter reads it."""

    name: str
    definition: Definition
    visible: int
    uncommitted_puts: int

    @property
    def depth(self) -> int:
        """CURDEPTH."""
        ...


Report: TypeAlias = "Callable[[Metered, Meter, int, Time], None]"
"""Called when an event is due: queue, meter, reason, time."""

NEVER: Final = 1 << 62
SWITCHED: Final[Mapping[int, Mapping[str, str]]] = {
    MQRC.Q_DEPTH_HIGH: {"QDPHIEV": "DISABLED", "QDPLOEV": "ENABLED"},
    MQRC.Q_DEPTH_LOW: {"QDPLOEV": "DISABLED", "QDPHIEV": "ENABLED", "QDPMAXEV": "ENABLED"},
    MQRC.Q_FULL: {"QDPMAXEV": "DISABLED", "QDPLOEV": "ENABLED"},
    MQRC.Q_SERVICE_INTERVAL_HIGH: {"QSVCIEV": "OK"},
    MQRC.Q_SERVICE_INTERVAL_OK: {"QSVCIEV": "HIGH"},
}
"""Attributes that an event sets, by reason code."""


class Meter:
    """Counts of one queue since ``since``: ``high_depth``, ``enqueued``, ``dequeued``."""

    __slots__ = (
        "_full", "_high_at", "_interval", "_low_at", "_report", "_service", "_waiting_since", "dequeued", "enqueued",
        "high_depth", "since",
    )  # fmt: skip

    def __init__(self, queue: Metered, report: Report, now: Time) -> None:
        self._report = report
        self._waiting_since = now if queue.visible else 0.0
        self.restart(queue.depth, now)
        self.refresh(queue.definition)

    def refresh(self, definition: Definition) -> None:
        """Read the event attributes of the definition."""
        most = definition.integer("MAXDEPTH")
        high, low = definition.integer("QDEPTHHI") * most, definition.integer("QDEPTHLO") * most
        self._high_at = -(-high // 100) if definition.text("QDPHIEV") == "ENABLED" else NEVER
        self._low_at = low // 100 if definition.text("QDPLOEV") == "ENABLED" else -1
        self._full = definition.text("QDPMAXEV") == "ENABLED"
        self._service = definition.text("QSVCIEV")
        self._interval = definition.integer("QSVCINT") / 1000

    def restart(self, depth: int, now: Time) -> None:
        """Reset the counts, after an event or by RESET QSTATS. ``depth``: messages on the queue."""
        self.since = now
        self.high_depth = depth
        self.enqueued = self.dequeued = 0

    def put(self, queue: Metered, now: Time) -> None:
        """Count a message put, committed or not."""
        self.enqueued += 1
        depth = queue.visible + queue.uncommitted_puts
        self.high_depth = max(self.high_depth, depth)
        if not self._waiting_since:
            self._waiting_since = now
        elif self._service == "HIGH" and now - self._waiting_since > self._interval:
            self._report(queue, self, MQRC.Q_SERVICE_INTERVAL_HIGH, now)
        if depth >= self._high_at:
            self._report(queue, self, MQRC.Q_DEPTH_HIGH, now)

    def got(self, queue: Metered, count: int, now: Time) -> None:
        """Count messages got, committed or not."""
        self.dequeued += count
        depth = queue.visible + queue.uncommitted_puts
        waited, self._waiting_since = now - (self._waiting_since or now), now if depth else 0.0
        if self._service == "HIGH" and waited > self._interval:
            self._report(queue, self, MQRC.Q_SERVICE_INTERVAL_HIGH, now)
        elif self._service == "OK" and waited <= self._interval:
            self._report(queue, self, MQRC.Q_SERVICE_INTERVAL_OK, now)
        if depth <= self._low_at:
            self._report(queue, self, MQRC.Q_DEPTH_LOW, now)

    def full(self, queue: Metered, now: Time) -> None:
        """Report a put that was refused because the queue is full."""
        if self._full:
            self._report(queue, self, MQRC.Q_FULL, now)
