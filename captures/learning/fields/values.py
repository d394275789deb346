"""Numbers, enumerations, flags, and bytes of which no more is known."""

from __future__ import annotations

from collections.abc import Iterator
from math import log2
from typing import Any, Final

import numpy as np

from mqbridge.captures.learning.bits import BYTE, Array, of_numbers, of_values
from mqbridge.captures.learning.claims import ENUMERATION, FLAGS, NUMBER, OPAQUE, Claim
from mqbridge.captures.learning.columns import Columns

WIDTHS: Final = (1, 2, 3, 4, 8)
MOST_VALUES: Final = 64
_RANDOM: Final = 7.0
"""A column that takes more bits a message than this is random."""


def orders(width: int) -> tuple[str, ...]:
    """Return the byte orders that a number of this width can have."""
    return ("big", "little") if width > 1 else ("big",)


def enumerations(columns: Columns) -> Iterator[Claim]:
    """Yield fields of few different values."""
    rows = len(columns)
    for start in range(columns.width):
        for width in (1, 2, 4, 8):
            if not may_be_number(columns, start, width) or (
                columns.begin is not None
                and columns.constant[[start, start + width - 1]].any()
                and start % min(width, 4)
            ):
                continue
            values = columns.numbers(start, width, "big")
            kinds, counts = np.unique(values, return_counts=True)
            if len(kinds) > min(MOST_VALUES, max(rows // 3, 2)):
                continue
            bits = of_values(values, BYTE * width / 2 + 2) + alignment(columns, start, width)
            shares = {
                int(value).to_bytes(width, "big"): int(count) / rows for value, count in zip(kinds, counts, strict=True)
            }
            what = FLAGS if _are_flags(kinds) else ENUMERATION
            yield Claim(
                start, start + width, what, bits, {"values": shares}, rows, rows, _chance(len(kinds), width, rows)
            )


def numbers(columns: Columns) -> Iterator[Claim]:
    """Yield unsigned numbers in both byte orders."""
    for start in range(columns.width):
        for width in WIDTHS:
            if not may_be_number(columns, start, width):
                continue
            for order in orders(width):
                values = columns.numbers(start, width, order)
                bits = of_numbers(values, width) + alignment(columns, start, width)
                detail: dict[str, Any] = {"order": order, "lowest": int(values.min()), "highest": int(values.max())}
                yield Claim(start, start + width, NUMBER, bits, detail, len(columns), len(columns))


def may_be_number(columns: Columns, start: int, width: int) -> bool:
    """Whether bytes vary, and the first and last of them do so or are zero: else they belong to what is beside them."""
    end = start + width
    if end > columns.width or columns.constant[start:end].all():
        return False
    return not any(columns.constant[place] and columns.matrix[0, place] for place in (start, end - 1))


def opaque(columns: Columns) -> Iterator[Claim]:
    """Yield runs of bytes that are random, and single columns that nothing explains."""
    rows = len(columns)
    random = columns.costs > _RANDOM * rows + 100
    start = 0
    while start < columns.width:
        end = start
        while end < columns.width and random[end]:
            end += 1
        for width in {end - start, 4, 8, 16}:
            if 0 < width <= end - start:
                for at in {start, end - width}:
                    yield Claim(
                        at, at + width, OPAQUE, BYTE * width * rows + alignment(columns, at, width), {}, rows, rows
                    )
        start = max(end, start + 1)
    for place in range(columns.width):
        if not columns.constant[place]:
            yield Claim(place, place + 1, OPAQUE, float(columns.costs[place]) + 6, {}, rows, rows)


def alignment(columns: Columns, start: int, width: int) -> float:
    """Return the bits against a field that does not stand at a multiple of its width, as fields most often do."""
    if columns.begin is None or width not in (2, 4, 8, 16):
        return 6.0
    return 2.0 if not (columns.begin + start) % min(width, 4) else 7.0


def _are_flags(values: Array) -> bool:
    """Whether the values are made of a few bits, of which at least two stand together in one of them."""
    wide = [int(value) for value in values]
    bits = 0
    for value in wide:
        bits |= value
    count = bits.bit_count()
    return 2 <= count <= 8 and len(wide) > 2 and len(wide) > count and any(value.bit_count() > 1 for value in wide)


def _chance(kinds: int, width: int, rows: int) -> float:
    return -max(rows - kinds, 0) * (BYTE * width - log2(kinds)) * 0.30103
