"""What the learner reads: connections as pieces of bytes, and the messages that a framing cuts from them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Final, NamedTuple

INITIATOR: Final = 0
RESPONDER: Final = 1
SIDES: Final = (INITIATOR, RESPONDER)


class Piece(NamedTuple):
    """Bytes that arrived together. ``side``: who sent them, `INITIATOR` or `RESPONDER`; ``time``: seconds, ``nan``
    where it is not known."""

    side: int
    time: float
    data: bytes


class Stream(NamedTuple):
    """One connection from its first byte on, in the order of arrival.

    ``addresses``: of initiator and responder as ``host:port``, empty where unknown. ``whole``: its end was seen; of
    another one the last message of a side may be incomplete. ``gaps``: bytes that are known to be lost; the pieces end
    before the first of them.
    """

    number: int
    pieces: tuple[Piece, ...]
    addresses: tuple[str, str] = ("", "")
    whole: bool = True
    gaps: int = 0


class Message(NamedTuple):
    """One message. ``time``: of the piece that completed it."""

    stream: int
    side: int
    time: float
    data: bytes


class SideBytes:
    """Everything that one side of a stream has sent; ``piece_sizes``: bytes of each of its pieces."""

    __slots__ = ("_ends", "_pieces", "data", "piece_sizes", "side", "stream")

    def __init__(self, stream: Stream, side: int) -> None:
        self.stream = stream
        self.side = side
        self._pieces = [number for number, piece in enumerate(stream.pieces) if piece.side == side and piece.data]
        own = [stream.pieces[number].data for number in self._pieces]
        self.piece_sizes: Sequence[int] = [len(data) for data in own]
        self._ends = list(accumulate(self.piece_sizes))
        self.data = b"".join(own)

    def piece_at(self, end: int) -> int:
        """Return the number, in the stream, of the piece that holds the byte before ``end``."""
        return self._pieces[bisect_left(self._ends, end)]


def sides_of(streams: Iterable[Stream]) -> list[SideBytes]:
    """Return both sides of each stream, without those that sent nothing."""
    both = (SideBytes(stream, side) for stream in streams for side in SIDES)
    return [each for each in both if each.data]


def in_order(cuts: Iterable[tuple[SideBytes, Sequence[int]]]) -> Iterator[Message]:
    """Yield the messages of all sides, those of a stream in the order in which they were completed.

    ``cuts``: for each side the ends of its messages, from the first on.
    """
    found = []
    for side, ends in cuts:
        begin = 0
        for number, end in enumerate(ends):
            found.append((side.stream.number, side.piece_at(end), number, side, begin, end))
            begin = end
    found.sort(key=lambda each: each[:3])
    for number, piece, _, side, begin, end in found:
        yield Message(number, side.side, side.stream.pieces[piece].time, side.data[begin:end])
