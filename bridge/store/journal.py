"""The journal, which makes a commit durable with one sync.

LMDB alone needs two consecutive syncs per commit, and writes at least a page per body. So a commit is appended to this
file and synced; its rows are written to the LMDB file later, with those of many commits, and rows that were deleted in
the meantime never are. Then the journal is written from its start again: the next pass.

A record is

    salt of the pass, crc u32, length of the entries u32, sequence number u64, entries, bodies

where the entries hold key, length and CRC32 of each body. The sequence number increases by one from record to record.
Each pass has a new random salt, kept in the LMDB file and included in the CRC. So leftovers of an earlier pass, which
include data from peers, cannot look like a record of this one, and the records of this one are recognised anywhere.

**What may be missing.** A commit is one record, and the next is written only after it is synced. So at most one record,
the last, may be torn, in any way: its blocks reach the disk in any order. Everything else is damage: a later record
proves that an incomplete one had been synced; so does the mark of what was synced (`synced`), which also states the
minimum length of the file.
"""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from zlib import crc32

from mqbridge.bridge.store.changes import Changes
from mqbridge.bridge.store.disk import sync_data, write_fully
from mqbridge.bridge.store.errors import StoreDamaged
from mqbridge.bridge.store.folder import FILE_MODE, DataFolder, sync_folder
from mqbridge.bridge.store.journal_entries import decode, lost_records
from mqbridge.bridge.store.rows import message_place, same_sum
from mqbridge.bridge.store.sync_mark import SALT_LENGTH, JournalPass, SyncedFile, SyncMark

JOURNAL_LENGTH = 32 << 20
"""Length in bytes after which rows are written to the LMDB file and the journal starts again."""
ALLOCATION = 8 << 20
"""Bytes by which the file is allocated ahead."""
_PIECES_A_CALL = 1000

_HEADER = struct.Struct(f">{SALT_LENGTH}sIIQ")
_NUMBERED = struct.Struct(">IQ")


def refuse(damage: StoreDamaged) -> None:
    """Raise damage; the default where it must not be ignored."""
    raise damage


class Journal:
    """The journal file of a locked folder, and the mark beside it.

    `begun` is the pass that the LMDB file knows. With `must_exist` missing files are `StoreDamaged`: committed rows
    would be lost. Other damage is passed to `report`, which raises it unless the caller continues with what is intact.
    """

    def __init__(
        self,
        folder: DataFolder,
        begun: JournalPass,
        *,
        must_exist: bool,
        report: Callable[[StoreDamaged], None] = refuse,
    ) -> None:
        self._path = path = folder.journal
        self._report = report
        self.begun = begun
        self.sequence = begun.sequence
        self._seed = crc32(begun.salt)
        self._end = 0
        is_new = not path.exists()
        if must_exist and is_new:
            raise StoreDamaged("the journal is missing", str(path))
        if must_exist and not folder.synced.exists():
            raise StoreDamaged("the mark of what was synced is missing", str(folder.synced))
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
        try:
            self._allocated = self._synced_length = os.fstat(self._file).st_size
            if is_new:
                self._allocate(1)
                os.fsync(self._file)
                sync_folder(path.parent)
            self._mark = SyncedFile(folder.synced, SyncMark(begun.number, begun.salt, begun.sequence, self._allocated))
            try:
                self._known = self._look_at_mark(folder)
            except BaseException:
                self._mark.close()
                raise
        except BaseException:
            os.close(self._file)
            raise

    def _look_at_mark(self, folder: DataFolder) -> int:
        """Return the number of the last record of this pass that is synced according to the mark."""
        try:
            mark = self._mark.read()
        except StoreDamaged as damage:
            self._report(damage)
            return 0
        begun = self.begun
        if mark.number > begun.number or (mark.number == begun.number and mark.salt != begun.salt):
            what = f"an older version: it knows pass {begun.number} of the journal, which is in pass {mark.number}"
            self._report(StoreDamaged(what, str(folder.messages)))
            self.begun = begun = JournalPass(mark.number, mark.salt, begun.sequence)
            self._seed = crc32(begun.salt)
        if self._allocated < mark.length:
            self._report(StoreDamaged(f"cut short: {self._allocated} bytes of {mark.length}", str(self._path)))
        return mark.sequence if mark.number == begun.number else 0

    @classmethod
    def begin_anew(cls, folder: DataFolder, begun: JournalPass) -> Journal:
        """Create the journal of a folder whose LMDB file has none yet; an existing file is from before, or from an
        interrupted start."""
        folder.synced.unlink(missing_ok=True)
        return cls(folder, begun, must_exist=False)

    @staticmethod
    def first_number(path: Path, salt: bytes) -> int | None:
        """Return the number in the header of the first record, if it belongs to a pass."""
        with path.open("rb") as file:
            header = file.read(_HEADER.size)
        if len(header) < _HEADER.size or not header.startswith(salt):
            return None
        number: int = _HEADER.unpack(header)[3]
        return number

    def begin(self, begun: JournalPass) -> None:
        """Start the next pass, after the LMDB file has all records and the new salt. Raises `OSError`."""
        self.begun = begun
        self._seed = crc32(begun.salt)
        self._end = 0
        self._mark.write(self.begun, self.sequence, self._synced_length)
        self._mark.sync()

    def has_room(self, length: int) -> bool:
        """Return whether a record with `length` bytes of entries and bodies fits into this pass."""
        return self._end + _HEADER.size + length <= JOURNAL_LENGTH

    def append(self, entries: bytes, bodies: Sequence[bytes]) -> int:
        """Write a record and return its length, for `sync`. Raises `OSError`, and then there is no record."""
        length = _HEADER.size + len(entries) + sum(map(len, bodies))
        if self._end + length > self._allocated:
            self._allocate(self._end + length)
        number = self.sequence + 1
        checksum = self._checksum(number, entries)
        self._write([_HEADER.pack(self.begun.salt, checksum, len(entries), number), entries, *bodies], length)
        return length

    def sync(self, length: int) -> None:
        """Sync the record just written. Raises `OSError`, and then it may or may not be on disk."""
        sync_data(self._file)
        self._end += length
        self.sequence += 1
        has_grown = self._synced_length != self._allocated
        self._synced_length = self._allocated
        self._mark.write(self.begun, self.sequence, self._synced_length)
        if has_grown:
            self._mark.sync()

    def replay(self) -> Changes:
        """Return the changes of all records since the last checkpoint; report synced records that are lost."""
        changes = Changes()
        while True:
            while record := self._read(self._end, self.sequence + 1):
                self._end, later = record
                changes.update(later)
                self.sequence += 1
            found = self._search(self._end, self.sequence + 2)
            if found is None:
                break
            at, number = found
            self._skip_lost(number - 1, f"not what was written: {at - self._end} bytes at {self._end}")
            self._end = at
        if self.sequence < self._known:
            self._skip_lost(self._known, f"not there, at {self._end}")
        return changes

    def _skip_lost(self, last: int, what: str) -> None:
        """Report the records from the next to the last as lost, and skip them."""
        self._report(StoreDamaged(lost_records(self.sequence + 1, last, what), str(self._path)))
        self.sequence = last

    def _search(self, at: int, least: int) -> tuple[int, int] | None:
        """Return (place, number) of the first record of this pass behind a place, with at least this number."""
        size = os.fstat(self._file).st_size
        if at >= size:
            return None
        with mmap.mmap(self._file, size, access=mmap.ACCESS_READ) as view:
            place = view.find(self.begun.salt, at)
            while place >= 0:
                number = int.from_bytes(view[place + _HEADER.size - 8 : place + _HEADER.size], "big")
                if number >= least and self._entries(place, number) is not None:
                    return place, number
                place = view.find(self.begun.salt, place + 1)
        return None

    def close(self) -> None:
        """Close the files."""
        self._mark.close()
        os.close(self._file)

    def _checksum(self, number: int, entries: bytes) -> int:
        return crc32(entries, crc32(_NUMBERED.pack(len(entries), number), self._seed))

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
        """Return the entries of the record with this number, or None."""
        header = os.pread(self._file, _HEADER.size, at)
        if len(header) < _HEADER.size:
            return None
        salt, checksum, length, found = _HEADER.unpack(header)
        if salt != self.begun.salt or found != number or length > JOURNAL_LENGTH:
            return None
        entries = os.pread(self._file, length, at + _HEADER.size)
        return entries if len(entries) == length and self._checksum(number, entries) == checksum else None

    def _read(self, at: int, number: int) -> tuple[int, Changes] | None:
        """Return (end, changes) of the record with this number, or None.

        Incomplete bodies make the last record one that was never synced; those of an earlier one are lost.
        """
        entries = self._entries(at, number)
        if entries is None:
            return None
        changes = Changes()
        at += _HEADER.size + len(entries)
        broken: list[bytes] = []
        for key, body_length, checksum in decode(entries, changes):
            body = os.pread(self._file, body_length, at)
            at += body_length
            if len(body) == body_length and same_sum(checksum, body, key):
                changes.bodies[key] = (checksum, body)
            else:
                broken.append(key)
        if broken:
            if number > self._known and self._search(at, number + 1) is None:
                return None
            where = ", ".join(map(message_place, islice(broken, 3))) + (", ..." if len(broken) > 3 else "")
            what = f"record {number} is not what was written: {len(broken)} bodies ({where})"
            self._report(StoreDamaged(what, str(self._path)))
            for key in broken:
                changes.index[key] = changes.bodies[key] = None
        return at, changes
