"""How clients find a running queue manager: its admin socket, ``running.json`` in the data folder, the ready file."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from mqbridge.bridge.config import split_unix_endpoint, unix_endpoint
from mqbridge.bridge.endpoints.opening import clear_socket
from mqbridge.bridge.service.errors import StartError

RUNNING_FILE: Final = "running.json"
"""Name in the data folder of a copy of the ready file."""
MAX_SOCKET_PATH: Final = 100
"""Longest path of a socket in bytes; the system's limit is 107, and programs append to it."""
_TEMPORARY_NAME: Final = "admin.sock"


@dataclass(slots=True)
class AdminAddress:
    """Address of the admin endpoint: ``endpoint`` for Twisted, ``socket`` its path if it is a Unix socket.

    ``temporary``: folder created for a socket whose own path is too long. Whoever closes the socket removes it.
    """

    endpoint: str
    socket: Path | None = None
    temporary: Path | None = None

    def remove(self) -> None:
        """Remove what was created."""
        if self.temporary is not None:
            shutil.rmtree(self.temporary, ignore_errors=True)


def admin_place(endpoint: str) -> AdminAddress:
    """Prepare the admin endpoint: create its folder, and remove the socket of a dead process.

    A path longer than `MAX_SOCKET_PATH` moves to a temporary folder. Raises `StartError` if the socket is in use.
    """
    path, options = split_unix_endpoint(endpoint)
    if path is None:
        return AdminAddress(endpoint)
    path = Path(os.path.abspath(path))
    temporary = None
    try:
        if len(os.fsencode(path)) > MAX_SOCKET_PATH:
            temporary = _temporary_folder(path)
            path = temporary / _TEMPORARY_NAME
        else:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        clear_socket(path)
    except OSError as error:
        raise StartError(f"admin socket {path}: {error.strerror or error}") from error
    return AdminAddress(":".join([unix_endpoint(path), *options]), path, temporary)


def _temporary_folder(path: Path) -> Path:
    """Return the folder for a socket whose own path is too long: always the same, so that leftovers of a killed process
    are found. It must not belong to another user."""
    name = hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
    folder = Path(tempfile.gettempdir()) / f"mqbridge-{os.getuid()}-{name}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or stat.S_IMODE(found.st_mode) != 0o700:
        raise StartError(f"admin socket {path}: {folder} belongs to somebody else; configure another endpoint")
    return folder


def write_whole(file: Path, document: Any) -> None:
    """Write JSON atomically: readers see the old or the new file. Raises `StartError`."""
    fresh = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        fresh.write_text(json.dumps(document) + "\n", encoding="utf-8")
        fresh.replace(file)
    except OSError as error:
        with contextlib.suppress(OSError):
            fresh.unlink()
        raise StartError(f"{file} cannot be written: {error.strerror or error}") from error


def remove(file: Path) -> None:
    """Remove a file if it exists."""
    with contextlib.suppress(OSError):
        file.unlink()
