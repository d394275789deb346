"""The sum of the checksums of all rows of a table, stored with the rows and updated with them.

A page that reverted to an older version, or rows that became unreachable, are detected when the table is read. The
bodies have no such sum: they are not read at start, and no key of a body is used twice; their number must be that of
the messages.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import TYPE_CHECKING

import lmdb

from mqbridge.bridge.store.changes import MESSAGE_TABLES
from mqbridge.bridge.store.errors import StoreDamaged
from mqbridge.bridge.store.rows import CHECKSUM, seal, unseal

if TYPE_CHECKING:
    from lmdb import _Database

    from mqbridge.bridge.store.environment import Tables

SUM_MASK = 2**64 - 1
SUMS_KEY = b"sums"
SUMMED = ("index", "staged", "records", "branches")
_SUMS = struct.Struct(">4Q")
_sum_in = CHECKSUM.unpack_from


class WrongSum(StoreDamaged):
    """The rows of a table, intact as each may be, are not together what was written."""


class TableSums:
    """The sums of a file's tables by name, `values`; `where` names the file."""

    def __init__(self, environment: lmdb.Environment, tables: Tables, where: str) -> None:
        self.values = dict.fromkeys(SUMMED, 0)
        self._environment = environment
        self._tables = tables
        self._where = where

    def row(self) -> bytes:
        """Return the row that stores them."""
        return seal(_SUMS.pack(*(self.values[name] for name in SUMMED)))

    def make_anew(self) -> None:
        """Compute them from the contents of the file."""
        with self._environment.begin() as transaction:
            self.values = {name: sum_of_rows(transaction, getattr(self._tables, name)) for name in SUMMED}

    def take(self, row: bytes | None, report: Callable[[StoreDamaged], None]) -> None:
        """Read the row that stores them; report small tables that differ, and messages without bodies."""
        try:
            values = _SUMS.unpack(unseal(row or b"", f"{self._where}, sums of its tables"))
        except StoreDamaged as damage:
            report(damage)
            self.make_anew()
            return
        self.values = dict(zip(SUMMED, values, strict=True))
        try:
            with self._environment.begin() as transaction:
                count = {name: transaction.stat(getattr(self._tables, name))["entries"] for name in MESSAGE_TABLES}
                found = {name: sum_of_rows(transaction, getattr(self._tables, name)) for name in SUMMED[1:]}
        except lmdb.Error as error:
            raise StoreDamaged(f"LMDB cannot read its tables: {error}", self._where) from error
        for name, value in found.items():
            if value != self.values[name]:
                report(self._wrong(name))
        if count["index"] != count["bodies"] + count["staged"]:
            what = f"{count['index']} messages have {count['bodies']} bodies and {count['staged']} staged ones"
            report(WrongSum(what, self._where))

    def check_index(self, found: int | None = None) -> None:
        """Compare the sum computed by a reader of the whole index, or now. Raises `WrongSum`."""
        if found is None:
            with self._environment.begin() as transaction:
                found = sum_of_rows(transaction, self._tables.index)
        if found & SUM_MASK != self.values["index"]:
            raise self._wrong("index")

    def _wrong(self, table: str) -> WrongSum:
        what = f"the rows of table {table} are not those that were written last (their sum differs)"
        return WrongSum(what, self._where)


def sum_of_rows(transaction: lmdb.Transaction[bytes], table: _Database) -> int:
    """Return the sum of the checksums of all rows of a table in the file."""
    with transaction.cursor(table) as cursor:
        found: int = sum(_sum_in(row)[0] for row in cursor.iternext(keys=False) if len(row) >= CHECKSUM.size)
        return found & SUM_MASK


def sum_at(cursor: lmdb.Cursor[bytes]) -> int:
    """Return the checksum of the row at a cursor."""
    row = cursor.value()
    return int(_sum_in(row)[0]) if len(row) >= CHECKSUM.size else 0
