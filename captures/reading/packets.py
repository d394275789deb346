"""Packets of a capture file: pcap and pcapng, plain, gzip or zstd, by plain ``struct``.

pcap: both byte orders, microseconds and nanoseconds. pcapng: several sections and interfaces, each with its own byte
order, link type, time resolution and time offset; enhanced, simple and (obsolete) packet blocks; every other block is
passed over. A cut or damaged file gives the packets that were whole, then ``PacketReader.error`` says what happened.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple

from captures.errors import CaptureError, CutCaptureError, DamagedCaptureError, UnknownCaptureError
from captures.reading.unpacking import ByteSource, is_packed

#: Longest packet that is believed; more can only come from a damaged length word.
MAX_PACKET_LENGTH = 1 << 20

#: Longest pcapng block that is believed (blocks that carry no packets, such as decryption secrets, can be long).
MAX_BLOCK_LENGTH = 1 << 24

#: Most interfaces of one pcapng section.
MAX_INTERFACES = 1 << 16

_PCAP_MAGICS = {
    b"\xa1\xb2\xc3\xd4": (">", 1e-6),
    b"\xd4\xc3\xb2\xa1": ("<", 1e-6),
    b"\xa1\xb2\x3c\x4d": (">", 1e-9),
    b"\x4d\x3c\xb2\xa1": ("<", 1e-9),
}
_PCAP_HEADER_LENGTH = 24
_RECORD_HEADER_LENGTH = 16

_SECTION_HEADER = 0x0A0D0D0A
_INTERFACE_DESCRIPTION = 1
_OBSOLETE_PACKET = 2
_SIMPLE_PACKET = 3
_ENHANCED_PACKET = 6
_PCAPNG_MAGIC = b"\x0a\x0d\x0d\x0a"
_BYTE_ORDER_MAGICS = {b"\x1a\x2b\x3c\x4d": ">", b"\x4d\x3c\x2b\x1a": "<"}

_OPTION_TSRESOL = 9
_OPTION_TSOFFSET = 14


class Packet(NamedTuple):
    """One captured packet.

    ``number``: from 1, as tshark's frame.number. ``time``: seconds since the epoch, UTC (a simple packet block has
    none: the time of the packet before it). ``link_type``: LINKTYPE number that says what ``data`` begins with.
    ``original_length``: bytes on the wire; more than ``len(data)`` where the capture kept only the beginning.
    """

    number: int
    time: float
    link_type: int
    data: bytes
    original_length: int


def is_capture(head: bytes) -> bool:
    """Whether a file that begins with these bytes (4 or more) is worth reading as a capture: compressed ones are."""
    return is_packed(head) or head[:4] in _PCAP_MAGICS or head[:4] == _PCAPNG_MAGIC


class _Interface(NamedTuple):
    link_type: int
    snap_length: int
    ticks_per_second: int
    time_offset: int


class _End(Exception):
    """Leaves the reading loops with the error value that describes the place."""

    def __init__(self, error: CaptureError) -> None:
        super().__init__(str(error))
        self.error = error


class PacketReader:
    """Iterates over the :class:`Packet` of a binary file object; no content makes it raise.

    After the iteration ``error`` is None when the file was whole, else a :class:`~captures.errors.CaptureError`
    (unknown kind, cut, damaged); ``packets`` counts what was given, ``bytes_read`` the unpacked file bytes used.
    One pass only: the file is read once, in chunks, and never kept.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.error: CaptureError | None = None
        self.packets = 0
        self._source = ByteSource(file)
        self._buffer = b""
        self._start = 0  # of the unread bytes in the buffer
        self._dropped = 0  # file bytes before the buffer

    @property
    def bytes_read(self) -> int:
        """Unpacked file bytes used so far."""
        return self._dropped + self._start

    def __iter__(self) -> Iterator[Packet]:
        try:
            self._fill(4)
            magic = self._buffer[:4]
            if magic in _PCAP_MAGICS:
                yield from self._read_pcap(*_PCAP_MAGICS[magic])
            elif magic == _PCAPNG_MAGIC:
                yield from self._read_pcapng()
            else:
                raise self._end(UnknownCaptureError, self._source.fault or "neither pcap nor pcapng")
        except _End as end:
            self.error = end.error

    def _end(self, kind: type[CaptureError], reason: str) -> _End:
        return _End(kind(self.bytes_read, self.packets, reason))

    def _fill(self, length: int) -> bool:
        """Have ``length`` unread bytes in the buffer; False where the file has fewer."""
        have = len(self._buffer) - self._start
        if have >= length:
            return True
        parts = [self._buffer[self._start :]]
        while have < length and (piece := self._source.read()):
            parts.append(piece)
            have += len(piece)
        self._dropped += self._start
        self._buffer = b"".join(parts)
        self._start = 0
        return have >= length

    def _need(self, length: int, what: str) -> None:
        if not self._fill(length):
            raise self._end(CutCaptureError, self._source.fault or f"the file ends inside a {what}")

    def _at_end(self) -> bool:
        """True at a clean end between two records."""
        if self._fill(1):
            return False
        if self._source.fault is not None:
            raise self._end(CutCaptureError, self._source.fault)
        return True

    # pcap

    def _read_pcap(self, order: str, tick: float) -> Iterator[Packet]:
        self._need(_PCAP_HEADER_LENGTH, "file header")
        # The upper half of the word says whether frames end with a check sequence.
        link_type = struct.unpack_from(order + "I", self._buffer, self._start + 20)[0] & 0xFFFF
        self._start += _PCAP_HEADER_LENGTH
        unpack = struct.Struct(order + "IIII").unpack_from
        new = Packet._make
        while not self._at_end():
            self._need(_RECORD_HEADER_LENGTH, "record header")
            buffer, start, end = self._buffer, self._start, len(self._buffer)
            # The inner loop runs over the records that are whole in the buffer.
            while end - start >= _RECORD_HEADER_LENGTH:
                seconds, ticks, length, original = unpack(buffer, start)
                if length > MAX_PACKET_LENGTH:
                    self._start = start
                    raise self._end(DamagedCaptureError, f"a packet length of {length} is not believable")
                stop = start + _RECORD_HEADER_LENGTH + length
                if stop > end:
                    break
                self.packets += 1
                self._start = stop
                data = buffer[start + _RECORD_HEADER_LENGTH : stop]
                yield new((self.packets, seconds + ticks * tick, link_type, data, original))
                start = stop
            else:
                continue
            self._need(_RECORD_HEADER_LENGTH + length, "packet")

    # pcapng

    def _read_pcapng(self) -> Iterator[Packet]:
        order = "<"
        interfaces: list[_Interface] = []
        last_time = 0.0
        while not self._at_end():
            self._need(12, "block header")
            if self._buffer[self._start : self._start + 4] == _PCAPNG_MAGIC:
                order = self._section_order()
                interfaces = []
            kind, length = struct.unpack_from(order + "II", self._buffer, self._start)
            if length < 12 or length % 4 or length > MAX_BLOCK_LENGTH:
                raise self._end(DamagedCaptureError, f"a block length of {length} is not believable")
            self._need(length, "block")
            if self._buffer[self._start + length - 4 : self._start + length] != struct.pack(order + "I", length):
                raise self._end(DamagedCaptureError, "the two lengths of a block differ")
            body = self._buffer[self._start + 8 : self._start + length - 4]
            if kind == _INTERFACE_DESCRIPTION:
                if len(interfaces) == MAX_INTERFACES:
                    raise self._end(DamagedCaptureError, f"more than {MAX_INTERFACES} interfaces")
                interfaces.append(self._interface(order, body))
            elif (read := _PACKET_BLOCKS.get(kind)) is not None:
                fields = read(order, body, interfaces, last_time)
                if fields is None:
                    raise self._end(DamagedCaptureError, "a packet block contradicts itself")
                last_time = fields[0]
                self.packets += 1
                self._start += length
                yield Packet(self.packets, *fields)
                continue
            self._start += length

    def _section_order(self) -> str:
        order = _BYTE_ORDER_MAGICS.get(self._buffer[self._start + 8 : self._start + 12])
        if order is None:
            raise self._end(DamagedCaptureError, "a section header has no byte-order mark")
        return order

    def _interface(self, order: str, body: bytes) -> _Interface:
        if len(body) < 8:
            raise self._end(DamagedCaptureError, "an interface description is too short")
        link_type, _, snap_length = struct.unpack_from(order + "HHI", body)
        ticks_per_second, time_offset = 1_000_000, 0
        position = 8
        while position + 4 <= len(body):
            code, length = struct.unpack_from(order + "HH", body, position)
            value = body[position + 4 : position + 4 + length]
            if code == 0:
                break
            if code == _OPTION_TSRESOL and len(value) == 1:
                exponent = value[0] & 0x7F
                ticks_per_second = 1 << exponent if value[0] & 0x80 else 10**exponent
            elif code == _OPTION_TSOFFSET and len(value) == 8:
                time_offset = struct.unpack(order + "q", value)[0]
            position += 4 + (length + 3) // 4 * 4
        return _Interface(link_type, snap_length, ticks_per_second, time_offset)


_Fields = tuple[float, int, bytes, int]
_ReadBlock = Callable[[str, bytes, list[_Interface], float], _Fields | None]


def _stamped(layout: str) -> _ReadBlock:
    """Reader of a packet block with a time: the interface number comes first, 20 bytes in all."""

    def read(order: str, body: bytes, interfaces: list[_Interface], _last_time: float) -> _Fields | None:
        if len(body) < 20:
            return None
        number, high, low, length, original = struct.unpack_from(order + layout, body)
        if number >= len(interfaces) or length > len(body) - 20 or length > MAX_PACKET_LENGTH:
            return None
        interface = interfaces[number]
        time = (high << 32 | low) / interface.ticks_per_second + interface.time_offset
        return time, interface.link_type, body[20 : 20 + length], original

    return read


def _simple(order: str, body: bytes, interfaces: list[_Interface], last_time: float) -> _Fields | None:
    if len(body) < 4 or not interfaces:
        return None
    (original,) = struct.unpack_from(order + "I", body)
    interface = interfaces[0]
    length = min(original, interface.snap_length or original)
    if length > len(body) - 4 or length > MAX_PACKET_LENGTH:
        return None
    return last_time, interface.link_type, body[4 : 4 + length], original


_PACKET_BLOCKS: dict[int, _ReadBlock] = {
    _ENHANCED_PACKET: _stamped("IIIII"),
    _OBSOLETE_PACKET: _stamped("HxxIIII"),  # the two bytes passed over count dropped packets
    _SIMPLE_PACKET: _simple,
}
