"""The input ``files``: each file of a folder becomes a message, and is removed once the message is on disk.

::

    input = { kind = "files", folder = "incoming", pattern = "*.xml", format = "MQSTR", ccsid = 1208, interval = 1 }

Files are taken in the order of their times of change. A file is taken when it has not changed between two looks;
better write it elsewhere and rename it into the folder. Exactly once: a file is known by its name, number, size and
time of change, which are committed with the message; a file that is found again after a crash is removed without
another message.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from mqbridge.bridge.agents.routing.taken import Taken
from mqbridge.bridge.client.message import Message

from .interface import InputError, Sink

MAX_FILE: Final = 100 << 20
"""Longest file in bytes; MAXMSGL may allow less."""
MAX_AT_ONCE: Final = 50
"""Files that are offered at the same time."""
SHORTEST_INTERVAL: Final = 0.05
LONGEST_INTERVAL: Final = 3600.0
_DEFAULTS: Final[dict[str, Any]] = {
    "folder": None, "pattern": "*", "format": "MQSTR", "ccsid": 1208, "persistent": True, "interval": 1.0,
}  # fmt: skip
_EXPECTED: Final = {"folder": "a folder", "pattern": "a pattern such as '*.xml'", "format": "a name in quotes"}


class FilesInput:
    """Files of a folder as messages. Raises `InputError`."""

    def __init__(self, settings: Mapping[str, Any], sink: Sink) -> None:
        for key in settings:
            if key not in _DEFAULTS:
                raise InputError(key, f"unknown key {key!r}; known here: {', '.join(_DEFAULTS)}")
        given = {**_DEFAULTS, **settings}
        for key, what in _EXPECTED.items():
            if not isinstance(given[key], str) or not given[key]:
                raise InputError(key if key in settings else "", f"{key!r} must be {what}")
        self._sink = sink
        self._folder = Path(sink.folder) / given["folder"]
        self._pattern: str = given["pattern"]
        self._format: str = given["format"]
        self._ccsid = int(_number(given, "ccsid", 1, 65535))
        self._interval = float(_number(given, "interval", SHORTEST_INTERVAL, LONGEST_INTERVAL))
        self._persistent: bool = given["persistent"]
        if not isinstance(self._persistent, bool):
            raise InputError("persistent", "'persistent' must be true or false")
        if not self._folder.is_dir():
            raise InputError("folder", f"{self._folder} is no folder")
        self._seen: dict[str, bytes] = {}
        """Identities at the last look, by name."""
        self._offered: set[str] = set()
        self._problems: dict[str, str] = {}
        self._cancel: Callable[[], None] | None = None

    def start(self) -> None:
        """Forget files that are gone, and look from now on."""
        there = {identity for _, _, identity in self._files()}
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
        files = self._files()
        for _, name, identity in files:
            if len(self._offered) >= MAX_AT_ONCE:
                break
            if name not in self._offered and self._seen.get(name) == identity:
                self._offer(name, identity)
        self._seen = {name: identity for _, name, identity in files}
        self._cancel = self._sink.later(self._interval, self._look)

    def _files(self) -> list[tuple[int, str, bytes]]:
        """Return the time of change, name and identity of the files that are meant, oldest first."""
        found = []
        try:
            with os.scandir(self._folder) as entries:
                for entry in entries:
                    name = entry.name
                    if name.startswith(".") or not fnmatchcase(name, self._pattern):
                        continue
                    try:
                        status = entry.stat(follow_symlinks=False)
                        regular = entry.is_file(follow_symlinks=False)
                    except FileNotFoundError:
                        continue
                    if regular:
                        about = f"{name}\0{status.st_ino}\0{status.st_mtime_ns}\0{status.st_size}"
                        identity = sha256(about.encode("utf-8", "surrogateescape")).digest()
                        found.append((status.st_mtime_ns, name, identity))
        except OSError as error:
            self._complain("", f"{self._folder}: {error.strerror}")
        else:
            self._problems.pop("", None)
        return sorted(found)

    def _offer(self, name: str, identity: bytes) -> None:
        try:
            with (self._folder / name).open("rb") as file:
                data = file.read(MAX_FILE + 1)
        except OSError as error:
            self._complain(name, f"{name}: {error.strerror}")
            return
        if len(data) > MAX_FILE:
            self._complain(name, f"{name}: longer than {MAX_FILE} bytes")
            return
        message = Message(data, persistent=self._persistent, format=self._format, coded_char_set_id=self._ccsid)
        self._offered.add(name)
        self._sink.offer(message, identity, partial(self._taken, name, identity))

    def _taken(self, name: str, identity: bytes, taken: Taken) -> None:
        """Remove a file whose message is on disk; only then its identity may be forgotten."""
        self._offered.discard(name)
        if taken is Taken.NOT:
            return
        try:
            (self._folder / name).unlink(missing_ok=True)
            self._sync_folder()
        except OSError as error:
            self._complain(name, f"{name} was taken, and cannot be removed: {error.strerror}")
            return
        self._problems.pop(name, None)
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


def _number(given: Mapping[str, Any], key: str, low: float, high: float) -> float:
    value = given[key]
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise InputError(key, f"{key!r} must be a number from {low:g} to {high:g}")
    return value
