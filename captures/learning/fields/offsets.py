"""Offsets: numbers that name a place in their own message, as another number there shows."""

from __future__ import annotations

from collections.abc import Iterator
from math import log10
from typing import Final, NamedTuple

import numpy as np

from mqbridge.captures.learning.bits import BYTE, Array, of_exceptions
from mqbridge.captures.learning.claims import OFFSET, Claim
from mqbridge.captures.learning.columns import Columns

from .values import alignment, orders

_MODEL: Final = 16.0
_LEAST: Final = 0.98
_LEAST_ROWS: Final = 8
_LEAST_VALUES: Final = 4
_WIDTHS: Final = (1, 2, 4)


class _Number(NamedTuple):
    start: int
    width: int
    order: str
    values: Array


def offsets(columns: Columns) -> Iterator[Claim]:
    """Yield numbers that, with the number of what is there, reach the end of each message; and those that follow from
    how much stands before the place that they name."""
    rows, sizes = len(columns), columns.known.size
    if rows < _LEAST_ROWS:
        return
    found = list(_candidates(columns))
    by_steps: dict[bytes, list[_Number]] = {}
    for number in found:
        by_steps.setdefault(_steps(number.values), []).append(number)
    varied = len(np.unique(sizes)) >= _LEAST_VALUES
    for number in found:
        if int(number.values.min()) < columns.width // 2:
            continue
        to_end = by_steps.get(_steps(sizes - number.values), []) if varied else []
        before = [each for each in by_steps[_steps(number.values)] if (each.values < number.values).all()]
        for other, end in [*((each, True) for each in to_end), *((each, False) for each in before)]:
            if other.start < number.start + number.width and number.start < other.start + other.width:
                continue
            right = int((number.values + other.values == sizes).sum()) if end else rows
            if right < _LEAST * rows:
                continue
            bits = _MODEL + of_exceptions(right, rows, BYTE * number.width)
            bits += alignment(columns, number.start, number.width)
            detail = {"order": number.order, "to": "end" if end else "behind", "length": other.start, "add": 0}
            chance = -right * log10(max(int(np.ptp(number.values)), 2))
            yield Claim(number.start, number.start + number.width, OFFSET, bits, detail, right, rows, chance)
            break


def _candidates(columns: Columns) -> Iterator[_Number]:
    """Yield the numbers that vary and are within every message."""
    for width in _WIDTHS:
        if width > columns.width:
            break
        varies = columns.may_be_number(width)
        for order in orders(width):
            table = columns.table(width, order)
            within = (table <= columns.known.size.astype(np.uint64)[:, None]).all(axis=0)
            for start in np.flatnonzero(varies & within & columns.lowest_varies(width, order)).tolist():
                values = table[:, start].astype(np.int64)
                if len(np.unique(values)) >= _LEAST_VALUES:
                    yield _Number(start, width, order, values)


def _steps(values: Array) -> bytes:
    return np.asarray(values - values[0], np.int64).tobytes()
