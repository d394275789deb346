"""Operations of a unit of work on a store: plain records, cheap to make, applied in the given order.

`queue` is a number assigned by the queue manager (0 … 2³² - 1), `position` the order inside the queue (0 … 2⁶⁴ - 1);
the store sorts by both and attaches no meaning to either. `index` is the small opaque row that is read for every
message at start; `body` is the rest of the message and is read only on request.

Memory that an operation refers to must not change until its unit is answered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from .message_operations import AddMessage, Body, Piece, RemoveMessage, StagedBody

__all__ = ["AddMessage", "Body", "Piece", "RemoveMessage", "StagedBody"]  # beside what is defined here

MAX_QUEUE = 2**32 - 1
MAX_POSITION = 2**64 - 1
MAX_CHUNK = 1 << 20
"""Longest part of a body that `stage` accepts, in bytes."""
MAX_TABLE_NAME = 30
"""Longest name of a record table, in bytes of UTF-8."""
MAX_KEY = 480
"""Longest key of a record and longest branch name, in bytes."""


@dataclass(slots=True)
class ChangeMessage:
    """Replace the index fields of a message; `MessageMissing` if there is none."""

    queue: int
    position: int
    index: bytes


@dataclass(slots=True)
class DropQueue:
    """Delete all messages of a queue, if any."""

    queue: int


@dataclass(slots=True)
class PutRecord:
    """Write a record, replacing an existing one."""

    table: str
    key: bytes
    value: bytes


@dataclass(slots=True)
class RemoveRecord:
    """Delete a record, if it exists."""

    table: str
    key: bytes


@dataclass(slots=True)
class PrepareBranch:
    """Keep operations durably without applying them; nested branches are not allowed. `BranchExists` if the name is
    taken."""

    branch: bytes
    operations: list[Operation] = field(default_factory=list)


@dataclass(slots=True)
class ResolveBranch:
    """Delete a prepared branch, after applying its operations if `commit`; `BranchMissing` if there is none.

    Chunks staged for a branch that is not committed are deleted.
    """

    branch: bytes
    commit: bool


Operation: TypeAlias = (
    AddMessage | RemoveMessage | ChangeMessage | DropQueue | PutRecord | RemoveRecord | PrepareBranch | ResolveBranch
)
Unit: TypeAlias = Sequence[Operation]
