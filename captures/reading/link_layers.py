"""Captured packets to TCP segments: link layers, IPv4, IPv6, TCP, by plain ``struct``.

Link types (LINKTYPE numbers): Ethernet with any VLAN tags, Linux cooked 1 and 2, raw IP, BSD null and loopback.
Checksums are ignored: they are not filled in yet in captures of the sending machine. Packets without a complete TCP
segment return a :class:`NotRead` reason; fragments are reassembled by :mod:`captures.reading.fragments`.
"""

from __future__ import annotations

import enum
import struct
from collections.abc import Callable
from typing import Final, NamedTuple

from mqbridge.captures.reading.fragments import Datagram, Fragment

FIN: Final = 0x01
SYN: Final = 0x02
RST: Final = 0x04
PSH: Final = 0x08
ACK: Final = 0x10

LINKTYPE_NULL: Final = 0
LINKTYPE_ETHERNET: Final = 1
LINKTYPE_RAW: Final = 101
LINKTYPE_LOOP: Final = 108
LINKTYPE_LINUX_SLL: Final = 113
LINKTYPE_IPV4: Final = 228
LINKTYPE_IPV6: Final = 229
LINKTYPE_LINUX_SLL2: Final = 276

#: Link types without a link header; 12 and 14 are values of DLT_RAW on some systems.
RAW_LINK_TYPES: Final = (12, 14, LINKTYPE_RAW, LINKTYPE_IPV4, LINKTYPE_IPV6)

#: Maximum number of nested VLAN tags.
MAX_VLAN_TAGS = 4

#: Maximum number of IPv6 extension headers.
MAX_EXTENSION_HEADERS = 16

_VLAN_TYPES = {0x8100, 0x88A8, 0x9100}
_IPV4_TYPE = 0x0800
_IPV6_TYPE = 0x86DD
_IP_TYPES = {_IPV4_TYPE, _IPV6_TYPE}

_TCP = 6
_IPV6_FRAGMENT = 44
_FRAGMENT_HEADER_LENGTH = 8
_RESERVED_BITS = 0x0006  # of the word with the offset
_IPV6_AUTHENTICATION = 51
_IPV6_EXTENSIONS = {0, 43, 60, 135, 139, 140}  # hop by hop, routing, destination, mobility, host identity, shim

# AF_INET and the values AF_INET6 has on Linux, Windows, NetBSD, FreeBSD and macOS.
_ADDRESS_FAMILIES = {2, 10, 23, 24, 28, 30}

_word = struct.Struct(">H").unpack_from
_ipv4 = struct.Struct(">BxHxxHxBxx4s4s").unpack_from
_ipv6 = struct.Struct(">IHBx16s16s").unpack_from
_tcp = struct.Struct(">HHIIBB").unpack_from


class NotRead(enum.Enum):
    """Reason why a packet has no TCP segment."""

    LINK_TYPE = "a link type that is not known"
    NOT_IP = "no IP packet"
    NOT_TCP = "no TCP segment"
    FRAGMENT = "a fragment of an IP packet"
    CUT = "a header is not whole in the capture"
    MALFORMED = "a header contradicts itself"


class TcpSegment(NamedTuple):
    """One captured TCP segment.

    ``source``, ``destination``: IP addresses of 4 or 16 bytes. ``payload``: the captured bytes. ``length``: their
    number on the wire, more if the capture truncated packets.
    """

    source: bytes
    source_port: int
    destination: bytes
    destination_port: int
    sequence: int
    acknowledgement: int
    flags: int
    payload: bytes
    length: int


def read_tcp(link_type: int, data: bytes, original_length: int | None = None) -> TcpSegment | NotRead:
    """Return the TCP segment in a packet, or the reason why there is none. Never raises.

    ``original_length``: the packet's length on the wire, if the capture may have truncated it.
    """
    link = _LINKS.get(link_type)
    if link is None:
        return NotRead.LINK_TYPE
    start = link(data)
    if start < 0:
        return NotRead.NOT_IP
    if start >= len(data):
        return NotRead.CUT
    wire_end = len(data) if original_length is None else max(original_length, len(data))
    version = data[start] >> 4
    if version == 4:
        return _read_ipv4(data, start, wire_end)
    if version == 6:
        return _read_ipv6(data, start, wire_end)
    return NotRead.NOT_IP


# Results of link functions other than the position of the IP header.
_NOT_IP: Final = -1
_CUT: Final = 1 << 32


def _ethernet(data: bytes) -> int:
    return _after_type(data, 12)


def _linux_cooked(data: bytes) -> int:
    return _after_type(data, 14)


def _linux_cooked_2(data: bytes) -> int:
    if len(data) < 2:
        return _CUT
    (kind,) = _word(data, 0)
    if kind in _VLAN_TYPES:
        return _after_type(data, 22)
    return 20 if kind in _IP_TYPES else _NOT_IP


def _after_type(data: bytes, position: int) -> int:
    """Return the position of the IP header behind an EtherType; VLAN tags are skipped."""
    for _ in range(MAX_VLAN_TAGS + 1):
        if len(data) < position + 2:
            return _CUT
        (kind,) = _word(data, position)
        if kind in _IP_TYPES:
            return position + 2
        if kind not in _VLAN_TYPES:
            return _NOT_IP
        position += 4
    return _NOT_IP


def _raw(_data: bytes) -> int:
    return 0


def _null(data: bytes) -> int:
    # The family is in the byte order of the capturing machine.
    head = data[:4]
    if len(head) < 4:
        return _CUT
    if int.from_bytes(head, "little") in _ADDRESS_FAMILIES or int.from_bytes(head, "big") in _ADDRESS_FAMILIES:
        return 4
    return _NOT_IP


_LINKS: dict[int, Callable[[bytes], int]] = {
    **dict.fromkeys(RAW_LINK_TYPES, _raw),
    LINKTYPE_NULL: _null,
    LINKTYPE_LOOP: _null,
    LINKTYPE_ETHERNET: _ethernet,
    LINKTYPE_LINUX_SLL: _linux_cooked,
    LINKTYPE_LINUX_SLL2: _linux_cooked_2,
}


def _read_ipv4(data: bytes, start: int, wire_end: int) -> TcpSegment | NotRead:
    if len(data) < start + 20:
        return NotRead.CUT
    first, total, fragment, protocol, source, destination = _ipv4(data, start)
    header_length = (first & 0x0F) * 4
    if header_length < 20:
        return NotRead.MALFORMED
    if protocol != _TCP:
        return NotRead.NOT_TCP
    if fragment & 0x3FFF:  # more fragments, or an offset
        return NotRead.FRAGMENT
    # A total of 0 marks a packet that the network card divides into segments later.
    end = start + total if total else wire_end
    return _read_tcp(data, start + header_length, end, source, destination)


def _read_ipv6(data: bytes, start: int, wire_end: int) -> TcpSegment | NotRead:
    position = start + 40
    if len(data) < position:
        return NotRead.CUT
    _, length, kind, source, destination = _ipv6(data, start)
    end = position + length if length else wire_end  # 0: a jumbo packet, or one divided later
    if kind == _TCP:
        return _read_tcp(data, position, end, source, destination)
    found = _after_extensions(data, position, kind)
    if isinstance(found, NotRead):
        return found
    kind, position = found
    if kind == _TCP:
        return _read_tcp(data, position, end, source, destination)
    return NotRead.FRAGMENT if kind == _IPV6_FRAGMENT else NotRead.NOT_TCP


def _after_extensions(data: bytes, position: int, kind: int) -> tuple[int, int] | NotRead:
    """Return type and position of what follows the IPv6 extension headers, or of a fragment header with further
    fragments."""
    for _ in range(MAX_EXTENSION_HEADERS):
        if kind == _IPV6_FRAGMENT:
            if len(data) < position + _FRAGMENT_HEADER_LENGTH:
                return NotRead.CUT
            if _word(data, position + 2)[0] & ~_RESERVED_BITS:
                return kind, position
            kind, position = data[position], position + _FRAGMENT_HEADER_LENGTH  # the only one, RFC 6946
            continue
        if kind not in _IPV6_EXTENSIONS and kind != _IPV6_AUTHENTICATION:
            return kind, position
        if len(data) < position + 2:
            return NotRead.CUT
        following, units = data[position], data[position + 1]
        position += (units + 2) * 4 if kind == _IPV6_AUTHENTICATION else (units + 1) * 8
        kind = following
    return NotRead.MALFORMED


def read_fragment(link_type: int, data: bytes, original_length: int | None = None) -> Fragment | NotRead:
    """Return the fragment in a packet for which :func:`read_tcp` returned :attr:`NotRead.FRAGMENT`. Never raises."""
    link = _LINKS.get(link_type)
    start = -1 if link is None else link(data)
    if not 0 <= start < len(data):
        return NotRead.NOT_IP
    wire_end = len(data) if original_length is None else max(original_length, len(data))
    if data[start] >> 4 == 4:
        if len(data) < start + 20:
            return NotRead.CUT
        first, total, place, protocol, source, destination = _ipv4(data, start)
        (identification,) = _word(data, start + 4)
        begin = start + (first & 0x0F) * 4
        end = start + total if total else wire_end
        version, offset, more = 4, (place & 0x1FFF) * 8, bool(place & 0x2000)
    else:
        begin = start + 40
        if len(data) < begin:
            return NotRead.CUT
        _, length, kind, source, destination = _ipv6(data, start)
        end = begin + length if length else wire_end
        found = _after_extensions(data, begin, kind)
        if isinstance(found, NotRead):
            return found
        kind, begin = found
        if kind != _IPV6_FRAGMENT:
            return NotRead.NOT_TCP
        (place,), protocol = _word(data, begin + 2), data[begin]
        if protocol != _TCP and protocol != _IPV6_AUTHENTICATION and protocol not in _IPV6_EXTENSIONS:
            return NotRead.NOT_TCP
        identification = int.from_bytes(data[begin + 4 : begin + 8], "big")
        begin += _FRAGMENT_HEADER_LENGTH
        version, offset, more = 6, place & 0xFFF8, bool(place & 1)
    if begin > end:
        return NotRead.MALFORMED
    payload = data[begin:end]
    return Fragment(version, source, destination, identification, protocol, offset, more, payload, end - begin)


def read_datagram(datagram: Datagram) -> TcpSegment | NotRead:
    """Return the TCP segment in a reassembled IP packet. Never raises."""
    data, kind, start = datagram.data, datagram.protocol, 0
    if datagram.version == 6:
        found = _after_extensions(data, 0, kind)
        if isinstance(found, NotRead):
            return found
        kind, start = found
    if kind != _TCP:
        return NotRead.NOT_TCP
    return _read_tcp(data, start, datagram.length, datagram.source, datagram.destination)


def _read_tcp(data: bytes, start: int, end: int, source: bytes, destination: bytes) -> TcpSegment | NotRead:
    """Read the TCP header at ``start``; ``end``: end of the IP packet on the wire."""
    if len(data) < start + 20:
        return NotRead.CUT if end >= start + 20 else NotRead.MALFORMED
    source_port, destination_port, sequence, acknowledgement, offset, flags = _tcp(data, start)
    begin = start + (offset >> 4) * 4
    if begin < start + 20 or begin > end:
        return NotRead.MALFORMED
    return TcpSegment(
        source,
        source_port,
        destination,
        destination_port,
        sequence,
        acknowledgement,
        flags,
        data[begin:end],
        end - begin,
    )
