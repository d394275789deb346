"""One capture file into which connections are recorded."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

from mqbridge.captures.recording.open_file import OpenFile, open_new
from mqbridge.captures.recording.recorded_connection import RecordedConnection
from mqbridge.captures.streams.flow_events import Endpoint


class CaptureFile:
    """A capture file at ``path``, overwritten if it exists. Times are arguments, seconds since the epoch.

    ``passwords``: record them unmasked. ``failed``: called once, with the reason, when nothing more can be written;
    recording is then over. Raises ``OSError`` if the file cannot be made.
    """

    def __init__(
        self,
        path: Path,
        now: float,
        *,
        passwords: bool = False,
        failed: Callable[[OSError], None] = lambda _: None,
    ) -> None:
        self._file = OpenFile(path, open_new(path, overwrite=True), now)
        self._passwords = passwords
        self._tell_failed = failed
        self.over = False
        """Nothing is written any more."""
        self.connections = 0

    @property
    def packets(self) -> int:
        """Number of packets written so far."""
        return self._file.recorder.writer.packets

    def connect(self, initiator: Endpoint, responder: Endpoint, now: float) -> RecordedConnection:
        """Record a new connection. Raises ``ValueError`` for ends that are no pair of IP addresses."""
        self.connections += 1
        return RecordedConnection(self, initiator, responder, now, self.connections, masked=not self._passwords)

    def tick(self, now: float) -> None:
        """Flush to disk; to be called about once a second."""
        if not self.over:
            try:
                self._file.stream.flush()
            except OSError as error:
                self.broken(error)

    def close(self) -> None:
        """End the file; nothing is recorded afterwards."""
        if not self.over:
            self.over = True
            try:
                self._file.stream.close()
            except OSError as error:
                self._tell_failed(error)

    def begin(self, connection: RecordedConnection, now: float) -> OpenFile | None:
        """See ``recorded_connection.RecordingTarget``."""
        return None if self.over else self._file

    def written(self, file: OpenFile, connection: RecordedConnection, now: float) -> None:
        """See ``recorded_connection.RecordingTarget``."""

    def broken(self, error: OSError) -> None:
        """See ``recorded_connection.RecordingTarget``."""
        if self.over:
            return
        self.over = True
        with contextlib.suppress(OSError):  # its buffer cannot be written either
            self._file.stream.close()
        self._tell_failed(error)
