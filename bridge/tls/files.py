"""Files of keys and certificates: bounded reading, refusal of keys that others may read, atomic writing."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Final

from . import pem_files
from .errors import CertificateError, TlsError

MAX_FILE: Final = 1 << 20
"""Longest file of keys or certificates in bytes."""
PRIVATE: Final = 0o600
"""Mode of a file with a private key."""
PUBLIC: Final = 0o644
"""Mode of a file without one."""
FOLDER: Final = 0o700
"""Mode of the folders of a key repository."""


def read_file(path: Path, *, private: bool = False) -> bytes:
    """Return the contents of a file of at most `MAX_FILE` bytes. Raises `CertificateError`, also for a ``private`` file
    that others than its owner may access."""
    try:
        return pem_files.read_file(path, MAX_FILE, secret=private)
    except TlsError as error:
        raise CertificateError(str(error)) from error


def write_file(path: Path, content: bytes, mode: int = PRIVATE) -> None:
    """Replace a file as a whole: readers see the old or the new one. Missing folders are made.

    Raises `CertificateError`.
    """
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        _make_folder(path.parent)
        with contextlib.suppress(FileNotFoundError):
            fresh.unlink()
        try:
            with open(fresh, "xb", opener=_private) as file:
                os.fchmod(file.fileno(), mode)
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(path)
        except OSError:
            with contextlib.suppress(OSError):
                fresh.unlink()
            raise
        _sync_folder(path.parent)
    except OSError as error:
        raise CertificateError(f"{path} cannot be written: {error.strerror or error}") from error


def remove_file(path: Path) -> None:
    """Remove a file. Raises `CertificateError`."""
    try:
        path.unlink()
        _sync_folder(path.parent)
    except OSError as error:
        raise CertificateError(f"{path} cannot be removed: {error.strerror or error}") from error


def _make_folder(path: Path) -> None:
    """Make a folder and those above it that are missing, all of them for their owner alone."""
    if not path.is_dir():
        _make_folder(path.parent)
        path.mkdir(mode=FOLDER, exist_ok=True)


def _sync_folder(path: Path) -> None:
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW, PRIVATE)
