"""Messages of one kind side by side: a matrix of bytes, and what is known of each message beside its bytes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from .bits import Array, histograms, of_columns
from .messages import Message


class Known(NamedTuple):
    """What is known of each of several messages: its ``stream``, its ``number`` in the order of all, its ``time`` in
    seconds, its ``size`` in bytes; what the other side ``asked`` before and ``answered`` next, what its own side sent
    ``before``, each empty where nothing; the ``addresses`` of both ends; whether it ``follows`` the one before it here,
    with none of its kind between them."""

    stream: Array
    number: Array
    time: Array
    size: Array
    asked: Sequence[bytes]
    answered: Sequence[bytes]
    before: Sequence[bytes]
    addresses: Sequence[tuple[str, str]]
    follows: Array

    def chosen(self, keep: Sequence[int]) -> Known:
        """Return what is known of some of them."""
        index = np.array(keep, np.int64)
        return Known(
            self.stream[index],
            self.number[index],
            self.time[index],
            self.size[index],
            [self.asked[each] for each in keep],
            [self.answered[each] for each in keep],
            [self.before[each] for each in keep],
            [self.addresses[each] for each in keep],
            self.follows[index],
        )


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
        self._tables: dict[tuple[int, str], Array] = {}

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def costs(self) -> Array:
        """Bits of each column by itself."""
        return of_columns(self.matrix)

    @cached_property
    def different(self) -> Array:
        """How many different values each column has."""
        return np.asarray((histograms(self.matrix, 256) > 0).sum(axis=1))

    @cached_property
    def constant(self) -> Array:
        """Whether each column has one value."""
        return np.asarray((self.matrix == self.matrix[:1]).all(axis=0))

    def numbers(self, start: int, width: int, order: str) -> Array:
        """Return the unsigned numbers of ``width`` bytes, 8 at most, at a place."""
        return np.asarray(self.table(width, order)[:, start])

    def table(self, width: int, order: str) -> Array:
        """Return the unsigned numbers of ``width`` bytes at every place: a column for each."""
        found = self._tables.get((width, order))
        if found is None:
            places = max(self.width - width + 1, 0)
            found = np.zeros((len(self), places), np.uint64)
            for place in range(width) if order == "big" else range(width - 1, -1, -1):
                found <<= np.uint64(8)
                found |= self.matrix[:, place : place + places]
            self._tables[width, order] = found
        return found

    def may_be_number(self, width: int) -> Array:
        """Return for every place whether the bytes there vary, and the first and last of them do so or are zero: else
        they belong to what is beside them."""
        places = max(self.width - width + 1, 0)
        odd = self.constant & (self.matrix[0] != 0)
        varies = np.zeros(places, bool)
        for place in range(width):
            varies |= ~self.constant[place : place + places]
        return np.asarray(varies & ~odd[:places] & ~odd[width - 1 : width - 1 + places])

    def lowest_varies(self, width: int, order: str) -> Array:
        """Return for every place whether the lowest byte of the number there varies."""
        places = max(self.width - width + 1, 0)
        first = width - 1 if order == "big" else 0
        return np.asarray(~self.constant[first : first + places])


class Neighbours:
    """For each of all messages, in order, the last one of its stream by either side, and the next one of the other."""

    def __init__(self, messages: Sequence[Message], addresses: Mapping[int, tuple[str, str]]) -> None:
        self._messages = messages
        self._addresses = addresses
        self._asked: list[int] = []
        self._before: list[int] = []
        self._answered = [-1] * len(messages)
        last: dict[tuple[int, int], int] = {}
        for number, message in enumerate(messages):
            other = last.get((message.stream, 1 - message.side), -1)
            own = last.get((message.stream, message.side), -1)
            self._asked.append(other)
            self._before.append(own)
            if other > own:
                self._answered[other] = number
            last[message.stream, message.side] = number

    def known_of(self, members: Sequence[int], places: Sequence[int]) -> Known:
        """Return what is known of the ``members`` of a kind at some ``places``."""
        chosen = [members[each] for each in places]
        messages = self._messages

        def data(numbers: Sequence[int]) -> list[bytes]:
            return [messages[numbers[each]].data if numbers[each] >= 0 else b"" for each in chosen]

        return Known(
            np.array([messages[each].stream for each in chosen], np.int64),
            np.array(chosen, np.int64),
            np.array([messages[each].time for each in chosen], np.float64),
            np.array([len(messages[each].data) for each in chosen], np.int64),
            data(self._asked),
            data(self._answered),
            data(self._before),
            [self._addresses.get(messages[each].stream, ("", "")) for each in chosen],
            np.diff(np.array(places, np.int64), prepend=-1) == 1,
        )


def runs(flags: Array) -> Iterator[tuple[int, int]]:
    """Yield where flags begin and end to be set."""
    padded = np.concatenate(([False], flags, [False]))
    changes = np.flatnonzero(padded[1:] != padded[:-1])
    yield from zip(changes[::2].tolist(), changes[1::2].tolist(), strict=True)
