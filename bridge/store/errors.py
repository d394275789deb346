"""What a store reports when it cannot do as told.

The store knows nothing of the rooms above it, so its errors stand on their own; the queue manager turns them into
reason codes (`StoreFull` into MQRC_Q_SPACE_NOT_AVAILABLE, for one).
"""

from __future__ import annotations


class StoreError(Exception):
    """Anything that a store reports."""


class StoreFull(StoreError):
    """No room for what should be written: the disk or the map is full. What was committed stays readable."""


class StoreBusy(StoreError):
    """Something cannot be read now, since the process has too many files open; later it can."""


class StoreDamaged(StoreError):
    """Something on disk is not what was written.

    `what` says what is wrong, `where` names the file and, where known, the row.
    """

    def __init__(self, what: str, where: str) -> None:
        super().__init__(f"{where}: {what}")
        self.what = what
        self.where = where


class StoreFailed(StoreDamaged):
    """The store ends: what it wrote last may be on disk or not, so that nothing more can be promised."""


class StoreLocked(StoreError):
    """Another process uses the data folder; `pid` is its process id (0: it left none)."""

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
    """A unit asks for something that its rows do not allow; nothing of the unit was applied."""


class MessageMissing(RowError):
    """No message stands at this position of this queue."""

    def __init__(self, queue: int, position: int) -> None:
        super().__init__(f"no message at position {position} of queue {queue}")
        self.queue = queue
        self.position = position


class MessageExists(RowError):
    """A message already stands at this position of this queue."""

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
    """No branch of this name is prepared."""

    def __init__(self, branch: bytes) -> None:
        super().__init__(f"branch {branch.hex()} is not prepared")
        self.branch = branch


class BranchExists(RowError):
    """A branch of this name is prepared already."""

    def __init__(self, branch: bytes) -> None:
        super().__init__(f"branch {branch.hex()} is prepared already")
        self.branch = branch
