"""The interface of a storage adapter: named objects, each written whole (mqe.md 20.1, E-452 to E-462).

IBM's ``control`` and ``status`` take options; here each option is a method. A third-party adapter needs nothing else
of this project. What an adapter promises:

- `write` and `erase` are on disk when they return, and a crash leaves an object as it was or as it is to be (E-461).
- It is called by one thread at a time.
- No disk space is `StoreFull`, after which the object is as it was; data that cannot be read are `StoreDamaged`.
"""

from __future__ import annotations

from enum import Enum, unique
from typing import Final, Protocol

from mqbridge.bridge.store.errors import StoreError

MAX_NAME: Final = 100
"""Longest name of an object, in bytes of UTF-8."""
_SEPARATORS: Final = "/\\"


@unique
class Mode(Enum):
    """What a selected object is for (E-455)."""

    READ = "read"
    WRITE = "write"
    UPDATE = "update"
    """Both."""


class ObjectMissing(StoreError):
    """There is no object of this name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no object {name!r}")
        self.name = name


class NameRefused(StoreError):
    """No name of an object: empty, too long, or with a path separator (E-457)."""


class NotOpen(StoreError):
    """No object is selected for this (E-455)."""


class Coder(Protocol):
    """Codes what an adapter writes and decodes what it reads: compression, encryption (E-454)."""

    def encode(self, data: bytes) -> bytes:
        """Return what is to be written."""
        ...

    def decode(self, data: bytes) -> bytes:
        """Return what was encoded. Raises `StoreDamaged`."""
        ...


class StorageAdapter(Protocol):
    """Named objects of bytes at one place."""

    def activate(self, descriptor: str, coder: Coder | None = None) -> None:
        """Begin at the place that stands behind the first colon of a descriptor such as ``files:/var/lib/moon``; make
        it where it is missing (E-454). To be called first, once.

        Raises `StoreLocked` while another process has it, `StoreFailed` if it cannot be made.
        """
        ...

    def open(self, name: str, mode: Mode) -> None:
        """Select an object (E-455). Raises `NameRefused`; `ObjectMissing` to read one that is not there."""
        ...

    def close(self) -> None:
        """Select none."""
        ...

    def read(self) -> bytes:
        """Return the selected object. Raises `NotOpen`, `ObjectMissing`, `StoreDamaged`."""
        ...

    def write(self, data: bytes) -> None:
        """Write the selected object, in place of what it was (E-459). Raises `NotOpen`, `StoreFull`."""
        ...

    def erase(self, name: str) -> None:
        """Remove an object (E-457). Raises `NameRefused`, `ObjectMissing`."""
        ...

    def select(self, suffix: str) -> None:
        """Let `names` give names that end so; control FILTER (E-456)."""
        ...

    def names(self) -> list[str]:
        """Return the names of the objects that `select` means, in any order; control LIST (E-456)."""
        ...

    def status(self) -> str:
        """Return the name of the selected object, else the suffix of `select` (E-460)."""
        ...

    def require_place(self) -> None:
        """Raise `StoreFailed` if the objects are no longer at their place."""
        ...

    def release(self) -> None:
        """End: another process may use the place."""
        ...


def check_name(name: str) -> None:
    """Check the name of an object. Raises `NameRefused`."""
    if not isinstance(name, str) or not name:
        raise NameRefused(f"{name!r} is no name of an object")
    if any(each in name for each in _SEPARATORS):
        raise NameRefused(f"the name {name[:40]!r} of an object has a path separator")
    try:
        length = len(name.encode())
    except UnicodeEncodeError:
        raise NameRefused(f"the name {name[:40]!a} of an object is no text") from None
    if length > MAX_NAME:
        raise NameRefused(f"the name {name[:40]!r}… of an object has {length} bytes; {MAX_NAME} are allowed")


def place_of(descriptor: str) -> str:
    """Return what stands behind the first colon of a descriptor (E-454)."""
    return descriptor.partition(":")[2]


class Selection:
    """What is selected of an adapter: one object and its mode, and the suffix of names."""

    __slots__ = ("mode", "name", "suffix")

    def __init__(self) -> None:
        self.name = self.suffix = ""
        self.mode: Mode | None = None

    def open(self, name: str, mode: Mode) -> None:
        """Select an object. Raises `NameRefused`."""
        check_name(name)
        self.name, self.mode = name, mode

    def close(self) -> None:
        """Select none."""
        self.name, self.mode = "", None

    def readable(self) -> str:
        """Return the name of the object to be read. Raises `NotOpen`."""
        if self.mode not in (Mode.READ, Mode.UPDATE):
            raise NotOpen("no object is open to be read")
        return self.name

    def writable(self) -> str:
        """Return the name of the object to be written. Raises `NotOpen`."""
        if self.mode not in (Mode.WRITE, Mode.UPDATE):
            raise NotOpen("no object is open to be written")
        return self.name

    def status(self) -> str:
        """Return the name of the selected object, else the suffix."""
        return self.name or self.suffix
