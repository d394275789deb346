"""The data of a message, in whichever form they are at hand.

Small data are ``bytes`` (or a ``memoryview`` of what was received). Data that came in parts are :class:`Pieces`; data
that lie elsewhere are any object with the methods of :class:`ReadableBody`, read slice by slice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, TypeAlias

PIECE = 1 << 20
"""Bytes in one piece when a body is read in pieces, unless said otherwise."""


class ReadableBody(Protocol):
    """Data of known length that can be read in slices."""

    def __len__(self) -> int: ...

    def read(self, offset: int = 0, length: int | None = None) -> bytes:
        """The slice that begins at ``offset`` (from 0); to the end without ``length``, never past it."""
        ...


Body: TypeAlias = bytes | memoryview | ReadableBody


class Pieces:
    """Data in several pieces in memory, in order."""

    __slots__ = ("_length", "pieces")

    def __init__(self, pieces: Sequence[bytes | memoryview]) -> None:
        self.pieces = tuple(pieces)
        self._length = sum(map(len, self.pieces))

    def __len__(self) -> int:
        return self._length

    def read(self, offset: int = 0, length: int | None = None) -> bytes:
        """See :meth:`ReadableBody.read`."""
        end = self._length if length is None else min(offset + length, self._length)
        found = []
        start = 0
        for piece in self.pieces:
            stop = start + len(piece)
            if stop > offset and start < end:
                found.append(piece[max(offset - start, 0) : end - start])
            start = stop
        return b"".join(found)


def as_bytes(body: Body) -> bytes:
    """The whole data."""
    if isinstance(body, bytes):
        return body
    if isinstance(body, memoryview):
        return bytes(body)
    return body.read()


def read_slice(body: Body, offset: int = 0, length: int | None = None) -> bytes:
    """A slice of the data, shorter where they end."""
    if isinstance(body, bytes | memoryview):
        return bytes(body[offset:] if length is None else body[offset : offset + length])
    return body.read(offset, length)


def in_pieces(body: Body, size: int = PIECE) -> Iterator[bytes | memoryview]:
    """The data in order, in pieces of at most ``size`` bytes; nothing for empty data."""
    if isinstance(body, Pieces):
        for piece in body.pieces:
            view = memoryview(piece)
            for start in range(0, len(view), size):
                yield view[start : start + size]
    elif isinstance(body, bytes | memoryview):
        view = memoryview(body)
        for start in range(0, len(view), size):
            yield view[start : start + size]
    else:
        for start in range(0, len(body), size):
            yield body.read(start, size)
