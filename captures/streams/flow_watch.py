"""Hooks of readers of flows: decisions and notifications in which a reader of some flows differs from one of all
flows."""

from __future__ import annotations

from typing import Protocol

from mqbridge.captures.reading.link_layers import ACK, SYN, TcpSegment
from mqbridge.captures.streams.connection import TcpConnection
from mqbridge.captures.streams.flow_events import CloseReason, FlowEvent

#: Number of ends remembered as listeners.
MAX_LISTENERS = 32_768

#: Port of MQ listeners by IANA; tells the ends apart where the capture holds no SYN.
DEFAULT_PORT = 1414

INITIATOR, RESPONDER = 0, 1
"""Sides: indexes into the pairs of a connection."""


class FlowTable(Protocol):
    """Flows known to a reader. ``packet``: number of its current packet. ``flows``: number of flows so far."""

    packet: int
    flows: int

    def evict_oldest(self) -> None:
        """Close and forget the flows silent longest."""
        ...

    def evict(self, connection: TcpConnection) -> None:
        """Close and forget one flow."""
        ...


class FlowWatch:
    """Hooks of a reader of flows; this class serves readers of all flows."""

    def __init__(self) -> None:
        self._listeners: set[tuple[bytes, int]] = set()

    def receiving(self, table: FlowTable, number: int) -> None:
        """Note that a packet with this number comes next."""

    def takes(self, segment: TcpSegment) -> bool:
        """Return whether a segment counts."""
        return True

    def fragment(self) -> None:
        """Note that the packet is an IP fragment, whose flow is unknown."""

    def number(self, table: FlowTable) -> int:
        """Return the number of a flow that begins with this packet."""
        return table.flows + 1

    def side(self, table: FlowTable, segment: TcpSegment) -> int:
        """Return the side of the sender of a flow's first captured segment."""
        source, destination = (segment.source, segment.source_port), (segment.destination, segment.destination_port)
        if segment.flags & SYN:
            listener, side = (source, RESPONDER) if segment.flags & ACK else (destination, INITIATOR)
            if len(self._listeners) < MAX_LISTENERS:
                self._listeners.add(listener)
            return side
        for is_listener in (
            lambda end: end in self._listeners,
            lambda end: end[1] == DEFAULT_PORT,
            lambda end: end[1] == min(source[1], destination[1]),
        ):
            if is_listener(source) != is_listener(destination):
                return RESPONDER if is_listener(source) else INITIATOR
        return INITIATOR

    def crowded(self, table: FlowTable) -> None:
        """Close and forget some flows, because there are too many."""
        table.evict_oldest()

    def opened(self, connection: TcpConnection, segment: TcpSegment, before: TcpConnection | None) -> None:
        """Note a new flow; ``before``: the closed flow on the same ports, if any."""

    def closed(self, table: FlowTable, connection: TcpConnection, reason: CloseReason) -> None:
        """Note that a flow was closed, possibly not for the first time."""

    def wants(self, connection: TcpConnection) -> bool:
        """Return whether ordinary packets of a connection are wanted."""
        return True

    def quiet_until(self, packet: int) -> int:
        """Return the last packet, at most ``packet``, before which no flow is to be closed."""
        return packet

    def wanted(self, events: list[FlowEvent]) -> list[FlowEvent]:
        """Return the wanted events."""
        return events

    def finishing(self, table: FlowTable) -> None:
        """Note the end of the capture."""
