"""Connections as packets: handshake, data in segments of bounded size, acknowledgements, the end.

The packets of several connections are merged by time. Each has the range of its bytes in its direction, so that after
faults the first packet with a segment can still be found.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Final

from mqbridge.captures.generate.conversation import End, MadeConnection, MadeSegment
from mqbridge.captures.generate.links import LinkType, packet_template
from mqbridge.captures.reading.link_layers import ACK, FIN, PSH, RST, SYN
from mqbridge.captures.recording.packet_template import PacketTemplate
from mqbridge.captures.streams.reassembly import SEQUENCE_MODULUS
from mqbridge.protocol.direction import Direction

#: Default maximum payload of a packet: Ethernet without options.
DEFAULT_SEGMENT_SIZE: Final = 1460
#: Seconds between the packets of one burst.
WIRE: Final = 0.000_01
#: Bytes in one direction after which the other end acknowledges.
ACKNOWLEDGE_AFTER: Final = 2 * DEFAULT_SEGMENT_SIZE


@dataclass(slots=True)
class MadePacket:
    """One packet.

    ``connection``: its number, from 0. ``offset``, ``length``: range of its bytes in its direction; 0 bytes without
    data.
    """

    time: float
    data: bytes
    connection: int
    direction: Direction
    offset: int = 0
    length: int = 0
    flags: int = ACK


class _Side:
    """One direction of a connection."""

    __slots__ = ("direction", "offset", "sequence", "start", "template", "unacknowledged")

    def __init__(self, template: PacketTemplate, direction: Direction, sequence: int) -> None:
        self.template = template
        self.direction = direction
        self.start = self.sequence = sequence
        self.offset = 0
        self.unacknowledged = 0


class PacketBuilder:
    """Makes the packets of connections.

    ``segment_size``: maximum payload of a packet. ``coalesce``: whether MQ segments sent in one direction at one time
    share packets; otherwise each begins a new packet.
    """

    def __init__(
        self,
        link: LinkType = LinkType.ETHERNET,
        *,
        segment_size: int = DEFAULT_SEGMENT_SIZE,
        coalesce: bool = True,
        random: Random | None = None,
    ) -> None:
        if not 1 <= segment_size <= 65_000:
            raise ValueError(f"a segment size of {segment_size} is not within 1 to 65,000")
        self.link = link
        self.segment_size = segment_size
        self.coalesce = coalesce
        self.random = random or Random(0)

    def connection(self, number: int, connection: MadeConnection, *, whole: bool = True) -> Iterator[MadePacket]:
        """Yield the packets of one connection in order, without handshake if not ``whole``."""
        conversation = connection.conversation
        ends = {Direction.INITIATOR: connection.initiator, Direction.RESPONDER: connection.responder}
        sides = {
            direction: _Side(
                packet_template(self.link, direction, end, ends[direction.other]),
                direction,
                self.random.randrange(SEQUENCE_MODULUS),
            )
            for direction, end in ends.items()
        }
        time = conversation.begun

        def made(side: _Side, flags: int, payload: bytes = b"", options: bytes = b"") -> MadePacket:
            other = sides[side.direction.other]
            acknowledgement = other.sequence if flags & ACK else 0
            data = side.template.packet(side.sequence, acknowledgement, flags, payload, options)
            packet = MadePacket(time, data, number, side.direction, side.offset, len(payload), flags)
            step = len(payload) + bool(flags & (SYN | FIN))
            side.sequence = (side.sequence + step) % SEQUENCE_MODULUS
            side.offset += len(payload)
            side.unacknowledged += len(payload)
            other.unacknowledged = 0
            return packet

        first, second = sides[Direction.INITIATOR], sides[Direction.RESPONDER]
        if whole:
            options = struct.pack(">BBHBBBB", 2, 4, min(self.segment_size, 0xFFFF), 3, 3, 7, 0)
            yield made(first, SYN, options=options)
            yield made(second, SYN | ACK, options=options)
            yield made(first, ACK)
        else:
            for side in sides.values():
                side.sequence = (side.sequence + 1) % SEQUENCE_MODULUS
        for direction, at, data in _bursts(conversation.lines, self.coalesce):
            time = max(time + WIRE, at)
            side = sides[direction]
            for start in range(0, len(data), self.segment_size):
                piece = data[start : start + self.segment_size]
                yield made(side, ACK | PSH if start + self.segment_size >= len(data) else ACK, piece)
                time += WIRE
                if side.unacknowledged >= ACKNOWLEDGE_AFTER:
                    yield made(sides[direction.other], ACK)
        time = max(time + WIRE, conversation.ended)
        closer, other = sides[conversation.closer], sides[conversation.closer.other]
        if conversation.end is End.CLOSED:
            yield made(closer, FIN | ACK)
            yield made(other, FIN | ACK)
            yield made(closer, ACK)
        elif conversation.end is End.RESET:
            yield made(closer, RST | ACK)

    def dress(self, connections: Iterable[MadeConnection]) -> list[MadePacket]:
        """Return the packets of all connections, ordered by time."""
        packets = [
            packet for number, connection in enumerate(connections) for packet in self.connection(number, connection)
        ]
        packets.sort(key=lambda packet: packet.time)
        return packets


def _bursts(lines: list[MadeSegment], coalesce: bool) -> Iterator[tuple[Direction, float, bytes]]:
    """Yield the bytes sent in one direction at one time."""
    held: list[bytes] = []
    for place, line in enumerate(lines):
        held.append(line.data)
        following = lines[place + 1] if place + 1 < len(lines) else None
        if coalesce and following is not None and following.direction is line.direction and following.time == line.time:
            continue
        yield line.direction, line.time, b"".join(held)
        held = []
