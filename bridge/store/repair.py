"""Repair of a damaged data folder: keeps what is intact, and reports what is lost.

Three steps, each only if needed: rows are extracted from an LMDB file with a damaged structure into a new one; the
journal is read around its gaps, and the records before and after them are applied; damaged rows, and rows whose
counterpart is missing, are deleted. The next start logs the repair.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import lmdb

from mqbridge.bridge.store.environment import DEFAULT_MAP_SIZE, FORMAT_KEY, TABLE_NAMES, format_row, walk_pages
from mqbridge.bridge.store.errors import StoreDamaged
from mqbridge.bridge.store.folder import FILE_MODE, DataFolder, sync_folder
from mqbridge.bridge.store.journal import Journal
from mqbridge.bridge.store.offline_maintenance import damages_of, locked
from mqbridge.bridge.store.row_file import STATE_KEY, RowFile, state_row
from mqbridge.bridge.store.rows import unseal
from mqbridge.bridge.store.salvage import PageReader
from mqbridge.bridge.store.sync_mark import UNKNOWN, JournalPass, SyncedFile, read_mark

_STEP = 10_000


@dataclass(slots=True)
class Repair:
    """Result of a repair: `lost`, a line for each damage; `messages` and `records`, numbers kept."""

    lost: list[str]
    messages: int
    records: int


def repair(path: str | os.PathLike[str], now: str) -> Repair:
    """Make a damaged folder usable, without what is lost; `now` is the time for the log of the next start.

    Raises `StoreLocked`, `StoreNewer`, `StoreFull`, and `StoreError` if there is no store or nothing can be kept.
    """
    with locked(path) as folder:
        lost: list[str] = []
        problems = walk_pages(folder)
        if problems or PageReader(folder.messages).lacks(TABLE_NAMES):
            lost += [f"{folder.messages}: {problem}" for problem in problems]
            lost += map(str, _rebuild(folder))
        lost += map(str, [*_restore_files(folder), *_restore_state(folder)])
        reported: list[StoreDamaged] = []
        file = RowFile(folder, report=reported.append)
        try:
            lost += map(str, reported)
            if lost:
                file.accept(_note(now, lost))
            while damages := [each for each in damages_of(folder, file, []) if each.row is not None]:
                lost += [f"{each.where}: {each.what}" for each in damages]
                file.accept(_note(now, lost))
                file.remove([each.row for each in damages if each.row is not None])
            return Repair(lost, *file.counts())
        finally:
            file.close()


def _note(now: str, lost: list[str]) -> str:
    return f"{now}: {len(lost)} damaged, first {lost[0]}"


def _restore_files(folder: DataFolder) -> list[StoreDamaged]:
    """Replace a missing or unreadable journal and mark by an empty journal and a new mark."""
    lost: list[StoreDamaged] = []
    if not folder.journal.exists():
        lost.append(StoreDamaged("it is missing, and with it the commits that were in it alone", str(folder.journal)))
        folder.journal.touch(FILE_MODE)
    try:
        read_mark(folder.synced)
    except StoreDamaged as damage:
        lost.append(damage)
        folder.synced.unlink(missing_ok=True)
        SyncedFile(folder.synced, UNKNOWN).close()
    return lost


def _restore_state(folder: DataFolder) -> list[StoreDamaged]:
    """Replace unreadable rows for the folder's format and the journal's state: the mark has the pass, the journal's
    first record its number."""
    lost: list[StoreDamaged] = []
    mark = read_mark(folder.synced)
    first = Journal.first_number(folder.journal, mark.salt) or mark.sequence + 1
    rows = {FORMAT_KEY: format_row(), STATE_KEY: state_row(JournalPass(mark.number, mark.salt, first - 1))}
    with _environment(folder.messages) as environment, environment.begin(write=True) as transaction:
        table = environment.open_db(b"store", transaction)
        for key, row in rows.items():
            where = f"{folder.messages}, row {key.decode()}"
            try:
                unseal(transaction.get(key, b"", table), where)
            except StoreDamaged as damage:
                lost.append(damage)
                transaction.put(key, row, db=table)
    return lost


def _environment(path: Path) -> lmdb.Environment:
    return lmdb.open(str(path), map_size=DEFAULT_MAP_SIZE, max_dbs=8, subdir=False, mode=FILE_MODE, lock=False)


def _rebuild(folder: DataFolder) -> list[StoreDamaged]:
    """Replace a damaged LMDB file by a new one with the rows that can be reached."""
    reader: PageReader | None = None
    damages: list[StoreDamaged] = []
    try:
        reader = PageReader(folder.messages)
    except StoreDamaged as damage:
        damages.append(damage)
    new = folder.messages.with_suffix(".new")
    new.unlink(missing_ok=True)
    with _environment(new) as environment:
        for name in TABLE_NAMES:
            table = environment.open_db(name)
            rows = list(reader.rows(name)) if reader is not None else []
            for first in range(0, len(rows), _STEP):
                with environment.begin(db=table, write=True) as transaction:
                    for key, row in rows[first : first + _STEP]:
                        if 0 < len(key) <= environment.max_key_size():
                            transaction.put(key, row)
    os.replace(new, folder.messages)
    sync_folder(folder.path)
    return damages + (reader.damages if reader is not None else [])
