"""The current rows of a durable store: those of the LMDB file, overlaid by those that are only in the journal.

Readers look into `pending` first. A checkpoint writes the pending rows to the file in one transaction and only then
replaces `pending`, so that a row is always found in one of the two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import lmdb

from mqbridge.bridge.store.changes import MESSAGE_TABLES, MISSING, Changes, Missing
from mqbridge.bridge.store.errors import StoreDamaged
from mqbridge.bridge.store.rows import CHECKSUM, CHECKSUM_LENGTH, MESSAGE_KEY, QUEUE_KEY, message_place, same_sum

if TYPE_CHECKING:
    from lmdb import _Database

    from mqbridge.bridge.store.environment import Tables

SCAN_STEP = 1024
"""Rows that an iterator reads per transaction, so that a slow reader does not pin old pages."""
MAX_COMPARED = 1000
"""Number of bodies read in parts that are not compared with their sums again."""
_PAST_ALL = b"\xff" * 512
_checksum_of = CHECKSUM.unpack_from


class MergedRows:
    """Rows by table and key. Raises `StoreDamaged` if LMDB cannot read."""

    def __init__(self, environment: lmdb.Environment, tables: Tables, where: str) -> None:
        self.pending = Changes()
        self._compared: set[bytes] = set()
        self._environment = environment
        self._tables = tables
        self._where = where

    def begin(self) -> lmdb.Transaction[bytes]:
        """Return a transaction for many calls of `get`; abort it soon."""
        return self._environment.begin()

    def get(self, table: str, key: bytes, transaction: lmdb.Transaction[bytes] | None = None) -> bytes | None:
        """Return the row of a key in a table other than the bodies."""
        changes = self.pending
        row: bytes | Missing | None = getattr(changes, table).get(key, MISSING)
        if not isinstance(row, Missing):
            return row
        if table in MESSAGE_TABLES and changes.is_dropped(key):
            return None
        if transaction is not None:
            return self.in_file(table, key, transaction)
        database: _Database = getattr(self._tables, table)
        try:
            with self._environment.begin(database) as transaction:
                return transaction.get(key)
        except lmdb.Error as error:
            raise self.damage(error, table) from error

    def in_file(self, table: str, key: bytes, transaction: lmdb.Transaction[bytes]) -> bytes | None:
        """Return the file's row, whatever is pending."""
        try:
            return transaction.get(key, None, getattr(self._tables, table))
        except lmdb.Error as error:
            raise self.damage(error, table) from error

    def finder(self, table: str, transaction: lmdb.Transaction[bytes]) -> Callable[[bytes], bytes | None]:
        """Return `in_file` bound to one table, for many keys."""
        get, database = transaction.get, getattr(self._tables, table)

        def find(key: bytes) -> bytes | None:
            try:
                return get(key, None, database)
            except lmdb.Error as error:
                raise self.damage(error, table) from error

        return find

    def body(self, key: bytes, offset: int = 0, length: int | None = None) -> tuple[int | None, bytes] | None:
        """Return (CRC32 to compare with, slice) of a body that was not staged; None if there is none.

        The CRC32 is None if there is nothing to compare: for a body still in memory, and for a slice, whose whole body
        is compared here, once. Raises `StoreDamaged`.
        """
        changes = self.pending
        pending = changes.bodies.get(key, MISSING)
        if type(pending) is tuple:
            body = pending[1]
            return None, body if not offset and length is None else _slice(body, offset, length)
        if pending is None or (changes.dropped and changes.is_dropped(key)):
            return None
        try:
            # Begun and ended by hand: this is done for each message of a deep queue, and `with` doubles what it takes.
            transaction = self._environment.begin(self._tables.bodies, None, False, True)
            try:
                row = transaction.get(key)
                if row is None:
                    return None
                if not offset and length is None:
                    return _checksum_of(row)[0], row[CHECKSUM_LENGTH:].tobytes()
                if key not in self._compared:
                    self._compare(key, row)
                start = CHECKSUM_LENGTH + offset
                return None, bytes(row[start:] if length is None else row[start : start + length])
            finally:
                transaction.abort()
        except lmdb.Error as error:
            raise self.damage(error, message_place(key)) from error

    def _compare(self, key: bytes, row: memoryview) -> None:
        """Compare a body with its sum before parts of it are read, and remember that."""
        if not same_sum(_checksum_of(row)[0], row[CHECKSUM_LENGTH:], key):
            raise StoreDamaged("a body is not what was written (its CRC32 differs)", message_place(key))
        if len(self._compared) >= MAX_COMPARED:
            self._compared.clear()
        self._compared.add(key)

    def lacks_body(self, key: bytes) -> bool:
        """Return whether the file has a message under a key but no body of it; one that is being deleted lacks
        nothing."""
        changes = self.pending
        if key in changes.bodies or key in changes.index or changes.is_dropped(key):
            return False
        tables = self._tables
        try:
            with self._environment.begin() as transaction:
                found = [transaction.get(key, None, table) for table in (tables.index, tables.bodies, tables.staged)]
        except lmdb.Error as error:
            raise self.damage(error, message_place(key)) from error
        return found[0] is not None and found[1] is None and found[2] is None

    def bodies(self, keys: Sequence[bytes]) -> list[tuple[int | None, bytes] | None]:
        """Return what `body` returns for the whole bodies of some keys, with one access to the file."""
        changes = self.pending  # before the file is looked at: a checkpoint writes there first
        pending = [changes.bodies.get(key, MISSING) for key in keys]
        found: list[tuple[int | None, bytes] | None] = []
        try:
            with self._environment.begin(self._tables.bodies, None, False, True) as transaction:
                get = transaction.get
                for key, body in zip(keys, pending, strict=True):
                    if isinstance(body, tuple):
                        found.append((None, body[1]))
                    elif body is None or (changes.dropped and changes.is_dropped(key)) or (row := get(key)) is None:
                        found.append(None)
                    else:
                        found.append((_checksum_of(row)[0], bytes(row[CHECKSUM_LENGTH:])))
        except lmdb.Error as error:
            raise self.damage(error, "bodies") from error
        return found

    def rows(
        self, table: str, start: bytes, last: bytes = _PAST_ALL, step: int | None = None
    ) -> Iterator[tuple[bytes, bytes]]:
        """Yield rows of a table (not the bodies) from one key to another, both included, in order."""
        changes = self.pending
        pending: dict[bytes, bytes | None] = dict(getattr(changes, table))
        stored = self._stored(getattr(self._tables, table), table, start, last, step or SCAN_STEP)
        if changes.dropped and table in MESSAGE_TABLES:
            stored = filter(lambda row: not changes.is_dropped(row[0]), stored)
        if not pending:
            yield from stored
            return
        yield from _merge(sorted(key for key in pending if start <= key <= last), pending, stored)

    def _stored(
        self, database: _Database, table: str, start: bytes, last: bytes, step: int
    ) -> Iterator[tuple[bytes, bytes]]:
        """Yield rows of the file, a limited number per transaction."""
        while True:
            try:
                with self._environment.begin(db=database) as transaction:
                    cursor = transaction.cursor()
                    rows = list(islice(cursor.iternext(), step)) if cursor.set_range(start) else []
            except lmdb.Error as error:
                raise self.damage(error, table) from error
            for row in rows:
                if row[0] > last:
                    return
                yield row
            if len(rows) < step:
                return
            start = rows[-1][0] + b"\0"

    def highest(self, queue: int) -> int:
        """Return the highest position of a queue that may be in use, or -1."""
        prefix = QUEUE_KEY.pack(queue)
        key = max((key for key in dict(self.pending.index) if key.startswith(prefix)), default=b"")
        with self._environment.begin(db=self._tables.index) as transaction:
            stored = highest_key(transaction.cursor(), prefix)
        key = max(key, stored)
        return MESSAGE_KEY.unpack(key)[1] if key else -1

    def damage(self, error: lmdb.Error, where: str) -> StoreDamaged:
        """Return the error of the store for a reader's LMDB error."""
        return StoreDamaged(f"LMDB cannot read: {error}", f"{self._where}, {where}")


def highest_key(cursor: lmdb.Cursor[bytes], prefix: bytes) -> bytes:
    """Return the last key of a table with a queue's prefix, or an empty key."""
    found = cursor.prev() if cursor.set_range(prefix + b"\xff" * 9) else cursor.last()
    return cursor.key() if found and cursor.key().startswith(prefix) else b""


def _merge(
    keys: list[bytes], pending: dict[bytes, bytes | None], stored: Iterator[tuple[bytes, bytes]]
) -> Iterator[tuple[bytes, bytes]]:
    """Yield stored rows, replaced by pending ones."""
    at = 0
    for key, row in stored:
        while at < len(keys) and keys[at] < key:
            yield from _pending_row(keys[at], pending)
            at += 1
        if key not in pending:
            yield key, row
    for key in keys[at:]:
        yield from _pending_row(key, pending)


def _pending_row(key: bytes, pending: dict[bytes, bytes | None]) -> Iterator[tuple[bytes, bytes]]:
    row = pending[key]
    if row is not None:
        yield key, row


def _slice(body: bytes, offset: int, length: int | None) -> bytes:
    return body[offset:] if length is None else body[offset : offset + length]
