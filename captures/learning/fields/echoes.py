"""Ranges that stand in other messages too: what the other side sent before, what it answers, what its own side sent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from mqbridge.captures.learning.bits import BYTE, Array, of_exceptions
from mqbridge.captures.learning.claims import ECHO, ID, Claim
from mqbridge.captures.learning.columns import Columns

from .values import alignment

_LEAST: Final = 0.9
"""Share of the messages in which a range must be the same."""
_REACH: Final = 512
_MODEL: Final = 12.0
_PER_BYTE: Final = 2.4
_UNIQUE: Final = 0.95
_WIDTHS: Final = (1, 2, 3, 4, 8, 12, 16, 24, 32, 48)
_ID_WIDTHS: Final = (2, 4, 6, 8, 12, 16, 20, 24, 32, 36, 48)
_BACK: Final = 8
_CHANGING: Final = 0.2
_WORTH: Final = 0.97
"""What bytes cost that are repeated in an answer, of what they cost else."""


class _Pair(NamedTuple):
    """Messages side by side with others. ``have``: numbers of those that have another."""

    ours: Array
    theirs: Array
    have: list[int]
    steady: Array
    """Of the other messages' bytes, those that never vary."""

    def equal(self, start: int, place: int) -> float:
        """Return the share of messages in which one byte is the same."""
        return float((self.ours[:, start] == self.theirs[:, place]).mean())


def echoes(columns: Columns) -> Iterator[Claim]:
    """Yield ranges that repeat bytes of what the other side sent before, or of what its own side did."""
    yield from _repeated(columns, columns.known.asked, own=False)
    yield from _repeated(columns, columns.known.before, own=True)


def ids(columns: Columns) -> Iterator[Claim]:
    """Yield ranges that differ in each message and come back in the answer."""
    pair = _side_by_side(columns, columns.known.answered)
    if pair is None:
        return
    for start, place, width in _ranges(columns, pair):
        for begin, end in _parts(columns, start, width, _ID_WIDTHS):
            part = pair.ours[:, begin:end]
            if len(np.unique(part, axis=0)) < _UNIQUE * len(part):
                continue
            at = place + begin - start
            right = int((part == pair.theirs[:, at : at + end - begin]).all(axis=1).sum())
            varied = int((~columns.constant[begin:end]).sum())
            apart = np.minimum(columns.costs[begin:end], BYTE * len(columns))[~columns.constant[begin:end]]
            bits = _MODEL + _WORTH * float(apart.sum())
            bits += alignment(columns, begin, end - begin) + 2.0 * (end - begin - varied)
            if right >= _LEAST * len(part):
                chance = -right * _PER_BYTE * varied
                yield Claim(begin, end, ID, bits, {"comes_back": at}, right, len(part), chance)


def _side_by_side(columns: Columns, others: Sequence[bytes]) -> _Pair | None:
    have = [number for number, each in enumerate(others) if each]
    if len(have) < 4 or 2 * len(have) < len(columns):
        return None
    reach = min(_REACH, *(len(others[number]) for number in have))
    theirs = np.frombuffer(b"".join(others[number][:reach] for number in have), np.uint8).reshape(len(have), reach)
    return _Pair(columns.matrix[have], theirs, have, np.asarray((theirs == theirs[:1]).all(axis=0)))


def _ranges(columns: Columns, pair: _Pair) -> Iterator[tuple[int, int, int]]:
    """Yield where equal ranges begin in ours and theirs, and their widths."""
    ours, theirs = pair.ours, pair.theirs
    for place in np.flatnonzero(~pair.steady).tolist():
        some = (ours[:8] == theirs[:8, place : place + 1]).mean(axis=0) >= _LEAST / 2
        for start in np.flatnonzero(some & ~columns.constant).tolist():
            if pair.equal(start, place) < _LEAST:
                continue
            if place and start and not pair.steady[place - 1] and pair.equal(start - 1, place - 1) >= _LEAST:
                continue
            most = min(columns.width - start, theirs.shape[1] - place)
            width = 1
            while width < most and pair.equal(start + width, place + width) >= _LEAST:
                width += 1
            back = 0
            while back < min(start, place, _BACK) and pair.equal(start - back - 1, place - back - 1) == 1:
                back += 1
            yield start - back, place - back, width + back


def _parts(columns: Columns, start: int, width: int, widths: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the parts of an equal range that can be fields: they hold its first byte that varies."""
    first = start + int(np.argmin(columns.constant[start : start + width]))
    for begin in range(start, first + 1):
        for end in range(first + 1, start + width + 1):
            if end - begin in widths or (end == start + width and not columns.constant[end - 1]):
                yield begin, end


def _repeated(columns: Columns, others: Sequence[bytes], *, own: bool) -> Iterator[Claim]:
    pair = _side_by_side(columns, others)
    if pair is None:
        return
    rows, have = len(columns), len(pair.have)
    for start, place, width in _ranges(columns, pair):
        if own and start == place:
            continue
        for begin, end in _parts(columns, start, width, _WIDTHS):
            size, at = end - begin, place + begin - start
            right = int((pair.ours[:, begin:end] == pair.theirs[:, at : at + size]).all(axis=1).sum())
            if right < _LEAST * have:
                continue
            if not own and not _changes(columns, begin, end):
                continue
            bits = _MODEL + of_exceptions(right, have, BYTE * size) + BYTE * size * (rows - have)
            bits += alignment(columns, begin, size) + _MODEL * own
            varied = int((~columns.constant[begin:end]).sum())
            detail = {"of": at, "own": True} if own else {"of": at}
            yield Claim(begin, end, ECHO, bits, detail, right, have, -right * _PER_BYTE * varied)


def _changes(columns: Columns, begin: int, end: int) -> bool:
    """Whether a range is often another than in the message before of its own side: else it is no echo that makes it
    what it is."""
    before = columns.known.before
    pairs = [(row[begin:end], each[begin:end]) for row, each in zip(columns.rows, before, strict=True) if each]
    return not pairs or sum(own != last for own, last in pairs) >= _CHANGING * len(pairs)
