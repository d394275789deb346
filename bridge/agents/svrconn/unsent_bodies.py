"""Message bodies being sent to clients: long ones are read from the store as the transport takes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from mqbridge.bridge.agents.unsent_budget import UnsentBudget
from mqbridge.mappings.body import Body, BodyFromOffset, BodyPieces, ReadableBody, as_bytes, in_pieces

LONG: Final = 1 << 16
"""Bytes of data that are sent in one piece."""
PIECE: Final = 1 << 17
"""Bytes of longer data in memory at one time."""


class UnsentBody:
    """A body that is read piece by piece. ``read`` is called when the last piece is in memory.

    Until then the message must stay where it is. After `discard` zeros take its place: the receiving handle or program
    is gone and discards them, while other conversations continue on the connection.
    """

    __slots__ = ("_body", "_length", "_read")

    def __init__(self, body: Body, read: Callable[[UnsentBody], None]) -> None:
        self._body: Body | None = body
        self._length = len(body)
        self._read = read

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[bytes]:
        pieces = in_pieces(self._body or b"", PIECE)
        for start in range(0, self._length, PIECE):
            size = min(PIECE, self._length - start)
            if self._body is None:
                yield bytes(size)
                continue
            piece = bytes(next(pieces))
            if start + size == self._length:
                self._body = None
                self._read(self)
            yield piece

    def discard(self) -> None:
        """Nobody wants the rest."""
        self._body = None


class UnsentBodies:
    """The long messages being sent to one program. ``read`` is called with the token of one that is in memory now."""

    __slots__ = ("_bodies", "_read", "_unsent")

    def __init__(self, unsent: UnsentBudget, read: Callable[[bytes], None]) -> None:
        self._unsent = unsent
        self._read = read
        self._bodies: dict[UnsentBody, bytes] = {}

    def data(self, body: Body, token: bytes, *, stays: bool, tells: bool) -> bytes | list[bytes] | UnsentBody:
        """The data to send: in memory, or longer ones as a `UnsentBody`, for which ``read`` is called, if it ``tells``,
        when all of it is in memory.

        ``stays``: nobody else can remove the message until ``read`` is called. Raises `MQError` 2102 if a copy is
        needed and there is no room for it.
        """
        if len(body) > LONG:
            if (stays and not isinstance(body, bytes | memoryview)) or _in_memory(body):
                made = UnsentBody(body, self._told if tells else self._over)
                self._bodies[made] = token
                return made
            self._unsent.require_room(len(body))
            return body if isinstance(body, bytes) else [bytes(piece) for piece in in_pieces(body)]
        return as_bytes(body)

    def _over(self, body: UnsentBody) -> None:
        self._bodies.pop(body, None)

    def _told(self, body: UnsentBody) -> None:
        token = self._bodies.pop(body, None)
        if token is not None:
            self._read(token)

    def discard(self, tokens: list[bytes] | None = None) -> None:
        """Some messages, by token, or all are no longer wanted."""
        for body, token in list(self._bodies.items()):
            if tokens is None or token in tokens:
                del self._bodies[body]
                body.discard()


def _in_memory(body: Body | ReadableBody) -> bool:
    """Whether data are in memory shared with the queue, and stay there while referenced."""
    while isinstance(body, BodyFromOffset):
        body = body.whole
    return isinstance(body, BodyPieces)
