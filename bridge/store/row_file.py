"""The rows of a data folder on disk: the journal for commits, the LMDB file for what is in it for longer.

A commit appends its rows to the journal and syncs it: one sync. The rows stay pending in memory, where readers find
them first, until the journal is full; then a checkpoint writes them into the LMDB file in one transaction, with LMDB's
default sync, together with the number of the last record that it holds. After a crash the records behind that number
are read back. A commit that is too big for the journal goes into the LMDB file at once.

Nothing is acknowledged that a checkpoint might have no room for: `room` counts pending rows as if they were in the
file.
"""

from __future__ import annotations

import os
import struct
from contextlib import suppress

import lmdb

from bridge.store.changes import Changes
from bridge.store.checkpoint import slices, write_changes
from bridge.store.disk import is_disk_full
from bridge.store.environment import DEFAULT_MAP_SIZE, open_environment, used_bytes
from bridge.store.errors import StoreDamaged, StoreError, StoreFull
from bridge.store.folder import DataFolder
from bridge.store.journal import ALLOCATION, SALT_LENGTH, Journal, encode
from bridge.store.merged_rows import MergedRows
from bridge.store.room import FileRoom
from bridge.store.rows import seal, unseal

MAX_JOURNALED = ALLOCATION // 2
"""A commit of more bytes than this is not journalled."""
MAX_PENDING = 1 << 15
"""Rows that may be pending."""

_JOURNAL_KEY = b"journal"
_STATE = struct.Struct(f">Q{SALT_LENGTH}s")
"""Number of the last record that the LMDB file holds, salt of the records after it."""


class RowFile:
    """Changed rows go in by `write`, rows come out by `rows`.

    The folder must be locked. Raises `StoreDamaged`, `StoreNewer` when opened. After a failed sync every further
    `write` raises the same `StoreDamaged`, as nobody knows what is on disk.
    """

    def __init__(self, folder: DataFolder, map_size: int = DEFAULT_MAP_SIZE) -> None:
        self._folder = folder
        self.environment, self.tables = open_environment(folder, map_size)
        try:
            self._page_size: int = self.environment.stat()["psize"]
            self._room = FileRoom(folder.messages, map_size, used_bytes(self.environment))
            self._journal = self._open_journal()
            self.rows = MergedRows(self.environment, self.tables, str(folder.messages))
            self.rows.pending = self._journal.replay()
            with self.environment.begin() as transaction:
                self._note(transaction)
            self._failure: StoreDamaged | None = None
            self._pending_room = self.rows.pending.room()
            try:
                self._checkpoint()
            except StoreFull:
                self.has_staged = True
        except OSError as error:
            self.environment.close()
            if is_disk_full(error, folder.path):
                raise StoreFull(f"{folder.path}: {error.strerror}") from error
            raise
        except BaseException:
            self.environment.close()
            raise

    def _open_journal(self) -> Journal:
        with self.environment.begin(db=self.tables.store) as transaction:
            row = transaction.get(_JOURNAL_KEY)
        if row is not None:
            sequence, salt = _STATE.unpack(unseal(row, f"{self._folder.messages}, journal state"))
            return Journal(self._folder.journal, sequence, salt, must_exist=True)
        salt = os.urandom(SALT_LENGTH)
        journal = Journal(self._folder.journal, 0, salt, must_exist=False)
        with self.environment.begin(db=self.tables.store, write=True) as transaction:
            transaction.put(_JOURNAL_KEY, seal(_STATE.pack(0, salt)))
        return journal

    def write(self, changes: Changes, *, adds: bool) -> None:
        """Puts changes on disk, all or nothing; with `adds` only as far as room is left for it.

        Raises `StoreFull`; `StoreDamaged` for anything else that goes wrong.
        """
        if self._failure is not None:
            raise self._failure
        try:
            self._write(changes, adds)
        except (lmdb.MapFullError, lmdb.TxnFullError) as error:
            raise StoreFull(f"{self._folder.messages}: {error}") from error
        except (lmdb.Error, OSError) as error:
            if is_disk_full(error, self._folder.path):
                raise StoreFull(f"{self._folder.path}: {error}") from error
            raise self.fail(error) from error

    def fail(self, error: Exception) -> StoreDamaged:
        """Ends the writing for good: what a failed sync left on disk is unknown, so nothing more is promised."""
        self._failure = StoreDamaged(f"a commit failed: {error}", str(self._folder.path))
        return self._failure

    def _write(self, changes: Changes, adds: bool) -> None:
        room = changes.room() if adds else 0
        if adds:
            self._claim(room)
        entries, bodies = encode(changes)
        length = len(entries) + sum(map(len, bodies))
        if length > MAX_JOURNALED:
            self._checkpoint()
            self._put_into_file(changes)
            return
        if len(self.rows.pending) + len(changes) > MAX_PENDING or not self._journal.has_room(length):
            self._checkpoint()
        self._append(entries, bodies)
        self._pending_room += room
        self.rows.pending.update(changes)

    def _append(self, entries: bytes, bodies: list[bytes]) -> None:
        """Puts a record on disk. Where the journal cannot grow, it begins anew in the space that it has."""
        try:
            length = self._journal.append(entries, bodies)
        except OSError as error:
            if not is_disk_full(error, self._folder.path):
                raise
            self._checkpoint()
            length = self._journal.append(entries, bodies)
        try:
            self._journal.sync(length)
        except OSError as error:
            raise self.fail(error) from error

    def _claim(self, room: int) -> None:
        """Makes sure that there is room for new rows once all pending ones are in the file; raises `StoreFull`."""
        try:
            self._room.claim(self._live + self._pending_room + room)
        except StoreFull:
            if not self.rows.pending:
                raise
            self._checkpoint()
            self._room.claim(self._live + room)

    def _checkpoint(self) -> None:
        """Puts all pending rows into the file and begins the journal anew."""
        if not self.rows.pending:
            return
        try:
            self._put_into_file(self.rows.pending)
        except (lmdb.MapFullError, lmdb.TxnFullError):
            self._put_in_slices()
        except (lmdb.Error, OSError) as error:
            if not is_disk_full(error, self._folder.path):
                raise
            self._put_in_slices()

    def _put_in_slices(self) -> None:
        for part in slices(self.rows.pending):
            with self.environment.begin(write=True) as transaction:
                write_changes(transaction, self.tables, part)
        self._put_into_file(Changes())

    def _put_into_file(self, changes: Changes) -> None:
        """One transaction with rows and the state of the journal, which holds nothing of use afterwards."""
        salt = os.urandom(SALT_LENGTH)
        with self.environment.begin(write=True) as transaction:
            write_changes(transaction, self.tables, changes)
            transaction.put(_JOURNAL_KEY, seal(_STATE.pack(self._journal.sequence, salt)), db=self.tables.store)
            self._note(transaction)
        self._journal.begin(salt)
        self._pending_room = 0
        self.rows.pending = Changes()

    def _note(self, transaction: lmdb.Transaction[bytes]) -> None:
        """Notes how full the file is, and whether a body in it is staged."""
        pages = 0
        for table in (None, *self.tables.all()):
            status = transaction.stat(table)
            pages += status["branch_pages"] + status["leaf_pages"] + status["overflow_pages"]
        self._live = pages * self._page_size
        self.has_staged = bool(transaction.stat(self.tables.staged)["entries"])

    def close(self) -> None:
        """Puts pending rows into the file where it can, and closes both files."""
        if self._failure is None:
            # Where it cannot, the journal has them.
            with suppress(lmdb.Error, OSError, StoreError):
                self._checkpoint()
        self._journal.close()
        self.environment.close()
