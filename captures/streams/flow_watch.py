"""What readers of some flows decide otherwise than a reader of all flows, and what they are told."""

from __future__ import annotations

from typing import Protocol

from mqbridge.captures.reading.link_layers import ACK, SYN, TcpSegment
from mqbridge.captures.streams.connection import TcpConnection
from mqbridge.captures.streams.flow_events import CloseReason, FlowEvent

#: Ends that are remembered to listen.
MAX_LISTENERS = 32_768

#: Port of MQ listeners by IANA; tells the ends apart where the capture holds no SYN.
DEFAULT_PORT = 1414

INITIATOR, RESPONDER = 0, 1
"""Sides: indexes into the pairs of a connection."""


class FlowTable(Protocol):
    """The flows that a reader knows. ``packet``: number of the packet it is at; ``flows``: how many there were."""

    packet: int
    flows: int

    def evict_oldest(self) -> None:
        """Close and forget those that were silent longest."""
        ...

    def evict(self, connection: TcpConnection) -> None:
        """Close and forget one."""
        ...


class FlowWatch:
    """Decides about the flows of a capture, and is told of them. This one is for a reader of all flows."""

    def __init__(self) -> None:
        self._listeners: set[tuple[bytes, int]] = set()

    def receiving(self, table: FlowTable, number: int) -> None:
        """A packet of this number is about to be taken."""

    def takes(self, segment: TcpSegment) -> bool:
        """Return whether a segment counts."""
        return True

    def fragment(self) -> None:
        """The packet is a fragment of one, which does not say what flow it belongs to."""

    def number(self, table: FlowTable) -> int:
        """Return the number of a flow that begins with this packet."""
        return table.flows + 1

    def side(self, table: FlowTable, segment: TcpSegment) -> int:
        """Return the side of the sender of the first segment that is seen of a flow."""
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
        """There are too many flows: close and forget some."""
        table.evict_oldest()

    def opened(self, connection: TcpConnection, segment: TcpSegment, before: TcpConnection | None) -> None:
        """A flow has begun; ``before``: the closed one that had its ports."""

    def closed(self, table: FlowTable, connection: TcpConnection, reason: CloseReason) -> None:
        """A flow is closed, perhaps not for the first time."""

    def wants(self, connection: TcpConnection) -> bool:
        """Return whether ordinary packets of a connection are to be given."""
        return True

    def quiet_until(self, packet: int) -> int:
        """Return the last packet, at most ``packet``, before which no flow is to be closed."""
        return packet

    def told(self, events: list[FlowEvent]) -> list[FlowEvent]:
        """Return those events that are to be given."""
        return events

    def finishing(self, table: FlowTable) -> None:
        """The capture is over."""
