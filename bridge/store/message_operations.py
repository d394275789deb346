"""The operations on a store that every message takes: it is added, and removed (:mod:`operations`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias, final

Piece: TypeAlias = bytes | memoryview


@dataclass(slots=True)
class StagedBody:
    """A body with staged parts: `head`, then the chunks in order, then `tail`.

    `lengths`: length of each chunk in bytes. A chunk belongs to one message: it may be referred to once.
    """

    chunks: list[int]
    lengths: list[int]
    tail: Piece = b""
    head: Piece = b""

    def __len__(self) -> int:
        return len(self.head) + sum(self.lengths) + len(self.tail)


Body: TypeAlias = bytes | memoryview | list[Piece] | StagedBody


@final
class AddMessage:
    """Add a message at a free position; `MessageExists` if it is taken."""

    __slots__ = ("body", "index", "position", "queue")
    __match_args__: ClassVar = ("queue", "position", "index", "body")

    def __init__(self, queue: int, position: int, index: bytes, body: Body) -> None:
        self.queue = queue
        self.position = position
        self.index = index
        self.body = body

    def _fields(self) -> tuple[int, int, bytes, Body]:
        return self.queue, self.position, self.index, self.body

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AddMessage) and other._fields() == self._fields()

    def __repr__(self) -> str:
        return f"AddMessage{self._fields()!r}"

    def __reduce__(self) -> tuple[Any, ...]:
        return AddMessage, self._fields()


@final
class RemoveMessage:
    """Delete a message with body and staged chunks; `MessageMissing` if there is none."""

    __slots__ = ("position", "queue")
    __match_args__: ClassVar = ("queue", "position")

    def __init__(self, queue: int, position: int) -> None:
        self.queue = queue
        self.position = position

    def _fields(self) -> tuple[int, int]:
        return self.queue, self.position

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RemoveMessage) and other._fields() == self._fields()

    def __repr__(self) -> str:
        return f"RemoveMessage{self._fields()!r}"

    def __reduce__(self) -> tuple[Any, ...]:
        return RemoveMessage, self._fields()
