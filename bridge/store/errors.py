"""Errors of a store.

The store does not depend on the rooms above it, so its errors stand alone; the queue manager maps them to reason codes
(`StoreFull` to MQRC_Q_SPACE_NOT_AVAILABLE, for example).
"""

from __future__ import annotations


class StoreError(Exception):
    """Base of all errors of a store."""


class StoreFull(StoreError):
    """No space to write: the disk or the map is full. Committed data stays readable."""


class StoreBusy(StoreError):
    """Something cannot be read now because the process has too many open files."""


class StoreDamaged(StoreError):
    """Data on disk is not what was written.

    `what`: the fault. `where`: the file and, if known, the row.
    """

    def __init__(self, what: str, where: str) -> None:
        super().__init__(f"{where}: {what}")
        self.what = what
        self.where = where


class StoreFailed(StoreDamaged):
    """The store has ended: its last write may or may not be on disk, so it can promise nothing more."""


class StoreLocked(StoreError):
    """Another process uses the data folder; `pid` is its process id (0 if unknown)."""

    def __init__(self, folder: str, pid: int) -> None:
        super().__init__(f"{folder}: in use by process {pid}" if pid else f"{folder}: in use by another process")
        self.folder = folder
        self.pid = pid


class StoreNewer(StoreError):
    """The folder was written by a newer release, in a format `version` that this one does not know."""

    def __init__(self, folder: str, version: int, known: int) -> None:
        super().__init__(f"{folder}: store format {version} is newer than {known}, the newest this release reads")
        self.folder = folder
        self.version = version
        self.known = known


class RowError(StoreError):
    """A unit contains an operation that its rows do not allow; nothing of the unit was applied."""


class MessageMissing(RowError):
    """There is no message at this position of this queue."""

    def __init__(self, queue: int, position: int) -> None:
        super().__init__(f"no message at position {position} of queue {queue}")
        self.queue = queue
        self.position = position


class MessageExists(RowError):
    """There is already a message at this position of this queue."""

    def __init__(self, queue: int, position: int) -> None:
        super().__init__(f"position {position} of queue {queue} is taken")
        self.queue = queue
        self.position = position


class ChunkMissing(RowError):
    """A staged or spilled body refers to an id that the store does not hold."""

    def __init__(self, chunk: int) -> None:
        super().__init__(f"no chunk {chunk}")
        self.chunk = chunk


class BranchMissing(RowError):
    """No branch with this name is prepared."""

    def __init__(self, branch: bytes) -> None:
        super().__init__(f"branch {branch.hex()} is not prepared")
        self.branch = branch


class BranchExists(RowError):
    """A branch with this name is already prepared."""

    def __init__(self, branch: bytes) -> None:
        super().__init__(f"branch {branch.hex()} is prepared already")
        self.branch = branch
