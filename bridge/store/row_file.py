"""The rows of a data folder on disk: the journal for commits, the LMDB file for rows that stay longer.

A commit appends its rows to the journal and syncs it: one sync. The rows stay pending in memory, where readers find
them first, until the journal is full; then a checkpoint writes them to the LMDB file in one transaction, with LMDB's
default sync, together with the number of the last record included. After a crash the records after that number are
replayed. A commit that is too big for the journal is written to the LMDB file at once.

Nothing is acknowledged for which a checkpoint might lack space: `room` counts pending rows as if they were in the file.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic

import lmdb

from mqbridge.bridge.store.changes import MESSAGE_TABLES, Changes
from mqbridge.bridge.store.checkpoint import slices, write_changes
from mqbridge.bridge.store.disk import is_disk_full
from mqbridge.bridge.store.environment import DEFAULT_MAP_SIZE, mark_format, open_environment, used_bytes
from mqbridge.bridge.store.errors import StoreDamaged, StoreError, StoreFailed, StoreFull
from mqbridge.bridge.store.folder import DataFolder
from mqbridge.bridge.store.journal import ALLOCATION, Journal, refuse
from mqbridge.bridge.store.journal_entries import encode
from mqbridge.bridge.store.merged_rows import MergedRows
from mqbridge.bridge.store.older_journal import STATE, replay_older
from mqbridge.bridge.store.rows import seal, unseal
from mqbridge.bridge.store.space_reserve import FileSpace
from mqbridge.bridge.store.sync_mark import SALT_LENGTH, JournalPass
from mqbridge.bridge.store.table_sums import SUMS_KEY, TableSums, WrongSum

MAX_JOURNALED = ALLOCATION // 2
"""A commit of more bytes than this bypasses the journal."""
PLACE_INTERVAL = 0.5
"""Seconds between checks that the files are still those in the folder."""
MAX_PENDING = 1 << 15
"""Maximum number of pending rows."""

STATE_KEY = b"journal"
_STATE = struct.Struct(f">Q{SALT_LENGTH}sQ")
"""Number of the last record in the LMDB file, salt of the records after it, number of their pass."""
_REPAIRED_KEY = b"repaired"


class RowFile:
    """The journal and the LMDB file together: changed rows are passed to `write` and read through `rows`.

    The folder must be locked. Damage found while opening is passed to `report`, which raises it unless the caller
    continues with what is intact. Raises `StoreNewer`. After a failed sync every `write` raises the same `StoreFailed`,
    as the state on disk is unknown.
    """

    def __init__(
        self,
        folder: DataFolder,
        map_size: int = DEFAULT_MAP_SIZE,
        report: Callable[[StoreDamaged], None] = refuse,
    ) -> None:
        self._folder = folder
        self._listener = report
        self._note_of_repair = ""
        self.is_damaged = False
        """Damage was reported: nothing is written until it is accepted."""
        self.environment, self.tables = open_environment(folder, map_size)
        try:
            self._page_size: int = self.environment.stat()["psize"]
            self._room = FileSpace(folder.messages, map_size, used_bytes(self.environment))
            self._sums = TableSums(self.environment, self.tables, str(folder.messages))
            self.rows = MergedRows(self.environment, self.tables, str(folder.messages))
            self.commits = 0
            """How often rows of the file have changed since it was opened."""
            self._journal = self._open_journal()
            with self.environment.begin() as transaction:
                self._note(transaction)
            self._failure: StoreFailed | None = None
            self._pending_room = self.rows.pending.room()
            self._places = {path: _identity(path) for path in (folder.messages, folder.journal)}
            self._look_again = 0.0
            try:
                if not self.is_damaged:
                    self._checkpoint()
            except StoreFull:
                self.has_staged = True
        except OSError as error:
            self.environment.close()
            if is_disk_full(error, folder.path):
                raise StoreFull(f"{folder.path}: {error.strerror}") from error
            raise
        except lmdb.Error as error:
            self.environment.close()
            raise StoreDamaged(f"LMDB cannot use it: {error}", str(folder.messages)) from error
        except BaseException:
            self.environment.close()
            raise

    def _report(self, damage: StoreDamaged) -> None:
        self.is_damaged = True
        self._listener(damage)

    # Repair

    def accept(self, note: str) -> None:
        """Continue with what is intact after damage was reported; `note` is kept for the next start. Raises
        `StoreError`."""
        self._sums.make_anew()
        self._note_of_repair = note
        self.is_damaged = False
        self._put_into_file(self.rows.pending)

    def remove(self, rows: Iterable[tuple[str, bytes]]) -> None:
        """Delete rows by table and key; with the row of a message everything that belongs to it."""
        changes = Changes()
        for table, key in rows:
            for name in MESSAGE_TABLES if table == "index" else (table,):
                getattr(changes, name)[key] = None
        self._put_into_file(changes)

    def counts(self) -> tuple[int, int]:
        """Return (messages, records) in the file."""
        with self.environment.begin() as transaction:
            messages = transaction.stat(self.tables.index)["entries"]
            return messages, transaction.stat(self.tables.records)["entries"]

    def take_note(self) -> str | None:
        """Return the note of the last repair, once."""
        with self.environment.begin(db=self.tables.store) as transaction:
            row = transaction.get(_REPAIRED_KEY)
        if row is None:
            return None
        with self.environment.begin(db=self.tables.store, write=True) as transaction:
            transaction.delete(_REPAIRED_KEY)
        return unseal(row, f"{self._folder.messages}, repair").decode()

    def _open_journal(self) -> Journal:
        """Return the journal, with its rows applied; a folder of an older format is converted."""
        with self.environment.begin(db=self.tables.store) as transaction:
            state, sums = transaction.get(STATE_KEY), transaction.get(SUMS_KEY)
        if state is None:
            return self._begin_journal()
        value = unseal(state, f"{self._folder.messages}, journal state")
        if len(value) == STATE.size:
            return self._take_over(*STATE.unpack(value))
        sequence, salt, number = _STATE.unpack(value)
        self._sums.take(sums, self._report)
        journal = Journal(self._folder, JournalPass(number, salt, sequence), must_exist=True, report=self._report)
        self.rows.pending = journal.replay()
        return journal

    def _begin_journal(self) -> Journal:
        """Create a journal for a new file. A file that was in use but has no journal lacks its own records."""
        with self.environment.begin() as transaction:
            rows = sum(transaction.stat(table)["entries"] for table in self.tables.all()[:-1])
        begun = JournalPass(1, os.urandom(SALT_LENGTH), 0)
        if rows:
            raise StoreDamaged("the row of the journal's state is missing", str(self._folder.messages))
        journal = Journal.begin_anew(self._folder, begun)
        with self.environment.begin(db=self.tables.store, write=True) as transaction:
            self._put_state(transaction, begun)
        return journal

    def _take_over(self, sequence: int, salt: bytes) -> Journal:
        """Apply the rows of a folder of format 1 to the file, which becomes one of this format."""
        sequence, self.rows.pending = replay_older(self._folder.journal, sequence, salt)
        self._sums.make_anew()
        begun = JournalPass(1, os.urandom(SALT_LENGTH), sequence)
        journal = Journal.begin_anew(self._folder, begun)
        with self.environment.begin(write=True) as transaction:
            self._sums.values = write_changes(transaction, self.tables, self.rows.pending, self._sums.values)
            mark_format(transaction, self.tables.store)
            self._put_state(transaction, begun)
        self.rows.pending = Changes()
        return journal

    def _put_state(self, transaction: lmdb.Transaction[bytes], begun: JournalPass) -> None:
        transaction.put(STATE_KEY, state_row(begun), db=self.tables.store)
        if self._note_of_repair:
            transaction.put(_REPAIRED_KEY, seal(self._note_of_repair.encode()), db=self.tables.store)
        transaction.put(SUMS_KEY, self._sums.row(), db=self.tables.store)

    def report_wrong_index(self) -> None:
        """Report damage if the sum of the index is wrong."""
        try:
            self._sums.check_index()
        except WrongSum as wrong:
            self._report(wrong)

    @property
    def begun(self) -> JournalPass:
        """The pass of the journal."""
        return self._journal.begun

    def check_index(self, found: int, commits: int) -> None:
        """Compare the sum that a reader of the whole index computed with the stored one, unless units were committed
        meanwhile. Raises `StoreDamaged`."""
        if not self.rows.pending and commits == self.commits:
            self._sums.check_index(found)

    def write(self, changes: Changes, *, adds: bool) -> None:
        """Write changes to disk, atomically; with `adds` only up to the reserve.

        Raises `StoreFull`; `StoreDamaged` for any other failure.
        """
        if self._failure is not None:
            raise self._failure
        try:
            room = 0
            if adds:
                room = changes.room()
                self._claim(room)
            entries, bodies = encode(changes)
            length = len(entries) + sum(map(len, bodies))
            if length > MAX_JOURNALED:
                self._checkpoint()
                self._put_into_file(changes)
            else:
                if len(self.rows.pending) + len(changes) > MAX_PENDING or not self._journal.has_room(length):
                    self._checkpoint()
                length = self._append(entries, bodies)
                try:
                    self._journal.sync(length)
                except OSError as error:
                    raise self.fail(error) from error
                self._pending_room += room
                self.rows.pending.update(changes)
        except (lmdb.MapFullError, lmdb.TxnFullError) as error:
            raise StoreFull(f"{self._folder.messages}: {error}") from error
        except (lmdb.Error, OSError) as error:
            if is_disk_full(error, self._folder.path):
                raise StoreFull(f"{self._folder.path}: {error}") from error
            raise self.fail(error) from error
        if (now := monotonic()) >= self._look_again:
            self._look_again = now + PLACE_INTERVAL
            self.require_place()

    def require_place(self) -> None:
        """Raise `StoreFailed` if the files are no longer those in the folder: writes would be lost."""
        for path, known in self._places.items():
            try:
                found: os.stat_result | None = os.stat(path)
            except OSError:
                found = None
            if found is None or (found.st_dev, found.st_ino) != known:
                what = "is another file than the one in use" if found is not None else "is not there any more"
                raise self.fail(OSError(f"{path.name} {what}"))

    def fail(self, error: Exception) -> StoreFailed:
        """Stop writing for good: after a failed sync the state on disk is unknown."""
        self._failure = StoreFailed(f"a commit failed: {error}", str(self._folder.path))
        return self._failure

    def _append(self, entries: bytes, bodies: list[bytes]) -> int:
        """Write a record, to be synced, and return its length. If the journal cannot grow, it starts again in the
        space that it has."""
        try:
            return self._journal.append(entries, bodies)
        except OSError as error:
            if not is_disk_full(error, self._folder.path):
                raise
            self._checkpoint()
            return self._journal.append(entries, bodies)

    def _claim(self, room: int) -> None:
        """Ensure space for new rows besides all pending ones. Raises `StoreFull`."""
        try:
            self._room.claim(self._live + self._pending_room + room)
        except StoreFull:
            if not self.rows.pending:
                raise
            self._checkpoint()
            self._room.claim(self._live + room)

    def _checkpoint(self) -> None:
        """Write all pending rows to the file and start the journal again."""
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
            with self._changing() as transaction:
                self._sums.values = write_changes(transaction, self.tables, part, self._sums.values)
                transaction.put(SUMS_KEY, self._sums.row(), db=self.tables.store)
        self._put_into_file(Changes())

    def _put_into_file(self, changes: Changes) -> None:
        """Write rows and the journal's state in one transaction; the journal is obsolete afterwards."""
        begun = JournalPass(self._journal.begun.number + 1, os.urandom(SALT_LENGTH), self._journal.sequence)
        with self._changing() as transaction:
            self._sums.values = write_changes(transaction, self.tables, changes, self._sums.values)
            self._put_state(transaction, begun)
            self._note(transaction)
        self.commits += 1
        self._pending_room = 0
        self.rows.pending = Changes()
        self._journal.begin(begun)

    @contextmanager
    def _changing(self) -> Iterator[lmdb.Transaction[bytes]]:
        """Open a transaction that changes rows; if it fails, the sums are restored."""
        before = self._sums.values
        try:
            with self.environment.begin(write=True) as transaction:
                yield transaction
        except BaseException:
            self._sums.values = before
            raise

    def _note(self, transaction: lmdb.Transaction[bytes]) -> None:
        """Record how full the file is, and whether it holds a staged body."""
        pages = 0
        for table in (None, *self.tables.all()):
            status = transaction.stat(table)
            pages += status["branch_pages"] + status["leaf_pages"] + status["overflow_pages"]
        self._live = pages * self._page_size
        self.has_staged = bool(transaction.stat(self.tables.staged)["entries"])

    def close(self) -> None:
        """Write pending rows to the file if possible, and close both files."""
        if self._failure is None and not self.is_damaged:
            # Where it cannot, the journal has them.
            with suppress(lmdb.Error, OSError, StoreError):
                self._checkpoint()
        self._journal.close()
        self.environment.close()


def _identity(path: Path) -> tuple[int, int]:
    found = os.stat(path)
    return found.st_dev, found.st_ino


def state_row(begun: JournalPass) -> bytes:
    """Return the row that identifies the journal's pass."""
    return seal(_STATE.pack(begun.sequence, begun.salt, begun.number))
