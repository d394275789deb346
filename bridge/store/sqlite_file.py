"""One file of SQLite for one process: how it is opened, and what its errors mean (`bridge.store.sqlite`)."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import suppress
from threading import RLock
from typing import TYPE_CHECKING, Any, Final

from mqbridge.bridge.store.errors import (
    ChunkMissing,
    StoreDamaged,
    StoreError,
    StoreFailed,
    StoreFull,
    StoreLocked,
    StoreNewer,
)
from mqbridge.bridge.store.operations import Piece
from mqbridge.bridge.store.rows import seal, unseal
from mqbridge.bridge.store.sqlite_keys import LOW, SHIFT
from mqbridge.bridge.store.sqlite_operations import slice_of

if TYPE_CHECKING:
    from pathlib import Path

VERSION: Final = 2
"""1 had messages under queue and position, which is a second tree; they are moved when the file is opened."""
APPLICATION: Final = 0x4D516520
"""``MQe `` as the application id of the file."""
_CACHE: Final = 512
"""KiB of pages in memory."""
_CHECKPOINT: Final = 400
"""Pages of the log after which SQLite writes them into the file."""
_MAX_LOG: Final = 4 << 20
"""Bytes to which the log is cut when all of it is in the file."""
_FULL: Final = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_IOERR_WRITE)
"""Codes after which a transaction that could be taken back has not happened: a quota or a limit of the size of files is
an error of writing, unlike one of syncing."""
_CLOSED: Final = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR)
_PRIMARY: Final = 0xFF
_MODE: Final = 0o600
_SCHEMA: Final = """
CREATE TABLE parts (id INTEGER PRIMARY KEY AUTOINCREMENT, queue INTEGER, position INTEGER, branch BLOB,
                    place INTEGER, length INTEGER, data BLOB);
CREATE INDEX parts_of_messages ON parts (queue, position) WHERE queue IS NOT NULL;
CREATE TABLE records (name TEXT, key BLOB, value BLOB, PRIMARY KEY (name, key)) WITHOUT ROWID;
CREATE TABLE branches (branch BLOB PRIMARY KEY, operations BLOB) WITHOUT ROWID;
"""
_MESSAGES: Final = """
CREATE TABLE ranges (id INTEGER PRIMARY KEY, queue INTEGER, upper INTEGER);
CREATE TABLE messages (id INTEGER PRIMARY KEY, idx BLOB, length INTEGER, head INTEGER, sum INTEGER, body BLOB);
"""
_FROM_1: Final = f"""
ALTER TABLE messages RENAME TO messages_1;
{_MESSAGES.strip()}
INSERT INTO ranges (queue, upper) SELECT DISTINCT queue, position >> {SHIFT} FROM messages_1;
"""
_SOME: Final = "(SELECT rowid FROM messages_1 ORDER BY rowid LIMIT 100)"
_MOVE: Final = f"""
INSERT INTO messages SELECT (ranges.id << {SHIFT}) | (position & {LOW}), idx, length, head, sum, body
    FROM messages_1 JOIN ranges ON ranges.queue = messages_1.queue AND upper = position >> {SHIFT}
    WHERE messages_1.rowid IN {_SOME};
DELETE FROM messages_1 WHERE rowid IN {_SOME};
"""


class SqliteFile:
    """The file and its connection, which threads share under ``lock``.

    Raises `StoreLocked` while another process has it open, `StoreNewer` for a file of a newer release, `StoreDamaged`
    for one that is no store, `StoreFailed` for one that cannot be opened.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = path
        self.lock = RLock()
        try:
            # Nobody else is to read it, and SQLite gives its log the same rights. One that is there is not opened: to
            # close it would end the locks that another store of this process has on it.
            with suppress(FileExistsError):
                os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _MODE))
            self.connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=0)
            status = os.stat(path)
        except (sqlite3.Error, OSError) as error:
            raise StoreFailed(str(error), str(path)) from None
        self._identity = status.st_dev, status.st_ino
        try:
            self._open()
        except sqlite3.Error as error:
            self.connection.close()
            raise self._refusal(error) from None
        except BaseException:
            self.connection.close()
            raise

    @property
    def in_place(self) -> bool:
        """Whether it is the file at its path."""
        try:
            status = os.stat(self.path)
        except OSError:
            return False
        return (status.st_dev, status.st_ino) == self._identity

    def _open(self) -> None:
        run = self.connection.execute
        run("PRAGMA locking_mode = EXCLUSIVE")
        # Nothing is written before it is clear whose file this is.
        new = self._require_store()
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = FULL")
        run(f"PRAGMA cache_size = -{_CACHE}")
        run(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT}")
        run(f"PRAGMA journal_size_limit = {_MAX_LOG}")
        run("PRAGMA temp_store = FILE")
        run("BEGIN IMMEDIATE")
        if new or run("PRAGMA user_version").fetchone()[0] < VERSION:
            for statement in (_SCHEMA + _MESSAGES if new else _FROM_1).split(";")[:-1]:
                run(statement)
            run(f"PRAGMA application_id = {APPLICATION}")
            run(f"PRAGMA user_version = {VERSION}")
        # Parts whose commit never came.
        run("DELETE FROM parts WHERE queue IS NULL AND branch IS NULL")
        run("COMMIT")
        self._move_messages()
        run("CREATE TEMP TABLE spilled (id INTEGER PRIMARY KEY AUTOINCREMENT, length INTEGER, data BLOB)")

    def _move_messages(self) -> None:
        """Move messages of version 1 to their present table, some at a time, so that their room is used again; what a
        crash leaves there is moved the next time."""
        run = self.connection.execute
        while run("SELECT 1 FROM sqlite_master WHERE name = 'messages_1'").fetchone():
            run("BEGIN IMMEDIATE")
            for statement in _MOVE.split(";")[:-1]:
                run(statement)
            if not run("SELECT 1 FROM messages_1 LIMIT 1").fetchone():
                run("DROP TABLE messages_1")
            run("COMMIT")

    def _require_store(self) -> bool:
        """Whether the file is new and empty. Raises `StoreNewer`, `StoreDamaged`."""
        run = self.connection.execute
        application, version = (run(f"PRAGMA {each}").fetchone()[0] for each in ("application_id", "user_version"))
        if application != APPLICATION:
            if application or run("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                raise StoreDamaged("this file of SQLite is no store", str(self.path))
            return True
        if version > VERSION:
            raise StoreNewer(str(self.path), version, VERSION)
        return False

    def _refusal(self, error: sqlite3.Error) -> StoreError:
        """Why the file cannot be opened."""
        code = _code(error) & _PRIMARY
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return StoreLocked(str(self.path), 0)
        return StoreFailed(str(error), str(self.path)) if code in _CLOSED else self.error(error)

    def run(self, statement: str, values: Sequence[Any] = ()) -> None:
        """Run one statement that returns nothing. Raises `StoreFull`, `StoreDamaged`."""
        self.rows(statement, values)

    def insert(self, statement: str, values: Sequence[Any]) -> int:
        """Insert a row. Returns its number. Raises `StoreFull`, `StoreDamaged`."""
        with self.lock:
            try:
                return int(self.connection.execute(statement, values).lastrowid or 0)
            except sqlite3.Error as error:
                raise self.error(error) from None

    def rows(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        """Return all rows of a statement. Raises `StoreFull`, `StoreDamaged`."""
        with self.lock:
            try:
                return self.connection.execute(statement, values).fetchall()
            except sqlite3.Error as error:
                raise self.error(error) from None

    def row(self, statement: str, values: Sequence[Any] = ()) -> Any:
        """Return the row of a statement that finds one or none, or None. Raises `StoreFull`, `StoreDamaged`."""
        found = self.rows(statement, values)
        return found[0] if found else None

    def error(self, error: sqlite3.Error) -> StoreError:
        """Return what an error of a statement means."""
        return StoreFull(str(error)) if _code(error) in _FULL else StoreDamaged(str(error), str(self.path))

    def make_room(self) -> bool:
        """Write the log into the file, so that it begins anew. Returns whether there was any."""
        try:
            _, pages, written = self.connection.execute("PRAGMA wal_checkpoint(RESTART)").fetchone()
        except sqlite3.Error:
            return False
        return bool(0 < pages == written)

    def taken_back(self) -> bool:
        """Take the transaction back. Returns whether it could be."""
        try:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
        except sqlite3.Error:
            return False
        return True


class SqliteParts:
    """Parts of bodies in a table; `interface.PartArea` describes the methods."""

    def __init__(self, database: SqliteFile, table: str, limit: int) -> None:
        self._database = database
        self._insert = f"INSERT INTO {table} (length, data) VALUES (?, ?)"
        free = " AND queue IS NULL AND branch IS NULL" if table == "parts" else ""
        self._select = f"SELECT data FROM {table} WHERE id = ?{free}"
        self._delete = f"DELETE FROM {table} WHERE id = ?{free}"
        self._limit = limit

    def write(self, part: Piece) -> int:
        """Keep a part; see `interface.PartArea.write`."""
        if 0 < self._limit < len(part):
            raise ValueError(f"a chunk of {len(part)} bytes is longer than {self._limit}")
        return self._database.insert(self._insert, (len(part), seal(part)))

    def read(self, part: int, offset: int = 0, length: int | None = None) -> bytes:
        """Return a slice of a part; see `interface.PartArea.read`."""
        row = self._database.row(self._select, (part,))
        if row is None:
            raise ChunkMissing(part)
        return slice_of(unseal(row[0], f"part {part}"), offset, length)

    def drop(self, parts: Iterable[int]) -> None:
        """Delete parts; see `interface.PartArea.drop`."""
        for part in parts:
            self._database.run(self._delete, (part,))


def _code(error: sqlite3.Error) -> int:
    """SQLite's extended code; 0 for an error of its Python module."""
    return int(getattr(error, "sqlite_errorcode", 0))
