"""Kinds of messages: the field that best separates messages which are alike in bytes and length."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import Final, NamedTuple

import numpy as np

from .bits import Array, adaptive_each, log_gammas
from .messages import Message

MOST_KINDS: Final = 64
_COLUMNS: Final = 96
_KEY_PLACES: Final = 48
_SAMPLE: Final = 1500
_LN2: Final = log(2.0)
_FEW_STREAMS: Final = 4
_ABSENT: Final = 256
LEAST_GAIN: Final = 40.0
"""Bits that a key must save beside what it costs, or there is no key."""


class KindKey(NamedTuple):
    """The field that tells the kind: ``width`` bytes at ``position``. ``gain``: bits that it saves in all others."""

    position: int
    width: int
    gain: float

    def of(self, data: bytes) -> bytes:
        """Return its value in a message; shorter where the message is."""
        return data[self.position : self.position + self.width]


def find_key(messages: Sequence[Message], taken: Sequence[tuple[int, int]]) -> KindKey | None:
    """Return the key of the kinds; None where one kind explains the messages as well.

    ``taken``: ranges of bytes that have another meaning already, such as a length.
    """
    step = max(len(messages) // _SAMPLE, 1)
    sample = messages[::step][:_SAMPLE]
    matrix = _matrix([each.data for each in sample])
    sizes = _size_classes(np.array([len(each.data) for each in sample], np.int64))
    sides = np.array([each.side for each in sample], np.int64)
    streams = np.array([2 * each.stream + each.side for each in sample], np.int64)
    cells = _Cells(matrix)
    plain = cells.costs(sides, 2)
    plain_sizes = _cost_of_sizes(sizes, sides, 2)
    best: KindKey | None = None
    shortest = min(len(each.data) for each in sample)
    for position in range(min(_KEY_PLACES, shortest)):
        for width in (1, 2):
            end = position + width
            if end > shortest or any(position < stop and begin < end for begin, stop in taken):
                continue
            values = matrix[:, position] if width == 1 else matrix[:, position] * 257 + matrix[:, position + 1]
            if width == 2 and (_single(matrix[:, position]) or _single(matrix[:, position + 1])):
                continue
            groups, keys = np.unique(values, return_inverse=True)
            if not 2 <= len(groups) <= min(MOST_KINDS, len(sample) // 4) or _of_connection(streams, keys):
                continue
            apart, index = np.unique(sides + 2 * keys, return_inverse=True)
            costs = cells.costs(index, len(apart))
            saved = np.delete(np.maximum(plain - costs - 1.0, 0.0), range(position, end))
            gain = float(saved.sum()) + max(plain_sizes - _cost_of_sizes(sizes, index, len(apart)), 0.0)
            if gain > LEAST_GAIN and (best is None or gain > best.gain * (1.1 if width == 2 else 1.0)):
                best = KindKey(position, width, gain)
    return best


def _of_connection(streams: Array, keys: Array) -> bool:
    """Whether a value belongs to the connection or the time: each has few of all, and they do not take turns."""
    count = len(np.unique(streams))
    pairs = len(np.unique(np.stack([streams, keys], axis=1), axis=0))
    by_side = len(np.unique(np.stack([streams % 2, keys], axis=1), axis=0)) / len(np.unique(streams % 2))
    order = np.argsort(streams, kind="stable")
    same = streams[order][1:] == streams[order][:-1]
    changes = int((same & (keys[order][1:] != keys[order][:-1])).sum())
    return count > _FEW_STREAMS and pairs < 0.5 * count * by_side and changes <= 1.5 * (pairs - count) + 1


def _single(column: Array) -> bool:
    return bool((column == column[0]).all())


def _matrix(rows: Sequence[bytes]) -> Array:
    columns = min(max(map(len, rows), default=0), _COLUMNS)
    matrix = np.full((len(rows), columns), _ABSENT, np.int64)
    for number, row in enumerate(rows):
        head = row[:columns]
        matrix[number, : len(head)] = np.frombuffer(head, np.uint8)
    return matrix


def _size_classes(sizes: Array) -> Array:
    """Lengths where there are few different ones, else their order of magnitude."""
    if len(np.unique(sizes)) <= MOST_KINDS:
        return np.unique(sizes, return_inverse=True)[1]
    return np.asarray(np.log2(np.maximum(sizes, 1)) * 2, np.int64)


class _Cells:
    """Bytes of messages, each different value of a column with a number of its own, to be counted by groups of rows."""

    def __init__(self, matrix: Array) -> None:
        parts = [np.unique(column, return_inverse=True) for column in matrix.T]
        sizes = np.array([len(values) for values, _ in parts])
        begins = np.concatenate(([0], np.cumsum(sizes)[:-1])).astype(np.int64)
        self.cells = np.stack([index for _, index in parts], axis=1) + begins
        self.column = np.repeat(np.arange(len(parts)), sizes)
        self.absent = np.concatenate([values == _ABSENT for values, _ in parts])
        self.total = int(sizes.sum())

    def costs(self, groups: Array, count: int) -> Array:
        """Return the bits of each column where each of ``count`` groups of rows has its own statistics: first whether a
        row has the column at all, then what."""
        index = self.cells + (groups * self.total)[:, None]
        counts = np.bincount(index.ravel(), minlength=count * self.total).reshape(count, self.total)
        columns = int(self.column[-1]) + 1
        result = np.zeros(columns)
        for group in counts:
            seen = np.flatnonzero(group)
            own = log_gammas(1 / 32, group[seen]) - log_gammas(1 / 32, np.zeros(1, np.int64))
            here = ~self.absent[seen]
            present = np.bincount(self.column[seen[here]], group[seen[here]], columns).astype(np.int64)
            absent = np.bincount(self.column[seen[~here]], group[seen[~here]], columns).astype(np.int64)
            result -= np.bincount(self.column[seen[here]], own[here], columns)
            result += log_gammas(8.0, present) - log_gammas(8.0, np.zeros(1, np.int64))
            result += adaptive_each(np.stack([present, absent], axis=1), 2, 1 / 32) * _LN2
        return result / _LN2


def _cost_of_sizes(sizes: Array, groups: Array, count: int) -> float:
    classes = int(sizes.max()) + 1
    counts = np.bincount(groups * classes + sizes, minlength=count * classes).reshape(count, classes)
    return float(adaptive_each(counts, classes, 1 / 8).sum())
