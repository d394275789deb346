"""Text of fixed width, in ASCII, EBCDIC and UTF-16, with its padding."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from mqbridge.captures.learning.bits import Array
from mqbridge.captures.learning.claims import TEXT, Claim
from mqbridge.captures.learning.columns import Columns, runs

_LETTER: Final = 5.0
"""Bits of a letter."""
_LEAST: Final = 0.97
"""Share of the messages in which a column must be text."""
LEAST_WIDTH: Final = 3
_SHORT: Final = 8


class Alphabet(NamedTuple):
    """A set of characters. ``letters``: bytes that text is made of; ``blank``: its padding beside NUL."""

    name: str
    letters: frozenset[int]
    blank: int

    @property
    def table(self) -> Array:
        """For each byte whether it is one of them."""
        return np.array([byte in self.letters for byte in range(256)])


def _ranges(*pairs: tuple[int, int]) -> frozenset[int]:
    return frozenset(byte for first, last in pairs for byte in range(first, last + 1))


ASCII: Final = Alphabet("ascii", _ranges((0x20, 0x7E)), 0x20)
EBCDIC: Final = Alphabet(
    "ebcdic",
    _ranges(
        (0x40, 0x40), (0x4B, 0x50), (0x5A, 0x61), (0x6B, 0x6F), (0x79, 0x7F), (0x81, 0x89), (0x91, 0x99), (0xA2, 0xA9)
    )
    | _ranges((0xC1, 0xC9), (0xD1, 0xD9), (0xE2, 0xE9), (0xF0, 0xF9)),
    0x40,
)
ALPHABETS: Final = (ASCII, EBCDIC)


def texts(columns: Columns) -> Iterator[Claim]:
    """Yield fields of text: from where it can begin to where it can end, in each alphabet."""
    for alphabet in ALPHABETS:
        yield from _in_alphabet(columns, alphabet)


def _in_alphabet(columns: Columns, alphabet: Alphabet) -> Iterator[Claim]:
    rows = len(columns)
    letters = alphabet.table[columns.matrix]
    blank = (columns.matrix == alphabet.blank) | (columns.matrix == 0)
    text = (letters | (columns.matrix == 0)).mean(axis=0) >= _LEAST
    for begin, end in runs(text):
        if end - begin < LEAST_WIDTH or not (letters & ~blank)[:, begin:end].any():
            continue
        edges = _edges(blank, columns.matrix == 0, columns.constant, begin, end)
        for first, start in enumerate(edges):
            for stop in edges[first + 1 : first + 12]:
                claim = _claim(columns, alphabet, letters, blank, start, stop, rows)
                if claim is not None:
                    yield claim


def _claim(
    columns: Columns, alphabet: Alphabet, letters: Array, blank: Array, start: int, stop: int, rows: int
) -> Claim | None:
    width = stop - start
    if width < LEAST_WIDTH or columns.constant[start:stop].all():
        return None
    if blank[:, start].mean() > 0.5 and blank[:, stop - 1].mean() > 0.5:
        return None
    if width < _SHORT and _goes_on(letters & ~blank, columns.constant, start, stop):
        return None
    part_blank = blank[:, start:stop]
    used = width - np.argmin(part_blank[:, ::-1], axis=1)
    used = np.where(part_blank.all(axis=1), 0, used)
    padding = columns.matrix[:, stop - 1][used < width]
    pad = int(np.bincount(padding).argmax()) if len(padding) else alphabet.blank
    written = np.arange(width) < used[:, None]
    padded = written | (columns.matrix[:, start:stop] == pad)
    if (letters[:, start:stop] | ~written).mean() < _LEAST or padded.mean() < _LEAST or not used.any():
        return None
    bits = 10.0 + rows * np.log2(width + 1) * (len(np.unique(used)) > 1) + _LETTER * float(used.sum())
    distinct = {row[start:stop] for row in columns.rows}
    share = len(distinct) / rows
    bits = min(bits, 10.0 + bits * share + rows * np.log2(len(distinct) + 0.01))
    bits += 0.0 if columns.begin is not None and not (columns.begin + start) % 4 else 6.0
    detail = {"alphabet": alphabet.name, "pad": pad, "different": len(distinct)}
    odds = np.log10(len(alphabet.letters) / 256)
    return Claim(start, stop, TEXT, bits, detail, rows, rows, float(odds) * min(float(used.sum()), 1e6))


def _goes_on(letters: Array, constant: Array, start: int, stop: int) -> bool:
    """Whether the columns beside a range are mostly letters too: then it is a part of a text that moves."""
    beside = [each for each in (start - 1, stop) if 0 <= each < letters.shape[1] and not constant[each]]
    return any(0.5 < letters[:, each].mean() < _LEAST for each in beside)


def _edges(blank: Array, zero: Array, constant: Array, begin: int, end: int) -> list[int]:
    """Return the places of a run of text where a field may begin: its ends, where padding is followed by text, where
    blanks are followed by zeros, and where several bytes that never vary are followed by some that do."""
    found = [begin]
    for place in range(begin + 1, end):
        before = blank[:, place - 1].mean()
        here = 1.0 - blank[:, place].mean()
        both = (blank[:, place - 1] & ~blank[:, place]).mean()
        padded = (~zero[:, place - 1] & zero[:, place]).mean() > _LEAST
        varies = not constant[place] and place - begin >= 4 and bool(constant[place - 4 : place].all())
        if both > 0.3 or padded or varies or (before > 0.8 and here > 0.1 and both > 0.05):
            found.append(place)
    return [*found, end]


def wide_texts(columns: Columns) -> Iterator[Claim]:
    """Yield text in UTF-16: letters of ASCII with a zero before or behind each."""
    rows = len(columns)
    letters = ASCII.table[columns.matrix].mean(axis=0) >= _LEAST
    zeros = (columns.matrix == 0).mean(axis=0) >= _LEAST
    for order, first, second in (("little", letters, zeros), ("big", zeros, letters)):
        for start in range(columns.width - 5):
            if start > 1 and first[start - 2] and second[start - 1]:
                continue
            end = start
            while end + 1 < columns.width and first[end] and second[end + 1]:
                end += 2
            if end - start >= 6 and not columns.constant[start:end].all():
                detail = {"alphabet": f"utf-16-{order}", "pad": 0}
                count = (end - start) / 2
                bits = 10.0 + _LETTER * rows * count
                yield Claim(start, end, TEXT, bits, detail, rows, rows, -2.4 * rows * count)
