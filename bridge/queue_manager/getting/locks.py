"""Locks of browsed messages (MQGMO_LOCK; mqi.md 11.2).

A locked message is removed from the queue's order, like one that was got, so no other handle finds it, but it counts as
visible. For the calls of the handle that holds the lock it is put back into the order.
"""

from __future__ import annotations

from collections.abc import Sequence

from mqbridge.bridge.queue_manager.core import Core
from mqbridge.bridge.queue_manager.putting.publication import give_back
from mqbridge.bridge.queue_manager.queues.local_queue import LocalQueue
from mqbridge.mappings.moment import Time

from .handle_state import HandleState


def reveal(queue: LocalQueue, state: HandleState) -> list[bytes]:
    """Put the locked messages back into the order, for a call of the handle itself. Returns them."""
    locked = state.locked
    if locked:
        queue.visible -= len(locked)
        queue.restore(locked)
        state.locked = []
    return locked


def hide(
    core: Core, queue: LocalQueue, state: HandleState, rows: Sequence[bytes], revealed: list[bytes], now: Time
) -> None:
    """Lock messages that are still there; those of ``revealed`` that are not among them become free."""
    freed = [row for row in revealed if row not in rows and queue.take(row)]
    for row in rows:
        if queue.take(row):
            queue.visible += 1
            state.locked.append(row)
    if freed:
        give_back(core, queue, freed, now)


def release(core: Core, queue: LocalQueue, state: HandleState, now: Time) -> bool:
    """Release the locks of a handle; False if there are none."""
    locked = reveal(queue, state)
    hide(core, queue, state, (), locked, now)
    return bool(locked)
