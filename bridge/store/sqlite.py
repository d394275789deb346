"""A store in one file of SQLite, with nothing but the standard library: the store of a device.

WAL with ``synchronous=FULL``: a commit is on disk when it returns. The file is opened by one process alone. Positions
have 64 bits without a sign and SQLite's integers one, so they are stored with their top bit changed, which keeps the
order.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from threading import RLock
from typing import Any, Final

from mqbridge.bridge.store.branch_rows import decode_operations, public_operation
from mqbridge.bridge.store.errors import (
    ChunkMissing,
    MessageMissing,
    RowError,
    StoreDamaged,
    StoreError,
    StoreFailed,
    StoreFull,
    StoreLocked,
    StoreNewer,
)
from mqbridge.bridge.store.operations import MAX_CHUNK, Operation, Piece, Unit
from mqbridge.bridge.store.sqlite_operations import TOP_BIT, SqliteOperations, stored_position

VERSION: Final = 1
APPLICATION: Final = 0x4D516520
"""``MQe `` as the application id of the file."""
_CACHE: Final = 1024
"""KiB of pages in memory."""
_CHECKPOINT: Final = 400
"""Pages of the log after which SQLite writes them into the file."""
_AT_ONCE: Final = 256
"""Rows that an iterator reads at once."""
_LONGEST: Final = 2**31 - 1
_SCHEMA: Final = """
CREATE TABLE messages (queue INTEGER, position INTEGER, idx BLOB, length INTEGER, head INTEGER, body BLOB,
                       PRIMARY KEY (queue, position));
CREATE TABLE parts (id INTEGER PRIMARY KEY AUTOINCREMENT, queue INTEGER, position INTEGER, branch BLOB,
                    place INTEGER, length INTEGER, data BLOB);
CREATE INDEX parts_of_messages ON parts (queue, position) WHERE queue IS NOT NULL;
CREATE TABLE records (name TEXT, key BLOB, value BLOB, PRIMARY KEY (name, key)) WITHOUT ROWID;
CREATE TABLE branches (branch BLOB PRIMARY KEY, operations BLOB) WITHOUT ROWID;
"""


class SqliteParts:
    """Parts of bodies in a table; `interface.PartArea` describes the methods."""

    def __init__(self, store: SqliteStore, table: str, limit: int) -> None:
        self._store = store
        self._insert = f"INSERT INTO {table} (length, data) VALUES (?, ?)"
        free = " AND queue IS NULL AND branch IS NULL" if table == "parts" else ""
        self._select = f"SELECT substr(data, ?, ?) FROM {table} WHERE id = ?{free}"
        self._delete = f"DELETE FROM {table} WHERE id = ?{free}"
        self._limit = limit

    def write(self, part: Piece) -> int:
        """Keep a part; see `interface.PartArea.write`."""
        if 0 < self._limit < len(part):
            raise ValueError(f"a chunk of {len(part)} bytes is longer than {self._limit}")
        return int(self._store.run(self._insert, (len(part), bytes(part))).lastrowid or 0)

    def read(self, part: int, offset: int = 0, length: int | None = None) -> bytes:
        """Return a slice of a part; see `interface.PartArea.read`."""
        row = self._store.run(self._select, (offset + 1, _LONGEST if length is None else length, part)).fetchone()
        if row is None:
            raise ChunkMissing(part)
        return bytes(row[0] or b"")

    def drop(self, parts: Iterable[int]) -> None:
        """Delete parts; see `interface.PartArea.drop`."""
        for part in parts:
            self._store.run(self._delete, (part,))


class SqliteStore:
    """Rows in one file; `interface.Store` describes the methods.

    Raises `StoreLocked` while another process has it open, `StoreNewer` for a file of a newer release, `StoreDamaged`
    for one that is no store.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = RLock()
        self._failed: StoreFailed | None = None
        self._database = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=0)
        self._operations = SqliteOperations(self._database, str(path))
        try:
            self._open()
        except sqlite3.DatabaseError as error:
            self._database.close()
            if "locked" in str(error):
                raise StoreLocked(str(path), 0) from None
            raise StoreDamaged(str(error), str(path)) from None
        except StoreError:
            self._database.close()
            raise
        self.staged = SqliteParts(self, "parts", MAX_CHUNK)
        self.spilled = SqliteParts(self, "temp.spilled", 0)

    def _open(self) -> None:
        run = self._database.execute
        run("PRAGMA locking_mode = EXCLUSIVE")
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = FULL")
        run(f"PRAGMA cache_size = -{_CACHE}")
        run(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT}")
        run("PRAGMA temp_store = FILE")
        run("BEGIN IMMEDIATE")
        application, version = (run(f"PRAGMA {each}").fetchone()[0] for each in ("application_id", "user_version"))
        if version > VERSION:
            raise StoreNewer(str(self._path), version, VERSION)
        if application != APPLICATION:
            if run("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                raise StoreDamaged("this file of SQLite is no store", str(self._path))
            for statement in _SCHEMA.split(";")[:-1]:
                run(statement)
            run(f"PRAGMA application_id = {APPLICATION}")
            run(f"PRAGMA user_version = {VERSION}")
        # Parts whose commit never came.
        run("DELETE FROM parts WHERE queue IS NULL AND branch IS NULL")
        run("COMMIT")
        run("CREATE TEMP TABLE spilled (id INTEGER PRIMARY KEY AUTOINCREMENT, length INTEGER, data BLOB)")

    def run(self, statement: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        """Run one statement. Raises `StoreFull`, `StoreDamaged`."""
        with self._lock:
            try:
                return self._database.execute(statement, values)
            except sqlite3.Error as error:
                raise self._error(error) from None

    def _error(self, error: sqlite3.Error) -> StoreError:
        if error.sqlite_errorcode in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_TOOBIG):
            return StoreFull(str(error))
        return StoreDamaged(str(error), str(self._path))

    # Writing

    def commit(self, units: Sequence[Unit]) -> list[StoreError | None]:
        """Apply units in order, each atomically, in one transaction; see `interface.Store.commit`."""
        with self._lock:
            if self._failed is not None:
                return [self._failed] * len(units)
            found = self._transaction(units)
            if found is None and len(units) > 1:
                return [each for unit in units for each in self._transaction([unit]) or [self._full()]]
            return [self._full()] * len(units) if found is None else found

    @staticmethod
    def _full() -> StoreError:
        return StoreFull("the disk is full, or a body too long")

    def _transaction(self, units: Sequence[Unit]) -> list[StoreError | None] | None:
        """Commit units together. Returns None if there is no space for them."""
        run = self._database.execute
        found: list[StoreError | None] = []
        try:
            run("BEGIN IMMEDIATE")
            for unit in units:
                run("SAVEPOINT unit")
                try:
                    for operation in unit:
                        self._operations.apply(operation)
                    found.append(None)
                except RowError as error:
                    run("ROLLBACK TO unit")
                    found.append(error)
                run("RELEASE unit")
            run("COMMIT")
        except sqlite3.Error as error:
            full = isinstance(self._error(error), StoreFull)
            try:
                if self._database.in_transaction:
                    run("ROLLBACK")
            except sqlite3.Error:
                full = False
            if full:
                return None
            self._failed = StoreFailed(str(error), str(self._path))
            return [self._failed] * len(units)
        return found

    # Reading

    def read(self, queue: int, position: int, offset: int = 0, length: int | None = None) -> bytes:
        """Return a slice of a body; see `interface.Store.read`."""
        key = queue, stored_position(position)
        with self._lock:
            row = self.run("SELECT head, body FROM messages WHERE queue = ? AND position = ?", key).fetchone()
            if row is None:
                raise MessageMissing(queue, position)
            head, data = row
            if head is not None:
                parts = self.run("SELECT data FROM parts WHERE queue = ? AND position = ? ORDER BY place", key)
                data = b"".join([data[:head], *(part for (part,) in parts), data[head:]])
        return bytes(data[offset:] if length is None else data[offset : offset + length])

    def read_many(self, queue: int, positions: Sequence[int]) -> list[bytes]:
        """Return whole bodies; see `interface.Store.read_many`."""
        return [self.read(queue, position) for position in positions]

    def length(self, queue: int, position: int) -> int:
        """Return the length of a body; see `interface.Store.length`."""
        return int(self._column("length", queue, position))

    def index(self, queue: int, position: int) -> bytes:
        """Return the index fields of a message; see `interface.Store.index`."""
        return bytes(self._column("idx", queue, position))

    def _column(self, name: str, queue: int, position: int) -> Any:
        row = self.run(
            f"SELECT {name} FROM messages WHERE queue = ? AND position = ?", (queue, stored_position(position))
        ).fetchone()
        if row is None:
            raise MessageMissing(queue, position)
        return row[0]

    def scan(self, queue: int) -> Iterator[tuple[int, bytes, int]]:
        """Yield every message of a queue; see `interface.Store.scan`."""
        columns = "SELECT position, idx, length FROM messages WHERE queue = ?"
        rows = self._at_once(f"{columns} ORDER BY position LIMIT ?", (queue,))
        while rows:
            for position, index, length in rows:
                yield position + TOP_BIT, bytes(index), length
            rows = self._at_once(f"{columns} AND position > ? ORDER BY position LIMIT ?", (queue, rows[-1][0]))

    def _at_once(self, statement: str, values: Sequence[Any]) -> list[Any]:
        with self._lock:
            return self.run(statement, (*values, _AT_ONCE)).fetchall()

    def scan_all(self) -> Iterator[tuple[int, int, bytes, int]]:
        """Yield every message; see `interface.Store.scan_all`."""
        for queue in self.queues():
            for position, index, length in self.scan(queue):
                yield queue, position, index, length

    def queues(self) -> Iterator[int]:
        """Yield the queues that hold messages; see `interface.Store.queues`."""
        with self._lock:
            rows = self.run("SELECT DISTINCT queue FROM messages ORDER BY queue").fetchall()
        for (queue,) in rows:
            yield queue

    def record(self, table: str, key: bytes) -> bytes | None:
        """Return the value of a record; see `interface.Store.record`."""
        row = self.run("SELECT value FROM records WHERE name = ? AND key = ?", (table, key)).fetchone()
        return None if row is None else bytes(row[0])

    def records(self, table: str) -> Iterator[tuple[bytes, bytes]]:
        """Yield every record of a table; see `interface.Store.records`."""
        rows = self._at_once("SELECT key, value FROM records WHERE name = ? ORDER BY key LIMIT ?", (table,))
        while rows:
            for key, value in rows:
                yield bytes(key), bytes(value)
            statement = "SELECT key, value FROM records WHERE name = ? AND key > ? ORDER BY key LIMIT ?"
            rows = self._at_once(statement, (table, rows[-1][0]))

    def branches(self) -> Iterator[tuple[bytes, list[Operation]]]:
        """Yield every prepared branch; see `interface.Store.branches`."""
        with self._lock:
            rows = self.run("SELECT branch, operations FROM branches ORDER BY branch").fetchall()
        for branch, data in rows:
            yield bytes(branch), [public_operation(each) for each in decode_operations(data, str(self._path))]

    def take_note(self) -> str | None:
        """Return None: SQLite repairs without loss."""
        return None

    def require_place(self) -> None:
        """Raise `StoreFailed` if the file is gone, or another one is in its place."""
        if not self._path.exists():
            raise StoreFailed("the file is gone", str(self._path))

    def check(self) -> None:
        """Read all pages. Raises `StoreDamaged`."""
        found = self.run("PRAGMA integrity_check(1)").fetchone()[0]
        if found != "ok":
            raise StoreDamaged(found, str(self._path))

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._database.close()
