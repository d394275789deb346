"""Space reserved so that a full store can still be emptied.

LMDB copies changed pages, so even deleting messages needs free pages. Units that add messages may therefore fill map
and disk only up to a reserve, which units that delete, change or record may use. The reserve is allocated on disk in
advance.

`DiskReserve` keeps room for a start besides: a file that shrinks when the disk is full, and grows again.
"""

from __future__ import annotations

import os
from pathlib import Path

from mqbridge.bridge.store.disk import DESCRIPTORS, is_disk_full
from mqbridge.bridge.store.errors import StoreFull
from mqbridge.bridge.store.folder import FILE_MODE

RESERVE = 4 << 20
"""Bytes that units that add messages leave free."""
GROWTH = 16 << 20
"""Bytes by which the file is allocated ahead."""
KEPT_FILE = "keep-free"
"""Name of the file in the data folder."""
STEP = 64 << 10
"""Bytes released at a time: more than a start needs, so that there is enough for several starts."""


class FileSpace:
    """Limit of the bytes that used pages may take: less than the map and less than the file, each by the reserve.

    `used`: extent of the file's used pages in bytes. `map_size`: the bound for messages.
    """

    def __init__(self, path: Path, map_size: int, used: int) -> None:
        self._path = path
        self._map_size = map_size
        self._room = 0
        try:
            self._allocate(used + RESERVE)
        except OSError as error:
            if not is_disk_full(error, path.parent):
                raise
            self._room = used - RESERVE

    def claim(self, live: int) -> None:
        """Ensure that pages of `live` bytes in total may be in use. Raises `StoreFull`."""
        if live <= self._room:
            return
        if live > self._map_size:
            raise StoreFull(f"{self._path}: the map of {self._map_size} bytes is full")
        for growth in (GROWTH, 0):
            try:
                self._allocate(live + RESERVE + growth)
                return
            except OSError as error:
                if not is_disk_full(error, self._path.parent):
                    raise
                reason = error.strerror
        raise StoreFull(f"{self._path}: {reason}")

    def _allocate(self, size: int) -> None:
        """Allocate blocks of the file up to `size`; existing pages are unchanged."""
        if hasattr(os, "posix_fallocate"):
            file = DESCRIPTORS.open(self._path, os.O_RDWR)
            try:
                os.posix_fallocate(file, 0, size)
            finally:
                os.close(file)
        self._room = min(size - RESERVE, self._map_size)


class DiskReserve:
    """``size`` bytes on the disk of a folder; 0 for none."""

    def __init__(self, folder: Path, size: int) -> None:
        self._path = folder / KEPT_FILE
        self._size = size

    def release(self) -> bool:
        """Release `STEP` bytes; return whether there were any. Raises `OSError`."""
        try:
            size = self._path.stat().st_size
            os.truncate(self._path, max(size - STEP, 0))
        except FileNotFoundError:
            return False
        return size > 0

    def take(self) -> bool:
        """Allocate the space again; return whether that succeeded. Raises `OSError` for anything but a full disk."""
        if not self._size:
            self._path.unlink(missing_ok=True)
            return True
        file = DESCRIPTORS.open(self._path, os.O_RDWR | os.O_CREAT, FILE_MODE)
        try:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file, 0, self._size)
            os.ftruncate(file, self._size)
        except OSError as error:
            if not is_disk_full(error, self._path.parent):
                raise
            return False
        finally:
            os.close(file)
        return True
