"""A storage adapter that notes each operation, so that a crash can be made of each, and of each byte of a write."""

from __future__ import annotations

from collections.abc import Iterator

from mqbridge.bridge.store.adapters.interface import Mode
from mqbridge.bridge.store.adapters.memory import MemoryAdapter
from mqbridge.bridge.store.errors import StoreFull


class TornAdapter(MemoryAdapter):
    """``history``: what each operation found, and what it wrote (None: it erased). ``room``: bytes that objects may
    have together; `StoreFull` beyond."""

    def __init__(self, objects: dict[str, bytes] | None = None, room: int = 1 << 40) -> None:
        super().__init__(objects)
        self.room = room
        self.history: list[tuple[dict[str, bytes], str, bytes | None]] = []

    def write(self, data: bytes) -> None:
        name = self._selection.writable()
        if sum(map(len, self.objects.values())) - len(self.objects.get(name, b"")) + len(data) > self.room:
            raise StoreFull("there is no more room")
        self.history.append((dict(self.objects), name, bytes(data)))
        super().write(data)

    def erase(self, name: str) -> None:
        self.history.append((dict(self.objects), name, None))
        super().erase(name)

    def crashes(self, step: int = 1) -> Iterator[tuple[int, dict[str, bytes]]]:
        """Number of the operation, and what a crash in it leaves: all as it was, or so many bytes of an object."""
        for at, (before, name, data) in enumerate(self.history):
            yield at, dict(before)
            for length in range(0, len(data or b""), step):
                yield at, {**before, name: (data or b"")[:length]}


def read_object(adapter: MemoryAdapter, name: str) -> bytes:
    """An object as it stands."""
    adapter.open(name, Mode.READ)
    data = adapter.read()
    adapter.close()
    return data
