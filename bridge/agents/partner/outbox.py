"""Bytes for a partner, some of which wait until something is on disk."""

from __future__ import annotations

from collections import deque


class Gate:
    """Bytes that wait. ``open``: whether they may go out."""

    __slots__ = ("data", "open")

    def __init__(self, data: bytes, *, is_open: bool) -> None:
        self.data = data
        self.open = is_open


class PartnerOutbox:
    """An `Outbox`: bytes in order, each behind all that were added before."""

    __slots__ = ("_gates", "_ready")

    def __init__(self) -> None:
        self._gates: deque[Gate] = deque()
        self._ready = bytearray()

    def add(self, data: bytes, *, waits: bool = False) -> Gate:
        """Add bytes. ``waits``: until the gate that is returned is opened by `pass_on`."""
        gate = Gate(data, is_open=not waits)
        self._gates.append(gate)
        self._move()
        return gate

    def pass_on(self, gate: Gate) -> None:
        """Let bytes go out that have waited."""
        gate.open = True
        self._move()

    def _move(self) -> None:
        while self._gates and self._gates[0].open:
            self._ready += self._gates.popleft().data

    @property
    def waits(self) -> bool:
        """Whether some may not go out yet."""
        return bool(self._gates)

    # See `Outbox`

    @property
    def wants_to_send(self) -> bool:
        """Whether `take` would return anything."""
        return bool(self._ready)

    @property
    def buffered(self) -> int:
        """Bytes waiting in memory."""
        return len(self._ready) + sum(len(each.data) for each in self._gates)

    def take(self, limit: int) -> list[bytes]:
        """Return pieces to be written, about ``limit`` bytes in all."""
        if not self._ready:
            return []
        piece = bytes(self._ready[:limit])
        del self._ready[:limit]
        return [piece]
