"""Opening the LMDB file of a data folder: tables, format version, and checks before LMDB touches the file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import lmdb

from mqbridge.bridge.store.errors import StoreDamaged, StoreError, StoreNewer
from mqbridge.bridge.store.folder import FILE_MODE, DataFolder, sync_folder
from mqbridge.bridge.store.rows import seal, unseal
from mqbridge.bridge.store.space_reserve import RESERVE

if TYPE_CHECKING:
    from lmdb import _Database

FORMAT_VERSION = 2
"""The format that this release writes, and the newest that it reads. Format 1 lacked the sums of tables and the mark of
what was synced, and had another journal; the first start converts it to format 2."""
WALKED_AT_START = 64 << 20
"""Length in bytes up to which the structure of all pages is checked before LMDB reads the file, at some microseconds a
page; for a longer file, LMDB's own checks and the sums of the rows have to suffice until `mqbridge store check`."""
DEFAULT_MAP_SIZE = 64 << 30
"""Address space for messages, in bytes; the file itself grows on demand."""

FORMAT_KEY = b"format"


@dataclass(slots=True)
class Tables:
    """The tables of the file; `rows` describes their contents."""

    index: _Database
    bodies: _Database
    staged: _Database
    records: _Database
    branches: _Database
    store: _Database

    def all(self) -> tuple[_Database, ...]:
        """Return every table."""
        return self.index, self.bodies, self.staged, self.records, self.branches, self.store


TABLE_NAMES = (b"index", b"bodies", b"staged", b"records", b"branches", b"store")


def open_environment(folder: DataFolder, map_size: int = DEFAULT_MAP_SIZE) -> tuple[lmdb.Environment, Tables]:
    """Open the file of a locked folder; create it if it is missing.

    Raises `StoreDamaged` for a truncated file or one that is not LMDB's, `StoreNewer` for that of a newer release.
    """
    where = str(folder.messages)
    is_new = not folder.messages.exists() or not folder.messages.stat().st_size
    if is_new and folder.journal.exists():
        raise StoreDamaged("it is missing or empty, while there is a journal", where)
    is_new = not folder.journal.exists()
    if not is_new and folder.messages.stat().st_size <= WALKED_AT_START and (problems := walk_pages(folder)):
        short = "cut short: " if any("EOF" in problem for problem in problems) else ""
        raise StoreDamaged(f"{short}{problems[0]} ({len(problems)} findings)", where)
    try:
        environment = lmdb.open(
            where,
            map_size=map_size + RESERVE,
            max_dbs=len(TABLE_NAMES),
            subdir=False,
            mode=FILE_MODE,
        )
    except lmdb.MemoryError as error:
        raise StoreError(
            f"{where}: the system gives no {map_size} bytes of address space; map_size must be smaller"
        ) from error
    except lmdb.Error as error:
        raise StoreDamaged(f"LMDB cannot open it: {error}", where) from error
    try:
        refuse_short_file(folder, environment)
        check_format(folder, environment, is_new=is_new)
        tables = Tables(*(environment.open_db(name, create=is_new) for name in TABLE_NAMES))
    except lmdb.Error as error:
        environment.close()
        raise StoreDamaged(f"LMDB cannot read its tables: {error}", where) from error
    except BaseException:
        environment.close()
        raise
    if is_new:
        sync_folder(folder.path)
        sync_folder(folder.path.parent)
    return environment, tables


def check_format(folder: DataFolder, environment: lmdb.Environment, *, is_new: bool) -> None:
    """Check the format version, or write it into a new file. Raises `StoreNewer`, `StoreDamaged`."""
    table = environment.open_db(b"store", create=is_new)
    with environment.begin(db=table) as transaction:
        row = transaction.get(FORMAT_KEY)
    if row is None and not is_new:
        raise StoreDamaged("the row of the format version is missing", str(folder.messages))
    if row is None:
        with environment.begin(write=True) as transaction:
            mark_format(transaction, table)
        return
    where = f"{folder.messages}, format version"
    text = unseal(row, where)
    if not text.isdigit():
        raise StoreDamaged(f"{text!r} is no version number", where)
    if int(text) > FORMAT_VERSION:
        raise StoreNewer(str(folder.path), int(text), FORMAT_VERSION)


def format_row() -> bytes:
    """Return the row with this release's format version."""
    return seal(b"%d" % FORMAT_VERSION)


def mark_format(transaction: lmdb.Transaction[bytes], table: _Database) -> None:
    """Record that the folder has this release's format."""
    transaction.put(FORMAT_KEY, format_row(), db=table)


def refuse_short_file(folder: DataFolder, environment: lmdb.Environment) -> None:
    """Raise `StoreDamaged` for a file that lacks pages in use: reading them through the memory map would kill the
    process.

    Trailing pages may be missing if they are free, so a short file is walked before it is refused.
    """
    expected = used_bytes(environment)
    size = os.path.getsize(folder.messages)
    if size < expected and (problems := walk_pages(folder)):
        raise StoreDamaged(f"cut short: {size} bytes of {expected} ({problems[0]})", str(folder.messages))


def used_bytes(environment: lmdb.Environment) -> int:
    """Return the extent of the last commit's pages within the file, in bytes."""
    return (environment.info()["last_pgno"] + 1) * environment.stat()["psize"]


def walk_pages(folder: DataFolder) -> list[str]:
    """Return the faults in the structure of the file, found by reading its pages without LMDB."""
    from lmdb import verify

    try:
        problems: list[str] = verify.verify(str(folder.messages))  # type: ignore[no-untyped-call]
    except (verify.VerifyError, OSError) as error:
        return [str(error)]
    return problems
