"""Disk space kept for a start: a file that shrinks when the disk is full, and grows again."""

from __future__ import annotations

import os
from pathlib import Path

from mqbridge.bridge.store.disk import is_disk_full
from mqbridge.bridge.store.folder import FILE_MODE
from mqbridge.bridge.store.spares import DESCRIPTORS

KEPT_FILE = "keep-free"
"""Name of the file in the data folder."""
STEP = 64 << 10
"""Bytes released at a time: more than a start needs, so that there is enough for several starts."""


class KeptFree:
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
