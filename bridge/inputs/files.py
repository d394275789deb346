"""The input ``files``: each file of a folder becomes a message, and is removed once the message is on disk.

::

    input = { kind = "files", folder = "incoming", pattern = "*.xml", format = "MQSTR", ccsid = 1208, interval = 1 }

Files are taken in the order of their times of change. A file is taken when it has not changed between two looks;
better write it elsewhere and rename it into the folder. Exactly once: a file is known by its name, number, size and
times of change, which are committed with the message; a file that is found again after a crash is removed without
another message.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from mqbridge.bridge.agents.routing.taken import Taken
from mqbridge.bridge.client.message import Message
from mqbridge.bridge.config import values
from mqbridge.bridge.config.declarations import setting

from .interface import InputError, Sink
from .reading import read_settings

MAX_FILE: Final = 100 << 20
"""Longest file in bytes; MAXMSGL may allow less."""
MAX_AT_ONCE: Final = 50
"""Files that are offered at the same time."""
MAX_BYTES_AT_ONCE: Final = 256 << 20
"""Bytes of these files, unless it is only one."""
SHORTEST_INTERVAL: Final = 0.05
LONGEST_INTERVAL: Final = 3600.0
_MAX_CCSID: Final = 65535


@dataclass(slots=True, kw_only=True)
class FilesSettings:
    """``input = { kind = "files", … }``."""

    folder: Path = setting(values.path)
    pattern: str = setting(values.text, "*")
    """Of the names that are meant, such as ``*.xml``."""
    format: str = setting(values.text, "MQSTR")
    ccsid: int = setting(values.whole_number(1, _MAX_CCSID), 1208)
    persistent: bool = setting(values.yes_or_no, True)
    interval: float = setting(values.seconds(SHORTEST_INTERVAL), 1.0)
    """Seconds between two looks."""


class FilesInput:
    """Files of a folder as messages. Raises `InputError`."""

    def __init__(self, settings: Mapping[str, Any], sink: Sink) -> None:
        self._settings = given = read_settings(FilesSettings, settings, sink.folder)
        if given.interval > LONGEST_INTERVAL:
            raise InputError("interval", f"'interval' is at most {LONGEST_INTERVAL:g} seconds")
        self._sink = sink
        self._folder = given.folder
        if not self._folder.is_dir():
            raise InputError("folder", f"{self._folder} is no folder")
        self._seen: dict[str, bytes] = {}
        """Identities at the last look, by name."""
        self._offered: dict[str, int] = {}
        """Lengths of the files that are offered, by name."""
        self._stable: deque[tuple[str, bytes]] = deque()
        """Names and identities of files to be offered, oldest first."""
        self._removed: list[bytes] = []
        """Identities of files that were removed, until the removal is on disk."""
        self._full = False
        """Whether the route has not taken a file since the last look."""
        self._offering = False
        self._problems: dict[str, str] = {}
        self._cancel: Callable[[], None] | None = None

    def start(self) -> None:
        """Forget files that are gone, and look from now on."""
        there = {identity for _, _, identity in self._files()}
        if not self._problems:  # a folder that cannot be read is not an empty one
            for identity in self._sink.identities():
                if identity not in there:
                    self._sink.forget(identity)
        self._cancel = self._sink.later(0, self._look)

    def stop(self) -> None:
        """Look no more."""
        cancel, self._cancel = self._cancel, None
        if cancel is not None:
            cancel()

    def _look(self) -> None:
        """See which files have not changed since the last look, and offer them."""
        self._forget_removed()
        files = self._files()
        self._stable = deque((name, identity) for _, name, identity in files if self._seen.get(name) == identity)
        self._seen = {name: identity for _, name, identity in files}
        self._full = False
        self._offer_some()
        self._cancel = self._sink.later(self._settings.interval, self._look)

    def _offer_some(self) -> None:
        """Offer files while there is room; files that are taken at once make room."""
        if self._offering:
            return
        self._offering = True
        while self._stable and not self._full and self._has_room():
            name, identity = self._stable.popleft()
            if name not in self._offered:
                self._offer(name, identity)
        self._offering = False

    def _has_room(self) -> bool:
        return len(self._offered) < MAX_AT_ONCE and sum(self._offered.values()) < MAX_BYTES_AT_ONCE

    def _files(self) -> list[tuple[int, str, bytes]]:
        """Return the time of change, name and identity of the files that are meant, oldest first."""
        found = []
        try:
            with os.scandir(self._folder) as entries:
                for entry in entries:
                    name = entry.name
                    if name.startswith(".") or not fnmatchcase(name, self._settings.pattern):
                        continue
                    try:
                        status = entry.stat(follow_symlinks=False)
                        regular = entry.is_file(follow_symlinks=False)
                    except FileNotFoundError:
                        continue
                    if regular:
                        found.append((status.st_mtime_ns, name, _identity(name, status)))
        except OSError as error:
            self._complain("", f"{self._folder}: {error.strerror}")
        else:
            self._problems.pop("", None)
        return sorted(found)

    def _offer(self, name: str, identity: bytes) -> None:
        """Read and offer a file, unless it has changed."""
        try:
            with (self._folder / name).open("rb") as file:
                if _identity(name, os.fstat(file.fileno())) != identity:
                    return
                data = file.read(MAX_FILE + 1)
        except FileNotFoundError:
            return
        except OSError as error:
            self._complain(name, f"{name}: {error.strerror}")
            return
        if len(data) > MAX_FILE:
            self._complain(name, f"{name}: longer than {MAX_FILE} bytes")
            return
        given = self._settings
        message = Message(data, persistent=given.persistent, format=given.format, coded_char_set_id=given.ccsid)
        self._offered[name] = len(data)
        self._sink.offer(message, identity, partial(self._taken, name, identity))

    def _taken(self, name: str, identity: bytes, taken: Taken) -> None:
        """Remove a file whose message is on disk."""
        self._offered.pop(name, None)
        if taken is Taken.NOT:
            self._full = True
            return
        try:
            (self._folder / name).unlink(missing_ok=True)
        except OSError as error:
            self._complain(name, f"{name} was taken, and cannot be removed: {error.strerror}")
            return
        self._problems.pop(name, None)
        self._removed.append(identity)
        if self._cancel is not None and len(self._offered) <= MAX_AT_ONCE // 2:
            self._offer_some()

    def _forget_removed(self) -> None:
        """Forget identities of files whose removal is on disk."""
        removed, self._removed = self._removed, []
        if not removed:
            return
        try:
            self._sync_folder()
        except OSError as error:
            self._removed = removed
            self._complain("", f"{self._folder}: {error.strerror}")
            return
        for identity in removed:
            self._sink.forget(identity)

    def _sync_folder(self) -> None:
        descriptor = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def _complain(self, name: str, text: str) -> None:
        """Log a problem, once while it lasts."""
        if self._problems.get(name) != text:
            self._problems[name] = text
            self._sink.problem(text)


def _identity(name: str, status: os.stat_result) -> bytes:
    """Return what no other file has, not even a later one of the same name, time and content: its time of change."""
    about = f"{name}\0{status.st_ino}\0{status.st_ctime_ns}\0{status.st_mtime_ns}\0{status.st_size}"
    return sha256(about.encode("utf-8", "surrogateescape")).digest()
