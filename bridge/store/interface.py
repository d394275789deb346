"""The interface of every store, as the queue manager and the agents use it.

A store keeps rows: messages in queues, records in tables, prepared branches. It attaches no meaning to them; cursors,
marks, locks, groups, selectors and waits never reach it.

Threads: `commit` is called from one writer thread, everything else from the main thread, concurrently. A reader sees a
unit whole or not at all. Iterators may be abandoned and stay valid while units are committed; rows added or removed
meanwhile may or may not appear.

Operations and errors are re-exported here, so that rules import only this module.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from mqbridge.bridge.store.errors import (
    BranchExists,
    BranchMissing,
    ChunkMissing,
    MessageExists,
    MessageMissing,
    RowError,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFailed,
    StoreFull,
    StoreLocked,
    StoreNewer,
)
from mqbridge.bridge.store.operations import (
    MAX_CHUNK,
    MAX_KEY,
    MAX_POSITION,
    MAX_QUEUE,
    MAX_TABLE_NAME,
    AddMessage,
    Body,
    ChangeMessage,
    DropQueue,
    Operation,
    Piece,
    PrepareBranch,
    PutRecord,
    RemoveMessage,
    RemoveRecord,
    ResolveBranch,
    StagedBody,
    Unit,
)

__all__ = [
    "MAX_CHUNK",
    "MAX_KEY",
    "MAX_POSITION",
    "MAX_QUEUE",
    "MAX_TABLE_NAME",
    "AddMessage",
    "Body",
    "BranchExists",
    "BranchMissing",
    "ChangeMessage",
    "ChunkMissing",
    "DropQueue",
    "MessageExists",
    "MessageMissing",
    "Operation",
    "Piece",
    "PrepareBranch",
    "PutRecord",
    "RemoveMessage",
    "RemoveRecord",
    "ResolveBranch",
    "RowError",
    "StagedBody",
    "Store",
    "StoreBusy",
    "StoreDamaged",
    "StoreError",
    "StoreFailed",
    "StoreFull",
    "StoreLocked",
    "StoreNewer",
    "Unit",
]


class PartArea(Protocol):
    """Parts of bodies outside the rows, by the id given to each."""

    def write(self, part: Piece) -> int:
        """Keep a part and return its id. Raises `StoreFull`."""
        ...

    def read(self, part: int, offset: int = 0, length: int | None = None) -> bytes:
        """Return a slice of a part (to its end without `length`). Raises `ChunkMissing`."""
        ...

    def drop(self, parts: Iterable[int]) -> None:
        """Delete parts; unknown ids are ignored."""
        ...


class Store(Protocol):
    """Rows that survive: durable when `commit` has returned, read in key order."""

    @property
    def staged(self) -> PartArea:
        """Parts of bodies of up to `MAX_CHUNK` bytes, written ahead of the commit whose `StagedBody` refers to them.

        That commit syncs them and takes them over; without one they are deleted at restart.
        """
        ...

    @property
    def spilled(self) -> PartArea:
        """Bodies kept outside memory; never synced, deleted at restart."""
        ...

    def commit(self, units: Sequence[Unit]) -> list[StoreError | None]:
        """Apply units in order, each atomically, in one transaction with one sync; return when they are on disk.

        The result has one entry per unit: None, or why nothing of this unit was applied. If the joint transaction
        fails, each unit is tried alone, so that one that is too big or invalid does not affect the others. Raises
        nothing about the data; a failed store (`StoreFailed`) returns that error for every unit.
        """
        ...

    def read(self, queue: int, position: int, offset: int = 0, length: int | None = None) -> bytes:
        """Return a slice of a body (to its end without `length`). Raises `MessageMissing`, `StoreDamaged`."""
        ...

    def read_many(self, queue: int, positions: Sequence[int]) -> list[bytes]:
        """Return whole bodies of one queue's messages, in the given order. Raises `MessageMissing`, `StoreDamaged`."""
        ...

    def length(self, queue: int, position: int) -> int:
        """Return the length of a body in bytes, without reading it. Raises `MessageMissing`."""
        ...

    def index(self, queue: int, position: int) -> bytes:
        """Return the index fields of a message. Raises `MessageMissing`."""
        ...

    def scan(self, queue: int) -> Iterator[tuple[int, bytes, int]]:
        """Yield (position, index, body length) of every message of a queue in order, without reading bodies."""
        ...

    def scan_all(self) -> Iterator[tuple[int, int, bytes, int]]:
        """Yield (queue, position, index, body length) of every message, ordered by queue and position."""
        ...

    def queues(self) -> Iterator[int]:
        """Yield the queues that hold at least one message, in order."""
        ...

    def record(self, table: str, key: bytes) -> bytes | None:
        """Return the value of a record, or None."""
        ...

    def records(self, table: str) -> Iterator[tuple[bytes, bytes]]:
        """Yield (key, value) of every record of a table, in key order."""
        ...

    def branches(self) -> Iterator[tuple[bytes, list[Operation]]]:
        """Yield (branch, operations) of every prepared branch, in name order.

        Bodies that were passed as pieces are returned as one `bytes`.
        """
        ...

    def take_note(self) -> str | None:
        """Return what a repair of the folder lost, for the log of the next start, once; else None."""
        ...

    def require_place(self) -> None:
        """Raise `StoreFailed` if the store's files are no longer those in its folder."""
        ...

    def close(self) -> None:
        """Close the store and release its folder."""
        ...
