"""The mark of what was synced: how far the journal is known to be on disk, in a separate file.

The end of a journal does not show whether a last write is missing. So each commit, once synced, writes its number here,
without a sync: after a killed process the number is exact, after a power cut slightly too low. The mark is synced when
a pass begins and when the journal has grown.

    crc u32, number of the pass u64, salt of its records, number of the last record synced u64, journal's length u64

It fits one disk sector, which is written atomically.
"""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

from mqbridge.bridge.store.errors import StoreDamaged
from mqbridge.bridge.store.folder import FILE_MODE, sync_folder
from mqbridge.bridge.store.rows import CHECKSUM, CHECKSUM_LENGTH, seal, unseal

SALT_LENGTH = 8
_MARK = struct.Struct(f">Q{SALT_LENGTH}sQQ")


@dataclass(frozen=True, slots=True)
class JournalPass:
    """A pass over the journal: its number, the salt of its records, and the number of the last record before it."""

    number: int
    salt: bytes
    sequence: int


@dataclass(frozen=True, slots=True)
class SyncMark:
    """In this pass the records up to `sequence` are on disk, and the journal file has at least `length` bytes."""

    number: int
    salt: bytes
    sequence: int
    length: int


UNKNOWN = SyncMark(0, bytes(SALT_LENGTH), 0, 0)
"""A mark that states nothing."""


class SyncedFile:
    """The file of the mark, created if missing with the contents of `first`."""

    def __init__(self, path: Path, first: SyncMark) -> None:
        self._where = str(path)
        is_new = not path.exists()
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
        if is_new:
            os.pwrite(self._file, _sealed(first), 0)
            self.sync()
            sync_folder(path.parent)

    def read(self) -> SyncMark:
        """Return the mark. Raises `StoreDamaged`."""
        return _mark(os.pread(self._file, CHECKSUM_LENGTH + _MARK.size + 1, 0), self._where)

    def write(self, begun: JournalPass, sequence: int, length: int) -> None:
        """Write a mark of a pass. If that fails the older one stays, which is also true."""
        packed = _MARK.pack(begun.number, begun.salt, sequence, length)
        try:
            os.pwrite(self._file, CHECKSUM.pack(crc32(packed)) + packed, 0)
        except OSError:
            return

    def sync(self) -> None:
        """Sync the mark. Raises `OSError`."""
        os.fsync(self._file)

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


def read_mark(path: Path) -> SyncMark:
    """Return the mark in a file. Raises `StoreDamaged`, also if it is missing."""
    try:
        return _mark(path.read_bytes(), str(path))
    except OSError as error:
        raise StoreDamaged(f"the mark of what was synced cannot be read: {error.strerror}", str(path)) from error


def _mark(row: bytes, where: str) -> SyncMark:
    if len(row) != CHECKSUM_LENGTH + _MARK.size:
        raise StoreDamaged(f"the mark of what was synced has {len(row)} bytes", where)
    return SyncMark(*_MARK.unpack(unseal(row, where)))


def _sealed(mark: SyncMark) -> bytes:
    return seal(_MARK.pack(mark.number, mark.salt, mark.sequence, mark.length))
