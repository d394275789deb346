"""Kinds of messages: the field that best separates messages which are alike in bytes and length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from .bits import Array, adaptive
from .messages import Message

MOST_KINDS: Final = 64
_COLUMNS: Final = 96
_KEY_PLACES: Final = 48
_SAMPLE: Final = 2000
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
    plain = _cost(matrix, sizes, sides)
    best: KindKey | None = None
    shortest = min(len(each.data) for each in sample)
    for position in range(min(_KEY_PLACES, shortest)):
        for width in (1, 2):
            if position + width > shortest or any(position < end and begin < position + width for begin, end in taken):
                continue
            values = matrix[:, position] if width == 1 else matrix[:, position] * 257 + matrix[:, position + 1]
            if width == 2 and (_single(matrix[:, position]) or _single(matrix[:, position + 1])):
                continue
            groups, keys = np.unique(values, return_inverse=True)
            if not 2 <= len(groups) <= min(MOST_KINDS, len(sample) // 4):
                continue
            others = np.ones(matrix.shape[1], bool)
            others[position : position + width] = False
            alone = _cost(matrix[:, ~others], sizes * 0, sides)
            with_key = _cost(matrix[:, others], sizes, sides + 2 * keys)
            gain = plain - alone - with_key
            if gain > LEAST_GAIN and (best is None or gain > best.gain * (1.1 if width == 2 else 1.0)):
                best = KindKey(position, width, gain)
    return best


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


def _cost(matrix: Array, sizes: Array, groups: Array) -> float:
    """Return the bits of all columns and lengths where each group of rows has its own statistics: first whether a
    row has a column at all, then what."""
    total = 0.0
    for group in np.unique(groups):
        rows = groups == group
        part = matrix[rows]
        for column in range(part.shape[1]):
            counts = np.bincount(part[:, column], minlength=_ABSENT + 1)
            present = np.array([counts[:_ABSENT].sum(), counts[_ABSENT]])
            total += adaptive(present, 2, 1 / 32) + adaptive(counts[:_ABSENT], _ABSENT, 1 / 32)
        total += adaptive(np.bincount(sizes[rows]), int(sizes.max()) + 1, 1 / 8)
    return total
