"""Captures become tasks: few and fat ones, because a task of Python costs more than reading a small file."""

from __future__ import annotations

import heapq
import os
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, Protocol, TypeVar

from pyspark.sql.datasource import InputPartition

from captures.spark.conditions import Conditions
from captures.spark.options import SourceOptions

TASK_SIZE: Final = 64 << 20
"""Bytes of captures that one task reads, where nobody says how many tasks there are to be."""


class Piece(NamedTuple):
    """A capture, whole. ``capture``: its name in the tables; ``path``: where workers open it; ``size``: in bytes."""

    capture: str
    path: str
    size: int


class Task(InputPartition):
    """Pieces that one worker reads, one after the other."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        super().__init__(None)
        self.pieces = tuple(pieces)

    def __repr__(self) -> str:
        return f"Task({len(self.pieces)} pieces, {sum(piece.size for piece in self.pieces)} bytes)"


def plan(captures: Iterable[str], asked: SourceOptions, conditions: Conditions) -> list[InputPartition]:
    """Tasks of about the same size that together read all captures, without those that no row is wanted of."""
    pieces = [whole_piece(capture) for capture in captures if conditions.admit_value("capture", capture)]
    total = sum(piece.size for piece in pieces)
    wanted = asked.partitions or max(min(len(pieces), os.cpu_count() or 1), -(-total // TASK_SIZE))
    return [Task(each) for each in pack(pieces, wanted)]


def whole_piece(capture: str) -> Piece:
    """A capture that one worker reads."""
    return Piece(capture, os.path.abspath(capture), _size(capture))


def pack(pieces: Iterable[Piece], count: int) -> list[list[Piece]]:
    """At most ``count`` piles of about the same size; the biggest pieces first, each onto the smallest pile."""
    piles: list[list[Piece]] = [[] for _ in range(count)]
    smallest = [(0, place) for place in range(count)]
    for piece in sorted(pieces, key=lambda piece: (-piece.size, piece.capture)):
        size, place = smallest[0]
        piles[place].append(piece)
        heapq.heapreplace(smallest, (size + piece.size + 1, place))
    return [pile for pile in piles if pile]


class Sized(Protocol):
    """Something of so many bytes."""

    @property
    def size(self) -> int:
        """Bytes."""


S = TypeVar("S", bound=Sized)


def in_order(pieces: Iterable[S], size: int) -> list[list[S]]:
    """Piles of about ``size`` bytes that leave the pieces in their order."""
    piles: list[list[S]] = []
    room = 0
    for piece in pieces:
        if room <= 0:
            piles.append([])
            room = size
        piles[-1].append(piece)
        room -= piece.size + 1
    return piles


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0  # the worker says what is wrong with it
