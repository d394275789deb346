"""Lengths and counts in dumps and frames: one byte up to 252, else a mark and two or four bytes.

=====  =====================
byte   meaning
=====  =====================
0-252  the number
253    two bytes follow
254    four bytes follow
255    null: there is no value
=====  =====================

A number has one form, the shortest.
"""

from __future__ import annotations

import struct
from typing import Final

from .errors import DumpError

TWO: Final = 253
FOUR: Final = 254
NULL: Final = 255
NULL_NUMBER: Final = bytes([NULL])
_SMALL: Final = [bytes([each]) for each in range(TWO)]
_U16: Final = struct.Struct(">BH")
_U32: Final = struct.Struct(">BI")


def number(value: int) -> bytes:
    """Return the bytes of a number, 0 to 2³² - 1."""
    if value < TWO:
        return _SMALL[value]
    return _U16.pack(TWO, value) if value < 0x10000 else _U32.pack(FOUR, value)


def read_number(data: bytes, at: int, end: int, base: int = 0) -> tuple[int | None, int]:
    """Return the number at ``at``, None for null, and the position behind it.

    Raises `DumpError`, whose offset is counted from ``base`` bytes before ``data``.
    """
    if at >= end:
        raise DumpError(base + at, "a length is missing")
    first = data[at]
    if first < TWO:
        return first, at + 1
    if first == NULL:
        return None, at + 1
    layout = _U16 if first == TWO else _U32
    if at + layout.size > end:
        raise DumpError(base + at, "a length is cut")
    value: int = layout.unpack_from(data, at)[1]
    if value < (TWO if first == TWO else 0x10000):
        raise DumpError(base + at, f"the length {value} is not in its shortest form")
    return value, at + layout.size
