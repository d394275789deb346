"""Large captures: recorded conversations repeated through packet templates, with ids and numbers patched in each copy.

Copies come in waves: the connections of a wave run concurrently, packet by packet, and the next wave begins after their
end. In copies of a message channel sequence numbers and LUWIDs continue those of the copy before; message ids differ in
every copy. Only the packets of one wave are in memory.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO, Final, NamedTuple

from mqbridge.captures.generate.conversation import MadeConnection, MadeSegment
from mqbridge.captures.generate.links import LinkType, packet_template
from mqbridge.captures.generate.packets import DEFAULT_SEGMENT_SIZE, MadePacket, PacketBuilder
from mqbridge.captures.generate.scenario import START
from mqbridge.captures.reading.link_layers import ACK, SYN
from mqbridge.captures.recording.packet_template import checksum_part
from mqbridge.captures.recording.recorder import PcapWriter
from mqbridge.captures.streams.flow_events import Endpoint
from mqbridge.captures.streams.reassembly import SEQUENCE_MODULUS
from mqbridge.protocol.constants import ByteOrder, ControlFlags1, SegmentType
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.segment import Segment

#: Number of concurrent connections.
TOGETHER: Final = 16
_FIRST_PORT: Final = 49_152
_PORTS: Final = 16_000
_MESSAGE_ID: Final = b"AMQ "
_ID_LENGTH: Final = 24
_COUNTER: Final = 4  # bytes at the end of a message id that are counted up
_LUWID_AT: Final = 12
_NUMBER_AT: Final = 4  # in the body of MESSAGE_DATA
_PAUSE: Final = 0.001
_IN_FILE: Final = struct.Struct("<IIII").pack


class Written(NamedTuple):
    """What was written. ``size``: in bytes with the file header. ``seconds``: time between the first and last
    packet."""

    packets: int
    size: int
    flows: int
    segments: int
    messages: int
    seconds: float


class _Patch(NamedTuple):
    """Bytes of a direction that differ between copies. ``step``: added for each copy."""

    offset: int
    value: int
    length: int
    order: ByteOrder
    step: int


@dataclass(slots=True)
class _PacketPattern:
    """One packet to be repeated. ``patches``: (place in the payload, patch, first and last byte of its value)."""

    time: float
    direction: Direction
    flags: int
    offset: int
    acknowledged: int
    payload: bytes
    payload_sum: int
    options: bytes
    patches: tuple[tuple[int, _Patch, int, int], ...]


class Replica:
    """Repeats connections.

    ``connections``: from a :class:`~captures.generate.Builder`. Copies have new addresses, IPv6 if the connection has.
    """

    def __init__(
        self,
        connections: Sequence[MadeConnection],
        *,
        link: LinkType = LinkType.ETHERNET,
        segment_size: int = DEFAULT_SEGMENT_SIZE,
    ) -> None:
        if not connections:
            raise ValueError("no connection to repeat")
        self.link = link
        self._connections = connections
        dresser = PacketBuilder(link, segment_size=segment_size)
        self._molds = [_molds(connection, list(dresser.connection(0, connection))) for connection in connections]
        self._copies = 0
        self._waves = 0

    def write(self, file: BinaryIO, *, size: int | None = None, packets: int | None = None) -> Written:
        """Write a pcap file of at least ``size`` bytes, or ``packets`` packets, in whole waves."""
        if (size is None) is (packets is None):
            raise ValueError("either a size or a number of packets")
        PcapWriter(file, self.link.link_type)  # writes the file header
        time, count, length, waves = START, 0, 24, 0
        while (length < size) if size is not None else (count < (packets or 0)):
            wave, number, duration = self._wave(time)
            file.write(wave)
            count += number
            length += len(wave)
            waves += 1
            time += duration + _PAUSE
        copies = waves * TOGETHER
        segments = sum(len(connection.conversation.lines) for connection in self._connections)
        messages = sum(connection.conversation.messages for connection in self._connections)
        flows = copies * len(self._connections)
        return Written(count, length, flows, copies * segments, copies * messages, time - START)

    def _wave(self, time: float) -> tuple[bytes, int, float]:
        """Return the records of one wave, their number, and its duration."""
        out: list[bytes] = []
        duration = 0.0
        for connection, molds in zip(self._connections, self._molds, strict=True):
            copies = [self._copy(connection, self._waves * TOGETHER + place) for place in range(TOGETHER)]
            for mold in molds:
                seconds, micros = divmod(round((time + duration + mold.time) * 1_000_000), 1_000_000)
                for copy in copies:
                    data = copy.packet(mold)
                    out.append(_IN_FILE(seconds, micros, len(data), len(data)))
                    out.append(data)
            duration += molds[-1].time + _PAUSE
        self._waves += 1
        return b"".join(out), len(out) // 2, duration

    def _copy(self, connection: MadeConnection, copy: int) -> _Copy:
        number = self._copies
        self._copies += 1
        host, port = divmod(number, _PORTS)
        v6 = ":" in connection.initiator.address
        address = f"fd00::3:{host + 1:x}" if v6 else f"10.{3 + (host >> 16)}.{host >> 8 & 0xFF}.{host & 0xFF}"
        initiator = Endpoint(address, _FIRST_PORT + port)
        return _Copy(self.link, initiator, connection.responder, copy)


class _Copy:
    """One connection made from a mold: its templates and sequence numbers."""

    __slots__ = ("initial", "number", "templates")

    def __init__(self, link: LinkType, initiator: Endpoint, responder: Endpoint, number: int) -> None:
        self.number = number
        self.templates = {
            Direction.INITIATOR: packet_template(link, Direction.INITIATOR, initiator, responder),
            Direction.RESPONDER: packet_template(link, Direction.RESPONDER, responder, initiator),
        }
        # Any that differ from copy to copy.
        self.initial = {
            Direction.INITIATOR: (number + 1) * 2_654_435_761 % SEQUENCE_MODULUS,
            Direction.RESPONDER: (number + 1) * 2_246_822_519 % SEQUENCE_MODULUS,
        }

    def packet(self, mold: _PacketPattern) -> bytes:
        direction, payload, payload_sum = mold.direction, mold.payload, mold.payload_sum
        if mold.patches and self.number:
            payload, payload_sum = self.patched(mold), -1
        sequence = (self.initial[direction] + mold.offset) % SEQUENCE_MODULUS
        acknowledgement = (self.initial[direction.other] + mold.acknowledged) % SEQUENCE_MODULUS
        return self.templates[direction].packet(
            sequence,
            acknowledgement if mold.flags & ACK else 0,
            mold.flags,
            payload,
            mold.options,
            payload_sum if payload_sum >= 0 else None,
        )

    def patched(self, mold: _PacketPattern) -> bytes:
        """Return the payload with the values of this copy."""
        changed = bytearray(mold.payload)
        for place, patch, first, last in mold.patches:
            value = (patch.value + patch.step * self.number) % (1 << 8 * patch.length)
            data = value.to_bytes(patch.length, patch.order.endian)
            changed[place : place + last - first] = data[first:last]
        return bytes(changed)


def _molds(connection: MadeConnection, packets: list[MadePacket]) -> list[_PacketPattern]:
    """The packets of a connection, relative to its begin."""
    begun = packets[0].time
    patches = _patches(connection)
    positions = dict.fromkeys(Direction, 0)
    molds = []
    for packet in packets:
        header = len(packet.data) - packet.length
        options = packet.data[header - 8 : header] if packet.flags & SYN else b""
        payload = packet.data[header:]
        molds.append(
            _PacketPattern(
                packet.time - begun,
                packet.direction,
                packet.flags,
                positions[packet.direction],
                positions[packet.direction.other],
                payload,
                checksum_part(payload),
                options,
                tuple(_within(patches[packet.direction], packet.offset, packet.length)),
            )
        )
        step = packet.length + bool(packet.flags & (SYN | 1))
        positions[packet.direction] += step
    return molds


def _within(patches: list[_Patch], offset: int, length: int) -> Iterator[tuple[int, _Patch, int, int]]:
    """Yield the parts of patches within some bytes of a direction."""
    for patch in patches:
        first, last = max(offset - patch.offset, 0), min(offset + length - patch.offset, patch.length)
        if first < last:
            yield patch.offset + first - offset, patch, first, last


def _patches(connection: MadeConnection) -> dict[Direction, list[_Patch]]:
    """Return what differs between copies, in both directions."""
    conversation = connection.conversation
    found: dict[Direction, list[_Patch]] = {direction: [] for direction in Direction}
    offsets = dict.fromkeys(Direction, 0)
    for line in conversation.lines:
        found[line.direction] += _patches_of(line, offsets[line.direction], conversation.messages)
        offsets[line.direction] += len(line.data)
    return found


def _patches_of(line: MadeSegment, offset: int, messages: int) -> Iterator[_Patch]:
    segment: Segment = line.segment
    if any(segment.luwid):
        yield _patch(line.data, offset, _LUWID_AT, 4, ByteOrder.LITTLE, 1)  # its seconds
    if segment.type == SegmentType.MESSAGE_DATA and segment.flags1 & ControlFlags1.FIRST:
        yield _patch(line.data, offset, segment.body_start + _NUMBER_AT, 4, segment.order, messages)
    place = line.data.find(_MESSAGE_ID)
    while place >= 0:
        if place + _ID_LENGTH <= len(line.data):
            yield _patch(
                line.data, offset, place + _ID_LENGTH - _COUNTER, _COUNTER, ByteOrder.LITTLE, max(messages, 1) + 1
            )
        place = line.data.find(_MESSAGE_ID, place + 1)


def _patch(data: bytes, offset: int, place: int, length: int, order: ByteOrder, step: int) -> _Patch:
    value = int.from_bytes(data[place : place + length], order.endian)
    return _Patch(offset + place, value, length, order, step)
