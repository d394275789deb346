"""Decimal numbers: packed with their sign, packed without, and in digits of ASCII or EBCDIC."""

from __future__ import annotations

from collections.abc import Iterator
from math import log2
from typing import Final

import numpy as np

from mqbridge.captures.learning.bits import BYTE, Array, of_numbers
from mqbridge.captures.learning.claims import DECIMAL, Claim
from mqbridge.captures.learning.columns import Columns, runs

from .values import alignment

_WIDEST: Final = 9
_MOST_DIGITS: Final = 18
_LEAST_CHANCE: Final = -6.0
_LEAST_VALUES: Final = 5
_SIGNS: Final = (0xC, 0xD, 0xF)
_MODEL: Final = 14.0
_PER_NIBBLE: Final = -0.2041
"""log10 of the chance that four random bits are a digit."""
_PER_SIGN: Final = -0.727
_PER_DIGIT: Final = -1.408
"""log10 of the chance that a random byte is a digit."""


def decimals(columns: Columns) -> Iterator[Claim]:
    """Yield fields that are decimal digits in all messages."""
    if len(columns) > 2:
        yield from _packed(columns)
        yield from _digits(columns, "ascii", 0x30, 0x20)
        yield from _digits(columns, "ebcdic", 0xF0, 0x40)


def _packed(columns: Columns) -> Iterator[Claim]:
    high, low = columns.matrix >> 4, columns.matrix & 15
    both = np.atleast_1d(((high < 10) & (low < 10)).all(axis=0))
    last = np.atleast_1d(((high < 10) & np.isin(low, _SIGNS)).all(axis=0))
    for end in range(2, columns.width + 1):
        signed = bool(last[end - 1])
        if not signed and not both[end - 1]:
            continue
        for width in range(2, min(_WIDEST, end) + 1):
            start = end - width
            if not both[start : end - 1].all():
                break
            if (columns.constant[start] and columns.matrix[0, start]) or columns.constant[end - 1]:
                continue
            varied = _varied_nibbles(high[:, start:end]) + _varied_nibbles(low[:, start : end - signed])
            chance = len(columns) * (varied * _PER_NIBBLE + signed * _PER_SIGN)
            if varied < (2 if signed else 4) or chance > _LEAST_CHANCE * (1 if signed else 3):
                continue
            values = np.zeros(len(columns), np.uint64)
            for place in range(start, end):
                values = values * np.uint64(10) + high[:, place]
                if place < end - 1 or not signed:
                    values = values * np.uint64(10) + low[:, place]
            yield _claim(columns, start, end, "packed", values, chance, {"signed": signed})


def _varied_nibbles(part: Array) -> int:
    """Return how many digits have several values."""
    return sum(len(np.unique(column)) >= _LEAST_VALUES for column in part.T)


def _digits(columns: Columns, form: str, zero: int, blank: int) -> Iterator[Claim]:
    digit = (columns.matrix >= zero) & (columns.matrix <= zero + 9)
    good = (digit | (columns.matrix == blank)).all(axis=0) & digit.any(axis=0)
    for start, end in runs(good):
        width = end - start
        if not 2 <= width <= _MOST_DIGITS or columns.constant[start:end].all():
            continue
        part = digit[:, start:end]
        if not (part[:, 1:] | ~part[:, :-1]).all() or not part[:, -1].all():
            continue
        values = np.zeros(len(columns), np.uint64)
        for place in range(start, end):
            values = values * np.uint64(10) + np.where(digit[:, place], columns.matrix[:, place] - zero, 0)
        varied = int((columns.different[start:end] > 2).sum())
        chance = len(columns) * varied * _PER_DIGIT
        if chance <= _LEAST_CHANCE:
            yield _claim(columns, start, end, form, values, chance, {})


def _claim(
    columns: Columns, start: int, end: int, form: str, values: Array, chance: float, more: dict[str, bool]
) -> Claim:
    rows = len(columns)
    detail = {"form": form, "order": "big", "lowest": int(values.min()), "highest": int(values.max()), **more}
    most = max(int(values.max()).bit_length(), 1)
    bits = _MODEL + of_numbers(values, max(-(-most // int(BYTE)), 1)) + alignment(columns, start, end - start)
    return Claim(start, end, DECIMAL, bits + log2(end - start + 1), detail, rows, rows, chance)
