"""CLEAR QLOCAL: all messages of a queue go at once, without reports (channels.md 17.2)."""

from __future__ import annotations

from mqbridge.bridge.queue_manager.core import Core
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.units_of_work import PendingCommit
from mqbridge.bridge.store.interface import DropQueue

from .freeing import free
from .loading import require_droppable


def clear_queue(core: Core, name: str, now: float) -> PendingCommit | None:
    """Take all messages off a queue; see `QueueManager.clear_queue`."""
    queue = require_droppable(core, name, purge=True)
    chains, count = queue.take_all()
    memory, queue.memory = queue.memory, {}
    queue.uncommitted_gets += count

    def done(error: MQError | None) -> None:
        queue.uncommitted_gets -= count
        if error is not None:
            queue.memory.update(memory)
            queue.restore(row for chain in chains for row in chain)
        else:
            core.turns.begin(free(core, memory.values()), now)

    if count <= len(memory):  # the store has none of them
        done(None)
        return None
    pending = core.submit([DropQueue(queue.number)])
    pending.finish = done
    return pending
