"""A capture file that is being written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from captures.recording.recorder import Recorder

if TYPE_CHECKING:
    from captures.recording.recorded_connection import RecordedConnection

BUFFER_SIZE: Final = 1 << 18
FOR_THE_OWNER: Final = 0o600
"""Mode of the files: they hold what messages hold."""


def open_new(path: Path, *, overwrite: bool = False) -> BinaryIO:
    """Open a file for its owner only; raises ``OSError``, ``FileExistsError`` where it is there already."""
    flags = os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if overwrite else os.O_EXCL)
    return os.fdopen(os.open(path, flags, FOR_THE_OWNER), "wb", BUFFER_SIZE)


class OpenFile:
    """One file, and the connections that go into it. ``full``: it takes no more of them."""

    def __init__(self, path: Path, stream: BinaryIO, begun: float) -> None:
        self.path = path
        self.stream = stream
        self.begun = begun
        self.recorder = Recorder(stream)
        self.connections: set[RecordedConnection] = set()
        self.full = False
