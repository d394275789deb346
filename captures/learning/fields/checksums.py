"""Checksums over the rest of the message."""

from __future__ import annotations

import hashlib
import zlib
from binascii import crc_hqx
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from operator import xor
from typing import Final

from mqbridge.captures.learning.claims import CHECKSUM, Claim
from mqbridge.captures.learning.columns import Columns

_FIRST: Final = 6
_LEAST_ROWS: Final = 4
_FIRST_PLACES: Final = 64
_LAST_PLACES: Final = 40


def _sum8(data: bytes) -> bytes:
    return bytes([sum(data) & 0xFF])


def _negative8(data: bytes) -> bytes:
    return bytes([-sum(data) & 0xFF])


def _xor8(data: bytes) -> bytes:
    return bytes([reduce(xor, data, 0)])


def _sum16(data: bytes) -> bytes:
    return (sum(data) & 0xFFFF).to_bytes(2, "big")


def _internet(data: bytes) -> bytes:
    words = data if not len(data) % 2 else data + b"\0"
    total = sum(int.from_bytes(words[place : place + 2], "big") for place in range(0, len(words), 2))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return (~total & 0xFFFF).to_bytes(2, "big")


def _crc16(polynomial: int, start: int) -> Callable[[bytes], bytes]:
    """Reflected CRC of 16 bits."""
    table = []
    for value in range(256):
        for _ in range(8):
            value = (value >> 1) ^ (polynomial if value & 1 else 0)
        table.append(value)

    def crc(data: bytes) -> bytes:
        value = start
        for byte in data:
            value = (value >> 8) ^ table[(value ^ byte) & 0xFF]
        return value.to_bytes(2, "big")

    return crc


def _ccitt(start: int) -> Callable[[bytes], bytes]:
    return lambda data: crc_hqx(data, start).to_bytes(2, "big")


ALGORITHMS: Final[dict[str, tuple[int, Callable[[bytes], bytes]]]] = {
    "sum8": (1, _sum8),
    "negative sum8": (1, _negative8),
    "xor8": (1, _xor8),
    "sum16": (2, _sum16),
    "internet": (2, _internet),
    "crc16-modbus": (2, _crc16(0xA001, 0xFFFF)),
    "crc16-arc": (2, _crc16(0xA001, 0)),
    "crc16-ccitt": (2, _ccitt(0xFFFF)),
    "crc16-xmodem": (2, _ccitt(0)),
    "crc32": (4, lambda data: zlib.crc32(data).to_bytes(4, "big")),
    "adler32": (4, lambda data: zlib.adler32(data).to_bytes(4, "big")),
    "md5": (16, lambda data: hashlib.md5(data, usedforsecurity=False).digest()),
    "md5 in digits": (32, lambda data: hashlib.md5(data, usedforsecurity=False).hexdigest().encode()),
}


def checksums(columns: Columns) -> Iterator[Claim]:
    """Yield fields of which the value follows from all bytes before, behind or around them."""
    rows = columns.rows
    if len(columns) < _LEAST_ROWS or columns.begin is None:
        return
    varied = columns.different >= min(len(columns) / 2, 8)
    ends = {
        *range(min(columns.width, _FIRST_PLACES) + 1),
        *range(max(columns.width - _LAST_PLACES, 0), columns.width + 1),
    }
    for name, (width, function) in ALGORITHMS.items():
        for end in ends:
            start = end - width
            if start < 0 or not varied[start:end].all():
                continue
            for over, taken in _RANGES.items():
                for order in _orders_of(function, taken, rows[0], start, end):
                    claim = _tried(columns.rows, start, end, name, over, order)
                    if claim is not None:
                        yield claim


def trailing(rows: Sequence[bytes]) -> Claim | None:
    """Return a checksum in the last bytes of messages over all before; its places count from its own begin."""
    if len(rows) < _LEAST_ROWS:
        return None
    for name, (width, function) in ALGORITHMS.items():
        if min(map(len, rows)) <= width or len({row[-width:] for row in rows}) < min(len(rows) / 2, 8):
            continue
        for order in _orders_of(function, _RANGES["before"], rows[0], len(rows[0]) - width, len(rows[0])):
            claim = _tried(rows, -width, 0, name, "before", order)
            if claim is not None:
                return claim._replace(start=0, end=width)
    return None


def _orders_of(
    function: Callable[[bytes], bytes], taken: Callable[[bytes, int, int], bytes], row: bytes, start: int, end: int
) -> list[str]:
    """Return the byte orders in which one message bears out a checksum."""
    over = taken(row, start, end)
    if not over:
        return []
    value, made = row[start:end], function(over)
    return [order for order in ("big", "little")[: 1 + (1 < len(made) < 16)] if _ordered(made, order) == value]


def _tried(rows: Sequence[bytes], start: int, end: int, name: str, over: str, order: str) -> Claim | None:
    """Return the claim of a checksum that nearly all rows bear out, and none of the first fails; None for another.
    ``start`` and ``end`` count from the end of a row where the first is negative."""
    width, function = ALGORITHMS[name]
    taken = _RANGES[over]
    right = 0
    for number, row in enumerate(rows):
        begin = start % len(row) if start < 0 else start
        right += _ordered(function(taken(row, begin, begin + width)), order) == row[begin : begin + width]
        if right <= number and (number < _FIRST or right < 0.98 * number):
            return None
    detail = {"algorithm": name, "over": over, "order": order}
    bits = 20.0 + (len(rows) - right) * 8.0 * width
    return Claim(start, end, CHECKSUM, bits, detail, right, len(rows), -2.4 * right * min(width, 4))


def _ordered(value: bytes, order: str) -> bytes:
    return value if order == "big" else value[::-1]


_RANGES: Final[dict[str, Callable[[bytes, int, int], bytes]]] = {
    "before": lambda row, start, _: row[:start],
    "behind": lambda row, _, end: row[end:],
    "around": lambda row, start, end: row[:start] + row[end:],
    "zeroed": lambda row, start, end: row[:start] + bytes(end - start) + row[end:],
}
