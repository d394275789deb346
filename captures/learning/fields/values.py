"""Numbers, enumerations, flags, and bytes of which no more is known."""

from __future__ import annotations

import string
from collections.abc import Iterator
from functools import reduce
from math import log2
from operator import or_
from typing import Any, Final

import numpy as np

from mqbridge.captures.learning.bits import BYTE, Array, adaptive, of_numbers_each, of_values
from mqbridge.captures.learning.claims import ENUMERATION, FLAGS, NUMBER, OPAQUE, Claim
from mqbridge.captures.learning.columns import Columns

WIDTHS: Final = (1, 2, 3, 4, 8)
MOST_VALUES: Final = 64
_LETTERS: Final = np.frombuffer(string.ascii_letters.encode() + b" ", np.uint8)
_LEAST_SAVED: Final = 0.5
"""Bits a message that a number must save, or it is nothing but bytes."""
_RANDOM: Final = 7.0
"""A column that takes more bits a message than this is random."""


def orders(width: int) -> tuple[str, ...]:
    """Return the byte orders that a number of this width can have."""
    return ("big", "little") if width > 1 else ("big",)


def enumerations(columns: Columns) -> Iterator[Claim]:
    """Yield fields of few different values."""
    rows = len(columns)
    most = min(MOST_VALUES, max(rows // 3, 2))
    few = columns.different <= most
    letters = _letters(columns)
    for width in (1, 2, 4, 8):
        for start in np.flatnonzero(columns.may_be_number(width)).tolist():
            if not few[start : start + width].all() or (
                columns.begin is not None
                and columns.constant[[start, start + width - 1]].any()
                and start % min(width, 4)
            ):
                continue
            if letters[start + 1 : start + width + 1].any() and (letters[start] or letters[start + width + 1]):
                continue
            values = columns.numbers(start, width, "big")
            kinds, counts = np.unique(values, return_counts=True)
            if len(kinds) > most:
                continue
            bits = of_values(values, width) + alignment(columns, start, width)
            shares = {
                int(value).to_bytes(width, "big"): int(count) / rows for value, count in zip(kinds, counts, strict=True)
            }
            what = FLAGS if _are_flags(kinds, counts) else ENUMERATION
            yield Claim(
                start, start + width, what, bits, {"values": shares}, rows, rows, _chance(len(kinds), width, rows)
            )


def _letters(columns: Columns) -> Array:
    """Return for each column whether it is letters that vary, alone or with zeros, which are a part of a text then, and
    not a value; with one column that is none on either side."""
    letters = np.isin(columns.matrix, _LETTERS)
    text = (letters | (columns.matrix == 0)).all(axis=0) & ~columns.constant & (columns.different > 2)
    return np.concatenate(([False], text & (letters.mean(axis=0) > 0.1), [False]))


def _parts_of_text(columns: Columns) -> Array:
    """Return for each column whether it is mostly letters, or nothing, beside another one: a text of varying length."""
    letters = np.isin(columns.matrix, _LETTERS)
    part = (
        ((letters | (columns.matrix == 0)).mean(axis=0) > 0.8) & (letters.mean(axis=0) > 0.2) & (columns.different > 4)
    )
    beside = np.concatenate(([False], part[:-1])) | np.concatenate((part[1:], [False]))
    return np.asarray(part & beside)


def numbers(columns: Columns) -> Iterator[Claim]:
    """Yield unsigned numbers in both byte orders."""
    rows = len(columns)
    parts = _parts_of_text(columns)
    for width in WIDTHS:
        if width > columns.width:
            break
        some = np.lib.stride_tricks.sliding_window_view(parts, width).any(axis=1)
        places = np.flatnonzero(columns.may_be_number(width) & ~some)
        for order in orders(width):
            values = columns.table(width, order)[:, places]
            costs = of_numbers_each(values, width).tolist()
            lowest, highest = values.min(axis=0).tolist(), values.max(axis=0).tolist()
            for each, start in enumerate(places.tolist()):
                if costs[each] > (BYTE * width - _LEAST_SAVED) * rows:
                    continue
                bits = costs[each] + alignment(columns, start, width)
                detail: dict[str, Any] = {"order": order, "lowest": lowest[each], "highest": highest[each]}
                yield Claim(start, start + width, NUMBER, bits, detail, rows, rows)


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
            yield Claim(place, place + 1, OPAQUE, min(float(columns.costs[place]), BYTE * rows) + 6, {}, rows, rows)


def alignment(columns: Columns, start: int, width: int) -> float:
    """Return the bits against a field that does not stand at a multiple of its width, as fields most often do, or of
    which the upper half is nothing."""
    half = 0.0
    if width == 8:
        upper, lower = columns.constant[start : start + 4], columns.constant[start + 4 : start + 8]
        half = 9.0 if upper.all() or lower.all() else 0.0
    if columns.begin is None or width not in (2, 4, 8, 16):
        return 6.0 + half
    return half + (2.0 if not (columns.begin + start) % min(width, 4) else 7.0)


def _are_flags(kinds: Array, counts: Array) -> bool:
    """Whether the values are made of bits that vary each by itself: then it takes fewer to write down the bits than
    the values, and bits stand together that stand alone too. Letters, and numbers without gaps, are none."""
    values = [int(value) for value in kinds]
    union = reduce(or_, values)
    width = union.bit_count()
    if not 3 <= width <= 12 or len(values) < 5 or len(values) <= width or max(values) - min(values) < len(values) + 1:
        return False
    if all(0x20 <= byte < 0x7F for value in values for byte in value.to_bytes(8, "big") if byte):
        return False
    total = int(counts.sum())
    apart = 0.0
    for bit in range(union.bit_length()):
        if union >> bit & 1:
            ones = int(sum(count for value, count in zip(values, counts.tolist(), strict=True) if value >> bit & 1))
            apart += adaptive(np.array([ones, total - ones]), 2)
    together = adaptive(counts, len(values)) + len(values) * width
    return apart < together


def _chance(kinds: int, width: int, rows: int) -> float:
    return -max(rows - kinds, 0) * (BYTE * width - log2(kinds)) * 0.30103
