"""The data of messages on their way to clients: long ones are read from where they lie as the transport takes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from mqbridge.bridge.agents.unsent_budget import UnsentBudget
from mqbridge.mappings.body import Body, BodyFromOffset, BodyPieces, ReadableBody, as_bytes, in_pieces

LONG: Final = 1 << 16
"""Bytes of data that are sent in one piece."""
PIECE: Final = 1 << 17
"""Bytes of longer data that are in memory at one time."""


class UnsentBody:
    """Data that are read piece by piece. ``read`` is called when the last piece is in memory.

    The message must stay where it is until then. After `let_go` its place is filled with zeros: whom it was for has
    closed the handle, or is gone, and throws it away, while others go on by the same connection.
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

    def let_go(self) -> None:
        """Nobody wants the rest."""
        self._body = None


class UnsentBodies:
    """The long messages that are on their way to one program."""

    __slots__ = ("_bodies", "_unsent")

    def __init__(self, unsent: UnsentBudget) -> None:
        self._unsent = unsent
        self._bodies: dict[UnsentBody, bytes] = {}

    def data(
        self, body: Body, token: bytes, *, stays: bool, read: Callable[[], None] | None
    ) -> bytes | list[bytes] | UnsentBody:
        """What is sent of a message: data in memory, or longer ones as a `UnsentBody`, all of which is in memory when
        ``read`` is called.

        ``stays``: nobody else can take the message from where it lies until ``read`` was called. Raises `MQError` 2102
        where a copy must be made, and there is no room for it.
        """
        if len(body) > LONG:
            if (stays and not isinstance(body, bytes | memoryview)) or _in_memory(body):
                made = UnsentBody(body, lambda each: self._over(each, read))
                self._bodies[made] = token
                return made
            self._unsent.demand_room(len(body))
            return body if isinstance(body, bytes) else [bytes(piece) for piece in in_pieces(body)]
        return as_bytes(body)

    def _over(self, body: UnsentBody, read: Callable[[], None] | None) -> None:
        self._bodies.pop(body, None)
        if read is not None:
            read()

    def let_go(self, tokens: list[bytes] | None = None) -> None:
        """Some messages, by their tokens, or all are not wanted any more."""
        for body, token in list(self._bodies.items()):
            if tokens is None or token in tokens:
                del self._bodies[body]
                body.let_go()


def _in_memory(body: Body | ReadableBody) -> bool:
    """Whether data lie in memory that they share with the queue, and stay there as long as anybody looks at them."""
    while isinstance(body, BodyFromOffset):
        body = body.whole
    return isinstance(body, BodyPieces)
