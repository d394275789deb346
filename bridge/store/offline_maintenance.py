"""Offline maintenance of a data folder: check, copy, compact. All refuse a folder that is in use."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

import lmdb

from mqbridge.bridge.store.branch_rows import AddStaged, decode_operations
from mqbridge.bridge.store.disk import is_disk_full
from mqbridge.bridge.store.environment import Tables, walk_pages
from mqbridge.bridge.store.errors import StoreDamaged, StoreError, StoreFull
from mqbridge.bridge.store.folder import FILE_MODE, FOLDER_MODE, DataFolder, sync_folder
from mqbridge.bridge.store.journal import Journal
from mqbridge.bridge.store.row_file import RowFile
from mqbridge.bridge.store.rows import (
    CHECKSUM_LENGTH,
    MESSAGE_KEY,
    StagedRow,
    message_place,
    read_index_row,
    read_staged_row,
    record_prefix,
    split_record_key,
    unseal,
)
from mqbridge.bridge.store.staging import chunk_name, chunk_numbers
from mqbridge.bridge.store.table_sums import WrongSum

if TYPE_CHECKING:
    from lmdb import Transaction

CHECK_STEP = 1 << 16
"""Bytes of a chunk that are read at a time while it is copied or summed."""


@dataclass(slots=True)
class Damage:
    """Data in a data folder that is not what was written: `what` is wrong, and `where`.

    `row`: table and key, if a single row is damaged.
    """

    what: str
    where: str
    row: tuple[str, bytes] | None = None


@contextmanager
def locked(path: str | os.PathLike[str]) -> Iterator[DataFolder]:
    """Lock a folder for the duration of a block. Raises `StoreError` if it holds no store, `StoreLocked`."""
    folder = DataFolder(path)
    if not folder.messages.is_file() and not folder.journal.is_file():
        raise StoreError(f"{folder.path}: holds no store")
    folder.lock()
    try:
        yield folder
    finally:
        folder.unlock()


@contextmanager
def _opened(folder: DataFolder) -> Iterator[RowFile]:
    """Open the rows of a folder, with the journal applied. Raises `StoreFull` if there is no space for that."""
    file = RowFile(folder)
    try:
        if file.rows.pending:
            raise StoreFull(f"{folder.path}: no room for the rows in the journal")
        yield file
    finally:
        file.close()


def records(path: str | os.PathLike[str], table: str) -> list[tuple[bytes, bytes]]:
    """Return the records of a table in a folder: key and value.

    Raises `StoreLocked`, `StoreNewer`, `StoreDamaged`, `StoreFull`, and `StoreError` if there is no store.
    """
    prefix = record_prefix(table)
    with locked(path) as folder, _opened(folder) as file:
        with file.environment.begin() as transaction, transaction.cursor(file.tables.records) as cursor:
            found = [(key, row) for key, row in cursor if key.startswith(prefix)]
        return [(key[len(prefix) :], unseal(row, f"table {table}, key {key!r}", key)) for key, row in found]


def check(path: str | os.PathLike[str]) -> list[Damage]:
    """Read everything in a folder and return the damage.

    The pages of the file are walked first, without LMDB; only a structurally sound file is opened and updated from the
    journal, where that is intact; then every row and chunk is compared with its CRC32. Raises `StoreLocked`,
    `StoreNewer`, `StoreFull`, and `StoreError` if there is no store.
    """
    with locked(path) as folder:
        problems = walk_pages(folder)
        if problems:
            return [Damage(problem, str(folder.messages)) for problem in problems]
        reported: list[StoreDamaged] = []
        try:
            file = RowFile(folder, report=reported.append)
        except StoreDamaged as error:
            return [Damage(each.what, each.where) for each in (*reported, error)]
        try:
            if file.rows.pending and not reported:
                raise StoreFull(f"{folder.path}: no room for the rows in the journal")
            return damages_of(folder, file, reported)
        finally:
            file.close()


def damages_of(folder: DataFolder, file: RowFile, reported: list[StoreDamaged]) -> list[Damage]:
    """Return damaged rows of an opened file, after what was reported when it was opened.

    A damaged row changes the sum of its table, which is then not reported.
    """
    with file.environment.begin() as transaction:
        rows = _Checker(folder, file.tables, transaction).run()
    file.report_wrong_index()
    found = [Damage(each.what, each.where) for each in reported if not (rows and isinstance(each, WrongSum))]
    return found + rows


class _Checker:
    """Comparison of the rows of a folder with their sums and with each other."""

    def __init__(self, folder: DataFolder, tables: Tables, transaction: Transaction[bytes]) -> None:
        self._folder = folder
        self._tables = tables
        self._transaction = transaction
        self._damages: list[Damage] = []

    def run(self) -> list[Damage]:
        with self._transaction.cursor(self._tables.index) as cursor:
            for key, row in cursor:
                self._try("index", self._check_message, key, row)
        self._check_orphans("bodies")
        self._check_orphans("staged")
        with self._transaction.cursor(self._tables.records) as cursor:
            for key, row in cursor:
                self._try("records", self._check_record, key, row)
        with self._transaction.cursor(self._tables.branches) as cursor:
            for key, row in cursor:
                self._try("branches", self._check_branch, key, row)
        return self._damages

    def _try(self, table: str, check: Callable[[bytes, bytes], None], key: bytes, row: bytes) -> None:
        try:
            check(key, row)
        except StoreDamaged as error:
            self._damages.append(Damage(error.what, error.where, (table, key)))

    def _check_message(self, key: bytes, row: bytes) -> None:
        where = message_place(key)
        if len(key) != MESSAGE_KEY.size:
            raise StoreDamaged("a message has a key that is none", where)
        body = self._transaction.get(key, db=self._tables.bodies)
        staged = self._transaction.get(key, db=self._tables.staged)
        _, length = read_index_row(row, key)
        if body is not None:
            unseal(body, where, key)
            found = len(body) - CHECKSUM_LENGTH
        elif staged is not None:
            found = len(self._check_staged(read_staged_row(staged, where, key)))
        else:
            raise StoreDamaged("a message has no body", where)
        if found != length or (body is not None and staged is not None):
            raise StoreDamaged(f"a body of {found} bytes stands where {length} were written", where)

    def _check_staged(self, body: StagedRow) -> StagedRow:
        for chunk in body.chunks:
            name = chunk_name(self._folder.staging, chunk.number)
            checksum = length = 0
            try:
                with open(name, "rb") as file:
                    while data := file.read(CHECK_STEP):
                        checksum = crc32(data, checksum)
                        length += len(data)
            except OSError as error:
                raise StoreDamaged(f"a part of a body cannot be read: {error.strerror}", name) from error
            if length != chunk.length:
                raise StoreDamaged(f"a part of a body has {length} bytes, not {chunk.length}", name)
            if checksum != chunk.checksum:
                raise StoreDamaged("a part of a body is not what was written (its CRC32 differs)", name)
        return body

    def _check_orphans(self, table: str) -> None:
        with self._transaction.cursor(getattr(self._tables, table)) as cursor:
            for key in cursor.iternext(values=False):
                if self._transaction.get(key, db=self._tables.index) is None:
                    self._damages.append(Damage("a body has no message", message_place(key), (table, key)))

    def _check_record(self, key: bytes, row: bytes) -> None:
        table, name = split_record_key(key)
        unseal(row, f"table {table}, key {name!r}", key)

    def _check_branch(self, key: bytes, row: bytes) -> None:
        where = f"branch {key.hex()}"
        for operation in decode_operations(unseal(row, where, key), where):
            if isinstance(operation, AddStaged):
                self._check_staged(operation.body)


def copy(source: str | os.PathLike[str], target: str | os.PathLike[str]) -> None:
    """Copy the committed rows and chunks of a folder into a new or empty one, without free pages.

    Raises `StoreLocked`, `StoreNewer`, `StoreDamaged`, `StoreFull`, and `StoreError` for a target that is not empty.
    """
    with locked(source) as folder:
        to = DataFolder(target)
        if to.path.exists() and (not to.path.is_dir() or any(to.path.iterdir())):
            raise StoreError(f"{to.path}: is not empty")
        to.create()
        with _opened(folder) as file:
            to.staging.mkdir(mode=FOLDER_MODE)
            try:
                for number in chunk_numbers(folder.staging):
                    shutil.copyfile(chunk_name(folder.staging, number), chunk_name(to.staging, number))
                    _sync_file(chunk_name(to.staging, number))
                sync_folder(to.staging)
            except OSError as error:
                if is_disk_full(error, to.path):
                    raise StoreFull(f"{to.path}: {error.strerror}") from error
                raise StoreError(f"{to.path}: {error}") from error
            _copy_rows(file.environment, to.messages)
            Journal.begin_anew(to, file.begun).close()
        sync_folder(to.path)


def compact(path: str | os.PathLike[str]) -> tuple[int, int]:
    """Rewrite the file of a folder without its free pages; return its size in bytes (before, after).

    The old file is replaced once the new one is on disk. Raises `StoreLocked`, `StoreNewer`, `StoreDamaged`,
    `StoreFull`.
    """
    with locked(path) as folder:
        before = folder.messages.stat().st_size
        new = folder.messages.with_suffix(".new")
        new.unlink(missing_ok=True)
        try:
            with _opened(folder) as file:
                _copy_rows(file.environment, new)
            os.replace(new, folder.messages)
        finally:
            new.unlink(missing_ok=True)
        sync_folder(folder.path)
        return before, folder.messages.stat().st_size


def _copy_rows(environment: lmdb.Environment, target: Path) -> None:
    file = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE_MODE)
    try:
        environment.copyfd(file, compact=True)
        os.fsync(file)
    except lmdb.DiskError as error:
        raise StoreFull(f"{target}: {error}") from error
    except lmdb.Error as error:
        raise StoreDamaged(f"LMDB cannot copy it: {error}", environment.path()) from error
    finally:
        os.close(file)


def _sync_file(path: str) -> None:
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)
