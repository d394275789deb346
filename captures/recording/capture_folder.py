"""A folder of captures into which connections are recorded: new files by size and time, old ones deleted.

A file is written under a name that ends in ``.part`` and renamed when it is complete, so that watchers of the folder
get complete files only. When a file is full, new connections go into the next one; its own connections stay, so that
most connections are in one file, until it is twice as long or old: then they continue in the current file with their
sequence numbers, as with any tool that rotates.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from mqbridge.captures.recording.open_file import OpenFile, is_left, open_new
from mqbridge.captures.recording.recorded_connection import RecordedConnection
from mqbridge.captures.streams.flow_events import Endpoint

PATIENCE: Final = 2
"""Factor by which a file may exceed its length or age for the sake of its connections."""
FINISHED: Final = ".pcap"
UNFINISHED: Final = ".pcap.part"


class CaptureFolder:
    """Folder of recorded connections; times are arguments, seconds since the epoch.

    ``prefix``: of the names of its files. ``file_size``, ``file_time``: bytes and seconds after which new connections
    go into the next file. ``keep``: bytes of finished files that are kept. ``passwords``: record them unmasked.
    ``failed``: called once, with the reason, when nothing more can be written; recording is then over. Raises
    ``OSError`` if the folder cannot be made.
    """

    def __init__(
        self,
        folder: Path,
        prefix: str,
        *,
        file_size: int,
        file_time: float,
        keep: int,
        passwords: bool = False,
        failed: Callable[[OSError], None] = lambda _: None,
    ) -> None:
        self._folder = folder
        self._prefix = prefix
        self._file_size = file_size
        self._file_time = file_time
        self._keep = keep
        self._passwords = passwords
        self._tell_failed = failed
        self._open: list[OpenFile] = []  # the present one, if any, is the last
        self.over = False
        """Nothing is written any more."""
        self._connections = 0
        self._named = 0
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for left in folder.glob(f"{prefix}-*{UNFINISHED}"):  # of a process that was killed
            if is_left(left):
                left.rename(left.with_suffix(""))

    def connect(self, initiator: Endpoint, responder: Endpoint, now: float) -> RecordedConnection:
        """Record a new connection. Raises ``ValueError`` for ends that are no pair of IP addresses."""
        self._connections += 1
        return RecordedConnection(self, initiator, responder, now, self._connections, masked=not self._passwords)

    def tick(self, now: float) -> None:
        """Flush to disk and end old files; to be called about once a second."""
        for file in tuple(self._open):
            try:
                file.stream.flush()
            except OSError as error:
                self._break(error)
                return
            self._end_if_over(file, now)

    def close(self) -> None:
        """End all files; nothing is recorded afterwards."""
        self.over = True
        for file in tuple(self._open):
            self._finish(file)

    # what a home is for its connections

    def begin(self, connection: RecordedConnection, now: float) -> OpenFile | None:
        """Return the file for a connection from now on, or None when recording is over."""
        if self.over:
            return None
        try:
            file = self._present(now)
        except OSError as error:
            self._break(error)
            return None
        file.connections.add(connection)
        return file

    def written(self, file: OpenFile, connection: RecordedConnection, now: float) -> None:
        """Note a write; ``connection`` is removed from the file when it is closed."""
        if connection.closed:
            file.connections.discard(connection)
        self._end_if_over(file, now)

    def broken(self, error: OSError) -> None:
        """Note a failed write."""
        self._break(error)

    # files

    def _present(self, now: float) -> OpenFile:
        if self._open and not self._open[-1].full:
            return self._open[-1]
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(now))
        while True:
            self._named += 1
            name = f"{self._prefix}-{stamp}-{self._named:04}"
            if not any((self._folder / (name + ending)).exists() for ending in (FINISHED, UNFINISHED)):
                break
        path = self._folder / (name + UNFINISHED)
        stream = open_new(path)
        self._open.append(OpenFile(path, stream, now))
        return self._open[-1]

    def _end_if_over(self, file: OpenFile, now: float) -> None:
        if file not in self._open:
            return
        length, age = file.stream.tell() / self._file_size, (now - file.begun) / self._file_time
        file.full = file.full or length >= 1 or age >= 1
        if not file.full:
            return
        if file.connections and (length >= PATIENCE or age >= PATIENCE):
            moving = file.connections
            file.connections = set()
            for connection in moving:
                connection.move(now)
        if not file.connections:
            self._finish(file)

    def _finish(self, file: OpenFile) -> None:
        self._open.remove(file)
        try:
            file.stream.close()
            file.path.rename(file.path.with_suffix(""))
            self._delete_old()
        except OSError as error:
            self._break(error)

    def _delete_old(self) -> None:
        kept = 0
        finished = []
        for each in self._folder.glob(f"{self._prefix}-*{FINISHED}"):
            with contextlib.suppress(FileNotFoundError):  # deleted by someone else
                finished.append((each.stat(), each))
        for status, path in sorted(finished, key=lambda each: (each[0].st_mtime_ns, each[1].name), reverse=True):
            kept += status.st_size
            if kept > self._keep:
                path.unlink(missing_ok=True)

    def _break(self, error: OSError) -> None:
        if self.over:
            return
        self.over = True
        files, self._open = self._open, []
        for file in files:
            with contextlib.suppress(OSError):  # its buffer cannot be written either
                file.stream.close()
        self._tell_failed(error)
