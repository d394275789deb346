"""Records of a capture file: position of each packet in the bytes read, and the fields of its record.

A chunk of the file, about 256 KiB of whole records, is read and scanned at once; packets are copied only on request.
The meaning of a record depends on a little of what precedes it (byte order, resolution; in pcapng the interfaces of the
section); a *layout* contains that, so that reading can begin at any chunk with a known layout: :class:`PcapLayout` for
pcap, :class:`PcapngLayout` for pcapng.

pcap: both byte orders, microseconds and nanoseconds. pcapng: several sections and interfaces, each with its own byte
order, link type, time resolution and time offset; enhanced, simple and (obsolete) packet blocks; TLS keys; all other
blocks are skipped.
"""

from __future__ import annotations

import struct
from typing import Final, NamedTuple, Protocol

from mqbridge.protocol.constants import ByteOrder

#: Longest plausible packet; a longer one is a damaged length word.
MAX_PACKET_LENGTH = 1 << 20

#: Longest plausible pcapng block (blocks without packets, such as decryption secrets, can be long).
MAX_BLOCK_LENGTH = 1 << 24

#: Maximum number of interfaces of one pcapng section.
MAX_INTERFACES = 1 << 16

#: Maximum number of bytes of TLS keys taken from one file.
MAX_KEY_LOG = 1 << 26

PCAP_MAGICS: Final = {
    b"\xa1\xb2\xc3\xd4": (ByteOrder.BIG, 1e-6),
    b"\xd4\xc3\xb2\xa1": (ByteOrder.LITTLE, 1e-6),
    b"\xa1\xb2\x3c\x4d": (ByteOrder.BIG, 1e-9),
    b"\x4d\x3c\xb2\xa1": (ByteOrder.LITTLE, 1e-9),
}
PCAP_HEADER_LENGTH: Final = 24
PCAPNG_MAGIC: Final = b"\x0a\x0d\x0d\x0a"
BYTE_ORDER_MAGICS: Final = {b"\x1a\x2b\x3c\x4d": ByteOrder.BIG, b"\x4d\x3c\x2b\x1a": ByteOrder.LITTLE}
DECRYPTION_SECRETS: Final = 10  # type of a block
TLS_KEY_LOG: Final = 0x544C534B  # kind of secrets

_RECORD_HEADER_LENGTH: Final = 16
_BLOCK_HEADER_LENGTH: Final = 12  # with the trailing length, or the byte-order mark of a section

_INTERFACE_DESCRIPTION: Final = 1
_OBSOLETE_PACKET: Final = 2
_SIMPLE_PACKET: Final = 3
_ENHANCED_PACKET: Final = 6
_SECTION_HEADER: Final = 0x0A0D0D0A

_OPTION_TSRESOL: Final = 9
_OPTION_TSOFFSET: Final = 14

#: Time, link type, start and end of the packet in the buffer, its length on the wire.
Record = tuple[float, int, int, int, int]


class Scanned(NamedTuple):
    """Result of a scan.

    ``stop``: position of the first incomplete record. ``needed``: number of bytes from there for the next scan.
    ``what``: what they would complete. ``fault``: why nothing behind ``stop`` can be read.
    """

    stop: int
    needed: int = 0
    what: str = ""
    fault: str | None = None


class Layout(Protocol):
    """State needed to read the records of a file from some position on."""

    @property
    def key_log(self) -> bytes | bytearray:
        """TLS keys in what was scanned, as lines of a key log file."""

    def scan(self, buffer: bytes, start: int, records: list[Record]) -> Scanned:
        """Append the whole records in ``buffer`` from ``start`` on."""

    def copy(self) -> Layout:
        """Return a copy that later scans do not change."""


class PcapLayout:
    """Layout of a pcap file. ``tick``: unit of the second time word in seconds."""

    __slots__ = ("link_type", "order", "tick")

    def __init__(self, order: ByteOrder, tick: float, link_type: int) -> None:
        self.order = order
        self.tick = tick
        self.link_type = link_type

    @classmethod
    def of_header(cls, header: bytes) -> PcapLayout:
        """Return the layout of a file header of :data:`PCAP_HEADER_LENGTH` bytes with a known magic number."""
        order, tick = PCAP_MAGICS[header[:4]]
        # The upper half of the word says whether frames end with a check sequence.
        return cls(order, tick, struct.unpack_from(order.prefix + "I", header, 20)[0] & 0xFFFF)

    @property
    def key_log(self) -> bytes:
        """Empty: pcap files have no keys."""
        return b""

    def copy(self) -> PcapLayout:
        """Return the layout itself, which never changes."""
        return self

    def scan(self, buffer: bytes, start: int, records: list[Record]) -> Scanned:
        """Append the whole records in ``buffer`` from ``start`` on."""
        unpack = struct.Struct(self.order.prefix + "IIII").unpack_from
        tick, link_type, append = self.tick, self.link_type, records.append
        last = len(buffer) - _RECORD_HEADER_LENGTH
        end = len(buffer)
        while start <= last:
            seconds, ticks, length, original = unpack(buffer, start)
            begin = start + 16
            stop = begin + length
            if stop > end or length > MAX_PACKET_LENGTH:
                if length > MAX_PACKET_LENGTH:
                    return Scanned(start, fault=f"a packet length of {length} is not believable")
                return Scanned(start, _RECORD_HEADER_LENGTH + length, "packet")
            append((seconds + ticks * tick, link_type, begin, stop, original))
            start = stop
        return Scanned(start, _RECORD_HEADER_LENGTH, "record header")


class Interface(NamedTuple):
    """Interface of a pcapng section. Times are in ticks, plus ``time_offset`` seconds."""

    link_type: int
    snap_length: int
    ticks_per_second: int
    time_offset: int


class PcapngLayout:
    """Layout of a pcapng file: byte order and interfaces of the section, the last time, and ``key_log``, the TLS keys
    scanned since."""

    __slots__ = ("interfaces", "key_log", "last_time", "order")

    def __init__(
        self, order: ByteOrder = ByteOrder.LITTLE, interfaces: tuple[Interface, ...] = (), last_time: float = 0.0
    ) -> None:
        self.order = order
        self.interfaces = list(interfaces)
        self.last_time = last_time
        self.key_log = bytearray()

    def copy(self) -> PcapngLayout:
        """Return a copy without keys that later scans do not change."""
        return PcapngLayout(self.order, tuple(self.interfaces), self.last_time)

    def scan(self, buffer: bytes, start: int, records: list[Record]) -> Scanned:
        """Append the whole records in ``buffer`` from ``start`` on."""
        end = len(buffer)
        words = struct.Struct(self.order.prefix + "II").unpack_from
        word = struct.Struct(self.order.prefix + "I").unpack_from
        enhanced = struct.Struct(self.order.prefix + "IIIII").unpack_from
        while start + _BLOCK_HEADER_LENGTH <= end:
            if buffer[start : start + 4] == PCAPNG_MAGIC:
                order = BYTE_ORDER_MAGICS.get(buffer[start + 8 : start + 12])
                if order is None:
                    return Scanned(start, fault="a section header has no byte-order mark")
                length = int.from_bytes(buffer[start + 4 : start + 8], order.endian)
                kind = _SECTION_HEADER
            else:
                order = None
                kind, length = words(buffer, start)
            if length < _BLOCK_HEADER_LENGTH or length % 4 or length > MAX_BLOCK_LENGTH:
                return Scanned(start, fault=f"a block length of {length} is not believable")
            stop = start + length
            if stop > end:
                return Scanned(start, length, "block")
            if order is not None:
                self.order, self.interfaces = order, []
                words = struct.Struct(order.prefix + "II").unpack_from
                word = struct.Struct(order.prefix + "I").unpack_from
                enhanced = struct.Struct(order.prefix + "IIIII").unpack_from
            if word(buffer, stop - 4)[0] != length:
                return Scanned(start, fault="the two lengths of a block differ")
            if kind == _ENHANCED_PACKET and length >= 32:
                number, high, low, kept, original = enhanced(buffer, start + 8)
                if number >= len(self.interfaces) or kept > length - 32 or kept > MAX_PACKET_LENGTH:
                    return Scanned(start, fault="a packet block contradicts itself")
                link_type, _, ticks_per_second, time_offset = self.interfaces[number]
                time = self.last_time = (high << 32 | low) / ticks_per_second + time_offset
                records.append((time, link_type, start + 28, start + 28 + kept, original))
            elif (fault := self._scan_other(kind, buffer, start + 8, stop - 4, records)) is not None:
                return Scanned(start, fault=fault)
            start = stop
        return Scanned(start, _BLOCK_HEADER_LENGTH, "block header")

    def _scan_other(self, kind: int, buffer: bytes, start: int, stop: int, records: list[Record]) -> str | None:
        """Take a block other than an enhanced packet; return why reading cannot continue, or None."""
        if kind == _INTERFACE_DESCRIPTION:
            if len(self.interfaces) == MAX_INTERFACES:
                return f"more than {MAX_INTERFACES} interfaces"
            interface = _interface(self.order, buffer[start:stop])
            if interface is None:
                return "an interface description is too short"
            self.interfaces.append(interface)
        elif kind in (_ENHANCED_PACKET, _OBSOLETE_PACKET, _SIMPLE_PACKET):
            found = self._simple(buffer, start, stop) if kind == _SIMPLE_PACKET else self._obsolete(buffer, start, stop)
            if found is None:
                return "a packet block contradicts itself"
            self.last_time = found[0]
            records.append(found)
        elif kind == DECRYPTION_SECRETS and stop - start >= 8:
            secrets, length = struct.unpack_from(self.order.prefix + "II", buffer, start)
            length = min(length, stop - start - 8)
            if secrets == TLS_KEY_LOG and len(self.key_log) + length < MAX_KEY_LOG:
                self.key_log += buffer[start + 8 : start + 8 + length] + b"\n"
        return None

    def _obsolete(self, buffer: bytes, start: int, stop: int) -> Record | None:
        if stop - start < 20:  # also enhanced packets that are too short
            return None
        # The two skipped bytes count dropped packets.
        number, high, low, length, original = struct.unpack_from(self.order.prefix + "HxxIIII", buffer, start)
        if number >= len(self.interfaces) or length > stop - start - 20 or length > MAX_PACKET_LENGTH:
            return None
        interface = self.interfaces[number]
        time = (high << 32 | low) / interface.ticks_per_second + interface.time_offset
        return time, interface.link_type, start + 20, start + 20 + length, original

    def _simple(self, buffer: bytes, start: int, stop: int) -> Record | None:
        if stop - start < 4 or not self.interfaces:
            return None
        (original,) = struct.unpack_from(self.order.prefix + "I", buffer, start)
        interface = self.interfaces[0]
        length = min(original, interface.snap_length or original)
        if length > stop - start - 4 or length > MAX_PACKET_LENGTH:
            return None
        return self.last_time, interface.link_type, start + 4, start + 4 + length, original


def _interface(order: ByteOrder, body: bytes) -> Interface | None:
    if len(body) < 8:
        return None
    link_type, _, snap_length = struct.unpack_from(order.prefix + "HHI", body)
    ticks_per_second, time_offset = 1_000_000, 0
    position = 8
    while position + 4 <= len(body):
        code, length = struct.unpack_from(order.prefix + "HH", body, position)
        value = body[position + 4 : position + 4 + length]
        if code == 0:
            break
        if code == _OPTION_TSRESOL and len(value) == 1:
            exponent = value[0] & 0x7F
            ticks_per_second = 1 << exponent if value[0] & 0x80 else 10**exponent
        elif code == _OPTION_TSOFFSET and len(value) == 8:
            time_offset = struct.unpack(order.prefix + "q", value)[0]
        position += 4 + (length + 3) // 4 * 4
    return Interface(link_type, snap_length, ticks_per_second, time_offset)
