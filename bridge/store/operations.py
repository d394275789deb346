"""What a unit of work asks of a store: plain records, cheap to make, applied in the order given.

`queue` is a number the queue manager gave a queue (0 … 2**32 - 1), `position` its order inside the queue
(0 … 2**64 - 1); the store sorts by both and gives neither a meaning. `index` is the small opaque row that start-up
reads for every message; `body` is everything else of the message and is read only when asked for.

Memory that an operation refers to must not change until its unit is answered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

MAX_QUEUE = 2**32 - 1
MAX_POSITION = 2**64 - 1
MAX_CHUNK = 1 << 20
"""Longest part of a body, in bytes, that `stage` takes at once."""
MAX_TABLE_NAME = 30
"""Longest name of a record table, in bytes of UTF-8."""
MAX_KEY = 480
"""Longest key of a record and longest branch name, in bytes."""

Piece: TypeAlias = bytes | memoryview


@dataclass(slots=True)
class StagedBody:
    """A body of which parts were staged: `head`, then the chunks in order, then `tail`.

    `lengths` holds the length of each chunk in bytes. A chunk belongs to one message: it may be referred to once.
    """

    chunks: list[int]
    lengths: list[int]
    tail: Piece = b""
    head: Piece = b""

    def __len__(self) -> int:
        return len(self.head) + sum(self.lengths) + len(self.tail)


Body: TypeAlias = bytes | memoryview | list[Piece] | StagedBody


@dataclass(slots=True)
class AddMessage:
    """Puts a message at a free position; `MessageExists` where it is taken."""

    queue: int
    position: int
    index: bytes
    body: Body


@dataclass(slots=True)
class RemoveMessage:
    """Takes a message away, body, staged chunks and all; `MessageMissing` where there is none."""

    queue: int
    position: int


@dataclass(slots=True)
class ChangeMessage:
    """Replaces the index fields of a message and leaves its body; `MessageMissing` where there is none."""

    queue: int
    position: int
    index: bytes


@dataclass(slots=True)
class DropQueue:
    """Takes away all messages of a queue; none is no error."""

    queue: int


@dataclass(slots=True)
class PutRecord:
    """Writes a record, new or over the old one."""

    table: str
    key: bytes
    value: bytes


@dataclass(slots=True)
class RemoveRecord:
    """Takes a record away; none is no error."""

    table: str
    key: bytes


@dataclass(slots=True)
class PrepareBranch:
    """Keeps operations (no branch operations among them) durably, not applied; `BranchExists` if the name is taken."""

    branch: bytes
    operations: list[Operation] = field(default_factory=list)


@dataclass(slots=True)
class ResolveBranch:
    """Forgets a prepared branch after applying its operations (`commit`) or without; `BranchMissing` if there is none.

    Chunks staged for a branch that is not committed are given back.
    """

    branch: bytes
    commit: bool


Operation: TypeAlias = (
    AddMessage | RemoveMessage | ChangeMessage | DropQueue | PutRecord | RemoveRecord | PrepareBranch | ResolveBranch
)
Unit: TypeAlias = Sequence[Operation]
