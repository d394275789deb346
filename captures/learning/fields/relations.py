"""Fields whose value follows from something else: sequences, values of a connection, lengths of the message."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from mqbridge.captures.learning.bits import BYTE, Array, of_exceptions, of_numbers
from mqbridge.captures.learning.claims import CONNECTION, COUNT, LENGTH, SEQUENCE, Claim
from mqbridge.captures.learning.columns import Columns

from .values import WIDTHS, alignment, orders

_LEAST: Final = 0.9
"""Share of messages that must bear out a relation."""
_SMALL_STEP: Final = np.uint64(256)
"""Numbers that rise by no more from message to message count something."""
_LENGTH_UNITS: Final = (1, 2, 4)
_MOST_UNIT: Final = 64
_MODEL: Final = 12.0
"""Bits that a relation costs by itself."""


def sequences(columns: Columns) -> Iterator[Claim]:
    """Yield numbers that rise by the same step from message to message, in each connection or over all."""
    rows = len(columns)
    known = columns.known
    for scope in ("connection", "all"):
        order_of, same = np.arange(rows), known.follows[1:]
        if scope == "connection":
            same = same & (known.stream[1:] == known.stream[:-1])
        elif known.follows.all() and np.isfinite(known.time).all():
            order_of = np.argsort(known.time, kind="stable")
        tried = int(same.sum())
        if tried < 4:
            continue
        first = np.concatenate(([True], ~same))
        for places, width, order in _tables(columns):
            values = columns.table(width, order)[np.ix_(order_of, places)]
            steps = (values[1:] - values[:-1])[same] & np.uint64((1 << 8 * width) - 1)
            usual = np.partition(steps, tried // 2, axis=0)[tried // 2]
            alike = (steps == usual).sum(axis=0)
            small = ((steps > 0) & (steps <= _SMALL_STEP)).sum(axis=0)
            for each in np.flatnonzero((alike >= _LEAST * tried) & (usual > 0) | (small >= _LEAST * tried)).tolist():
                start, step, right = int(places[each]), int(usual[each]), int(alike[each])
                detail = {"order": order, "step": _signed(step, width), "in": scope}
                if step and right >= _LEAST * tried:
                    bits = of_exceptions(right, tried, BYTE * width)
                else:
                    right = int(small[each])
                    detail["step"] = "small"
                    bits = of_numbers(np.minimum(steps[:, each], _SMALL_STEP), width)
                bits += _MODEL + of_numbers(values[first, each], width) + alignment(columns, start, width)
                yield Claim(start, start + width, SEQUENCE, bits, detail, right, tried, -right * 1.2 * width)


def _signed(step: int, width: int) -> int:
    return step if step < 1 << 8 * width - 1 else step - (1 << 8 * width)


def connections(columns: Columns) -> Iterator[Claim]:
    """Yield ranges that have one value in each connection, and different ones in different connections."""
    streams, index = np.unique(columns.known.stream, return_inverse=True)
    rows = len(columns)
    if len(streams) < 3 or rows < 3 * len(streams):
        return
    first = np.zeros(len(streams), np.int64)
    first[index[::-1]] = np.arange(rows)[::-1]
    same = columns.matrix == columns.matrix[first[index]]
    steady = (same.mean(axis=0) >= 0.98) & ~columns.constant
    for start in np.flatnonzero(steady).tolist():
        for width in (1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 28, 32, 48):
            if start + width > columns.width or not (steady | columns.constant)[start : start + width].all():
                break
            right = int(same[:, start : start + width].all(axis=1).sum())
            varied = int(steady[start : start + width].sum())
            bits = _MODEL + of_exceptions(right, rows, BYTE * varied) + BYTE * varied * len(streams)
            bits += alignment(columns, start, width) + 2.0 * (width - varied)
            chance = -(right - len(streams)) * 2.4 * varied
            yield Claim(start, start + width, CONNECTION, bits, {}, right, rows, chance)


def lengths(columns: Columns) -> Iterator[Claim]:
    """Yield numbers that are the message's length and a constant, or count items of one size that make its length."""
    sizes = columns.known.size
    if len(np.unique(sizes)) < 3:
        return
    rows = len(columns)
    for places, width, order in _tables(columns):
        values = columns.table(width, order)[:, places].astype(np.int64)
        units = _units(values, sizes)
        rest = sizes[:, None] - values * units
        usual = np.partition(rest, rows // 2, axis=0)[rows // 2]
        alike = (rest == usual).sum(axis=0)
        for each in np.flatnonzero((units > 0) & (alike >= _LEAST * rows) & (np.abs(usual) <= 1024)).tolist():
            start, right, unit = int(places[each]), int(alike[each]), int(units[each])
            bits = _MODEL + of_exceptions(right, rows, BYTE * width) + alignment(columns, start, width)
            what, of = (LENGTH, "message") if unit in _LENGTH_UNITS else (COUNT, "items")
            detail = {"order": order, "of": of, "less": int(usual[each]), "unit": unit}
            yield Claim(start, start + width, what, bits, detail, right, rows, -right * 2.4)


def _units(values: Array, sizes: Array) -> Array:
    """Return for each column of numbers by how many bytes a message is longer for each of them; 0 where none fits."""
    most, least = values.argmax(axis=0), values.argmin(axis=0)
    each = np.arange(values.shape[1])
    apart = values[most, each] - values[least, each]
    longer = sizes[most] - sizes[least]
    whole = (apart > 0) & (longer > 0)
    units = np.where(whole, longer // np.maximum(apart, 1), 0)
    return np.asarray(np.where((units * apart == longer) & (units <= _MOST_UNIT), units, 0))


def _tables(columns: Columns) -> Iterator[tuple[Array, int, str]]:
    """Yield for each form of number the places where its lowest byte varies."""
    for width in WIDTHS:
        for order in orders(width):
            places = np.flatnonzero(columns.may_be_number(width) & columns.lowest_varies(width, order))
            if len(places):
                yield places, width, order
