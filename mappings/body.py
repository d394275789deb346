"""Message data in any of its forms.

Small data are ``bytes`` (or a ``memoryview`` of received bytes). Data received in parts are :class:`BodyPieces`; data
stored elsewhere are any object with the methods of :class:`ReadableBody`, read in slices.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, TypeAlias

PIECE = 1 << 20
"""Default size of a piece in bytes."""


class ReadableBody(Protocol):
    """Data of known length that can be read in slices."""

    def __len__(self) -> int: ...

    def read(self, offset: int = 0, length: int | None = None) -> bytes:
        """Return the slice from ``offset`` (from 0), to the end without ``length``, never past it."""
        ...


Body: TypeAlias = bytes | memoryview | ReadableBody


class BodyPieces:
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
    """Return all data."""
    if isinstance(body, bytes):
        return body
    if isinstance(body, memoryview):
        return bytes(body)
    return body.read()


def read_slice(body: Body, offset: int = 0, length: int | None = None) -> bytes:
    """Return a slice of the data, shorter at their end."""
    if isinstance(body, bytes | memoryview):
        return bytes(body[offset:] if length is None else body[offset : offset + length])
    return body.read(offset, length)


class PrefixedBody:
    """Bytes in front of data stored elsewhere."""

    __slots__ = ("body", "front")

    def __init__(self, front: bytes, body: ReadableBody) -> None:
        self.front = front
        self.body = body

    def __len__(self) -> int:
        return len(self.front) + len(self.body)

    def read(self, offset: int = 0, length: int | None = None) -> bytes:
        """See :meth:`ReadableBody.read`."""
        end = len(self) if length is None else min(offset + length, len(self))
        found = self.front[offset:end]
        behind = max(offset - len(self.front), 0)
        left = end - len(self.front) - behind
        return found + self.body.read(behind, left) if left > 0 else found


class BodyFromOffset:
    """Data from offset ``start`` of other data."""

    __slots__ = ("start", "whole")

    def __init__(self, whole: ReadableBody, start: int) -> None:
        self.whole = whole
        self.start = min(start, len(whole))

    def __len__(self) -> int:
        return len(self.whole) - self.start

    def read(self, offset: int = 0, length: int | None = None) -> bytes:
        """See :meth:`ReadableBody.read`."""
        return self.whole.read(self.start + offset, length)


class ConcatenatedBody:
    """Concatenated data, wherever each is stored."""

    __slots__ = ("_length", "parts")

    def __init__(self, parts: Sequence[Body]) -> None:
        self.parts = tuple(parts)
        self._length = sum(map(len, self.parts))

    def __len__(self) -> int:
        return self._length

    def read(self, offset: int = 0, length: int | None = None) -> bytes:
        """See :meth:`ReadableBody.read`."""
        end = self._length if length is None else min(offset + length, self._length)
        found = []
        start = 0
        for part in self.parts:
            low, high = max(offset - start, 0), min(end - start, len(part))
            if low < high:
                found.append(read_slice(part, low, high - low))
            start += len(part)
        return b"".join(found)


def joined(front: bytes, body: Body) -> Body:
    """Return bytes followed by data; big data are not copied."""
    if isinstance(body, BodyPieces):
        return BodyPieces((front, *body.pieces))
    if isinstance(body, bytes | memoryview):
        return BodyPieces((front, body)) if len(body) > PIECE else b"".join((front, body))
    return PrefixedBody(front, body)


def without_front(body: Body, length: int) -> Body:
    """Return the data without their first ``length`` bytes; big data are not copied."""
    if isinstance(body, memoryview):
        return body[length:]
    if isinstance(body, bytes):
        return memoryview(body)[length:] if len(body) > PIECE else body[length:]
    if isinstance(body, BodyPieces):
        rest = []
        for piece in body.pieces:
            if length < len(piece):
                rest.append(memoryview(piece)[length:] if length else piece)
            length = max(length - len(piece), 0)
        return BodyPieces(rest)
    return BodyFromOffset(body, length)


def in_pieces(body: Body, size: int = PIECE) -> Iterator[bytes | memoryview]:
    """Yield the data in pieces of ``size`` bytes, the last one shorter; nothing for empty data."""
    if isinstance(body, BodyPieces):
        yield from _regrouped(body.pieces, size)
    elif isinstance(body, bytes | memoryview):
        view = memoryview(body)
        for start in range(0, len(view), size):
            yield view[start : start + size]
    else:
        for start in range(0, len(body), size):
            yield body.read(start, size)


def _regrouped(pieces: Sequence[bytes | memoryview], size: int) -> Iterator[bytes | memoryview]:
    """Pieces cut and joined to pieces of ``size`` bytes; those that stand in one piece already are not copied."""
    gathered: list[memoryview] = []
    missing = size
    for piece in pieces:
        view = memoryview(piece)
        while len(view):
            part = view[:missing]
            gathered.append(part)
            view = view[len(part) :]
            missing -= len(part)
            if not missing:
                yield gathered[0] if len(gathered) == 1 else b"".join(gathered)
                gathered, missing = [], size
    if gathered:
        yield gathered[0] if len(gathered) == 1 else b"".join(gathered)
