"""Messages of one kind side by side: a matrix of bytes, and what is known of each message beside its bytes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from .bits import Array, of_columns
from .messages import Message


class Known(NamedTuple):
    """What is known of each of several messages: its ``stream``, its ``number`` in the order of all, its ``time`` in
    seconds, its ``size`` in bytes, and what was ``asked`` before by the other side, empty where nothing."""

    stream: Array
    number: Array
    time: Array
    size: Array
    asked: tuple[bytes, ...]


class Columns:
    """The bytes of messages from a place on, as far as all of them have some.

    ``rows``: the bytes of each, from that place to its end; ``known``: of the messages; ``begin``: how far the place is
    from the message's first byte, where that is the same in all, or None.
    """

    def __init__(self, rows: Sequence[bytes], known: Known, begin: int | None = 0, most: int = 1024) -> None:
        self.rows = rows
        self.known = known
        self.begin = begin
        self.width = min(min(map(len, rows), default=0), most)
        joined = b"".join(row[: self.width] for row in rows)
        self.matrix = np.frombuffer(joined, np.uint8).reshape(len(rows), self.width)
        self.sizes = np.array([len(row) for row in rows], np.int64)

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def costs(self) -> Array:
        """Bits of each column by itself."""
        return of_columns(self.matrix)

    @cached_property
    def different(self) -> Array:
        """How many different values each column has."""
        return np.array([len(np.unique(self.matrix[:, column])) for column in range(self.width)])

    @cached_property
    def constant(self) -> Array:
        """Whether each column has one value."""
        return np.asarray((self.matrix == self.matrix[:1]).all(axis=0))

    def numbers(self, start: int, width: int, order: str) -> Array:
        """Return the unsigned numbers of ``width`` bytes, 8 at most, at a place."""
        value = np.zeros(len(self), np.uint64)
        places = range(start, start + width) if order == "big" else range(start + width - 1, start - 1, -1)
        for place in places:
            value = (value << np.uint64(8)) | self.matrix[:, place].astype(np.uint64)
        return value


def known_of(messages: Sequence[Message], chosen: Sequence[int]) -> Known:
    """Return what is known of the ``chosen`` of all messages, which are in order."""
    asked = {}
    last: dict[tuple[int, int], bytes] = {}
    wanted = set(chosen)
    for number, message in enumerate(messages):
        if number in wanted:
            asked[number] = last.get((message.stream, 1 - message.side), b"")
        last[message.stream, message.side] = message.data
    return Known(
        np.array([messages[each].stream for each in chosen], np.int64),
        np.array(chosen, np.int64),
        np.array([messages[each].time for each in chosen], np.float64),
        np.array([len(messages[each].data) for each in chosen], np.int64),
        tuple(asked[each] for each in chosen),
    )
