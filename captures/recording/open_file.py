"""A capture file being written."""

from __future__ import annotations

import errno
import fcntl
import io
import os
import stat
from pathlib import Path
from typing import BinaryIO, Final, Protocol

from mqbridge.captures.recording.recorder import Recorder


class ContinuableConnection(Protocol):
    """A connection that can continue in another file."""

    def move(self, now: float) -> None:
        """Continue in the current file."""


BUFFER_SIZE: Final = 1 << 18
FOR_THE_OWNER: Final = 0o600
"""Mode of the files, which contain message data."""


class WholeWrites(io.BufferedWriter):
    """Buffered writer that never splits one write between two flushes, if the buffer has room for it."""

    _held = 0

    def write(self, data: bytes, /) -> int:  # type: ignore[override]
        """Take bytes; flush earlier ones first if there is no room for both."""
        if self._held + len(data) > BUFFER_SIZE:
            self.flush()
        self._held += len(data)
        return super().write(data)

    def flush(self) -> None:
        """Write the buffered bytes."""
        super().flush()
        self._held = 0


def open_new(path: Path, *, overwrite: bool = False) -> BinaryIO:
    """Open a file for its owner only, and lock it, so that other recordings neither write it nor consider it abandoned.

    ``overwrite``: truncate an existing file. Raises ``OSError``: ``FileExistsError`` if it exists, ``BlockingIOError``
    if another recording is writing it.
    """
    number = os.open(path, os.O_WRONLY | os.O_CREAT | (0 if overwrite else os.O_EXCL), FOR_THE_OWNER)
    try:
        if not _locked(number):
            raise BlockingIOError(errno.EWOULDBLOCK, "another recording is writing it", os.fspath(path))
        if overwrite and stat.S_ISREG(os.fstat(number).st_mode):
            os.fchmod(number, FOR_THE_OWNER)
            os.ftruncate(number, 0)
        return WholeWrites(io.FileIO(number, "wb"), BUFFER_SIZE)
    except OSError:
        os.close(number)
        raise


def is_left(path: Path) -> bool:
    """Whether an existing file is no longer being written."""
    try:
        number = os.open(path, os.O_RDONLY)
    except OSError:
        return False
    try:
        return _locked(number)
    finally:
        os.close(number)


def _locked(number: int) -> bool:
    """Lock an open file; False if another process has the lock. True on file systems without locks."""
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in (errno.EWOULDBLOCK, errno.EAGAIN)
    return True


class OpenFile:
    """One file, and its connections. ``full``: it takes no new ones."""

    def __init__(self, path: Path, stream: BinaryIO, begun: float) -> None:
        self.path = path
        self.stream = stream
        self.begun = begun
        self.recorder = Recorder(stream)
        self.connections: set[ContinuableConnection] = set()
        self.full = False
