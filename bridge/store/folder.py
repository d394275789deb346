"""The data folder of a durable store: its files, and the lock that reserves it for one process.

    lock                 locked with flock while a process uses the folder; holds its process id
    messages.mdb         the LMDB file with the committed rows (and messages.mdb-lock, LMDB's reader table)
    journal              commits that are not in it yet
    synced               how far the journal is on disk
    staging/             parts of big bodies, one file per chunk
    spill/               bodies moved out of memory, emptied at start

The kernel releases the lock with its process, so the lock file of a dead process is simply reused.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from mqbridge.bridge.store.disk import DESCRIPTORS
from mqbridge.bridge.store.errors import StoreLocked

FILE_MODE = 0o600
FOLDER_MODE = 0o700


class DataFolder:
    """Paths inside a data folder, and its lock.

    With `create` the folder is created if missing. `lock` raises `StoreLocked`; `OSError` if the folder cannot be
    created or written.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.messages = self.path / "messages.mdb"
        self.journal = self.path / "journal"
        self.synced = self.path / "synced"
        self.staging = self.path / "staging"
        self.spill = self.path / "spill"
        self._lock_file = -1

    def create(self) -> None:
        """Create the folder if it is missing."""
        self.path.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)

    def lock(self) -> None:
        """Lock the folder for this process. Raises `StoreLocked` with the id of the process that has it."""
        file = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            text = os.pread(file, 32, 0).strip()
            os.close(file)
            raise StoreLocked(str(self.path), int(text) if text.isdigit() else 0) from None
        with suppress(OSError):  # on a full disk the lock holds without the id
            os.pwrite(file, b"%-20d\n" % os.getpid(), 0)
            os.ftruncate(file, 21)
        self._lock_file = file

    def unlock(self) -> None:
        """Release the folder; the lock file stays, as unlinking it would race with the next process."""
        if self._lock_file >= 0:
            with suppress(OSError):
                os.pwrite(self._lock_file, b"%-20s\n" % b"", 0)
            os.close(self._lock_file)
            self._lock_file = -1


def sync_folder(path: Path) -> None:
    """Make the names in a folder durable: new and renamed files."""
    file = DESCRIPTORS.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
