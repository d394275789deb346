"""The journal: what makes a commit durable with one sync.

LMDB alone needs two syncs a commit, one after the other, and writes a whole page for each body. So a commit is appended
to this file and synced; its rows go into the LMDB file later, many commits together, and rows that came and went in the
meantime never do. The file is then written from its start again.

A record is

    crc u32, length of the entries u32, sequence number u64, entries, bodies

with the entries giving key, length and CRC32 of each body. The sequence number goes up by one from record to record;
the journal ends where no record with the next number follows. The CRC32 is seeded with a salt that is drawn anew for
each pass over the file and kept in the LMDB file, so that nothing that was left over from the pass before (what peers
sent among it) can look like a record of this one.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from zlib import crc32

from bridge.store.changes import MISSING, Changes, Row
from bridge.store.disk import sync_data, write_fully
from bridge.store.errors import StoreDamaged
from bridge.store.folder import FILE_MODE, sync_folder
from bridge.store.rows import MESSAGE_KEY

JOURNAL_LENGTH = 32 << 20
"""Bytes after which the rows go into the LMDB file and the journal begins anew."""
ALLOCATION = 8 << 20
"""Bytes by which the file is allocated ahead."""
SALT_LENGTH = 8
_PIECES_A_CALL = 1000

_HEADER = struct.Struct(">IIQ")
_NUMBER = struct.Struct(">Q")
_NUMBER_OFFSET = 8
_LATER_RECORDS = 4
"""How many numbers behind a record that is missing are looked for."""
_MESSAGE = struct.Struct(">B12sIQI")
"""Tag, key, length of the index row, length and CRC32 of the body; the index row follows."""
_REMOVED = struct.Struct(">B12s")
_DROPPED = struct.Struct(">B4s")
_MESSAGE_TAG, _REMOVED_TAG, _DROPPED_TAG = 1, 2, 3
_SET = struct.Struct(">BII")
_DELETED = struct.Struct(">BI")
_SET_TAGS = {"index": 16, "staged": 17, "records": 18, "branches": 19}
_DELETED_TAGS = {"index": 32, "staged": 33, "records": 34, "branches": 35}
_TABLES_SET = {tag: table for table, tag in _SET_TAGS.items()}
_TABLES_DELETED = {tag: table for table, tag in _DELETED_TAGS.items()}


def encode(changes: Changes) -> tuple[bytes, list[bytes]]:
    """(entries, bodies) of a record."""
    entries = [_DROPPED.pack(_DROPPED_TAG, prefix) for prefix in changes.dropped]
    bodies: list[bytes] = []
    body_of = changes.bodies.get
    for key, row in changes.index.items():
        if row is None:
            entries.append(_REMOVED.pack(_REMOVED_TAG, key))
            continue
        body = body_of(key, MISSING)
        if isinstance(body, tuple):
            entries.append(_MESSAGE.pack(_MESSAGE_TAG, key, len(row), len(body[1]), body[0]) + row)
            bodies.append(body[1])
        else:
            if body is None:
                entries.append(_REMOVED.pack(_REMOVED_TAG, key))
            entries.append(_SET.pack(_SET_TAGS["index"], len(key), len(row)) + key + row)
    for table in ("staged", "records", "branches"):
        rows: dict[bytes, Row] = getattr(changes, table)
        for key, row in rows.items():
            if row is None:
                entries.append(_DELETED.pack(_DELETED_TAGS[table], len(key)) + key)
            else:
                entries.append(_SET.pack(_SET_TAGS[table], len(key), len(row)) + key + row)
    return b"".join(entries), bodies


def decode(entries: bytes, changes: Changes) -> Iterator[tuple[bytes, int, int]]:
    """Puts entries into `changes` and yields (key, length, CRC32) of each body, whose bytes follow the entries."""
    at = 0
    while at < len(entries):
        tag = entries[at]
        if tag == _MESSAGE_TAG:
            _, key, index_length, body_length, checksum = _MESSAGE.unpack_from(entries, at)
            at += _MESSAGE.size + index_length
            changes.index[key] = entries[at - index_length : at]
            yield key, body_length, checksum
        elif tag == _REMOVED_TAG:
            _, key = _REMOVED.unpack_from(entries, at)
            at += _REMOVED.size
            changes.index[key] = changes.bodies[key] = None
        elif tag == _DROPPED_TAG:
            _, prefix = _DROPPED.unpack_from(entries, at)
            at += _DROPPED.size
            changes.dropped.add(prefix)
        elif tag in _TABLES_SET:
            _, key_length, row_length = _SET.unpack_from(entries, at)
            at += _SET.size + key_length + row_length
            key = entries[at - row_length - key_length : at - row_length]
            getattr(changes, _TABLES_SET[tag])[key] = entries[at - row_length : at]
        else:
            _, key_length = _DELETED.unpack_from(entries, at)
            at += _DELETED.size + key_length
            getattr(changes, _TABLES_DELETED[tag])[entries[at - key_length : at]] = None


class Journal:
    """The journal file of a folder.

    `sequence` is the number of the last record that the LMDB file holds, `salt` that of this pass. With `must_exist` a
    missing file is `StoreDamaged`: without it committed rows would be lost.
    """

    def __init__(self, path: Path, sequence: int, salt: bytes, *, must_exist: bool) -> None:
        self._path = path
        if must_exist and not path.exists():
            raise StoreDamaged("the journal is missing", str(path))
        is_new = not path.exists()
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
        self._allocated = os.fstat(self._file).st_size
        if is_new:
            self._allocate(1)
            os.fsync(self._file)
            sync_folder(path.parent)
        self.sequence = sequence
        self._seed = crc32(salt)
        self._end = 0

    def begin(self, salt: bytes) -> None:
        """Starts the next pass, after the LMDB file took over all records and the new salt."""
        self._seed = crc32(salt)
        self._end = 0

    def has_room(self, length: int) -> bool:
        """Whether a record with `length` bytes of entries and bodies still fits into this pass."""
        return self._end + _HEADER.size + length <= JOURNAL_LENGTH

    def append(self, entries: bytes, bodies: Sequence[bytes]) -> int:
        """Writes a record and returns its length, for `sync`; raises `OSError`, after which there is no record."""
        length = _HEADER.size + len(entries) + sum(map(len, bodies))
        if self._end + length > self._allocated:
            self._allocate(self._end + length)
        number = self.sequence + 1
        header = _HEADER.pack(self._checksum(len(entries), number, entries), len(entries), number)
        self._write([header, entries, *bodies], length)
        return length

    def sync(self, length: int) -> None:
        """Puts the record just written on disk; raises `OSError`, after which nobody knows whether it is there."""
        sync_data(self._file)
        self._end += length
        self.sequence += 1

    def replay(self) -> Changes:
        """All changes of the records since the LMDB file took over; raises `StoreDamaged` where one was lost."""
        changes = Changes()
        while record := self._read(self._end, self.sequence + 1):
            end, later = record
            changes.update(later)
            self._end = end
            self.sequence += 1
        self._require_end()
        return changes

    def _require_end(self) -> None:
        """Raises `StoreDamaged` where later records stand behind the end: they were synced, so what is missing was."""
        rest = os.pread(self._file, os.fstat(self._file).st_size - self._end, self._end).rstrip(b"\0")
        missing = self.sequence + 1
        for number in range(missing + 1, missing + 1 + _LATER_RECORDS):
            at = rest.find(_NUMBER.pack(number)) - _NUMBER_OFFSET
            while at >= 0:
                if self._entries(self._end + at, number) is not None:
                    raise StoreDamaged(f"record {missing} is not what was written", str(self._path))
                at = rest.find(_NUMBER.pack(number), at + _NUMBER_OFFSET + 1) - _NUMBER_OFFSET

    def close(self) -> None:
        """Closes the file."""
        os.close(self._file)

    def _checksum(self, length: int, number: int, entries: bytes) -> int:
        return crc32(entries, crc32(_HEADER.pack(0, length, number), self._seed))

    def _allocate(self, size: int) -> None:
        size += ALLOCATION - size % ALLOCATION
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(self._file, 0, size)
        self._allocated = size

    def _write(self, pieces: list[bytes], length: int) -> None:
        offset = self._end
        for first in range(0, len(pieces), _PIECES_A_CALL):
            part = list(islice(pieces, first, first + _PIECES_A_CALL))
            size = sum(map(len, part)) if len(pieces) > _PIECES_A_CALL else length
            if os.pwritev(self._file, part, offset) < size:
                write_fully(self._file, b"".join(part), offset)
            offset += size

    def _entries(self, at: int, number: int) -> bytes | None:
        """The entries of the record with this number, None where there is no such record."""
        header = os.pread(self._file, _HEADER.size, at)
        if len(header) < _HEADER.size:
            return None
        checksum, length, found = _HEADER.unpack(header)
        if found != number:
            return None
        entries = os.pread(self._file, length, at + _HEADER.size) if length <= JOURNAL_LENGTH else b""
        if len(entries) != length or self._checksum(length, number, entries) != checksum:
            return None
        return entries

    def _read(self, at: int, number: int) -> tuple[int, Changes] | None:
        """(end, changes) of the record with this number, None where the journal ends."""
        entries = self._entries(at, number)
        if entries is None:
            return None
        changes = Changes()
        at += _HEADER.size + len(entries)
        whole = True
        for key, body_length, body_checksum in decode(entries, changes):
            body = os.pread(self._file, body_length, at)
            at += body_length
            whole = whole and len(body) == body_length and crc32(body) == body_checksum
            changes.bodies[key] = (body_checksum, body)
        if whole:
            return at, changes
        if self._read(at, number + 1) is not None:
            # A later record was synced, so this one was, too, and its commit answered.
            where = ", ".join(str(MESSAGE_KEY.unpack(key)) for key in islice(changes.bodies, 3))
            raise StoreDamaged(f"record {number} is not what was written (bodies of {where})", str(self._path))
        return None
