"""Packets to flows: connections are distinguished, each direction is reassembled, and events are emitted in order.

Events of one flow: one :class:`FlowOpened`, any number of :class:`FlowData`, :class:`FlowGap` and :class:`FlowEnd` (one
direction at its FIN), one :class:`FlowClosed`. The bytes of a direction come in order and once. Across directions the
order is that of the packets that made them readable, or, where packets are missing or late, that of their
acknowledgements (:mod:`captures.streams.causal_order`).

A closed flow stays known, so that copies of its packets (a Linux cooked capture contains every packet twice) do not
open a new one; a SYN with another sequence number, or bytes beyond the end, open a new flow on the same ports.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable

from mqbridge.captures.reading.fragments import FragmentReassembly
from mqbridge.captures.reading.link_layers import (
    ACK,
    FIN,
    RST,
    SYN,
    NotRead,
    TcpSegment,
    read_datagram,
    read_fragment,
    read_tcp,
)
from mqbridge.captures.reading.packets import Packet
from mqbridge.captures.streams.causal_order import CausalOrder, acknowledged_offset
from mqbridge.captures.streams.connection import Key, TcpConnection, address_text, read_hello
from mqbridge.captures.streams.fast_paths import FastPaths
from mqbridge.captures.streams.flow_events import (
    CloseReason,
    Direction,
    Endpoint,
    Flow,
    FlowClosed,
    FlowData,
    FlowEnd,
    FlowEvent,
    FlowGap,
    FlowOpened,
)
from mqbridge.captures.streams.flow_watch import RESPONDER, FlowWatch
from mqbridge.captures.streams.reassembly import (
    MAX_WINDOW,
    SEQUENCE_MODULUS,
    MissingBytes,
    PendingBudget,
    Reassembled,
    StreamPiece,
    StreamReassembly,
)
from mqbridge.captures.streams.recognition import StreamKind

#: Flows known at a time; beyond it those silent longest are closed and forgotten.
MAX_FLOWS = 32_768

#: Packets of the capture for which a reset flow, or one with both FINs and a gap, waits for late packets; also the
#: number of packets by which a SYN may be late.
CLOSE_PATIENCE = 256

_DIRECTIONS = (Direction.INITIATOR, Direction.RESPONDER)


class FlowReader:
    """Sans-IO: packets in, events out.

    ``packets``: number of packets taken. ``unread``: number of packets without a TCP segment, by reason.
    ``fast_paths``: those of the quick reader, if there is one.
    """

    def __init__(self, watch: FlowWatch | None = None, fast_paths: FastPaths | None = None) -> None:
        self.packets = 0
        self.unread: Counter[NotRead] = Counter()
        self.connections: dict[Key, tuple[TcpConnection, int]] = {}
        self.closing: deque[tuple[int, TcpConnection]] = deque()
        self.budget = PendingBudget()
        self.flows = 0
        self.packet = 0
        self._watch = FlowWatch() if watch is None else watch
        self._fast_paths = fast_paths
        self._fragments = FragmentReassembly()
        self._events: list[FlowEvent] = []
        self._time = 0.0

    def receive_packet(self, packet: Packet) -> list[FlowEvent]:
        """Take the next packet of the capture; return the events it completes."""
        segment: TcpSegment | NotRead | None = read_tcp(packet.link_type, packet.data, packet.original_length)
        if segment is NotRead.FRAGMENT:
            segment = self._receive_fragment(packet)
        return self.receive(packet.number, packet.time, segment)

    def receive(self, number: int, time: float, segment: TcpSegment | NotRead | None) -> list[FlowEvent]:
        """Take a packet that is read already; otherwise like :meth:`receive_packet`."""
        self._watch.receiving(self, number)
        self.packets += 1
        self.packet, self._time = number, time
        # Only where packets of the capture were left out can one be due already.
        while self.closing and self.closing[0][0] + CLOSE_PATIENCE < number - 1:
            self._close_first()
        if segment is None:
            pass  # a fragment that waits for others, or a copy
        elif isinstance(segment, NotRead):
            self.unread[segment] += 1
        elif not self._watch.takes(segment):
            pass
        elif segment.flags & SYN:
            self._receive_syn(segment)
        else:
            self._receive_segment(segment)
        while self.closing and self.closing[0][0] + CLOSE_PATIENCE < number:
            self._close_first()
        events, self._events = self._events, []
        return events

    def finish(self) -> list[FlowEvent]:
        """End the capture: return what still waits, and close every flow."""
        self._watch.finishing(self)
        while self.closing:
            self._close_first()
        unique = {connection.flow.id: connection for connection, _ in self.connections.values()}
        for _, connection in sorted(unique.items()):
            self._close(connection, CloseReason.OPEN)
        self.connections.clear()
        events, self._events = self._events, []
        return events

    # one segment

    def _receive_fragment(self, packet: Packet) -> TcpSegment | NotRead | None:
        self._watch.fragment()
        fragment = read_fragment(packet.link_type, packet.data, packet.original_length)
        if isinstance(fragment, NotRead):
            return fragment
        datagram = self._fragments.add(fragment, packet.number)
        if self._fragments.unread:
            self.unread[NotRead.FRAGMENT] = self._fragments.unread
        else:
            del self.unread[NotRead.FRAGMENT]
        return None if datagram is None else read_datagram(datagram)

    def _receive_segment(self, segment: TcpSegment) -> None:
        source, source_port, destination, destination_port, sequence, acknowledgement, flags, payload, length = segment
        if flags & RST:
            length = 0  # what a reset carries is a comment, RFC 9293 3.5.3
        known = self.connections.get((source, source_port, destination, destination_port))
        if known is None or known[0].closed:
            if known is not None and not (length and _is_beyond(known[0].streams[known[1]], sequence, length)):
                self._touch(known[0])  # a copy
                return
            if not length:
                return  # the rest of a connection of which nothing can be read
            known = self._open(segment)
        connection, side = known
        self._touch(connection)
        stream, partner = connection.streams[side], connection.streams[1 - side]
        if flags & ACK and not flags & RST:
            partner.acknowledged = acknowledgement
        if length:
            if flags & ACK:
                partner.notice(acknowledgement)
            self._put_in_order(connection, side, sequence, acknowledgement)
            self._give(connection, side, stream.add(sequence, payload, length, self._time, self.packet))
        if stream.waiting:
            self._give(connection, side, stream.tick())
        if partner.waiting:
            self._give(connection, 1 - side, partner.tick())
        if connection.order is not None:
            self._tell(connection, connection.order.tick())
            if connection.order.settled:
                connection.order = None
        if flags & FIN:
            stream.finish_at((sequence + length) % SEQUENCE_MODULUS)
            self._notice_ends(connection)
        if flags & RST:
            far = stream.distance(sequence)
            if far is None or abs(far) <= MAX_WINDOW:
                self._close_later(connection, CloseReason.RESET)

    def _receive_syn(self, segment: TcpSegment) -> None:
        first = (segment.sequence + 1) % SEQUENCE_MODULUS
        key = (segment.source, segment.source_port, segment.destination, segment.destination_port)
        known = self.connections.get(key)
        if known is not None:
            connection, side = known
            stream = connection.streams[side]
            same = stream.from_syn and ((stream.distance(first) or 0) + stream.next_offset) % SEQUENCE_MODULUS == 0
            if same and not (connection.closed and self.packet > connection.last_packet + CLOSE_PATIENCE):
                self._touch(connection)
                return  # a copy
            if connection.closed or not self._can_be_late(connection, side, first):
                self._close(connection, CloseReason.REUSED)
                known = None
        connection, side = known or self._open(segment)
        self._touch(connection)
        stream, partner = connection.streams[side], connection.streams[1 - side]
        self._give(connection, side, stream.begin(first))
        if segment.flags & ACK:
            self._give(connection, 1 - side, partner.begin(segment.acknowledgement))
            partner.acknowledged = segment.acknowledgement
        if segment.length and not connection.closed:  # data with the SYN (RFC 7413); a late one can show that all ended
            self._give(connection, side, stream.add(first, segment.payload, segment.length, self._time, self.packet))

    def _can_be_late(self, connection: TcpConnection, side: int, first: int) -> bool:
        """Whether a SYN replies to the other end's, or was captured after the first bytes."""
        stream, partner = connection.streams[side], connection.streams[1 - side]
        if stream.from_syn:
            return False
        if partner.from_syn and not stream.started:
            return True
        far = stream.distance(first)
        near = far is None or abs(far) <= MAX_WINDOW
        return near and self.packet - connection.flow.first_packet <= CLOSE_PATIENCE

    # the table of connections

    def _open(self, segment: TcpSegment) -> tuple[TcpConnection, int]:
        if len(self.connections) >= 2 * MAX_FLOWS:
            self._watch.crowded(self)
        source, destination = segment.source, segment.destination
        key = (source, segment.source_port, destination, segment.destination_port)
        back = (destination, segment.destination_port, source, segment.source_port)
        side = self._watch.side(self, segment)
        before, _ = self.connections.get(key, (None, 0))
        initiator = Endpoint(address_text(source), segment.source_port)
        responder = Endpoint(address_text(destination), segment.destination_port)
        if side == RESPONDER:
            initiator, responder = responder, initiator
        self.flows = self._watch.number(self)
        from_syn = bool(segment.flags & SYN)
        flow = Flow(self.flows, initiator, responder, self._time, self._time, self.packet, from_syn=from_syn)
        connection = TcpConnection(flow, key, side, self.budget)
        self.connections[key] = connection, side
        self.connections[back] = connection, 1 - side
        self._events.append(FlowOpened(flow))
        self._watch.opened(connection, segment, before)
        return connection, side

    def evict_oldest(self) -> None:
        """Close and forget the quarter of the flows silent longest, closed ones first."""
        unique = {connection.flow.id: connection for connection, _ in self.connections.values()}
        oldest = sorted(unique.values(), key=lambda connection: (not connection.closed, connection.last_packet))
        for connection in oldest[: MAX_FLOWS // 4]:
            self.evict(connection)

    def evict(self, connection: TcpConnection) -> None:
        """Close and forget a flow."""
        self._close(connection, CloseReason.EVICTED)
        source, source_port, destination, destination_port = connection.key
        for key in (connection.key, (destination, destination_port, source, source_port)):
            if (known := self.connections.get(key)) is not None and known[0] is connection:
                del self.connections[key]

    def _touch(self, connection: TcpConnection) -> None:
        if self._fast_paths is not None:
            self._fast_paths.touch(connection)
        connection.last_packet = self.packet
        connection.flow.packets += 1
        connection.flow.end_time = self._time

    # events

    def _put_in_order(self, connection: TcpConnection, side: int, sequence: int, acknowledgement: int) -> None:
        """Start ordering the two directions by acknowledgements if something is missing before this segment."""
        stream, partner = connection.streams[side], connection.streams[1 - side]
        if connection.order is None:
            if connection.flow.kind in (StreamKind.TLS, StreamKind.OTHER):
                return
            behind = acknowledged_offset(partner, acknowledgement) > partner.next_offset
            if stream.started and partner.started and not behind and (stream.distance(sequence) or 0) <= 0:
                return
            connection.order = CausalOrder(connection.streams)
        connection.order.note(self.packet, acknowledgement)

    def _give(self, connection: TcpConnection, side: int, given: Reassembled) -> None:
        if not given:
            return
        if connection.order is None:
            self._tell(connection, ((side, item) for item in given))
        else:
            self._tell(connection, connection.order.add(side, given))

    def _tell(self, connection: TcpConnection, given: Iterable[tuple[int, StreamPiece | MissingBytes]]) -> None:
        flow, events = connection.flow, self._events
        for side, item in given:
            direction = _DIRECTIONS[side]
            if isinstance(item, StreamPiece):
                if flow.kind is StreamKind.UNKNOWN:
                    whole = connection.streams[side].from_syn
                    flow.kind = connection.recognisers[side].take(item.offset, item.data, whole)
                if flow.kind is StreamKind.TLS:
                    read_hello(connection, direction, item)
                events.append(FlowData(flow, direction, *item))
            else:
                events.append(FlowGap(flow, direction, *item))
        if connection.streams[0].ended or connection.streams[1].ended:
            self._notice_ends(connection)

    def _notice_ends(self, connection: TcpConnection) -> None:
        for side, stream in enumerate(connection.streams):
            if connection.order is not None and connection.order.holds(side):
                continue
            if stream.ended and not connection.end_told[side]:
                connection.end_told[side] = True
                flow, packet = connection.flow, connection.last_packet
                self._events.append(FlowEnd(flow, _DIRECTIONS[side], stream.next_offset, flow.end_time, packet))
        if all(connection.end_told):
            self._close(connection, CloseReason.ENDED)
        elif connection.streams[0].end_offset is not None and connection.streams[1].end_offset is not None:
            self._close_later(connection, CloseReason.ENDED)

    def _close_later(self, connection: TcpConnection, reason: CloseReason) -> None:
        if connection.closing is None:
            connection.closing = reason
            self.closing.append((self.packet, connection))

    def _close_first(self) -> None:
        _, connection = self.closing.popleft()
        self._close(connection, connection.closing or CloseReason.ENDED)

    def _close(self, connection: TcpConnection, reason: CloseReason) -> None:
        if self._fast_paths is not None:
            self._fast_paths.forbid(connection)
        if not connection.closed:
            connection.closed = True
            self._end(connection, reason)
        self._watch.closed(self, connection, reason)

    def _end(self, connection: TcpConnection, reason: CloseReason) -> None:
        # Dated by its own last packet, independently of other flows.
        flow, packet = connection.flow, connection.last_packet
        for side, stream in enumerate(connection.streams):
            if stream.acknowledged is not None and stream.first_acknowledged is not None:
                stream.notice(stream.acknowledged)
            self._give(connection, side, stream.flush(flow.end_time, packet))
        if connection.order is not None:
            self._tell(connection, connection.order.flush())
        self._events.append(FlowClosed(flow, connection.closing or reason, flow.end_time, packet))


def _is_beyond(stream: StreamReassembly, sequence: int, length: int) -> bool:
    """Whether bytes lie outside a closed stream, so that they belong to a new connection."""
    far = stream.distance(sequence)
    return far is None or abs(far) > MAX_WINDOW or far + length > 0
