"""Length fields: every place, width and encoding that reaches the end of every stream."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from mqbridge.captures.learning.messages import SideBytes

from .rules import LengthField

MOST_POSITION: Final = 128
"""A binary length begins before this byte."""
_HEADS: Final = 400
_FIRST: Final = 24
"""Heads by which ways of counting are proposed."""
_UNITS: Final = (1, 2, 4, 8)
_BINARY: Final = tuple(
    (width, order) for width in (1, 2, 3, 4, 8) for order in ("big", "little") if width > 1 or order == "big"
)
MOST_DIGITS: Final = 10


def candidates(sides: Sequence[SideBytes]) -> Iterator[LengthField]:
    """Yield the length fields that fit the first message of every side.

    What a length counts follows from the first pieces: most often a piece is one message.
    """
    heads = [(side.data, side.piece_sizes[0]) for side in sides[:_HEADS]]
    shortest = min(len(data) for data, _ in heads)
    for position in range(min(shortest, MOST_POSITION)):
        for width, order in _BINARY:
            if position + width <= shortest:
                for unit in _UNITS:
                    yield from _fitting(position, width, order, unit, heads)
        for width in range(2, MOST_DIGITS + 1):
            if position + width <= shortest and all(_is_number(data[position : position + width]) for data, _ in heads):
                yield from _fitting(position, width, "digits", 1, heads)
    for position in range(min(shortest, 8)):
        yield LengthField(position, 4, "base128")


def _is_number(field: bytes) -> bool:
    return field.strip(b" \0").isdigit()


def _fitting(
    position: int, width: int, order: str, unit: int, heads: Sequence[tuple[bytes, int]]
) -> Iterator[LengthField]:
    """Yield the fields of one place, with each way of counting that most first pieces bear out, or that is usual."""
    plain = LengthField(position, width, order, unit)
    adds = Counter(size - unit * plain.value(data[position : position + width]) for data, size in heads[:_FIRST])
    usual = {0, position + width} if unit == 1 else {position + width}
    likely = {
        add for add, count in adds.most_common(3) if 4 * count >= min(len(heads), _FIRST) and abs(add) <= MOST_POSITION
    }
    for add in sorted(usual | likely):
        field_ = plain._replace(add=add)
        if all(_fits(field_, data) for data, _ in heads):
            yield field_


def _fits(field: LengthField, data: bytes) -> bool:
    size = field.size(data, 0)
    return size is not None and 0 < size <= len(data)
