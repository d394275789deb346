"""Bytes that never vary, divided where numbers, text and zeros meet."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import numpy as np

from mqbridge.captures.learning.claims import CONSTANT, Claim
from mqbridge.captures.learning.columns import Columns, runs

_WIDTHS: Final = (1, 2, 3, 4, 8, 16)
_PRINTED: Final = frozenset(range(0x20, 0x7F))
_LEAST_RUN: Final = 9
_LEAST_TEXT: Final = 3
_WORDS: Final = re.compile(rb"(?<=  )[^ ]")
"""Where text begins behind blanks."""
_INNER: Final = 6.0
_RUN: Final = 24.0
_ODD: Final = 14.0
"""Bits against a run of one byte that begins or ends where no number does."""


def constants(columns: Columns) -> Iterator[Claim]:
    """Yield a claim for each likely division of constant bytes: by what a value of that width costs to write."""
    rows = len(columns)
    first = columns.rows[0][: columns.width]
    begin = columns.begin or 0
    constant = columns.constant
    for start, end in runs(constant):
        for bits, left, right in _divisions(first, start, end, begin):
            detail = {"value": first[left:right]}
            yield Claim(left, right, CONSTANT, bits, detail, rows, rows, -2.4 * (right - left) * (rows - 1))


def _divisions(data: bytes, start: int, end: int, begin: int) -> Iterator[tuple[float, int, int]]:
    """Yield what each likely part of a range costs, and where it stands."""
    for left in range(start, end):
        for width in _WIDTHS:
            if left + width <= end:
                yield _bits_of(data[left : left + width], left + begin), left, left + width
        if left == start or data[left - 1] != data[left]:
            right = left + 1
            while right < end and data[right] == data[left]:
                right += 1
            if right - left >= _LEAST_RUN:
                edges = {right, right - (right + begin) % 4}
                for each in {left, left + -(left + begin) % 4}:
                    yield from ((_run(data[left], each + begin, edge + begin), each, edge) for edge in edges)
    for left, right in runs(np.array([byte in _PRINTED for byte in data[start:end]], bool)):
        words = [
            start + left,
            *(start + left + word.start() for word in _WORDS.finditer(data[start + left : start + right])),
        ]
        words = [*dict.fromkeys(words), start + right]
        for number, begins in enumerate(words[:-1]):
            for ends in words[number + 1 : number + 4]:
                letters = data[begins:ends].rstrip(b" ")
                if ends - begins >= _LEAST_TEXT and letters:
                    blanks = 2.0 if len(letters) < ends - begins else 0.0
                    yield 8.0 + 5.0 * len(letters) + blanks + _INNER * (number + 1 < words.index(ends)), begins, ends


def _run(value: int, start: int, end: int) -> float:
    return (_RUN if value in (0, 0xFF) else 10.0) + _ODD * ((start % 4 > 0) + (end % 4 > 0))


def _bits_of(value: bytes, place: int) -> float:
    """Return what a constant costs: a number by its size, text by its letters, anything else by its bytes."""
    width = len(value)
    cost = 12.0 + 9.5 * width
    if width in (1, 2, 4, 8) and not place % min(width, 4):
        number = min(int.from_bytes(value, "big"), int.from_bytes(value, "little"))
        if value == b"\xff" * width:
            number = 1
        base = {1: 5.0, 2: 4.0, 4: 2.5, 8: 12.0}[width]
        bits = _size(number) * (2.5 if width == 4 else 1.5) if width < 8 else 1.5 * number.bit_length()
        cost = min(cost, base + min(bits, 8.5 * width))
    if width == 3 and place % 4 == 1:
        cost = min(cost, 6.0 + 1.5 * int.from_bytes(value, "big").bit_length())
    if width >= _LEAST_TEXT and all(byte in _PRINTED for byte in value):
        cost = min(cost, 8.0 + 5.0 * len(value))
    return cost


def _size(number: int) -> float:
    """Return the significant bits of a number; round ones have few."""
    zeros = (number & -number).bit_length() - 1 if number else 0
    return number.bit_length() - zeros + 4 if zeros > 6 else number.bit_length()
