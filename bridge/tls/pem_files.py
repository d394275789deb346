"""Reading the files of a key repository: whole, of limited size, and the same from the first byte to the last."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import Final

from mqbridge.bridge.security.tls import TlsFault
from mqbridge.protocol.constants import MQRC

from .errors import TlsError

_ATTEMPTS: Final = 3
"""How often a file that changes while it is read is read again."""
_BLOCK: Final = re.compile(rb"-----BEGIN ([A-Z0-9 ]{1,40})-----.*?-----END \1-----", re.DOTALL)


def repository_error(text: str) -> TlsError:
    """The key repository, or a file of it, cannot be used."""
    return TlsError(text, TlsFault("AMQ9657", (text,)), MQRC.KEY_REPOSITORY_ERROR)


def mode_of(path: Path) -> int:
    """What a path names (``st_mode``), 0 for nothing. Raises `TlsError` if that cannot be found out."""
    try:
        return path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return 0
    except (OSError, ValueError) as error:  # ValueError: a zero in the name
        raise unreadable(path, error) from None


def unreadable(path: Path, error: OSError | ValueError) -> TlsError:
    """The system does not let us read a path."""
    return repository_error(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}")


def read_file(file: Path, limit: int, *, secret: bool = False) -> bytes:
    """Read a file of at most ``limit`` bytes. Raises `TlsError`.

    ``secret``: nobody but the owner may read or write it; other files must not be writable by everybody.
    """
    for _ in range(_ATTEMPTS):
        content = _read_once(file, limit, secret)
        if content is not None:
            return content
    raise repository_error(f"{file} changes while it is read")


def _read_once(file: Path, limit: int, secret: bool) -> bytes | None:
    """The content, or None if the file has changed meanwhile."""
    try:
        number = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)  # a pipe would wait for its writer
        try:
            before = os.fstat(number)
            _check(file, before, limit, secret)
            pieces, left = [], limit + 1
            while left and (piece := os.read(number, left)):
                pieces.append(piece)
                left -= len(piece)
            after = os.fstat(number)
        finally:
            os.close(number)
    except (OSError, ValueError) as error:
        raise unreadable(file, error) from None
    content = b"".join(pieces)
    unchanged = (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns)
    return content if unchanged and len(content) == after.st_size else None


def _check(file: Path, found: os.stat_result, limit: int, secret: bool) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise repository_error(f"{file} is no file")
    if found.st_size > limit:
        raise repository_error(f"{file} is longer than {limit} bytes")
    if secret and found.st_mode & 0o077:
        raise repository_error(f"{file} holds a key and others than its owner may use it: chmod 600 {file}")
    if found.st_mode & 0o002:
        raise repository_error(f"{file} may be written by everybody: chmod o-w {file}")


def blocks(content: bytes) -> list[tuple[str, bytes]]:
    """The PEM blocks of a file: (label, block with its first and last line)."""
    return [(found[1].decode("ascii"), found[0]) for found in _BLOCK.finditer(content)]
