"""Checksums over the rest of the message."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from operator import xor
from typing import Final

from mqbridge.captures.learning.claims import CHECKSUM, Claim
from mqbridge.captures.learning.columns import Columns

_FIRST: Final = 6
_LEAST_ROWS: Final = 4


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

    def crc(data: bytes) -> bytes:
        value = start
        for byte in data:
            value ^= byte
            for _ in range(8):
                value = (value >> 1) ^ (polynomial if value & 1 else 0)
        return value.to_bytes(2, "big")

    return crc


def _ccitt(data: bytes) -> bytes:
    value = 0xFFFF
    for byte in data:
        value ^= byte << 8
        for _ in range(8):
            value = ((value << 1) ^ (0x1021 if value & 0x8000 else 0)) & 0xFFFF
    return value.to_bytes(2, "big")


ALGORITHMS: Final[dict[str, tuple[int, Callable[[bytes], bytes]]]] = {
    "sum8": (1, _sum8),
    "negative sum8": (1, _negative8),
    "xor8": (1, _xor8),
    "sum16": (2, _sum16),
    "internet": (2, _internet),
    "crc16-modbus": (2, _crc16(0xA001, 0xFFFF)),
    "crc16-arc": (2, _crc16(0xA001, 0)),
    "crc16-ccitt": (2, _ccitt),
    "crc32": (4, lambda data: zlib.crc32(data).to_bytes(4, "big")),
    "adler32": (4, lambda data: zlib.adler32(data).to_bytes(4, "big")),
    "md5": (16, lambda data: hashlib.md5(data, usedforsecurity=False).digest()),
    "md5 in digits": (32, lambda data: hashlib.md5(data, usedforsecurity=False).hexdigest().encode()),
}


def checksums(columns: Columns) -> Iterator[Claim]:
    """Yield fields of which the value follows from all bytes before, behind or around them."""
    if len(columns) < _LEAST_ROWS or columns.begin is None:
        return
    for name, (width, function) in ALGORITHMS.items():
        for start in range(columns.width - width + 1):
            if columns.different[start : start + width].min() < min(len(columns) / 2, 8):
                continue
            for over, taken in _RANGES.items():
                for order in ("big", "little") if 1 < width < 16 else ("big",):
                    if not _holds(function, taken, start, width, order, columns.rows[:_FIRST]):
                        continue
                    right = sum(_holds(function, taken, start, width, order, [row]) for row in columns.rows)
                    rows = len(columns)
                    if right < 0.98 * rows:
                        continue
                    detail = {"algorithm": name, "over": over, "order": order}
                    bits = 20.0 + (rows - right) * 8.0 * width
                    yield Claim(start, start + width, CHECKSUM, bits, detail, right, rows, -2.4 * right * min(width, 4))


_RANGES: Final[dict[str, Callable[[bytes, int, int], bytes]]] = {
    "before": lambda row, start, _: row[:start],
    "behind": lambda row, _, end: row[end:],
    "around": lambda row, start, end: row[:start] + row[end:],
    "zeroed": lambda row, start, end: row[:start] + bytes(end - start) + row[end:],
}


def _holds(
    function: Callable[[bytes], bytes],
    taken: Callable[[bytes, int, int], bytes],
    start: int,
    width: int,
    order: str,
    rows: Sequence[bytes],
) -> bool:
    for row in rows:
        over = taken(row, start, start + width)
        value = row[start : start + width]
        if not over or function(over) != (value if order == "big" else value[::-1]):
            return False
    return True
