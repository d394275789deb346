"""A store in one file of SQLite, with nothing but the standard library: the store of a device.

WAL with ``synchronous=FULL``: a commit is on disk when it returns. The file is opened by one process alone. A message
is one row whose key stands for queue and position (`sqlite_keys`). SQLite has no sums of its own, so every value stands
behind its CRC32, which covers queue and position, or the key of a record; that of a body is in a column, so that a
slice is read without the rest (and without its sum).
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final
from zlib import crc32

from mqbridge.bridge.store.branch_rows import decode_operations, public_operation
from mqbridge.bridge.store.disk import free_space
from mqbridge.bridge.store.errors import (
    MessageMissing,
    StoreDamaged,
    StoreError,
    StoreFailed,
    StoreFull,
)
from mqbridge.bridge.store.operations import MAX_CHUNK, AddMessage, Operation, PrepareBranch, Unit
from mqbridge.bridge.store.rows import unseal
from mqbridge.bridge.store.sqlite_file import SqliteFile, SqliteParts
from mqbridge.bridge.store.sqlite_keys import SqliteKeys, stored_position
from mqbridge.bridge.store.sqlite_operations import (
    SqliteOperations,
    message_sum,
    record_sum,
    slice_of,
)

if TYPE_CHECKING:
    from pathlib import Path

_AT_ONCE: Final = 256
"""Rows that an iterator reads at once."""
RESERVE: Final = 8 << 20
"""Free bytes of the disk below which no message is added, so that those that are there can still be sent and deleted:
that needs room in the log."""
_SLICE: Final = 1 << 16
"""Shortest rest of a body, in bytes, that a slice leaves unread."""


class SqliteStore:
    """Rows in one file; `interface.Store` describes the methods.

    Raises `StoreLocked` while another process has it open, `StoreNewer` for a file of a newer release, `StoreDamaged`
    for one that is no store, `StoreFailed` for one that cannot be opened.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = path
        self._file = SqliteFile(path)
        self._lock = self._file.lock
        self._failed: StoreFailed | None = None
        self._keys = SqliteKeys(self._file.connection, self._file.rows, str(path))
        self._operations = SqliteOperations(self._file.connection, self._keys, str(path))
        self.staged = SqliteParts(self._file, "parts", MAX_CHUNK)
        self.spilled = SqliteParts(self._file, "temp.spilled", 0)
        self._folder = os.open(os.path.dirname(path) or ".", getattr(os, "O_PATH", os.O_RDONLY))

    # Writing

    def commit(self, units: Sequence[Unit]) -> list[StoreError | None]:
        """Apply units in order, each atomically, in one transaction; see `interface.Store.commit`."""
        with self._lock:
            if self._failed is not None:
                return [self._failed] * len(units)
            if _adds(units) and _scarce(self._folder):
                return [_full() if _adds((unit,)) else self.commit([unit])[0] for unit in units]
            found = self._transaction(units)
            if found is None:
                found = self._transaction(units) if self._file.make_room() else None
            if found is None and len(units) > 1:
                return [each for unit in units for each in self._transaction([unit]) or [_full()]]
            return [_full()] * len(units) if found is None else found

    def _transaction(self, units: Sequence[Unit]) -> list[StoreError | None] | None:
        """Commit units together. Returns None if there is no space for them."""
        try:
            if len(units) == 1:
                return [self._operations.commit(units[0])]
            return self._operations.commit_together(units)
        except sqlite3.Error as error:
            full = isinstance(self._file.error(error), StoreFull)
            self._keys.taken_back()
            if self._file.taken_back() and full:
                return None
            self._failed = StoreFailed(str(error), str(self._path))
            return [self._failed] * len(units)
        except BaseException:
            self._keys.taken_back()
            self._file.taken_back()
            raise

    # Reading

    def read(self, queue: int, position: int, offset: int = 0, length: int | None = None) -> bytes:
        """Return a slice of a body; see `interface.Store.read`."""
        with self._lock:
            if length is not None:
                whole, head = self._columns("length, head", queue, position)
                if head is None and length + _SLICE < whole:
                    return self._slice(self._keys.find(queue, position) or 0, offset, length)
            data = self._body(queue, position, *self._columns("head, sum, body", queue, position))
        return bytes(slice_of(data, offset, length))

    def _body(self, queue: int, position: int, head: int | None, checksum: int, data: bytes) -> bytes:
        """The body of a row: what it has itself, and its parts if it has any."""
        if crc32(data, crc32(message_sum(queue, position))) != checksum:
            raise StoreDamaged("a body is not what was written (its CRC32 differs)", self._place(queue, position))
        if head is None:
            return data
        key = queue, stored_position(position)
        parts = self._file.rows("SELECT data FROM parts WHERE queue = ? AND position = ? ORDER BY place", key)
        where = self._place(queue, position)
        return b"".join([data[:head], *(unseal(part, where) for (part,) in parts), data[head:]])

    def _slice(self, number: int, offset: int, length: int) -> bytes:
        """A part of a long body, read without the rest."""
        try:
            with self._file.connection.blobopen("messages", "body", number, readonly=True) as blob:
                blob.seek(min(offset, len(blob)))
                return blob.read(length)
        except sqlite3.Error as error:
            raise self._file.error(error) from None

    def _place(self, queue: int, position: int) -> str:
        return f"{self._path}, queue {queue}, position {position}"

    def read_many(self, queue: int, positions: Sequence[int]) -> list[bytes]:
        """Return whole bodies; see `interface.Store.read_many`."""
        found: list[bytes] = []
        for at in range(0, len(positions), _AT_ONCE):
            found += self._read_together(queue, positions[at : at + _AT_ONCE])
        return found

    def _read_together(self, queue: int, positions: Sequence[int]) -> list[bytes]:
        with self._lock:
            keys = [self._keys.find(queue, position) for position in positions]
            statement = f"SELECT id, head, sum, body FROM messages WHERE id IN ({', '.join('?' * len(keys))})"
            rows = {key: row for key, *row in self._file.rows(statement, keys)}
            for position, key in zip(positions, keys, strict=True):
                if key not in rows:
                    raise MessageMissing(queue, position)
            return [self._body(queue, position, *rows[key]) for position, key in zip(positions, keys, strict=True)]

    def length(self, queue: int, position: int) -> int:
        """Return the length of a body; see `interface.Store.length`."""
        return int(self._columns("length", queue, position)[0])

    def index(self, queue: int, position: int) -> bytes:
        """Return the index fields of a message; see `interface.Store.index`."""
        return self._index(self._columns("idx", queue, position)[0], queue, position)

    def _index(self, row: bytes, queue: int, position: int) -> bytes:
        return unseal(row, self._place(queue, position), message_sum(queue, position))

    def _columns(self, names: str, queue: int, position: int) -> Any:
        key = self._keys.find(queue, position)
        found = None if key is None else self._file.row(f"SELECT {names} FROM messages WHERE id = ?", (key,))
        if found is None:
            raise MessageMissing(queue, position)
        return found

    def scan(self, queue: int) -> Iterator[tuple[int, bytes, int]]:
        """Yield every message of a queue; see `interface.Store.scan`."""
        statement = "SELECT id, idx, length FROM messages WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?"
        for each in self._keys.of(queue):
            rows = self._at_once(statement, (each.first, each.last))
            while rows:
                for key, index, length in rows:
                    position = each.position(key)
                    yield position, self._index(index, queue, position), length
                rows = self._at_once(statement, (rows[-1][0] + 1, each.last))

    def _at_once(self, statement: str, values: Sequence[Any]) -> list[Any]:
        return self._file.rows(statement, (*values, _AT_ONCE))

    def scan_all(self) -> Iterator[tuple[int, int, bytes, int]]:
        """Yield every message; see `interface.Store.scan_all`."""
        for queue in self.queues():
            for position, index, length in self.scan(queue):
                yield queue, position, index, length

    def queues(self) -> Iterator[int]:
        """Yield the queues that hold messages; see `interface.Store.queues`."""
        statement = "SELECT 1 FROM messages WHERE id BETWEEN ? AND ? LIMIT 1"
        for queue in self._keys.queues():
            if any(self._file.row(statement, (each.first, each.last)) for each in self._keys.of(queue)):
                yield queue

    def record(self, table: str, key: bytes) -> bytes | None:
        """Return the value of a record; see `interface.Store.record`."""
        found = self._file.row("SELECT value FROM records WHERE name = ? AND key = ?", (table, key))
        return None if found is None else self._value(table, key, found[0])

    def _value(self, table: str, key: bytes, row: bytes) -> bytes:
        return unseal(row, f"{self._path}, record of table {table}", record_sum(table, key))

    def records(self, table: str) -> Iterator[tuple[bytes, bytes]]:
        """Yield every record of a table; see `interface.Store.records`."""
        rows = self._at_once("SELECT key, value FROM records WHERE name = ? ORDER BY key LIMIT ?", (table,))
        while rows:
            for key, value in rows:
                yield bytes(key), self._value(table, key, value)
            statement = "SELECT key, value FROM records WHERE name = ? AND key > ? ORDER BY key LIMIT ?"
            rows = self._at_once(statement, (table, rows[-1][0]))

    def branches(self) -> Iterator[tuple[bytes, list[Operation]]]:
        """Yield every prepared branch; see `interface.Store.branches`."""
        for branch, row in self._file.rows("SELECT branch, operations FROM branches ORDER BY branch"):
            data = unseal(row, str(self._path), branch)
            yield bytes(branch), [public_operation(each) for each in decode_operations(data, str(self._path))]

    def take_note(self) -> str | None:
        """Return None: SQLite repairs without loss."""
        return None

    def require_place(self) -> None:
        """Raise `StoreFailed` if the file is gone, or another one is in its place."""
        if not self._file.in_place:
            raise StoreFailed("the file is gone", str(self._path))

    def check(self) -> None:
        """Read all pages. Raises `StoreDamaged`."""
        found = self._file.row("PRAGMA integrity_check(1)")[0]
        if found != "ok":
            raise StoreDamaged(found, str(self._path))

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._file.connection.close()
            if self._folder >= 0:
                os.close(self._folder)
                self._folder = -1


def _scarce(folder: int) -> bool:
    try:
        return free_space(folder) < RESERVE
    except OSError:
        return False


def _adds(units: Sequence[Unit]) -> bool:
    """Whether units add messages."""
    for unit in units:
        for each in unit:
            if isinstance(each, (AddMessage, PrepareBranch)):
                return True
    return False


def _full() -> StoreError:
    return StoreFull("the disk is full, or a body too long")
