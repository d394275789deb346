"""CLEAR QLOCAL: all messages of a queue go at once, without reports (channels.md 17.2)."""

from __future__ import annotations

from bridge.queue_manager.core import Core
from bridge.queue_manager.errors import MQError
from bridge.queue_manager.units_of_work import Then
from bridge.store.interface import DropQueue

from .bodies import release
from .loading import require_droppable
from .local_queue import LocalQueue
from .rows import STORED, flags_of


def clear_queue(core: Core, name: str, then: Then | None) -> None:
    """See `QueueManager.clear_queue`."""
    queue = require_droppable(core, name, purge=True)
    rows = list(queue.rows())
    for row in rows:
        queue.take(row)
    queue.uncommitted_gets += len(rows)
    stored = [row for row in rows if flags_of(row) & STORED]

    def done(error: MQError | None) -> None:
        queue.uncommitted_gets -= len(rows)
        if error is not None:
            queue.restore(rows)
        else:
            _free(core, queue, rows)
        if then is not None:
            then(error)

    if stored:
        core.submit([DropQueue(queue.number)], done)
    else:
        done(None)


def _free(core: Core, queue: LocalQueue, rows: list[bytes]) -> None:
    for row in rows:
        held = queue.forget_body(row)
        if held is not None:
            core.memory_used -= release(core.store, held)
