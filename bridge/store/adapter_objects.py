"""Objects of a storage adapter behind their sums, and parts of bodies as such objects."""

from __future__ import annotations

from collections.abc import Iterable
from threading import RLock

from mqbridge.bridge.store.adapter_rows import numbered, sealed, unsealed
from mqbridge.bridge.store.adapters.interface import Mode, ObjectMissing, StorageAdapter
from mqbridge.bridge.store.errors import ChunkMissing
from mqbridge.bridge.store.operations import Piece


class AdapterObjects:
    """Objects of an adapter behind their sums, one call at a time.

    ``pending``: what the last intent writes, or erases, and has not written yet. ``last_number``: the highest number of
    an object.
    """

    def __init__(self, adapter: StorageAdapter) -> None:
        self.adapter = adapter
        self.lock = RLock()
        self.pending: dict[str, bytes | None] = {}
        self.last_number = 0

    def new_number(self) -> int:
        """Return a number that no object has."""
        self.last_number += 1
        return self.last_number

    def read(self, name: str) -> bytes:
        """Return an object. Raises `ObjectMissing`, `StoreDamaged`."""
        with self.lock:
            if name in self.pending:
                data = self.pending[name]
                if data is None:
                    raise ObjectMissing(name)
                return data
            self.adapter.open(name, Mode.READ)
            try:
                return unsealed(name, self.adapter.read())
            finally:
                self.adapter.close()

    def write(self, name: str, data: bytes) -> None:
        """Write an object. Raises `StoreFull`."""
        with self.lock:
            self.adapter.open(name, Mode.WRITE)
            try:
                self.adapter.write(sealed(name, data))
            finally:
                self.adapter.close()

    def erase(self, name: str) -> None:
        """Remove an object, if it exists."""
        with self.lock:
            try:
                self.adapter.erase(name)
            except ObjectMissing:
                return

    def settle(self) -> None:
        """Carry out what is pending. Raises `StoreFull`; the rest stays pending."""
        with self.lock:
            for name, data in list(self.pending.items()):
                if data is None:
                    self.erase(name)
                else:
                    self.write(name, data)
                del self.pending[name]


class AdapterParts:
    """Parts of bodies, an object each; `interface.PartArea` describes the methods. ``lengths``: of those that belong to
    nothing."""

    def __init__(self, objects: AdapterObjects, kind: str, limit: int = 0) -> None:
        self._objects = objects
        self._kind = kind
        self._limit = limit
        self.lengths: dict[int, int] = {}

    def write(self, part: Piece) -> int:
        """Keep a part; see `interface.PartArea.write`."""
        if 0 < self._limit < len(part):
            raise ValueError(f"a chunk of {len(part)} bytes is longer than {self._limit}")
        with self._objects.lock:
            number = self._objects.new_number()
            self._objects.write(numbered(self._kind, number), bytes(part))
            self.lengths[number] = len(part)
        return number

    def read(self, part: int, offset: int = 0, length: int | None = None) -> bytes:
        """Return a slice of a part; see `interface.PartArea.read`."""
        with self._objects.lock:
            if part not in self.lengths:
                raise ChunkMissing(part)
            return slice_of(self._objects.read(numbered(self._kind, part)), offset, length)

    def drop(self, parts: Iterable[int]) -> None:
        """Delete parts; see `interface.PartArea.drop`."""
        with self._objects.lock:
            for part in parts:
                if self.lengths.pop(part, None) is not None:
                    self._objects.erase(numbered(self._kind, part))


def slice_of(data: bytes, offset: int, length: int | None) -> bytes:
    """Return a slice of data, to their end without a length."""
    return data[offset:] if length is None else data[offset : offset + length]
