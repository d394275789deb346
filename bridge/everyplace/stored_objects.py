"""Fields objects in a storage adapter: readObject and writeObject of IBM's interface (E-453 to E-459)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from mqbridge.bridge.store.adapters.interface import Mode, NameRefused, NotOpen, ObjectMissing, StorageAdapter
from mqbridge.bridge.store.interface import StoreError
from mqbridge.protocol.everyplace.dump import dump, restore
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.filters import matches

Found = TypeVar("Found")
_CODES: Final[dict[type[StoreError], Code]] = {
    NameRefused: Code.SYNTAX,
    NotOpen: Code.NOT_ALLOWED,
    ObjectMissing: Code.NOT_FOUND,
}
"""Codes of an adapter's errors; others are STORE."""


class StoredObjects:
    """Fields objects by name. ``adapter``: active; it codes and decodes where it was given a coder."""

    def __init__(self, adapter: StorageAdapter) -> None:
        self._adapter = adapter

    def open(self, name: str, mode: Mode) -> None:
        """Select an object. Raises `EveryplaceError` SYNTAX, NOT_FOUND."""
        self._do(lambda: self._adapter.open(name, mode))

    def close(self) -> None:
        """Select none; reading and writing are refused then."""
        self._do(self._adapter.close)

    def read_object(self, wanted: Fields | None = None) -> Fields:
        """Return the selected object; with ``wanted`` the first, by name, that has its fields.

        Objects that cannot be read are passed over in a search, which leaves none selected. Raises `EveryplaceError`
        NOT_FOUND, NOT_ALLOWED if none is open, SYNTAX for one that is no fields object, STORE.
        """
        if wanted is None:
            return restore(self._do(self._adapter.read))
        for name in sorted(self._do(self._adapter.names)):
            try:
                self.open(name, Mode.READ)
                found = self.read_object()
            except EveryplaceError:
                continue
            finally:
                self.close()
            if matches(wanted, found):
                return found
        raise EveryplaceError(Code.NOT_FOUND, "no stored object has these fields")

    def write_object(self, fields: Fields) -> None:
        """Write the selected object; it is on disk afterwards. Raises `EveryplaceError` NOT_ALLOWED, STORE; TYPE for
        anything but a fields object."""
        if not isinstance(fields, Fields):
            raise EveryplaceError(Code.TYPE, f"a {type(fields).__name__} is no fields object")
        data = dump(fields)
        self._do(lambda: self._adapter.write(data))

    def erase(self, name: object) -> None:
        """Remove an object (E-457). Raises `EveryplaceError` NOT_SUPPORTED for what is no text, SYNTAX for a name with
        a path separator, NOT_ALLOWED if it cannot be removed."""
        if not isinstance(name, str):
            raise EveryplaceError(Code.NOT_SUPPORTED, f"a {type(name).__name__} is no name of an object")
        try:
            self._do(lambda: self._adapter.erase(name))
        except EveryplaceError as error:
            if error.code is Code.SYNTAX:
                raise
            raise EveryplaceError(Code.NOT_ALLOWED, f"{name!r} is not removed: {error.text}") from None

    def select(self, suffix: str) -> None:
        """Let searches and `names` mean names that end so."""
        self._do(lambda: self._adapter.select(suffix))

    def names(self) -> list[str]:
        """Return the names that `select` means, in order."""
        return sorted(self._do(self._adapter.names))

    def status(self) -> str:
        """Return the name of the selected object, else the suffix of `select`."""
        return self._do(self._adapter.status)

    @staticmethod
    def _do(call: Callable[[], Found]) -> Found:
        try:
            return call()
        except StoreError as error:
            raise EveryplaceError(_CODES.get(type(error), Code.STORE), str(error)) from None
