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
from mqbridge.bridge.store.space_reserve import FileRoom
from mqbridge.bridge.store.synced import SALT_LENGTH, Pass
from mqbridge.bridge.store.table_sums import SUMS_KEY, TableSums, WrongSum

MAX_JOURNALED = ALLOCATION // 2
"""A commit of more bytes than this is not journalled."""
PLACE_INTERVAL = 0.5
"""Seconds between two looks at whether the files are still those in the folder."""
MAX_PENDING = 1 << 15
"""Rows that may be pending."""

STATE_KEY = b"journal"
_STATE = struct.Struct(f">Q{SALT_LENGTH}sQ")
"""Number of the last record that the LMDB file holds, salt of the records after it, number of their pass."""
_REPAIRED_KEY = b"repaired"


class RowFile:
    """Changed rows go in by `write`, rows come out by `rows`.

    The folder must be locked. Damage that is found when it is opened goes to `tell`, which raises it unless the caller
    wants to go on with what is whole; raises `StoreNewer`. After a failed sync every further `write` raises the same
    `StoreFailed`, as nobody knows what is on disk.
    """

    def __init__(
        self,
        folder: DataFolder,
        map_size: int = DEFAULT_MAP_SIZE,
        tell: Callable[[StoreDamaged], None] = refuse,
    ) -> None:
        self._folder = folder
        self._listener = tell
        self._note_of_repair = ""
        self.is_damaged = False
        """Damage was told: nothing is written until it is accepted."""
        self.environment, self.tables = open_environment(folder, map_size)
        try:
            self._page_size: int = self.environment.stat()["psize"]
            self._room = FileRoom(folder.messages, map_size, used_bytes(self.environment))
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

    def _tell(self, damage: StoreDamaged) -> None:
        self.is_damaged = True
        self._listener(damage)

    # Repair

    def accept(self, note: str) -> None:
        """Goes on with what is whole after damage was told; `note` is kept for the next start. Raises `StoreError`."""
        self._sums.make_anew()
        self._note_of_repair = note
        self.is_damaged = False
        self._put_into_file(self.rows.pending)

    def remove(self, rows: Iterable[tuple[str, bytes]]) -> None:
        """Takes rows out of the file, by table and key; with the row of a message all that belongs to it."""
        changes = Changes()
        for table, key in rows:
            for name in MESSAGE_TABLES if table == "index" else (table,):
                getattr(changes, name)[key] = None
        self._put_into_file(changes)

    def counts(self) -> tuple[int, int]:
        """(messages, records) in the file."""
        with self.environment.begin() as transaction:
            messages = transaction.stat(self.tables.index)["entries"]
            return messages, transaction.stat(self.tables.records)["entries"]

    def take_note(self) -> str | None:
        """What the last repair noted, once."""
        with self.environment.begin(db=self.tables.store) as transaction:
            row = transaction.get(_REPAIRED_KEY)
        if row is None:
            return None
        with self.environment.begin(db=self.tables.store, write=True) as transaction:
            transaction.delete(_REPAIRED_KEY)
        return unseal(row, f"{self._folder.messages}, repair").decode()

    def _open_journal(self) -> Journal:
        """The journal, its rows brought in; a folder of an older format becomes one of this."""
        with self.environment.begin(db=self.tables.store) as transaction:
            state, sums = transaction.get(STATE_KEY), transaction.get(SUMS_KEY)
        if state is None:
            return self._begin_journal()
        value = unseal(state, f"{self._folder.messages}, journal state")
        if len(value) == STATE.size:
            return self._take_over(*STATE.unpack(value))
        sequence, salt, number = _STATE.unpack(value)
        self._sums.take(sums, self._tell)
        journal = Journal(self._folder, Pass(number, salt, sequence), must_exist=True, tell=self._tell)
        self.rows.pending = journal.replay()
        return journal

    def _begin_journal(self) -> Journal:
        """A new journal for a new file. A file without a journal that has been at work lacks its own records."""
        with self.environment.begin() as transaction:
            rows = sum(transaction.stat(table)["entries"] for table in self.tables.all()[:-1])
        begun = Pass(1, os.urandom(SALT_LENGTH), 0)
        if rows:
            raise StoreDamaged("the row of the journal's state is missing", str(self._folder.messages))
        journal = Journal.begin_anew(self._folder, begun)
        with self.environment.begin(db=self.tables.store, write=True) as transaction:
            self._put_state(transaction, begun)
        return journal

    def _take_over(self, sequence: int, salt: bytes) -> Journal:
        """The rows of a folder of format 1 go into the file, which becomes one of this format."""
        sequence, self.rows.pending = replay_older(self._folder.journal, sequence, salt)
        self._sums.make_anew()
        begun = Pass(1, os.urandom(SALT_LENGTH), sequence)
        journal = Journal.begin_anew(self._folder, begun)
        with self.environment.begin(write=True) as transaction:
            self._sums.values = write_changes(transaction, self.tables, self.rows.pending, self._sums.values)
            mark_format(transaction, self.tables.store)
            self._put_state(transaction, begun)
        self.rows.pending = Changes()
        return journal

    def _put_state(self, transaction: lmdb.Transaction[bytes], begun: Pass) -> None:
        transaction.put(STATE_KEY, state_row(begun), db=self.tables.store)
        if self._note_of_repair:
            transaction.put(_REPAIRED_KEY, seal(self._note_of_repair.encode()), db=self.tables.store)
        transaction.put(SUMS_KEY, self._sums.row(), db=self.tables.store)

    def tell_wrong_index(self) -> None:
        """Tells where the sum of the index is not what it must be."""
        try:
            self._sums.check_index()
        except WrongSum as wrong:
            self._tell(wrong)

    @property
    def begun(self) -> Pass:
        """The pass of the journal."""
        return self._journal.begun

    def check_index(self, found: int, commits: int) -> None:
        """Compares the sum that a reader of the whole index found with what it must be, if nothing was committed
        meanwhile; raises `StoreDamaged`."""
        if not self.rows.pending and commits == self.commits:
            self._sums.check_index(found)

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
        if (now := monotonic()) >= self._look_again:
            self._look_again = now + PLACE_INTERVAL
            self.require_place()

    def require_place(self) -> None:
        """Raises `StoreFailed` where the files are no longer those in the folder: what is written is kept nowhere."""
        for path, known in self._places.items():
            try:
                found: os.stat_result | None = os.stat(path)
            except OSError:
                found = None
            if found is None or (found.st_dev, found.st_ino) != known:
                what = "is another file than the one in use" if found is not None else "is not there any more"
                raise self.fail(OSError(f"{path.name} {what}"))

    def fail(self, error: Exception) -> StoreFailed:
        """Ends the writing for good: what a failed sync left on disk is unknown, so nothing more is promised."""
        self._failure = StoreFailed(f"a commit failed: {error}", str(self._folder.path))
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
            with self._changing() as transaction:
                self._sums.values = write_changes(transaction, self.tables, part, self._sums.values)
                transaction.put(SUMS_KEY, self._sums.row(), db=self.tables.store)
        self._put_into_file(Changes())

    def _put_into_file(self, changes: Changes) -> None:
        """One transaction with rows and the state of the journal, which holds nothing of use afterwards."""
        begun = Pass(self._journal.begun.number + 1, os.urandom(SALT_LENGTH), self._journal.sequence)
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
        """A transaction that changes rows; the sums are those of before where it fails."""
        before = self._sums.values
        try:
            with self.environment.begin(write=True) as transaction:
                yield transaction
        except BaseException:
            self._sums.values = before
            raise

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
        if self._failure is None and not self.is_damaged:
            # Where it cannot, the journal has them.
            with suppress(lmdb.Error, OSError, StoreError):
                self._checkpoint()
        self._journal.close()
        self.environment.close()


def _identity(path: Path) -> tuple[int, int]:
    found = os.stat(path)
    return found.st_dev, found.st_ino


def state_row(begun: Pass) -> bytes:
    """The row that tells the pass in which the journal is."""
    return seal(_STATE.pack(begun.sequence, begun.salt, begun.number))
