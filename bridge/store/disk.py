"""Writing to the end, and telling a full disk from a broken one."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

from mqbridge.bridge.store.spares import OUT_OF_DESCRIPTORS

FULL_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG}) | OUT_OF_DESCRIPTORS
NEARLY_NOTHING = 1 << 20
"""Free bytes below which a write that was cut short is put down to the full disk."""

sync_data: Callable[[int], None] = getattr(os, "fdatasync", os.fsync)
"""Puts the bytes of an open file on disk."""


def start_writing(file: int) -> None:
    """Lets the system begin to put an open file on disk, so that a later sync has less to wait for."""
    if hasattr(os, "posix_fadvise"):
        # Linux answers this advice by writing what is dirty; pages on their way to the disk stay in memory.
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)


def is_disk_full(error: BaseException, folder: Path) -> bool:
    """Whether a failed write is a matter of space: disk, quota, file-size limit, or of descriptors.

    `error` is an `OSError` or an `lmdb.Error`, which has its number in `code`. LMDB reports a write that the disk cut
    short as EIO, so for that the free space decides.
    """
    number = error.errno if isinstance(error, OSError) else getattr(error, "code", 0)
    if number in FULL_ERRORS:
        return True
    return number == errno.EIO and free_space(folder) < NEARLY_NOTHING


def free_space(folder: Path) -> int:
    """Bytes that may still be written to the disk of a folder."""
    status = os.statvfs(folder)
    return status.f_bavail * status.f_frsize


def write_fully(file: int, data: bytes | memoryview, offset: int) -> None:
    """Writes all of `data` at `offset`, however many calls the system makes of it; raises `OSError`."""
    written = os.pwrite(file, data, offset)
    if written < len(data):
        view = memoryview(data)
        while written < len(data):
            written += os.pwrite(file, view[written:], offset + written)
