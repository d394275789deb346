"""Objects in memory: gone with their process, so nothing is assured (E-140)."""

from __future__ import annotations

from .interface import Coder, Mode, ObjectMissing, Selection, check_name


class MemoryAdapter:
    """Objects in a dictionary; `interface.StorageAdapter` describes the methods. ``objects``: those of another one."""

    def __init__(self, objects: dict[str, bytes] | None = None) -> None:
        self.objects: dict[str, bytes] = {} if objects is None else objects
        self._selection = Selection()
        self._coder: Coder | None = None

    def activate(self, descriptor: str, coder: Coder | None = None) -> None:
        """Begin; there is no place."""
        self._coder = coder

    def open(self, name: str, mode: Mode) -> None:
        """Select an object; see `interface.StorageAdapter.open`."""
        check_name(name)
        if mode is Mode.READ and name not in self.objects:
            raise ObjectMissing(name)
        self._selection.open(name, mode)

    def close(self) -> None:
        """Select none."""
        self._selection.close()

    def read(self) -> bytes:
        """Return the selected object; see `interface.StorageAdapter.read`."""
        name = self._selection.readable()
        if name not in self.objects:
            raise ObjectMissing(name)
        data = self.objects[name]
        return data if self._coder is None else self._coder.decode(data)

    def write(self, data: bytes) -> None:
        """Write the selected object; see `interface.StorageAdapter.write`."""
        name = self._selection.writable()
        self.objects[name] = bytes(data) if self._coder is None else self._coder.encode(data)

    def erase(self, name: str) -> None:
        """Remove an object; see `interface.StorageAdapter.erase`."""
        check_name(name)
        if self.objects.pop(name, None) is None:
            raise ObjectMissing(name)

    def select(self, suffix: str) -> None:
        """Let `names` give names that end so."""
        self._selection.suffix = suffix

    def names(self) -> list[str]:
        """Return names; see `interface.StorageAdapter.names`."""
        return [name for name in self.objects if name.endswith(self._selection.suffix)]

    def status(self) -> str:
        """Return the name of the selected object, else the suffix."""
        return self._selection.status()

    def require_place(self) -> None:
        """Do nothing: there is no place."""

    def release(self) -> None:
        """End."""
        self._selection.close()
