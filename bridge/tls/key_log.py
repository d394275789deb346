"""The file of session keys, with which recorded connections can be decrypted (NSS key log format)."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

from .pem_files import repository_error

_FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW


class KeyLog:
    """A file to which keys of sessions are appended; only its owner may read it. It is opened for each line, so that
    it can be moved away. Raises `TlsError`."""

    __slots__ = ("file",)

    def __init__(self, file: Path) -> None:
        self.file = file
        try:
            number = os.open(file, _FLAGS, 0o600)
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise repository_error(f"the key log {file} cannot be written: {why}") from None
        found = os.fstat(number)
        os.close(number)
        if not stat.S_ISREG(found.st_mode) or found.st_mode & 0o077:
            raise repository_error(f"the key log {file} would hold keys and others than its owner may use it")

    def write(self, line: bytes) -> None:
        """Append a line; a disk that is full ends no session."""
        try:
            number = os.open(self.file, _FLAGS, 0o600)
            try:
                os.write(number, line + b"\n")
            finally:
                os.close(number)
        except OSError:
            return
