"""A few messages of one kind, side by side: the ranges that differ, and what they may be.

Two messages prove no statistics. So this looks for what is unlikely in itself: numbers that say how long something is,
names with their padding, dates in digits, identifiers.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from .claims import CONSTANT, ID, LENGTH, NUMBER, OPAQUE, TEXT, TIME, UNKNOWN, Claim
from .layout import Fixed, Layout, Tail

LEAST: Final = 2
MOST: Final = 7
"""More messages are learnt by statistics."""
_MOST_WIDTH: Final = 4096
_NEAR: Final = 4
"""Bytes by which one of two lengths may be wrong."""
_LEAST_NAME: Final = 4
_LEAST_PREFIX: Final = 4
"""Bytes other than zero behind which a single zero is still a part of an identifier."""
_PRINTED: Final = frozenset(range(0x20, 0x7F))
_DATE: Final = re.compile(
    rb"(19|20)[0-9]{2}(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])([01][0-9]|2[0-3])[0-5][0-9][0-5][0-9]([0-9]{2})?"
)


_CONSTANTS: Final = re.compile(
    rb"[A-Za-z0-9][!-~]{2,}(?: [!-~]+)* *|[A-Za-z0-9][!-~]* {2,}|\x20{4,}|\x00{4,}|"
    rb"(?:(?![A-Za-z0-9][!-~]{2,}|[A-Za-z0-9][!-~]* {2}|\x20{4}|\x00{4})[\x00-\xff])+"
)
"""Text with its padding, blanks, zeros, or what is none of these."""


class _Range(NamedTuple):
    start: int
    end: int
    claim: Claim


def layout_of_few(rows: Sequence[bytes]) -> Layout:
    """Return the layout of a few messages of one kind, of which two at least differ."""
    return _Comparison(rows).layout()


class _Comparison:
    """Messages side by side, as far as all of them reach. ``width``: so far."""

    def __init__(self, rows: Sequence[bytes]) -> None:
        self.rows = rows
        self.width = min(min(map(len, rows)), _MOST_WIDTH)
        self.differ = [len({row[place] for row in rows}) > 1 for place in range(self.width)]
        self.taken: list[_Range] = []

    def layout(self) -> Layout:
        """Return fixed fields, and what goes to the end where the messages differ in length."""
        lengths = sorted(self._lengths(), key=lambda each: (-each.support, each.start))
        for claim in lengths:
            self._take(claim)
        varies = len({len(row) for row in self.rows}) > 1
        if varies:
            counted = [each.claim.detail["less"] for each in self.taken]
            self.width = max((less for less in counted if less <= self.width), default=self.width) or self.width
        for find in (self._dates, self._names, self._numbers, self._identifiers):
            for claim in list(find()):
                self._take(claim)
        fixed = Fixed(self.width, tuple(self._filled()))
        if not varies and all(len(row) == self.width for row in self.rows):
            return Layout((fixed,))
        count = len(self.rows)
        printed = all(byte in _PRINTED for row in self.rows for byte in row[self.width :])
        what, detail = (TEXT, {"alphabet": "ascii"}) if printed else (OPAQUE, {})
        return Layout((*((fixed,) if self.width else ()), Tail(Claim(0, None, what, 0.0, detail, count, count))))

    def _take(self, claim: Claim) -> None:
        """Keep a claim unless its bytes are claimed already."""
        assert claim.end is not None, "fields at fixed places"
        if claim.end <= self.width and not any(
            claim.start < each.end and each.start < claim.end for each in self.taken
        ):
            self.taken.append(_Range(claim.start, claim.end, claim))

    def _lengths(self) -> Iterator[Claim]:
        """Yield numbers that say how long the messages are from some place on; or how much follows, in one at least."""
        sizes = [len(row) for row in self.rows]
        if len(set(sizes)) < 2:
            return
        for start in range(self.width - 1):
            for width in (4, 2):
                end = start + width
                if end > self.width or start % 2 or not any(self.differ[start:end]):
                    continue
                for order in ("big", "little"):
                    numbers = self._values(start, width, order)
                    rest = [size - number for size, number in zip(sizes, numbers, strict=True)]
                    less, right = Counter(rest).most_common(1)[0]
                    known = less in (0, end)
                    near = all(abs(each - less) <= _NEAR for each in rest)
                    if 0 <= less <= min(sizes) and (right == len(rest) or (known and near)):
                        detail = {"order": order, "of": "message", "unit": 1, "less": less}
                        yield self._claim(start, end, LENGTH, detail, right, -2.4 * width * right + 1)
                        break

    def _dates(self) -> Iterator[Claim]:
        """Yield dates with times in digits, which all messages have."""
        first = self.rows[0][: self.width]
        for found in _DATE.finditer(first):
            start, end = found.span()
            if all(_DATE.fullmatch(row, start, end) for row in self.rows):
                format_ = "CCYYMMDDhhmmssth" if end - start == 16 else "CCYYMMDDhhmmss"
                chance = -0.4 * (end - start) * len(self.rows)
                yield self._claim(start, end, TIME, {"form": "ascii", "format": format_}, len(self.rows), chance)

    def _names(self) -> Iterator[Claim]:
        """Yield padded names that differ: each begins behind padding or what is no text, and ends where the next
        begins."""
        text = [all(row[place] in _PRINTED for row in self.rows) for place in range(self.width)]
        for is_text, group in itertools.groupby(range(self.width), lambda place: text[place]):
            places = list(group)
            if not is_text or len(places) < _LEAST_NAME:
                continue
            begins = [places[0], *(place for place in places[1:] if self._begins(place)), places[-1] + 1]
            for start, end in itertools.pairwise(begins):
                wide = end - start >= _LEAST_NAME and any(self.differ[start:end])
                if wide and all(self._is_name(row[start:end]) for row in self.rows):
                    letters = sum(len(row[start:end].rstrip()) for row in self.rows)
                    yield self._claim(
                        start, end, TEXT, {"alphabet": "ascii", "pad": 0x20}, len(self.rows), -0.43 * letters
                    )

    def _begins(self, place: int) -> bool:
        return all(row[place - 1] == 0x20 and row[place] != 0x20 for row in self.rows)

    def _is_name(self, field: bytes) -> bool:
        return bool(field.strip(b" ")) and b"  " not in field.rstrip(b" ")

    def _numbers(self) -> Iterator[Claim]:
        """Yield numbers of four and two bytes that differ and are small."""
        for start in range(0, self.width - 1, 2):
            for width in (4, 2):
                end = start + width
                if end > self.width or start % width or not any(self.differ[start:end]):
                    continue
                orders = [
                    order for order in ("big", "little") if max(self._values(start, width, order)) < 1 << 4 * width
                ]
                if len(orders) == 1:
                    numbers = self._values(start, width, orders[0])
                    detail = {"order": orders[0], "lowest": min(numbers), "highest": max(numbers)}
                    yield self._claim(start, end, NUMBER, detail, len(self.rows), -1.2 * width * len(self.rows))
                    break

    def _identifiers(self) -> Iterator[Claim]:
        """Yield ranges that differ, with the constant bytes in front that belong to them: those up to zeros, or to
        another field."""
        place = 0
        while place < self.width:
            if not self.differ[place] or self._is_taken(place):
                place += 1
                continue
            end = place
            while end < self.width and not self._is_taken(end) and (self.differ[end] or not self._is_zero(end)):
                end += 1
            start = self._reach_back(place)
            if end - start >= 8:
                yield self._claim(start, end, ID, {"comes_back": None}, len(self.rows), 0.0)
            place = end

    def _reach_back(self, place: int) -> int:
        """Return where the bytes begin that belong to what is at ``place``."""
        start = place
        while start > 0 and not self._is_taken(start - 1):
            if self._is_zero(start - 1):
                before = range(start - 2, max(start - 2 - _LEAST_PREFIX, -1), -1)
                if len(before) < _LEAST_PREFIX or any(self._is_zero(each) or self._is_taken(each) for each in before):
                    break
            start -= 1
        return start

    def _filled(self) -> Iterator[Claim]:
        """Yield the claims, and between them what never differs, or is unknown."""
        edges = {0, self.width}
        for each in self.taken:
            edges |= {each.start, each.end}
        claims = {each.start: each.claim for each in self.taken}
        for start, end in itertools.pairwise(sorted(edges)):
            if start in claims:
                yield claims[start]
                continue
            for differs, group in itertools.groupby(range(start, end), lambda place: self.differ[place]):
                places = list(group)
                if differs:
                    yield self._claim(places[0], places[-1] + 1, UNKNOWN, {}, len(self.rows), 0.0)
                else:
                    yield from self._constants(places[0], places[-1] + 1)

    def _constants(self, start: int, end: int) -> Iterator[Claim]:
        """Yield constant bytes, divided where text, zeros and others meet."""
        for found in _CONSTANTS.finditer(self.rows[0], start, end):
            first, last = found.span()
            yield self._claim(first, last, CONSTANT, {"value": found[0]}, len(self.rows), 0.0)

    def _values(self, start: int, width: int, order: str) -> list[int]:
        return [int.from_bytes(row[start : start + width], "big" if order == "big" else "little") for row in self.rows]

    def _claim(
        self, start: int, end: int, what: str, detail: Mapping[str, object], support: int, chance: float
    ) -> Claim:
        return Claim(start, end, what, 0.0, detail, support, len(self.rows), min(chance, 0.0))

    def _is_zero(self, place: int) -> bool:
        return not any(row[place] for row in self.rows)

    def _is_taken(self, place: int) -> bool:
        return any(each.start <= place < each.end for each in self.taken)
