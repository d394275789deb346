"""One recorded connection: passwords are masked, and a full disk does not harm the connection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from mqbridge.captures.recording.masking import PasswordMask
from mqbridge.captures.recording.open_file import OpenFile
from mqbridge.captures.recording.recorder import ConnectionRecorder, Recorder
from mqbridge.captures.streams.flow_events import Endpoint
from mqbridge.protocol.direction import Direction


class RecordingTarget(Protocol):
    """Where connections are recorded: a folder of files, or one file.

    ``over``: nothing is written any more. `begin` gives the file that a connection is to be written into from now on,
    None where there is none any more; `written` is told of every write, `broken` of one that failed.
    """

    over: bool

    def begin(self, connection: RecordedConnection, now: float) -> OpenFile | None:
        """The file to write into."""

    def written(self, file: OpenFile, connection: RecordedConnection, now: float) -> None:
        """Something was written."""

    def broken(self, error: OSError) -> None:
        """Something could not be written."""


class RecordedConnection:
    """Records one connection of its ``home``. Never raises for a full disk."""

    def __init__(
        self, home: RecordingTarget, initiator: Endpoint, responder: Endpoint, now: float, number: int, *, masked: bool
    ) -> None:
        self._home = home
        self._masks = {direction: PasswordMask() for direction in Direction} if masked else None
        self._file = home.begin(self, now)
        self._record: ConnectionRecorder | None = None
        if self._file is not None:
            recorder = self._file.recorder
            self._write(lambda: self._begin(recorder, initiator, responder, now, number), now)

    @property
    def closed(self) -> bool:
        """Whether both ends have closed it, or one has reset it."""
        return self._record is None or self._record.closed

    def send(self, direction: Direction, data: bytes, now: float) -> None:
        """Record bytes sent by one end."""
        if self._masks is not None:
            data = self._masks[direction].mask(data)
        record = self._record
        if record is not None and data:
            self._write(lambda: record.send(direction, data, now), now)

    def close(self, direction: Direction, now: float) -> None:
        """Record that one end closed its direction."""
        self._give_rest(direction, now)
        if (record := self._record) is not None:
            self._write(lambda: record.close(direction, now), now)

    def reset(self, direction: Direction, now: float) -> None:
        """Record that one end reset the connection."""
        for each in Direction:
            self._give_rest(each, now)
        if (record := self._record) is not None:
            self._write(lambda: record.reset(direction, now), now)

    def move(self, now: float) -> None:
        """Continue in the current file."""
        self._file = self._home.begin(self, now)
        if self._file is None:
            self._record = None
        elif self._record is not None:
            self._record.continue_in(self._file.recorder.writer)

    def _begin(self, recorder: Recorder, initiator: Endpoint, responder: Endpoint, now: float, number: int) -> None:
        self._record = recorder.connect(initiator, responder, now, number=number)

    def _give_rest(self, direction: Direction, now: float) -> None:
        record = self._record
        if self._masks is not None and record is not None and (rest := self._masks[direction].rest()):
            self._write(lambda: record.send(direction, rest, now), now)

    def _write(self, write: Callable[[], None], now: float) -> None:
        if self._file is None or self._home.over:
            return
        try:
            write()
        except OSError as error:
            self._home.broken(error)
        else:
            self._home.written(self._file, self, now)
