"""The durable store: LMDB for rows, files for the parts of big bodies.

A commit is one LMDB write transaction with LMDB's default sync (data pages, then the meta page, both on disk before it
returns): what was answered survives the death of the process and, as far as the disk keeps its word, of the machine.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, takewhile
from typing import TYPE_CHECKING
from zlib import crc32

import lmdb

from bridge.store.branch_rows import AddStaged, decode_operations, public_operation
from bridge.store.disk import is_disk_full
from bridge.store.environment import DEFAULT_MAP_SIZE, open_environment, used_bytes
from bridge.store.errors import MessageMissing, RowError, StoreDamaged, StoreError, StoreFull
from bridge.store.folder import DataFolder
from bridge.store.operations import MAX_POSITION, MAX_QUEUE, Operation, Piece, Unit
from bridge.store.room import FileRoom
from bridge.store.rows import (
    CHECKSUM,
    CHECKSUM_LENGTH,
    MESSAGE_KEY,
    StagedRow,
    message_place,
    read_index_row,
    read_staged_row,
    record_key,
    record_prefix,
    unseal,
)
from bridge.store.spill import SpillArea
from bridge.store.staging import StagingFolder
from bridge.store.unit_writer import UnitWriter

if TYPE_CHECKING:
    from lmdb import _Database

SCAN_STEP = 1024
"""Rows that an iterator reads in one transaction, so that a slow reader does not hold old pages."""

_FIRST_KEY = MESSAGE_KEY.pack(0, 0)
_message_key = MESSAGE_KEY.pack
_read_checksum = CHECKSUM.unpack_from


class LmdbStore:
    """The store of a data folder; `interface.Store` describes the methods.

    `map_size` is the address space in bytes, the upper bound of the file. Raises `StoreLocked` while another process
    has the folder, `StoreNewer`, `StoreDamaged`.
    """

    def __init__(self, path: str | os.PathLike[str], *, map_size: int = DEFAULT_MAP_SIZE) -> None:
        self._folder = DataFolder(path)
        self._failure: StoreError | None = None
        self._folder.create()
        self._folder.lock()
        try:
            self._environment, self._tables = open_environment(self._folder, map_size)
            try:
                self._page_size: int = self._environment.stat()["psize"]
                self._room = FileRoom(self._folder.messages, map_size, used_bytes(self._environment))
                self._staging = StagingFolder(self._folder.staging, self._chunks_in_use())
                self._spill = SpillArea(self._folder.spill)
            except BaseException:
                self._environment.close()
                raise
        except BaseException:
            self._folder.unlock()
            raise

    def commit(self, units: Sequence[Unit]) -> list[StoreError | None]:
        """Applies units in one transaction; see `interface.Store.commit`."""
        if not units:
            return []
        error = self._commit_together(units)
        if error is None:
            return [None] * len(units)
        if len(units) == 1 or self._failure is not None:
            return [error] * len(units)
        return [self._commit_together([unit]) for unit in units]

    def _commit_together(self, units: Sequence[Unit]) -> StoreError | None:
        """One transaction, one sync; None, or why nothing of it was applied."""
        if self._failure is not None:
            return self._failure
        try:
            with self._environment.begin(write=True) as transaction:
                writer = UnitWriter(self._environment, transaction, self._tables, self._staging)
                for unit in units:
                    writer.apply(unit)
                writer.finish()
                if writer.adds:
                    self._room.claim(writer.live_pages() * self._page_size)
                if writer.claimed:
                    self._staging.sync(writer.claimed)
        except (RowError, StoreFull, StoreDamaged) as error:
            return error
        except (struct.error, lmdb.BadValsizeError) as error:
            return RowError(str(error))
        except (lmdb.MapFullError, lmdb.TxnFullError) as error:
            return StoreFull(f"{self._folder.messages}: {error}")
        except (lmdb.Error, OSError) as error:
            if is_disk_full(error, self._folder.path):
                return StoreFull(f"{self._folder.path}: {error}")
            # What a failed sync left on disk is unknown, so nothing more is promised.
            self._failure = StoreDamaged(f"a commit failed: {error}", str(self._folder.path))
            return self._failure
        self._staging.keep(writer.claimed)
        self._staging.delete(writer.released)
        return None

    def stage(self, chunk: Piece) -> int:
        """Writes a part of a body ahead; see `interface.Store.stage`."""
        return self._staging.write(chunk)

    def unstage(self, chunks: Iterable[int]) -> None:
        """Gives back staged chunks; see `interface.Store.unstage`."""
        self._staging.discard(chunks)

    def read_staged(self, chunk: int, offset: int = 0, length: int | None = None) -> bytes:
        """A slice of a staged chunk; see `interface.Store.read_staged`."""
        return self._staging.read_fresh(chunk, offset, length)

    def read(self, queue: int, position: int, offset: int = 0, length: int | None = None) -> bytes:
        """A slice of a body; a whole one is checked against its CRC32. See `interface.Store.read`."""
        key = _message_key(queue, position)
        try:
            with self._environment.begin(self._tables.bodies, None, False, True) as transaction:
                row = transaction.get(key)
                if row is not None:
                    if offset or length is not None:
                        start = CHECKSUM_LENGTH + offset
                        return bytes(row[start:] if length is None else row[start : start + length])
                    body = bytes(row[CHECKSUM_LENGTH:])
                    if crc32(body) != _read_checksum(row)[0]:
                        raise StoreDamaged("a body is not what was written (its CRC32 differs)", message_place(key))
                    return body
                staged_row = transaction.get(key, db=self._tables.staged)
                if staged_row is None:
                    raise MessageMissing(queue, position)
                staged = read_staged_row(staged_row, message_place(key))
        except lmdb.Error as error:
            raise self._damage(error, message_place(key)) from error
        try:
            return self._read_staged_body(staged, offset, length)
        except StoreDamaged:
            # The writer takes chunks away after it took the row.
            if self._is_staged(key):
                raise
            raise MessageMissing(queue, position) from None

    def _is_staged(self, key: bytes) -> bool:
        with self._environment.begin(db=self._tables.staged) as transaction:
            return transaction.get(key) is not None

    def _read_staged_body(self, body: StagedRow, offset: int, length: int | None) -> bytes:
        end = len(body) if length is None else min(offset + length, len(body))
        pieces = [body.head[offset:end]]
        start = len(body.head)
        for chunk in body.chunks:
            if start < end and start + chunk.length > offset:
                skip = max(offset - start, 0)
                pieces.append(self._staging.read(chunk, skip, min(end - start, chunk.length) - skip))
            start += chunk.length
        if end > start:
            pieces.append(body.tail[max(offset - start, 0) : end - start])
        return b"".join(pieces)

    def length(self, queue: int, position: int) -> int:
        """Length of a body; see `interface.Store.length`."""
        return self._index_row(queue, position)[1]

    def index(self, queue: int, position: int) -> bytes:
        """The index fields of a message; see `interface.Store.index`."""
        return self._index_row(queue, position)[0]

    def _index_row(self, queue: int, position: int) -> tuple[bytes, int]:
        key = _message_key(queue, position)
        try:
            with self._environment.begin(db=self._tables.index) as transaction:
                row = transaction.get(key)
        except lmdb.Error as error:
            raise self._damage(error, message_place(key)) from error
        if row is None:
            raise MessageMissing(queue, position)
        return read_index_row(row, key)

    def scan(self, queue: int) -> Iterator[tuple[int, bytes, int]]:
        """Every message of a queue; see `interface.Store.scan`."""
        for key, row in self._rows("index", _message_key(queue, 0), _message_key(queue, MAX_POSITION)):
            index, length = read_index_row(row, key)
            yield MESSAGE_KEY.unpack(key)[1], index, length

    def scan_all(self) -> Iterator[tuple[int, int, bytes, int]]:
        """Every message; see `interface.Store.scan_all`."""
        for key, row in self._rows("index", _FIRST_KEY):
            queue, position = MESSAGE_KEY.unpack(key)
            index, length = read_index_row(row, key)
            yield queue, position, index, length

    def queues(self) -> Iterator[int]:
        """The queues that hold messages; see `interface.Store.queues`."""
        start: bytes | None = _FIRST_KEY
        while start is not None:
            found = next(self._rows("index", start, step=1), None)
            if found is None:
                return
            queue: int = MESSAGE_KEY.unpack(found[0])[0]
            yield queue
            start = _message_key(queue + 1, 0) if queue < MAX_QUEUE else None

    def record(self, table: str, key: bytes) -> bytes | None:
        """The value of one record; see `interface.Store.record`."""
        where = f"table {table}, key {key!r}"
        try:
            with self._environment.begin(db=self._tables.records) as transaction:
                row = transaction.get(record_key(table, key))
        except lmdb.Error as error:
            raise self._damage(error, where) from error
        return None if row is None else unseal(row, where)

    def records(self, table: str) -> Iterator[tuple[bytes, bytes]]:
        """Every record of a table; see `interface.Store.records`."""
        prefix = record_prefix(table)
        for key, row in self._rows("records", prefix):
            if not key.startswith(prefix):
                return
            own = key[len(prefix) :]
            yield own, unseal(row, f"table {table}, key {own!r}")

    def branches(self) -> Iterator[tuple[bytes, list[Operation]]]:
        """Every prepared branch; see `interface.Store.branches`."""
        for branch, operations in self._branch_rows():
            yield branch, [public_operation(operation) for operation in operations]

    def _branch_rows(self) -> Iterator[tuple[bytes, Iterator[Operation | AddStaged]]]:
        for branch, row in self._rows("branches", b"", step=1):
            where = f"branch {branch.hex()}"
            yield branch, decode_operations(unseal(row, where), where)

    def _rows(
        self, table: str, start: bytes, last: bytes | None = None, step: int = SCAN_STEP
    ) -> Iterator[tuple[bytes, bytes]]:
        """Rows of a table from one key to another, both included, some in each transaction."""
        database: _Database = getattr(self._tables, table)
        while True:
            try:
                with self._environment.begin(db=database) as transaction:
                    cursor = transaction.cursor()
                    rows = list(islice(cursor.iternext(), step)) if cursor.set_range(start) else []
            except lmdb.Error as error:
                raise self._damage(error, table) from error
            if last is not None and rows and rows[-1][0] > last:
                yield from takewhile(lambda row: row[0] <= last, rows)
                return
            yield from rows
            if len(rows) < step:
                return
            start = rows[-1][0] + b"\0"

    def _chunks_in_use(self) -> set[int]:
        """The staged chunks that messages and prepared branches refer to."""
        used: set[int] = set()
        for key, row in self._rows("staged", _FIRST_KEY):
            used.update(chunk.number for chunk in read_staged_row(row, message_place(key)).chunks)
        for _, operations in self._branch_rows():
            for operation in operations:
                if isinstance(operation, AddStaged):
                    used.update(chunk.number for chunk in operation.body.chunks)
        return used

    def spill(self, body: Piece) -> int:
        """Keeps a body outside memory; see `interface.Store.spill`."""
        return self._spill.write(body)

    def read_spilled(self, spilled: int, offset: int = 0, length: int | None = None) -> bytes:
        """A slice of a spilled body; see `interface.Store.read_spilled`."""
        return self._spill.read(spilled, offset, length)

    def drop_spilled(self, spilled: Iterable[int]) -> None:
        """Gives back spilled bodies; see `interface.Store.drop_spilled`."""
        self._spill.drop(spilled)

    def close(self) -> None:
        """Closes the files and gives the folder free; a second call does nothing."""
        if self._failure is _CLOSED:
            return
        self._failure = _CLOSED
        self._spill.close()
        self._environment.close()
        self._folder.unlock()

    def _damage(self, error: lmdb.Error, where: str) -> StoreError:
        if self._failure is _CLOSED:
            return _CLOSED
        return StoreDamaged(f"LMDB cannot read: {error}", f"{self._folder.messages}, {where}")


_CLOSED = StoreError("the store is closed")
