"""The quick way for packets without surprises; everything else goes the careful way of :class:`FlowReader`.

Nearly all packets of a capture carry the next bytes of a connection that is known, or acknowledge some. For them the
careful way does much to find out that there is nothing to do. Here one ``struct`` reads IP and TCP headers at once,
and addresses with ports, as they stand in the packet, are looked up in a table of *lanes*: the directions of those
connections of which nothing waits, ends or is unclear. Where all of these hold

* Ethernet, Linux cooked or raw IP; no VLAN tag, no IP options or extension headers, no fragment, all of it captured,
* ACK is set and neither SYN, FIN nor RST,
* the sequence number is the next one, and nothing is acknowledged that was not seen, or there are no data,

the packet changes only the numbers that the careful reader would change, and :data:`Ordinary` says where its data are.
Any other packet is handed to the careful reader, which then judges anew whether the two directions of its connection
may go the quick way. So there is one set of rules about TCP, in :mod:`captures.streams.flows`; a property test proves
that both ways tell the same.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Container, Iterator
from typing import Any, Final, NamedTuple

from mqbridge.captures.reading import link_layers
from mqbridge.captures.reading.chunks import Chunk
from mqbridge.captures.reading.link_layers import TcpSegment
from mqbridge.captures.reading.packets import Packet
from mqbridge.captures.reading.records import MAX_PACKET_LENGTH, Record
from mqbridge.captures.streams.connection import Connection
from mqbridge.captures.streams.flow_events import CloseReason, Direction, Flow, FlowData, FlowEvent
from mqbridge.captures.streams.flows import CLOSE_PATIENCE, FlowReader
from mqbridge.captures.streams.reassembly import StreamReassembly
from mqbridge.captures.streams.recognition import StreamKind

_NEVER: Final = 1 << 62
_WORD: Final = 0xFFFFFFFF
_HALF: Final = 1 << 31
_DIRECTIONS: Final = (Direction.INITIATOR, Direction.RESPONDER)


class Lane:
    """One direction of a connection, for packets that go the quick way.

    ``next_sequence``: the number that continues it, -1 where data must go the careful way. ``other``: the other lane of
    the connection. ``wanted``: whether its packets are given. ``taken``: free for who takes the data, to keep what
    belongs to the direction.
    """

    __slots__ = (
        "connection",
        "destination",
        "direction",
        "flow",
        "key",
        "next_sequence",
        "other",
        "partner",
        "source",
        "stream",
        "taken",
        "wanted",
    )

    def __init__(self, connection: Connection, side: int, key: bytes, wanted: bool) -> None:
        self.connection = connection
        self.flow: Flow = connection.flow
        self.direction = _DIRECTIONS[side]
        ends = self.flow.initiator, self.flow.responder
        self.source, self.destination = ends[side], ends[1 - side]
        self.key = key
        self.stream: StreamReassembly = connection.streams[side]
        self.partner: StreamReassembly = connection.streams[1 - side]
        self.next_sequence = -1
        self.other: Lane = self
        self.wanted = wanted
        self.taken: Any = None


#: Lane, offset of the first byte in its direction, where the data begin and end in the buffer, time and number of the
#: packet.
Ordinary = tuple[Lane, int, int, int, float, int]

#: A buffer, ordinary packets that lie in it, and the events that follow on them.
Step = tuple[bytes, list[Ordinary], list[FlowEvent]]


def data_of(buffer: bytes, ordinary: list[Ordinary]) -> Iterator[FlowData]:
    """The events that ordinary packets are, for whoever takes these alone."""
    for lane, offset, begin, end, time, number in ordinary:
        yield FlowData(lane.flow, lane.direction, offset, buffer[begin:end], time, number)


class _Link(NamedTuple):
    """How IP packets stand behind a link header: ``start`` of the IP header, ``type_at`` place of an EtherType that
    does not stand directly in front of it (-1: it does, or there is none), the heads that the readers see."""

    start: int
    type_at: int
    ipv4_head: bytes
    ipv4: Callable[[bytes, int], tuple[Any, ...]]
    ipv6_heads: frozenset[bytes]
    ipv6: Callable[[bytes, int], tuple[Any, ...]]


def _link(start: int, *, typed: bool, type_at: int = -1) -> _Link:
    """Readers for IP headers at ``start``; ``typed``: the two bytes in front are an EtherType."""
    before = start - 2 if typed else start
    head = f">{before}x{3 if typed else 1}s"
    return _Link(
        start,
        type_at,
        (b"\x08\x00" if typed else b"") + b"\x45",
        # total length, fragment word with protocol, addresses and ports, sequence, acknowledgement, offset with flags
        struct.Struct(head + "xH2xI2x12sIIH").unpack_from,
        frozenset((b"\x86\xdd" if typed else b"") + bytes((first,)) for first in range(0x60, 0x70)),
        struct.Struct(head + "3xHBx36sIIH").unpack_from,
    )


_LINKS: Final = {
    link_layers.LINKTYPE_ETHERNET: _link(14, typed=True),
    link_layers.LINKTYPE_LINUX_SLL: _link(16, typed=True),
    link_layers.LINKTYPE_LINUX_SLL2: _link(20, typed=False, type_at=0),
    **dict.fromkeys(
        (12, 14, link_layers.LINKTYPE_RAW, link_layers.LINKTYPE_IPV4, link_layers.LINKTYPE_IPV6),
        _link(0, typed=False),
    ),
}
_UNKNOWN_LINK: Final = _link(0, typed=False)._replace(start=MAX_PACKET_LENGTH)
_SHORTEST: Final = 40  # bytes of IPv4 and TCP without options
_SHORTEST_IPV6: Final = 60
_ports: Final = struct.Struct(">8x2H").unpack  # of addresses and ports as IPv4 has them


class OrdinaryFlowReader(FlowReader):
    """A :class:`FlowReader` that takes the records of a chunk, and gives ordinary packets and events of the others.

    ``own``: addresses and ports, both ways round, of the connections that are asked for, as they stand in packets;
    None for all. Packets of others are mostly passed over at once. ``seen``: connections with packets in the chunk.
    """

    def __init__(self, own: Container[bytes] | None = None) -> None:
        super().__init__()
        self.own = own
        self.seen: list[Connection] = []
        self._first = 0  # packet of the chunk
        self._lanes: dict[bytes, Lane] = {}
        self._touched: Connection | None = None

    def receive_chunk(self, chunk: Chunk) -> Iterator[FlowEvent]:
        """Take the packets of a chunk; give the events that :meth:`receive_packet` would."""
        buffer = chunk.buffer
        for ordinary, events in self.receive_records(buffer, chunk.records, chunk.first):
            yield from data_of(buffer, ordinary)
            yield from events

    def receive_records(
        self, buffer: bytes, records: list[Record], first: int
    ) -> Iterator[tuple[list[Ordinary], list[FlowEvent]]]:
        """Take the records of a chunk, the first of which has the number ``first``.

        Each step gives ordinary packets that carried data, then what the careful reader told of the packet behind
        them. All steps must be taken.
        """
        lane_of = self._lanes.get
        self._first, self.seen, own = first, [], self.own
        lane: Lane | None
        ordinary: list[Ordinary] = []
        quiet_until = self._quiet_until()
        link_type = shortest = -1
        start_of_ip, type_at, ipv4_head, ipv4, ipv6_heads, ipv6 = _UNKNOWN_LINK
        number = first - 1
        for time, kind, start, stop, original in records:
            number += 1
            if kind != link_type:
                link_type = kind
                start_of_ip, type_at, ipv4_head, ipv4, ipv6_heads, ipv6 = _LINKS.get(kind, _UNKNOWN_LINK)
                shortest = start_of_ip + _SHORTEST
            lane = None
            if stop - start >= shortest and number <= quiet_until:
                head, length, fragment, key, sequence, acknowledgement, flags = ipv4(buffer, start)
                begin = start + start_of_ip
                if head == ipv4_head:
                    # Neither an offset nor more fragments; TCP.
                    if fragment & 0x3FFF00FF == 6 and (type_at < 0 or buffer[start : start + 2] == b"\x08\x00"):
                        lane = lane_of(key)
                        if lane is None and own is not None and key not in own:
                            continue
                    end = begin + length
                    begin += 20 + (flags >> 12 << 2)
                elif head in ipv6_heads and stop - begin >= _SHORTEST_IPV6:
                    _, length, following, key, sequence, acknowledgement, flags = ipv6(buffer, start)
                    if following == 6 and (type_at < 0 or buffer[start : start + 2] == b"\x86\xdd"):
                        lane = lane_of(key)
                        if lane is None and own is not None and key not in own:
                            continue
                    end = begin + 40 + length
                    begin += 40 + (flags >> 12 << 2)
            if (
                lane is None
                or flags & 0x17 != 0x10  # ACK without SYN, FIN, RST
                or flags < 0x5000
                or not begin <= end <= stop
                or (
                    begin != end
                    and (
                        sequence != lane.next_sequence
                        or 1 < (acknowledgement - lane.other.next_sequence & _WORD) < _HALF  # of bytes not seen yet
                    )
                )
            ):
                if (
                    stop - start >= shortest
                    and number <= quiet_until
                    and head == ipv4_head
                    and fragment & 0x3FFF00FF == 6
                    and (type_at < 0 or buffer[start : start + 2] == b"\x08\x00")
                    and flags >= 0x5000
                    and begin <= end <= stop
                ):
                    source_port, destination_port = _ports(key)
                    ends = key[:4], source_port, key[4:8], destination_port
                    data = buffer[begin:end]
                    segment = TcpSegment(*ends, sequence, acknowledgement, flags & 0xFF, data, end - begin)
                    events = self._receive(number, time, segment)  # read already
                else:
                    events = self.receive_packet(Packet(number, time, kind, buffer[start:stop], original))
                self.packets -= 1  # counted with its chunk
                if self._touched is not None:
                    self._judge(self._touched)
                quiet_until = self._quiet_until()
                if events:
                    yield ordinary, events
                    ordinary = []
                continue
            if begin != end:
                lane.next_sequence = sequence + end - begin & _WORD
                stream = lane.stream
                offset = stream.next_offset
                stream.next_offset = offset + end - begin
                if lane.wanted:
                    ordinary.append((lane, offset, begin, end, time, number))
            lane.partner.acknowledged = acknowledgement
            connection = lane.connection
            if connection.last_packet < first:
                self.seen.append(connection)
            connection.last_packet = number
            flow = lane.flow
            flow.packets += 1
            flow.end_time = time
        self.packets += len(records)
        if ordinary:
            yield ordinary, []

    def _quiet_until(self) -> int:
        """Number of the last packet before which no flow is to be closed."""
        return self._closing[0][0] + CLOSE_PATIENCE if self._closing else _NEVER

    def _judge(self, connection: Connection) -> None:
        """Let both directions of a connection go the quick way, or neither."""
        streams = connection.streams
        if (
            connection.closed
            or connection.closing is not None
            or streams[0].waiting
            or streams[1].waiting
            or connection.order is not None
        ):
            self._forbid(connection)
            return
        if connection.lanes is None:
            connection.lanes = self._make_lanes(connection)
        hellos, unknown = connection.hellos, connection.flow.kind is StreamKind.UNKNOWN
        for lane in connection.lanes:
            following = lane.stream.next_sequence
            if unknown or (hellos is not None and not hellos.is_done(lane.direction)):
                following = None
            if lane.partner.next_sequence is None:  # what is acknowledged is a matter of the careful reader
                following = None
            lane.next_sequence = -1 if following is None else following
            self._lanes[lane.key] = lane

    def _make_lanes(self, connection: Connection) -> tuple[Lane, ...]:
        source, source_port, destination, destination_port = connection.key
        side = self._connections[connection.key][1]
        ports = source_port.to_bytes(2, "big"), destination_port.to_bytes(2, "big")
        there = source + destination + ports[0] + ports[1]
        back = destination + source + ports[1] + ports[0]
        if there == back:
            return ()  # sender and receiver cannot be told apart
        wanted = self._wants(connection)
        lane, other = Lane(connection, side, there, wanted), Lane(connection, 1 - side, back, wanted)
        lane.other, other.other = other, lane
        return lane, other

    def _wants(self, _connection: Connection) -> bool:
        """Whether ordinary packets of a connection are to be given; for readers that leave some out."""
        return True

    def _forbid(self, connection: Connection) -> None:
        lanes: tuple[Lane, ...] = connection.lanes or ()
        for lane in lanes:
            if self._lanes.get(lane.key) is lane:
                del self._lanes[lane.key]

    def _touch(self, connection: Connection) -> None:
        self._touched = connection
        if connection.last_packet < self._first:
            self.seen.append(connection)
        super()._touch(connection)

    def _close(self, connection: Connection, reason: CloseReason) -> None:
        self._forbid(connection)
        super()._close(connection, reason)
