"""The file of session keys, with which recorded connections can be decrypted (NSS key log format)."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from .pem_files import repository_error


class KeyLog:
    """A file to which the keys of sessions are appended; only its owner may read it. Raises `TlsError`."""

    __slots__ = ("_number", "file")

    def __init__(self, file: Path) -> None:
        self.file = file
        try:
            self._number = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise repository_error(f"the key log {file} cannot be written: {error.strerror}") from None
        found = os.fstat(self._number)
        if not stat.S_ISREG(found.st_mode) or found.st_mode & 0o077:
            os.close(self._number)
            raise repository_error(f"the key log {file} would hold keys and others than its owner may use it")

    def write(self, line: bytes) -> None:
        """Append a line; a disk that is full ends no session."""
        try:
            os.write(self._number, line + b"\n")
        except OSError:
            return

    def close(self) -> None:
        """Close the file."""
        os.close(self._number)
