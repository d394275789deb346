"""Quick reader of packets without surprises; all others go through :class:`FlowReader`, the careful reader.

Nearly all packets of a capture carry the next bytes of a known connection, or acknowledge some. The careful reader does
much work to find that there is nothing to do. Here one ``struct`` reads IP and TCP headers at once, and addresses with
ports, as they stand in the packet, are the key of a table of :class:`FastPath` values, one for each direction of those
connections of which nothing waits, ends or is unclear. If all of these hold

* Ethernet, Linux cooked or raw IP; no VLAN tag, no IP options or extension headers, no fragment, captured completely,
* ACK is set, and neither SYN, FIN nor RST,
* the sequence number is the next one and only captured bytes are acknowledged, or there are no data,

the packet changes only the numbers that the careful reader would change, and :data:`Ordinary` locates its data. Any
other packet goes to the careful reader, and both directions of its connection are reassessed. The rules of TCP
therefore exist only in :mod:`captures.streams.flows`; a property test proves that both readers emit the same events.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Callable, Container, Iterator
from typing import Any, Final, NamedTuple

from mqbridge.captures.reading import link_layers
from mqbridge.captures.reading.link_layers import NotRead, TcpSegment
from mqbridge.captures.reading.packets import Packet
from mqbridge.captures.reading.records import MAX_PACKET_LENGTH, Record
from mqbridge.captures.streams.connection import TcpConnection
from mqbridge.captures.streams.fast_paths import FastPath, FastPaths
from mqbridge.captures.streams.flow_events import FlowData, FlowEvent
from mqbridge.captures.streams.flow_watch import FlowWatch
from mqbridge.captures.streams.flows import CLOSE_PATIENCE, FlowReader

_NEVER: Final = 1 << 62
_WORD: Final = 0xFFFFFFFF
_HALF: Final = 1 << 31
_IPV4: Final = b"\x08\x00"  # EtherTypes
_IPV6: Final = b"\x86\xdd"


#: Lane, offset of the first byte in its direction, where the data begin and end in the buffer, time and number of the
#: packet.
Ordinary = tuple[FastPath, int, int, int, float, int]

#: A buffer, its ordinary packets, and the events behind them.
Step = tuple[bytes, list[Ordinary], list[FlowEvent]]


def data_of(buffer: bytes, ordinary: list[Ordinary]) -> Iterator[FlowData]:
    """Yield ordinary packets as events."""
    for fast_path, offset, begin, end, time, number in ordinary:
        yield FlowData(fast_path.flow, fast_path.direction, offset, buffer[begin:end], time, number)


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
        (_IPV4 if typed else b"") + b"\x45",
        # total length, fragment word with protocol, addresses and ports, sequence, acknowledgement, offset with flags
        struct.Struct(head + "xH2xI2x12sIIH").unpack_from,
        frozenset((_IPV6 if typed else b"") + bytes((first,)) for first in range(0x60, 0x70)),
        struct.Struct(head + "3xHBx36sIIH").unpack_from,
    )


_LINKS: Final = {
    link_layers.LINKTYPE_ETHERNET: _link(14, typed=True),
    link_layers.LINKTYPE_LINUX_SLL: _link(16, typed=True),
    link_layers.LINKTYPE_LINUX_SLL2: _link(20, typed=False, type_at=0),
    **dict.fromkeys(link_layers.RAW_LINK_TYPES, _link(0, typed=False)),
}
_UNKNOWN_LINK: Final = _link(0, typed=False)._replace(start=MAX_PACKET_LENGTH)
_SHORTEST: Final = 40  # bytes of IPv4 and TCP without options
_SHORTEST_IPV6: Final = 60
_ports: Final = struct.Struct(">8x2H").unpack  # of addresses and ports as IPv4 has them


class OrdinaryFlowReader:
    """Reads the records of chunks: gives ordinary packets, and the events of the others, which ``careful`` reads.

    ``own``: addresses and ports, both ways round, of the connections that are asked for, as they stand in packets;
    None for all. Packets of others are mostly passed over at once. ``watch``: what is decided otherwise than for all.
    """

    def __init__(self, own: Container[bytes] | None = None, watch: FlowWatch | None = None) -> None:
        self.own = own
        self._watch = FlowWatch() if watch is None else watch
        self._fast_paths = FastPaths(self._watch)
        self.careful = FlowReader(self._watch, self._fast_paths)

    @property
    def unread(self) -> Counter[NotRead]:
        """Number of packets without a TCP segment, by reason."""
        return self.careful.unread

    @property
    def seen(self) -> list[TcpConnection]:
        """Connections with packets in the last chunk."""
        return self._fast_paths.seen

    def finish(self) -> list[FlowEvent]:
        """End the capture: return what still waits, and close every flow."""
        return self._watch.wanted(self.careful.finish())

    def receive_records(
        self, buffer: bytes, records: list[Record], first: int
    ) -> Iterator[tuple[list[Ordinary], list[FlowEvent]]]:
        """Take the records of a chunk, the first of which has the number ``first``.

        Each step contains ordinary packets with data, then the events of the packet behind them. All steps must be
        taken.
        """
        careful, fast_paths = self.careful, self._fast_paths
        fast_paths.first, fast_paths.seen = first, []
        ordinary: list[Ordinary] = []
        at = 0
        while (at := self._pass(buffer, records, at, first, ordinary)) < len(records):
            events = self._examine(buffer, records[at], first + at)
            careful.packets -= 1  # counted with its chunk
            if fast_paths.touched is not None:
                fast_paths.judge(fast_paths.touched)
            if events and (events := self._watch.wanted(events)):
                yield ordinary, events
                ordinary = []
            at += 1
        careful.packets += len(records)
        if ordinary:
            yield ordinary, []

    def _pass(self, buffer: bytes, records: list[Record], at: int, first: int, ordinary: list[Ordinary]) -> int:
        """Take records from index ``at`` on while they are ordinary, or of connections that are not asked for.

        Those with data are added to ``ordinary``. Returns the index of the record that is to be examined, or the
        number of all.
        """
        fast_paths, own = self._fast_paths, self.own
        fast_path_of, seen = fast_paths.by_key.get, fast_paths.seen
        quiet_until = self._quiet_until()
        link_type = shortest = -1
        start_of_ip, type_at, ipv4_head, ipv4, ipv6_heads, ipv6 = _UNKNOWN_LINK
        for index in range(at, len(records)):
            time, kind, start, stop, _ = records[index]
            number = first + index
            if kind != link_type:
                link_type = kind
                start_of_ip, type_at, ipv4_head, ipv4, ipv6_heads, ipv6 = _LINKS.get(kind, _UNKNOWN_LINK)
                shortest = start_of_ip + _SHORTEST
            if stop - start < shortest or number > quiet_until:
                return index
            head, length, fragment, key, sequence, acknowledgement, flags = ipv4(buffer, start)
            begin = start + start_of_ip
            if head == ipv4_head:
                # Neither an offset nor more fragments; TCP.
                if fragment & 0x3FFF00FF != 6 or (type_at >= 0 and buffer[start : start + 2] != _IPV4):
                    return index
                end = begin + length
                begin += 20 + (flags >> 12 << 2)
            elif head in ipv6_heads and stop - begin >= _SHORTEST_IPV6:
                _, length, following, key, sequence, acknowledgement, flags = ipv6(buffer, start)
                if following != 6 or (type_at >= 0 and buffer[start : start + 2] != _IPV6):
                    return index
                end = begin + 40 + length
                begin += 40 + (flags >> 12 << 2)
            else:
                return index
            fast_path: FastPath | None = fast_path_of(key)
            if fast_path is None:
                if own is not None and key not in own:
                    continue
                return index
            # ACK without SYN, FIN, RST
            if flags & 0x17 != 0x10 or flags < 0x5000 or not begin <= end <= stop:
                return index
            if begin != end:
                unseen = acknowledgement - fast_path.other.next_sequence & _WORD  # bytes acknowledged, and one
                if sequence != fast_path.next_sequence or 1 < unseen < _HALF:
                    return index
                fast_path.next_sequence = sequence + end - begin & _WORD
                stream = fast_path.stream
                offset = stream.next_offset
                stream.next_offset = offset + end - begin
                if fast_path.wanted:
                    ordinary.append((fast_path, offset, begin, end, time, number))
            fast_path.partner.acknowledged = acknowledgement
            connection = fast_path.connection
            if connection.last_packet < first:
                seen.append(connection)
            connection.last_packet = number
            flow = fast_path.flow
            flow.packets += 1
            flow.end_time = time
        return len(records)

    def _examine(self, buffer: bytes, record: Record, number: int) -> list[FlowEvent]:
        """Have the careful reader take a packet; TCP in IPv4 as usual is read for it here."""
        time, kind, start, stop, original = record
        link = _LINKS.get(kind, _UNKNOWN_LINK)
        if stop - start >= link.start + _SHORTEST:
            head, length, fragment, key, sequence, acknowledgement, flags = link.ipv4(buffer, start)
            end = start + link.start + length
            begin = start + link.start + 20 + (flags >> 12 << 2)
            if (
                head == link.ipv4_head
                and fragment & 0x3FFF00FF == 6
                and (link.type_at < 0 or buffer[start : start + 2] == _IPV4)
                and flags >= 0x5000
                and begin <= end <= stop
            ):
                source_port, destination_port = _ports(key)
                ends = key[:4], source_port, key[4:8], destination_port
                data = buffer[begin:end]
                segment = TcpSegment(*ends, sequence, acknowledgement, flags & 0xFF, data, end - begin)
                return self.careful.receive(number, time, segment)
        return self.careful.receive_packet(Packet(number, time, kind, buffer[start:stop], original))

    def _quiet_until(self) -> int:
        """Return the number of the last packet before which no flow is to be closed."""
        closing = self.careful.closing
        return self._watch.quiet_until(closing[0][0] + CLOSE_PATIENCE if closing else _NEVER)
