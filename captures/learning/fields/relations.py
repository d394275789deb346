"""Fields whose value follows from something else: sequences, echoes, values of a connection, lengths, times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

import numpy as np

from mqbridge.captures.learning.bits import BYTE, Array, of_exceptions, of_numbers
from mqbridge.captures.learning.claims import CONNECTION, ECHO, LENGTH, SEQUENCE, Claim
from mqbridge.captures.learning.columns import Columns

from .values import WIDTHS, alignment, may_be_number, orders

_LEAST: Final = 0.9
"""Share of messages that must bear out a relation."""
_SMALL_STEP: Final = np.uint64(256)
"""Numbers that rise by no more from message to message count something."""
_MODEL: Final = 12.0
"""Bits that a relation costs by itself."""


def sequences(columns: Columns) -> Iterator[Claim]:
    """Yield numbers that rise by the same step from message to message, in each connection or over all."""
    rows = len(columns)
    for scope, order_of in (
        ("connection", _by_stream(columns)),
        ("all", np.argsort(columns.known.number, kind="stable")),
    ):
        same = columns.known.stream[order_of][1:] == columns.known.stream[order_of][:-1]
        if scope == "all":
            same = np.ones(max(rows - 1, 0), bool)
        tried = int(same.sum())
        if tried < 4:
            continue
        for start, width, order in _places(columns):
            values = columns.numbers(start, width, order)[order_of]
            steps = (values[1:] - values[:-1])[same] & np.uint64((1 << 8 * width) - 1)
            found, counts = np.unique(steps, return_counts=True)
            step, right = int(found[counts.argmax()]), int(counts.max())
            firsts = of_numbers(values[np.concatenate(([True], ~same))], width)
            detail = {
                "order": order,
                "step": _signed(step, width),
                "in": scope,
            }
            if step == 0 or right < _LEAST * tried:
                right = int(((steps > 0) & (steps <= _SMALL_STEP)).sum())
                detail = {"order": order, "step": "small", "in": scope}
                bits = of_numbers(np.minimum(steps, _SMALL_STEP), width)
            else:
                bits = of_exceptions(right, tried, BYTE * width)
            if right < _LEAST * tried:
                continue
            bits += _MODEL + firsts + alignment(columns, start, width)
            yield Claim(start, start + width, SEQUENCE, bits, detail, right, tried, -right * 1.2 * width)


def _signed(step: int, width: int) -> int:
    return step if step < 1 << 8 * width - 1 else step - (1 << 8 * width)


def echoes(columns: Columns) -> Iterator[Claim]:
    """Yield ranges that repeat bytes of what the other side sent before."""
    asked = columns.known.asked
    have = [number for number, each in enumerate(asked) if each]
    if len(have) < 4:
        return
    shortest = min(len(asked[number]) for number in have)
    reach = min(shortest, 512)
    theirs = np.frombuffer(b"".join(asked[number][:reach] for number in have), np.uint8).reshape(len(have), reach)
    ours = columns.matrix[have]
    for place in range(reach):
        if (theirs[:, place] == theirs[0, place]).all():
            continue
        equal = (ours == theirs[:, place : place + 1]).mean(axis=0) >= _LEAST
        for start in np.flatnonzero(equal & ~columns.constant).tolist():
            if (
                place
                and start
                and (ours[:, start - 1] == theirs[:, place - 1]).mean() >= _LEAST
                and not (theirs[:, place - 1] == theirs[0, place - 1]).all()
            ):
                continue
            yield from _echo(columns, theirs, ours, start, place, have)


def _echo(columns: Columns, theirs: Array, ours: Array, start: int, place: int, have: list[int]) -> Iterator[Claim]:
    most = min(columns.width - start, theirs.shape[1] - place)
    width = 1
    while width < most and (ours[:, start + width] == theirs[:, place + width]).mean() >= _LEAST:
        width += 1
    rows = len(columns)
    back = 0
    while back < min(start, place) and (ours[:, start - back - 1] == theirs[:, place - back - 1]).all() and back < 8:
        back += 1
    for begin in range(start - back, start + 1):
        for end in range(start + 1, start + width + 1):
            size = end - begin
            if size not in (1, 2, 3, 4, 8, 12, 16, 24, 32, 48) and end != start + width:
                continue
            shift = begin - start
            right = int((ours[:, begin:end] == theirs[:, place + shift : place + shift + size]).all(axis=1).sum())
            if right < _LEAST * len(have):
                continue
            bits = _MODEL + of_exceptions(right, len(have), BYTE * size) + BYTE * size * (rows - len(have))
            bits += alignment(columns, begin, size)
            varied = sum(1 for each in range(size) if not (ours[:, begin + each] == ours[0, begin + each]).all())
            yield Claim(begin, end, ECHO, bits, {"of": place + shift}, right, len(have), -right * 2.4 * varied)


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
            bits = _MODEL + of_exceptions(right, rows, BYTE * width) + BYTE * width * len(streams)
            bits += alignment(columns, start, width)
            chance = -(right - len(streams)) * 2.4 * int(steady[start : start + width].sum())
            yield Claim(start, start + width, CONNECTION, bits, {}, right, rows, chance)


def lengths(columns: Columns) -> Iterator[Claim]:
    """Yield numbers that are the message's length and a constant."""
    sizes = columns.known.size
    if len(np.unique(sizes)) < 3:
        return
    rows = len(columns)
    for start, width, order in _places(columns):
        values = columns.numbers(start, width, order)
        for unit in (1, 2, 4):
            rest = sizes - values.astype(np.int64) * unit
            add, right = Counter(rest.tolist()).most_common(1)[0]
            if right < _LEAST * rows or abs(add) > 1024:
                continue
            bits = _MODEL + of_exceptions(right, rows, BYTE * width) + alignment(columns, start, width)
            detail = {"order": order, "of": "message", "less": add, "unit": unit}
            yield Claim(start, start + width, LENGTH, bits, detail, right, rows, -right * 2.4)


def _by_stream(columns: Columns) -> Array:
    return np.lexsort((columns.known.number, columns.known.stream))


def _places(columns: Columns) -> Iterator[tuple[int, int, str]]:
    """Yield the places of numbers whose lowest byte varies."""
    for start in range(columns.width):
        for width in WIDTHS:
            if start + width > columns.width:
                break
            for order in orders(width):
                lowest = start + width - 1 if order == "big" else start
                if not columns.constant[lowest] and may_be_number(columns, start, width):
                    yield start, width, order
