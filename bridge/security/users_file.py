"""The file of users: reloaded when it has changed, replaced atomically.

The only part of this package that accesses the disk.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Final

from .errors import UserError
from .users import Users, parse_users

MODE: Final = 0o600
"""Access for the owner only."""
MAX_FILE: Final = 64 << 20
"""Largest file of users in bytes."""

_Stamp = tuple[int, int, int]


class UsersFile:
    """The file of users at ``path``; a missing file means no users."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stamp: _Stamp | None = None
        self._read = False

    def read(self) -> Users:
        """Return all users. Raises `UserError` if the file is unreadable, or writable by others."""
        try:
            with self.path.open("rb") as file:
                found = os.fstat(file.fileno())
                self._stamp = _stamp(found)
                self._read = True
                if stat.S_IMODE(found.st_mode) & 0o022:
                    raise UserError(f"{self.path}: others may write to it; chmod 600 it")
                content = file.read(MAX_FILE + 1)
        except FileNotFoundError:
            self._stamp, self._read = None, True
            return Users()
        except OSError as error:
            raise UserError(f"{self.path}: cannot be read: {error.strerror or error}") from error
        if len(content) > MAX_FILE:
            raise UserError(f"{self.path}: longer than {MAX_FILE} bytes")
        try:
            return parse_users(content.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise UserError(f"{self.path}: no UTF-8 text") from error
        except UserError as error:
            raise UserError(f"{self.path}, {error}") from error

    def changed(self) -> Users | None:
        """Return all users if the file has changed since it was last read, else None. Raises as `read`."""
        try:
            now: _Stamp | None = _stamp(os.stat(self.path))
        except FileNotFoundError:
            now = None
        except OSError as error:
            raise UserError(f"{self.path}: cannot be read: {error.strerror or error}") from error
        return None if self._read and now == self._stamp else self.read()

    def change(self, edit: Callable[[Users], Users]) -> Users:
        """Read, edit and write under a lock, so that concurrent commands lose nothing.

        Raises `UserError`, also from ``edit``.
        """
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with open(self.path.with_name(f".{self.path.name}.lock"), "a", opener=_private) as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                users = edit(self.read())
                self._write(users.text().encode("utf-8"))
        except OSError as error:
            raise UserError(f"{self.path}: cannot be written: {error.strerror or error}") from error
        return users

    def _write(self, content: bytes) -> None:
        """Write a new file, sync it, and rename it."""
        fresh = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        try:
            with open(fresh, "wb", opener=_private) as file:
                os.fchmod(file.fileno(), MODE)
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(self.path)
        except OSError:
            with contextlib.suppress(OSError):
                fresh.unlink()
            raise
        folder = os.open(self.path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, MODE)


def _stamp(found: os.stat_result) -> _Stamp:
    return found.st_mtime_ns, found.st_size, found.st_ino
