"""TCP packets from templates: constant bytes are packed once, and each packet takes one ``struct`` call.

Checksums are valid: ones' complement sums are taken modulo 65,535, so that the sum of the constant bytes is added to
that of the others.
"""

from __future__ import annotations

import struct
from ipaddress import ip_address
from typing import Final

from mqbridge.captures.streams.flow_events import Endpoint

WINDOW: Final = 65_535
TIME_TO_LIVE: Final = 64
TCP_HEADER_LENGTH: Final = 20
_TCP: Final = 6
_DO_NOT_FRAGMENT: Final = 0x4000


def checksum_part(data: bytes) -> int:
    """Ones' complement sum of 16-bit words, below 65,535; ``data`` begins at an even place."""
    return int.from_bytes(data + b"\0" if len(data) % 2 else data, "big") % 0xFFFF


class PacketTemplate:
    """Builds the packets of one direction of a connection.

    ``source``, ``target``: the two ends, both IPv4 or both IPv6 (``ValueError`` otherwise). ``link_header``: bytes in
    front of the IP header.
    """

    __slots__ = ("_addresses", "_head", "_ip_sum", "_middle", "_offset", "_pack", "_pseudo", "_v4")

    def __init__(self, source: Endpoint, target: Endpoint, link_header: bytes = b"") -> None:
        own, other = ip_address(source.address), ip_address(target.address)
        if own.version != other.version:
            raise ValueError(f"{source.address} and {target.address} are addresses of different families")
        addresses = own.packed + other.packed
        ports = struct.pack(">HH", source.port, target.port)
        self._v4 = own.version == 4
        if self._v4:
            self._head = link_header + b"\x45\0"
            self._middle = struct.pack(">HHBB", 0, _DO_NOT_FRAGMENT, TIME_TO_LIVE, _TCP)
            self._ip_sum = checksum_part(b"\x45\0" + self._middle + addresses)
            self._addresses = addresses + ports
            self._pack = struct.Struct(f">{len(self._head)}sH6sH{len(self._addresses)}sIIHHHH").pack
        else:
            self._head = link_header + struct.pack(">I", 6 << 28)
            self._middle = struct.pack(">BB", _TCP, TIME_TO_LIVE) + addresses + ports
            self._ip_sum = 0
            self._addresses = b""
            self._pack = struct.Struct(f">{len(self._head)}sH{len(self._middle)}sIIHHHH").pack
        # Pseudo header and ports, but for the length that is added to the sum.
        self._pseudo = checksum_part(addresses + ports) + _TCP + WINDOW
        self._offset = TCP_HEADER_LENGTH // 4 << 12

    def packet(
        self,
        sequence: int,
        acknowledgement: int,
        flags: int,
        payload: bytes = b"",
        options: bytes = b"",
        payload_sum: int | None = None,
    ) -> bytes:
        """One packet. ``options``: of TCP, a multiple of four bytes; ``payload_sum``: :func:`checksum_part` of the
        payload where it is known."""
        length = TCP_HEADER_LENGTH + len(options) + len(payload)
        offset = self._offset | flags
        if payload_sum is None:
            payload_sum = checksum_part(payload)
        if options:
            offset += len(options) // 4 << 12
            payload_sum += checksum_part(options)
        total = (
            self._pseudo + length + offset + payload_sum + sequence + acknowledgement
        ) % 0xFFFF  # 65,536 is 1 modulo 65,535, so a word of 32 bits counts as the sum of its halves
        checksum = 0xFFFF - total if total else 0
        if self._v4:
            ip_total = (self._ip_sum + 20 + length) % 0xFFFF
            ip_checksum = 0xFFFF - ip_total if ip_total else 0
            header = self._pack(
                self._head,
                20 + length,
                self._middle,
                ip_checksum,
                self._addresses,
                sequence,
                acknowledgement,
                offset,
                WINDOW,
                checksum,
                0,
            )
        else:
            header = self._pack(
                self._head, length, self._middle, sequence, acknowledgement, offset, WINDOW, checksum, 0
            )
        return header + options + payload
