"""Recording of connections as a pcap file: bytes and times in, packets out.

The bytes of a connection become a synthetic TCP conversation over raw IP: handshake, sequence and acknowledgement
numbers, segments of bounded size, valid checksums, FIN or RST. Wireshark and our own reader accept it as real. Sans-IO:
the file object is passed in, and flushed and closed by its owner; times are arguments.
"""

from __future__ import annotations

import struct
from typing import BinaryIO, Final

from mqbridge.captures.reading.link_layers import ACK, FIN, LINKTYPE_RAW, PSH, RST, SYN
from mqbridge.captures.recording.packet_template import PacketTemplate
from mqbridge.captures.recording.segment_limit import SegmentLimit
from mqbridge.captures.streams.flow_events import Direction, Endpoint
from mqbridge.captures.streams.reassembly import SEQUENCE_MODULUS

#: Maximum payload of a packet in bytes: with headers below the 65,535 of IP.
MAX_SEGMENT_SIZE: Final = 65_000

#: Bytes in one direction after which the other end acknowledges.
ACKNOWLEDGE_AFTER: Final = 65_535

_SNAP_LENGTH: Final = 262_144
# Sequence numbers of the two SYNs: any will do, different ones are easier to read. Each connection of a recorder is
# a step further, so that one that uses the ports of another again is told from it.
_INITIAL_SEQUENCES: Final = {Direction.INITIATOR: 1_000, Direction.RESPONDER: 500_001_000}
_STEP: Final = 10_000_019
# Options of a SYN: the largest segment, a window scale of 14 (the largest), padding.
_SYN_OPTIONS: Final = struct.pack(">BBHBBBB", 2, 4, MAX_SEGMENT_SIZE, 3, 3, 14, 0)


class PcapWriter:
    """Writes packets into a pcap file (little-endian, microseconds), the file header at once.

    ``link_type``: LINKTYPE number of the beginning of packets, raw IP by default.
    """

    def __init__(self, file: BinaryIO, link_type: int = LINKTYPE_RAW) -> None:
        self._file = file
        self.packets = 0
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, _SNAP_LENGTH, link_type))

    def write(self, data: bytes, now: float, original_length: int | None = None) -> None:
        """Write one packet at ``now``, seconds since the epoch; ``original_length``: its length if ``data`` is
        truncated."""
        seconds, micros = divmod(round(now * 1_000_000), 1_000_000)
        length = len(data)
        header = struct.pack("<IIII", seconds, micros, length, length if original_length is None else original_length)
        self._file.write(header + data)  # at once: readers of the growing file find whole packets
        self.packets += 1


class Recorder:
    """A capture of several connections in one file.

    ``first_segments``: keep only this number of MQ segments of each connection, over both directions (None: all).
    Segments are kept whole; handshake and close are kept. ``segment_size``: maximum payload of a packet; ``ValueError``
    if invalid.
    """

    def __init__(
        self, file: BinaryIO, *, first_segments: int | None = None, segment_size: int = MAX_SEGMENT_SIZE
    ) -> None:
        if not 1 <= segment_size <= MAX_SEGMENT_SIZE:
            raise ValueError(f"a segment size of {segment_size} is not within 1 to {MAX_SEGMENT_SIZE}")
        self.writer = PcapWriter(file)
        self._connections = 0
        self._first_segments = first_segments
        self._segment_size = segment_size

    def connect(
        self, initiator: Endpoint, responder: Endpoint, now: float, *, number: int | None = None
    ) -> ConnectionRecorder:
        """Record a new connection: the three packets of the handshake.

        ``initiator``, ``responder``: IPv4 or IPv6 addresses as text, with ports; ``ValueError`` for others. ``number``:
        from 1, distinguishes connections between the same ports; by default counted.
        """
        self._connections += 1
        return ConnectionRecorder(
            self.writer,
            initiator,
            responder,
            now,
            sequence=((self._connections if number is None else number) - 1) * _STEP,
            first_segments=self._first_segments,
            segment_size=self._segment_size,
        )


class ConnectionRecorder:
    """Records one connection, made by :meth:`Recorder.connect`."""

    def __init__(
        self,
        writer: PcapWriter,
        initiator: Endpoint,
        responder: Endpoint,
        now: float,
        *,
        sequence: int = 0,
        first_segments: int | None = None,
        segment_size: int = MAX_SEGMENT_SIZE,
    ) -> None:
        self._writer = writer
        self._segment_size = segment_size
        self._limit = None if first_segments is None else SegmentLimit(first_segments)
        self._ends = {
            Direction.INITIATOR: _End(initiator, responder, _INITIAL_SEQUENCES[Direction.INITIATOR] + sequence),
            Direction.RESPONDER: _End(responder, initiator, _INITIAL_SEQUENCES[Direction.RESPONDER] + sequence),
        }
        self.closed = False
        self._send(Direction.INITIATOR, SYN, b"", now, options=_SYN_OPTIONS)
        self._send(Direction.RESPONDER, SYN | ACK, b"", now, options=_SYN_OPTIONS)
        self._send(Direction.INITIATOR, ACK, b"", now)

    def send(self, direction: Direction, data: bytes | bytearray | memoryview, now: float) -> None:
        """Record bytes sent by one end; ignored after both closes, or a reset."""
        if self.closed or self._ends[direction].finished:
            return
        if self._limit is not None:
            data = self._limit.admit(direction, bytes(data))
        for start in range(0, len(data), self._segment_size):
            piece = bytes(data[start : start + self._segment_size])
            self._send(direction, ACK | PSH, piece, now)
            if self._ends[direction].unacknowledged >= ACKNOWLEDGE_AFTER:
                self._send(direction.other, ACK, b"", now)

    def continue_in(self, writer: PcapWriter) -> None:
        """Continue in another file."""
        self._writer = writer

    def close(self, direction: Direction, now: float) -> None:
        """Record that one end closed its direction: FIN, and the acknowledgement of the other end."""
        if self.closed or self._ends[direction].finished:
            return
        self._send(direction, FIN | ACK, b"", now)
        self._ends[direction].finished = True
        self._send(direction.other, ACK, b"", now)
        self.closed = all(end.finished for end in self._ends.values())

    def reset(self, direction: Direction, now: float) -> None:
        """Record that one end reset the connection."""
        if not self.closed:
            self._send(direction, RST | ACK, b"", now)
            self.closed = True

    def _send(self, direction: Direction, flags: int, payload: bytes, now: float, options: bytes = b"") -> None:
        sender, receiver = self._ends[direction], self._ends[direction.other]
        acknowledgement = receiver.sequence if flags & ACK else 0
        packet = sender.template.packet(sender.sequence, acknowledgement, flags, payload, options)
        self._writer.write(packet, now)
        sender.sequence = (sender.sequence + len(payload) + bool(flags & (SYN | FIN))) % SEQUENCE_MODULUS
        sender.unacknowledged += len(payload)
        receiver.unacknowledged = 0


class _End:
    """One end of a connection. ``unacknowledged``: bytes it sent since the other end's last packet."""

    __slots__ = ("finished", "sequence", "template", "unacknowledged")

    def __init__(self, own: Endpoint, other: Endpoint, sequence: int) -> None:
        self.template = PacketTemplate(own, other)
        self.sequence = sequence % SEQUENCE_MODULUS
        self.unacknowledged = 0
        self.finished = False
