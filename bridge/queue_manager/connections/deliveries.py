"""Messages on their way to a program: off the queue, and not yet known to have arrived (client-observed.md O-055).

A message that is streamed to a client outside syncpoint is held in a unit of work of its own kind until the client has
said that it came, so that it can go back to its place when the handle is closed or the client is gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.queue_manager.rows import POSITION_BYTES
from bridge.queue_manager.units_of_work import UnitOfWork

if TYPE_CHECKING:
    from bridge.queue_manager.manager import QueueManager
    from bridge.queue_manager.queues import LocalQueue


def move(queue: LocalQueue, position: bytes, source: UnitOfWork, target: UnitOfWork) -> bool:
    """Makes a got message, found by what its row begins with, part of another unit of work; False if the first does
    not have it. The one got first is found at once."""
    position = position[:POSITION_BYTES]
    for index, (origin, row) in enumerate(source.gets):
        if origin is queue and row.startswith(position):
            target.gets.append(source.gets.pop(index))
            return True
    return False


class Deliveries:
    """The messages of one connection that are held until they have arrived, as a unit of work."""

    __slots__ = ("_manager", "unit")

    def __init__(self, manager: QueueManager) -> None:
        self._manager = manager
        self.unit = manager.begin()

    def end(self, now: float, *, arrived: bool) -> None:
        """The connection ends: in good order (what was sent counts as arrived), or is lost."""
        unit, self.unit = self.unit, self._manager.begin()
        if not unit.count:
            return
        if arrived:
            self._manager.commit(unit, now)
        else:
            self._manager.backout(unit, now, counted=False)
