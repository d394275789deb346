"""Objects as files of one folder, with nothing but the standard library.

The name of a file is that of its object in hexadecimal digits, so any file system takes it, whether it tells capitals
from small letters or not. An object is written to ``new``, synced, and renamed over its old form; the folder is synced
behind each rename and removal.
"""

from __future__ import annotations

import errno
import fcntl
import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from mqbridge.bridge.store.errors import StoreBusy, StoreDamaged, StoreError, StoreFailed, StoreFull, StoreLocked

from .interface import Coder, Mode, ObjectMissing, Selection, check_name, place_of

_NEW: Final = "new"
_LOCK: Final = "lock"
_FILE_MODE: Final = 0o600
_FOLDER_MODE: Final = 0o700
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_BUSY: Final = frozenset({errno.EMFILE, errno.ENFILE})


class FilesAdapter:
    """Files of a folder; `interface.StorageAdapter` describes the methods."""

    def __init__(self) -> None:
        self._path = Path()
        self._folder = -1
        self._lock = -1
        self._selection = Selection()
        self._coder: Coder | None = None

    def activate(self, descriptor: str, coder: Coder | None = None) -> None:
        """Lock the folder behind the first colon; see `interface.StorageAdapter.activate`."""
        self._path = Path(place_of(descriptor))
        self._coder = coder
        try:
            self._path.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
            self._lock_folder()
            self._folder = os.open(self._path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            _sync_file(self._path.parent)
            with suppress(FileNotFoundError):
                (self._path / _NEW).unlink()
        except OSError as error:
            self.release()
            raise StoreFailed(f"the folder cannot be used: {error.strerror}", str(self._path)) from None

    def _lock_folder(self) -> None:
        self._lock = os.open(self._path / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _FILE_MODE)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            text = os.pread(self._lock, 32, 0).strip()
            os.close(self._lock)
            self._lock = -1
            raise StoreLocked(str(self._path), int(text) if text.isdigit() else 0) from None
        with suppress(OSError):  # on a full disk the lock holds without the id
            os.pwrite(self._lock, b"%-20d\n" % os.getpid(), 0)

    def open(self, name: str, mode: Mode) -> None:
        """Select an object; see `interface.StorageAdapter.open`."""
        check_name(name)
        if mode is Mode.READ and not self._file(name).exists():
            raise ObjectMissing(name)
        self._selection.open(name, mode)

    def close(self) -> None:
        """Select none."""
        self._selection.close()

    def read(self) -> bytes:
        """Return the selected object; see `interface.StorageAdapter.read`."""
        name = self._selection.readable()
        try:
            data = self._file(name).read_bytes()
        except FileNotFoundError:
            raise ObjectMissing(name) from None
        except OSError as error:
            raise self._error(error, name) from None
        return data if self._coder is None else self._coder.decode(data)

    def write(self, data: bytes) -> None:
        """Write the selected object; see `interface.StorageAdapter.write`."""
        name = self._selection.writable()
        coded = data if self._coder is None else self._coder.encode(data)
        new = self._path / _NEW
        try:
            _write_file(new, coded)
            new.replace(self._file(name))
        except OSError as error:
            with suppress(OSError):
                new.unlink()
            raise self._error(error, name) from None
        self._sync_folder(name)

    def erase(self, name: str) -> None:
        """Remove an object; see `interface.StorageAdapter.erase`."""
        check_name(name)
        try:
            self._file(name).unlink()
        except FileNotFoundError:
            raise ObjectMissing(name) from None
        except OSError as error:
            raise self._error(error, name) from None
        self._sync_folder(name)

    def select(self, suffix: str) -> None:
        """Let `names` give names that end so."""
        self._selection.suffix = suffix

    def names(self) -> list[str]:
        """Return names; see `interface.StorageAdapter.names`. Files of others are passed over."""
        try:
            found = [name for each in os.listdir(self._path) if (name := _name(each))]
        except OSError as error:
            raise self._error(error, "") from None
        return [name for name in found if name.endswith(self._selection.suffix)]

    def status(self) -> str:
        """Return the name of the selected object, else the suffix."""
        return self._selection.status()

    def require_place(self) -> None:
        """Raise `StoreFailed` if the folder is gone, or another one is in its place."""
        try:
            same = self._folder >= 0 and os.path.samestat(os.stat(self._path), os.fstat(self._folder))
        except OSError:
            same = False
        if not same:
            raise StoreFailed("the folder is gone", str(self._path))

    def release(self) -> None:
        """End: another process may use the folder."""
        self._selection.close()
        for file in (self._folder, self._lock):
            if file >= 0:
                os.close(file)
        self._folder = self._lock = -1

    def _file(self, name: str) -> Path:
        return self._path / name.encode().hex()

    def _sync_folder(self, name: str) -> None:
        """Raises `StoreFailed`: what was done may or may not be on disk."""
        try:
            os.fsync(self._folder)
        except OSError as error:
            raise StoreFailed(f"object {name!r}: {error.strerror}", str(self._path)) from None

    def _error(self, error: OSError, name: str) -> StoreError:
        if error.errno in _FULL:
            return StoreFull(f"{self._path}: {error.strerror}")
        if error.errno in _BUSY:
            return StoreBusy(f"{self._path}: {error.strerror}")
        return StoreDamaged(f"object {name!r}: {error.strerror}", str(self._path))


def _name(file: str) -> str:
    """The object that a file is; empty for another file."""
    try:
        name = bytes.fromhex(file).decode()
    except ValueError:
        return ""
    return name if name.encode().hex() == file else ""


def _write_file(path: Path, data: bytes) -> None:
    """Write and sync a file. Raises `OSError`."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, _FILE_MODE)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(file, rest) :]
        os.fsync(file)
    finally:
        os.close(file)


def _sync_file(path: Path) -> None:
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)
