"""Locks that a browser holds on messages (mqi.md 11.2).

A locked message is out of the queue's order, as one that was got, so nobody else meets it; it counts as visible. The
handle that holds the lock has it back in the order for the time of its own calls.
"""

from __future__ import annotations

from collections.abc import Sequence

from mqbridge.bridge.queue_manager.core import Core
from mqbridge.bridge.queue_manager.putting.publication import give_back
from mqbridge.bridge.queue_manager.queues.local_queue import LocalQueue

from .handle_state import HandleState


def reveal(queue: LocalQueue, state: HandleState) -> list[bytes]:
    """Puts the locked messages back into the order, for a call of the handle itself; returns them."""
    locked = state.locked
    if locked:
        queue.visible -= len(locked)
        queue.restore(locked)
        state.locked = []
    return locked


def hide(
    core: Core, queue: LocalQueue, state: HandleState, rows: Sequence[bytes], revealed: list[bytes], now: float
) -> None:
    """Locks some messages as far as they are there; those of ``revealed`` that are not among them are free now."""
    freed = [row for row in revealed if row not in rows and queue.take(row)]
    for row in rows:
        if queue.take(row):
            queue.visible += 1
            state.locked.append(row)
    if freed:
        give_back(core, queue, freed, now)


def release(core: Core, queue: LocalQueue, state: HandleState, now: float) -> bool:
    """Frees what a handle has locked; False if that is nothing."""
    locked = reveal(queue, state)
    hide(core, queue, state, (), locked, now)
    return bool(locked)
