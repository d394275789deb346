"""Bodies moved out of memory: appended to segment files, never synced, deleted at the next start.

An id is the number of a segment and the offset in it, so that a spilled body takes no memory. Each body is preceded by
its length; dropping one overwrites the length with a mark. A segment is deleted when its last body is dropped, which
happens soon in first-in-first-out use.

Main thread only.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable
from pathlib import Path

from mqbridge.bridge.store.disk import DESCRIPTORS, is_disk_full, write_fully
from mqbridge.bridge.store.errors import ChunkMissing, StoreError, StoreFull
from mqbridge.bridge.store.folder import FILE_MODE, FOLDER_MODE
from mqbridge.bridge.store.operations import Piece

SEGMENT_LENGTH = 16 << 20
"""Length in bytes after which a segment accepts no further body."""
MAX_OPEN_SEGMENTS = 8

_LENGTH = struct.Struct("<Q")
_DROPPED = 2**64 - 1
_OFFSET_BITS = 32
_OFFSET_MASK = (1 << _OFFSET_BITS) - 1


class SpillArea:
    """An unsynced area for bodies, in a folder of its own that is emptied at start."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._live: dict[int, int] = {}
        self._segment = 0
        self._end = SEGMENT_LENGTH
        self._files: dict[int, int] = {}
        path.mkdir(mode=FOLDER_MODE, exist_ok=True)
        for file in path.iterdir():
            file.unlink()

    def write(self, body: Piece) -> int:
        """Write a body and return its id. Raises `StoreFull`."""
        if self._end >= SEGMENT_LENGTH:
            self._begin_segment()
        file = self._file(self._segment)
        offset = self._end
        length = _LENGTH.pack(len(body))
        size = len(length) + len(body)
        try:
            if os.pwritev(file, [length, body], offset) < size:
                write_fully(file, length, offset)
                write_fully(file, body, offset + len(length))
        except OSError as error:
            if is_disk_full(error, self._path):
                raise StoreFull(f"{self._path}: {error.strerror}") from error
            raise StoreError(f"{self._path}: {error.strerror}") from error
        self._end = offset + size
        self._live[self._segment] += 1
        return self._segment << _OFFSET_BITS | offset

    def read(self, part: int, offset: int = 0, length: int | None = None) -> bytes:
        """Return a slice of a body. Raises `ChunkMissing`."""
        whole = self._length(part)
        wanted = whole - offset if length is None else min(length, whole - offset)
        if wanted <= 0:
            return b""
        start = (part & _OFFSET_MASK) + _LENGTH.size + offset
        return os.pread(self._file(part >> _OFFSET_BITS), wanted, start)

    def drop(self, spilled: Iterable[int]) -> None:
        """Drop bodies; unknown ids are ignored."""
        for number in spilled:
            try:
                self._length(number)
            except ChunkMissing:
                continue
            segment = number >> _OFFSET_BITS
            os.pwrite(self._file(segment), _LENGTH.pack(_DROPPED), number & _OFFSET_MASK)
            self._live[segment] -= 1
            if not self._live[segment] and segment != self._segment:
                self._end_segment(segment)

    def close(self) -> None:
        """Delete everything."""
        for segment in list(self._live):
            self._end_segment(segment)

    def _length(self, spilled: int) -> int:
        segment = spilled >> _OFFSET_BITS
        if segment not in self._live:
            raise ChunkMissing(spilled)
        raw = os.pread(self._file(segment), _LENGTH.size, spilled & _OFFSET_MASK)
        length: int = _LENGTH.unpack(raw)[0] if len(raw) == _LENGTH.size else _DROPPED
        if length == _DROPPED:
            raise ChunkMissing(spilled)
        return length

    def _begin_segment(self) -> None:
        if self._live.get(self._segment) == 0:
            self._end_segment(self._segment)
        self._segment += 1
        self._end = 0
        self._live[self._segment] = 0

    def _end_segment(self, segment: int) -> None:
        file = self._files.pop(segment, None)
        if file is not None:
            os.close(file)
        self._name(segment).unlink(missing_ok=True)
        del self._live[segment]

    def _file(self, segment: int) -> int:
        """Return an open file of the segment; few stay open, as reading proceeds along the segments."""
        file = self._files.get(segment)
        if file is None:
            while len(self._files) >= MAX_OPEN_SEGMENTS:
                os.close(self._files.pop(next(iter(self._files))))
            file = DESCRIPTORS.open(self._name(segment), os.O_RDWR | os.O_CREAT, FILE_MODE)
            self._files[segment] = file
        return file

    def _name(self, segment: int) -> Path:
        return self._path / f"{segment:08x}"
