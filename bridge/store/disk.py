"""Complete writes, and the distinction between a full disk and a broken one."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

SPARES: Final = 16
"""Number of spares: eight threads sync parts of bodies, and two more read them."""
OUT_OF_DESCRIPTORS: Final = frozenset({errno.EMFILE, errno.ENFILE})
FULL_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG}) | OUT_OF_DESCRIPTORS
NEARLY_NOTHING = 1 << 20
"""Free bytes below which a short write is attributed to a full disk."""

sync_data: Callable[[int], None] = getattr(os, "fdatasync", os.fsync)
"""Syncs the data of an open file."""


def start_writing(file: int) -> None:
    """Start writeback of an open file, so that a later sync has less to wait for."""
    if hasattr(os, "posix_fadvise"):
        # Linux answers this advice by writing what is dirty; pages on their way to the disk stay in memory.
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)


def is_disk_full(error: BaseException, folder: Path) -> bool:
    """Return whether a write failed for lack of resources: disk, quota, file-size limit, or descriptors.

    `error` is an `OSError` or an `lmdb.Error`, which has the errno in `code`. LMDB reports a short write as EIO; free
    space then decides.
    """
    number = error.errno if isinstance(error, OSError) else getattr(error, "code", 0)
    if number in FULL_ERRORS:
        return True
    return number == errno.EIO and free_space(folder) < NEARLY_NOTHING


def free_space(folder: str | Path | int) -> int:
    """Return the bytes available on the disk of a folder, given by path or, a third of the work, by descriptor."""
    status = os.statvfs(folder)
    return status.f_bavail * status.f_frsize


def write_fully(file: int, data: bytes | memoryview, offset: int) -> None:
    """Write all of `data` at `offset`, in as many calls as it takes. Raises `OSError`."""
    written = os.pwrite(file, data, offset)
    if written < len(data):
        view = memoryview(data)
        while written < len(data):
            written += os.pwrite(file, view[written:], offset + written)


class SpareDescriptors:
    """Descriptors of this process that can be released on demand, and are reopened when others are free."""

    def __init__(self, count: int = SPARES) -> None:
        self._count = count
        self._kept: list[int] = []
        self._lock = threading.Lock()

    def open(self, path: str | os.PathLike[str], flags: int, mode: int = 0o777) -> int:
        """Open a file as `os.open`, with a spare descriptor if there is no other. Raises `OSError`."""
        while True:
            try:
                file = os.open(path, flags | os.O_CLOEXEC, mode)
            except OSError as error:
                if error.errno not in OUT_OF_DESCRIPTORS or not self._release_one():
                    raise
                continue
            self._reserve_one()
            return file

    def _release_one(self) -> bool:
        with self._lock:
            if not self._kept:
                return False
            os.close(self._kept.pop())
            return True

    def _reserve_one(self) -> None:
        if len(self._kept) >= self._count:
            return
        with self._lock:
            try:
                while len(self._kept) < self._count:
                    self._kept.append(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))
            except OSError:
                return


DESCRIPTORS: Final = SpareDescriptors()
"""The spares of this process, however many stores it opens."""
