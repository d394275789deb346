"""The one door to durability: what every store offers to the queue manager and the agents.

A store keeps rows: messages in queues, records in tables, prepared branches. It gives none of them a meaning; cursors,
marks, locks, groups, selectors and waits never reach it.

Threads: `commit` is called from one writer thread, everything else from the main thread, both at the same time. A
reader sees a unit whole or not at all. Iterators may be left half-way and stay valid while units are committed; rows
that come or go meanwhile may or may not show.

Names of operations and errors are re-exported here, so that rules import this module alone.
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


class Store(Protocol):
    """Rows that survive: committed when `commit` has returned, in key order when read."""

    def commit(self, units: Sequence[Unit]) -> list[StoreError | None]:
        """Applies units in order, each all or nothing, in one transaction with one sync; returns when they are on disk.

        The answer has one entry a unit: None, or why nothing of this unit was applied. When the joint transaction
        fails, each unit is tried alone, so that one that is too big or wrong does not take the others with it.
        Raises nothing that concerns the data; a store that has failed (`StoreFailed`) answers every unit with that.
        """
        ...

    def stage(self, chunk: Piece) -> int:
        """Writes a part of a body ahead, at most `MAX_CHUNK` bytes, and returns its id for a `StagedBody`.

        It is synced by the commit that refers to it, and gone after a restart if none did. Raises `StoreFull`.
        """
        ...

    def unstage(self, chunks: Iterable[int]) -> None:
        """Gives back staged chunks that no committed unit refers to; unknown ids are passed over."""
        ...

    def read_staged(self, chunk: int, offset: int = 0, length: int | None = None) -> bytes:
        """A slice of a staged chunk before its unit is committed; raises `ChunkMissing`."""
        ...

    def read(self, queue: int, position: int, offset: int = 0, length: int | None = None) -> bytes:
        """A slice of a body (to its end without `length`); raises `MessageMissing`, `StoreDamaged`."""
        ...

    def read_many(self, queue: int, positions: Sequence[int]) -> list[bytes]:
        """Whole bodies of messages of one queue, in the order asked for; raises `MessageMissing`, `StoreDamaged`."""
        ...

    def length(self, queue: int, position: int) -> int:
        """Length of a body in bytes, without reading it; raises `MessageMissing`."""
        ...

    def index(self, queue: int, position: int) -> bytes:
        """The index fields of a message; raises `MessageMissing`."""
        ...

    def scan(self, queue: int) -> Iterator[tuple[int, bytes, int]]:
        """(position, index, body length) of every message of a queue in order, without touching bodies."""
        ...

    def scan_all(self) -> Iterator[tuple[int, int, bytes, int]]:
        """(queue, position, index, body length) of every message, in the order of queue and position."""
        ...

    def queues(self) -> Iterator[int]:
        """The queues that hold at least one message, in order."""
        ...

    def record(self, table: str, key: bytes) -> bytes | None:
        """The value of one record, None where there is none."""
        ...

    def records(self, table: str) -> Iterator[tuple[bytes, bytes]]:
        """(key, value) of every record of a table, in the order of the keys."""
        ...

    def branches(self) -> Iterator[tuple[bytes, list[Operation]]]:
        """(branch, operations) of every prepared branch, in the order of the names.

        Bodies that were given as pieces come back as one `bytes`.
        """
        ...

    def spill(self, body: Piece) -> int:
        """Keeps a body outside memory until `drop_spilled` or a restart, never synced; raises `StoreFull`."""
        ...

    def read_spilled(self, spilled: int, offset: int = 0, length: int | None = None) -> bytes:
        """A slice of a spilled body; raises `ChunkMissing`."""
        ...

    def drop_spilled(self, spilled: Iterable[int]) -> None:
        """Gives back spilled bodies; unknown ids are passed over."""
        ...

    def take_note(self) -> str | None:
        """What the repair of the folder lost, for the log of the next start; None where there was none."""
        ...

    def require_place(self) -> None:
        """Raises `StoreFailed` where the files of the store are no longer those in its folder."""
        ...

    def close(self) -> None:
        """Ends the use of the store and gives its folder free; the store answers nothing afterwards."""
        ...
