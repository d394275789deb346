"""Frames among printed bytes: whether bytes are one with TCP inside, and whether its checksum is right."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice, product
from typing import Final

from mqbridge.captures.reading.link_layers import (
    LINKTYPE_ETHERNET,
    LINKTYPE_LINUX_SLL,
    LINKTYPE_RAW,
    TcpSegment,
    read_tcp,
)

from .dump_text import Block

_IP_STARTS: Final = {LINKTYPE_ETHERNET: 14, LINKTYPE_LINUX_SLL: 16, LINKTYPE_RAW: 0}
MOST_REPAIRS: Final = 20_000
"""Ways to leave out bytes that are tried."""


def link_of(data: bytes) -> int | None:
    """Return the link type of a frame with TCP over IP; None for other bytes."""
    for link, start in _IP_STARTS.items():
        if len(data) < start + 40 or not isinstance(read_tcp(link, data, len(data)), TcpSegment):
            continue
        size = 4 * (data[start] & 15)
        written = int.from_bytes(data[start + 10 : start + 12], "big")
        if data[start] >> 4 == 6 or not written or not _sum(data[start : start + size]):
            return link
    return None


def has_right_checksum(link: int, data: bytes) -> bool:
    """Return whether the TCP checksum of a frame is right, over IPv4."""
    start = _IP_STARTS[link]
    head = 4 * (data[start] & 15)
    size = int.from_bytes(data[start + 2 : start + 4], "big")
    tcp = data[start + head : start + size]
    if data[start] >> 4 != 4 or len(tcp) != size - head:
        return False
    return not _sum(data[start + 12 : start + 20] + b"\0\6" + len(tcp).to_bytes(2, "big") + tcp)


def repaired(block: Block, link: int) -> bytes | None:
    """Return the bytes of a block of which rows have too many, with those left out that make the checksum right; None
    where nothing does, or too much would have to be tried."""
    choices = [
        _without(row.data, block.surplus[number]) if number in block.surplus else [row.data]
        for number, row in enumerate(block.rows)
    ]
    for rows in islice(product(*choices), MOST_REPAIRS):
        data = b"".join(rows)
        if has_right_checksum(link, data):
            return data
    return None


def _without(data: bytes, count: int) -> list[bytes]:
    """Return a row without ``count`` of its bytes, in each way that makes a difference."""
    return list(dict.fromkeys(islice(_ways(data, count), MOST_REPAIRS)))


def _ways(data: bytes, count: int) -> Iterator[bytes]:
    for gone in combinations(range(len(data) - 1, -1, -1), count):
        yield bytes(byte for place, byte in enumerate(data) if place not in gone)


def _sum(data: bytes) -> int:
    """Return the Internet checksum, 0 over what has a right one in it."""
    data += b"\0" * (len(data) % 2)
    total = sum(int.from_bytes(data[place : place + 2], "big") for place in range(0, len(data), 2))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF
