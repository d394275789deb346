"""Discarding all messages of a queue: CLEAR QLOCAL and DELETE QLOCAL PURGE, without reports (channels.md 17.2)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from mqbridge.bridge.queue_manager.core import Core
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.turns import Steps
from mqbridge.bridge.queue_manager.units_of_work import PendingCommit
from mqbridge.bridge.store.interface import DropQueue, Operation
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQRC

from .bodies import HeldBody, release
from .local_queue import LocalQueue

_FREED: Final = 10
"""Turn units for a body that is freed."""


def clear_queue(core: Core, name: str, now: Time) -> PendingCommit | None:
    """CLEAR QLOCAL; see `QueueManager.clear_queue`."""
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


def require_droppable(core: Core, name: str, *, purge: bool) -> LocalQueue:
    """The queue, if it may be cleared (``purge``) or deleted. Raises `MQError` 2085, 2042 (open), 2055 (not empty)."""
    queue = core.queues.get(name)
    if queue is None:
        raise MQError(MQRC.UNKNOWN_OBJECT_NAME, name)
    if queue.handles:
        raise MQError(MQRC.OBJECT_IN_USE, name)
    if queue.uncommitted or (queue.visible and not purge):
        raise MQError(MQRC.Q_NOT_EMPTY, name)
    return queue


def drop_queue(core: Core, name: str, *, purge: bool) -> list[Operation]:
    """See `QueueManager.drop_queue`."""
    queue = require_droppable(core, name, purge=purge)
    return [DropQueue(queue.number)] if queue.visible else []


def free(core: Core, bodies: Iterable[HeldBody]) -> Steps:
    """Task: free bodies, in memory and in the spill area."""
    yield 0
    for held in bodies:
        core.memory_used -= release(core.store, held)
        yield _FREED
