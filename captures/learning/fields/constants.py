"""Bytes that never vary, divided where numbers, text and zeros meet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mqbridge.captures.learning.claims import CONSTANT, Claim
from mqbridge.captures.learning.columns import Columns

_MOST: Final = 64
_PRINTED: Final = frozenset(range(0x20, 0x7F))


def constants(columns: Columns) -> Iterator[Claim]:
    """Yield a claim for each likely division of constant bytes: by what a value of that width costs to write."""
    constant = columns.constant
    first = columns.rows[0]
    for start in range(columns.width):
        if not constant[start]:
            continue
        for width in range(1, min(_MOST, columns.width - start) + 1):
            if not constant[start + width - 1]:
                break
            value = first[start : start + width]
            bits = _bits_of(value, start + (columns.begin or 0))
            if bits is not None:
                detail = {"value": value}
                rows = len(columns)
                yield Claim(start, start + width, CONSTANT, bits, detail, rows, rows, -2.4 * width * (rows - 1))


def _bits_of(value: bytes, place: int) -> float | None:
    """Return what a constant costs: numbers of 1, 2, 4 or 8 bytes by their size, text by its letters, runs of one byte
    once; None for what is no likely field."""
    width = len(value)
    costs = []
    if width in (1, 2, 4, 8) and not place % min(width, 4):
        number = min(int.from_bytes(value, "big"), int.from_bytes(value, "little"))
        if value == b"\xff" * width:
            number = 1
        costs.append(
            {1: 5.0, 2: 4.0, 4: 2.5, 8: 12.0}[width] + min(_size(number) * (2.5 if width == 4 else 1.5), 8.5 * width)
        )
    if width == 3 and place % 4 == 1:
        costs.append(6.0 + 1.5 * int.from_bytes(value, "big").bit_length())
    if width >= 3 and all(byte in _PRINTED for byte in value):
        letters = value.rstrip(b" ")
        costs.append(8.0 + 5.0 * len(letters) + (2.0 if width > len(letters) else 0.0))
    if width > 8 and len(set(value)) == 1:
        costs.append(10.0 + (0.0 if not (place + width) % 4 else 3.0))
    if not costs and width <= 16:
        costs.append(12.0 + 9.5 * width)
    return min(costs, default=None)


def _size(number: int) -> float:
    """Return the significant bits of a number; round ones have few."""
    zeros = (number & -number).bit_length() - 1 if number else 0
    return number.bit_length() - zeros + 4 if zeros > 6 else number.bit_length()
