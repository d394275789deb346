"""Extraction of rows from an LMDB file with a damaged structure: its pages are read here, not by LMDB.

The tables are walked from the root of the last commit; an invalid page, or one whose number is not its place, is
skipped with everything reachable only through it. The caller checks rows by their sums.

Layout (LMDB 0.9, 64 bits, native byte order): a page has number u64, pad u16, flags u16, lower u16, upper u16, then the
offsets of its nodes; an overflow page has its page count instead of the last two. A node has four u16 (size or child
page in the first two, flags, key length), key, data.
"""

from __future__ import annotations

import mmap
import os
import struct
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from mqbridge.bridge.store.errors import StoreDamaged

_PAGE = struct.Struct("=QHHHH")
_OVERFLOW = struct.Struct("=QHHI")
_NODE = struct.Struct("=HHHH")
_META = struct.Struct("=IIQQ48s48sQQ")
_MAGIC = 0xBEEFC0DE
_BRANCH, _LEAF, _OVERFLOW_PAGE = 1, 2, 4
_BIG, _TABLE = 1, 2
_NO_PAGE = 2**64 - 1


class PageReader:
    """The pages of a file as of its last commit. Raises `StoreDamaged` if it has no root."""

    def __init__(self, path: Path) -> None:
        self._where = str(path)
        try:
            with path.open("rb") as file:
                self._data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        except (OSError, ValueError) as error:
            raise StoreDamaged(f"it cannot be read: {error}", self._where) from error
        self._seen: set[int] = set()
        self.damages: list[StoreDamaged] = []
        self._size = os.sysconf("SC_PAGE_SIZE")
        metas = [meta for number in (0, 1) if (meta := self._meta(number)) is not None]
        if not metas:
            raise StoreDamaged("neither of its roots can be read", self._where)
        _, root = max(metas)
        self._tables = {key: row for key, row, is_table in self._rows(root) if is_table and len(row) == 48}

    def _meta(self, number: int) -> tuple[int, int] | None:
        """Return (transaction, root page) of a meta page."""
        at = number * self._size + _PAGE.size
        if at + _META.size > len(self._data):
            return None
        magic, _, _, _, free, main, _, transaction = _META.unpack_from(self._data, at)
        page_size = int.from_bytes(free[:4], sys.byteorder)
        if magic != _MAGIC or page_size != self._size:
            return None
        return transaction, struct.unpack_from("=Q", main, 40)[0]

    def lacks(self, tables: Iterable[bytes]) -> bool:
        """Return whether one of these tables is missing."""
        return not set(tables) <= self._tables.keys()

    def rows(self, table: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Yield the reachable rows of a table, in order."""
        found = self._tables.get(table)
        if found is None:
            self._report_missing(f"table {table.decode()} is not there")
            return
        for key, row, _ in self._rows(struct.unpack_from("=Q", found, 40)[0]):
            yield key, row

    def _report_missing(self, what: str) -> None:
        self.damages.append(StoreDamaged(what, self._where))

    def _rows(self, page: int) -> Iterator[tuple[bytes, bytes, bool]]:
        if page == _NO_PAGE or page in self._seen:
            return
        self._seen.add(page)
        start = page * self._size
        if start + self._size > len(self._data):
            self._report_missing(f"page {page} is not there")
            return
        number, _, flags, lower, upper = _PAGE.unpack_from(self._data, start)
        if number != page or flags not in (_BRANCH, _LEAF) or not _PAGE.size <= lower <= upper <= self._size:
            self._report_missing(f"page {page} is not what was written")
            return
        data = bytes(self._data[start : start + self._size])
        for (at,) in struct.iter_unpack("=H", data[_PAGE.size : lower & ~1]):
            if at + _NODE.size > self._size:
                self._report_missing(f"page {page}: a row lies outside")
                continue
            low, high, node_flags, key_length = _NODE.unpack_from(data, at)
            at += _NODE.size
            if flags == _BRANCH:
                yield from self._rows(low | high << 16 | node_flags << 32)
                continue
            key = data[at : at + key_length]
            row = self._row(data, at + key_length, low | high << 16, bool(node_flags & _BIG))
            if row is None or len(key) != key_length:
                self._report_missing(f"page {page}: a row cannot be read")
                continue
            yield key, row, bool(node_flags & _TABLE)

    def _row(self, data: bytes, at: int, length: int, is_big: bool) -> bytes | None:
        if not is_big:
            return data[at : at + length] if at + length <= len(data) else None
        if at + 8 > len(data):
            return None
        page = struct.unpack_from("=Q", data, at)[0]
        start = page * self._size
        if start + _OVERFLOW.size + length > len(self._data):
            return None
        number, _, flags, _ = _OVERFLOW.unpack_from(self._data, start)
        if number != page or flags != _OVERFLOW_PAGE:
            return None
        return bytes(self._data[start + _OVERFLOW.size : start + _OVERFLOW.size + length])
