"""What happens when messages become visible: they are placed, getters are woken, triggers fire."""

from __future__ import annotations

from collections.abc import Sequence

from mqbridge.bridge.queue_manager.core import Core
from mqbridge.bridge.queue_manager.getting.waiting import wake
from mqbridge.bridge.queue_manager.queues.local_queue import LocalQueue

from .triggering import arrived, look_again


def publish(core: Core, queue: LocalQueue, rows: Sequence[bytes], now: float) -> None:
    """Makes new messages visible, in the order of their rows, and tells those who wait for some."""
    queue.last_put = now
    add = queue.add
    for row in rows:
        add(row)
    if queue.waiting:
        wake(core, queue, rows, now)
    if queue.trigger:
        arrived(core, queue, rows, now)
    if core.arrivals and queue in core.arrivals:
        core.arrivals[queue](rows, now)


def give_back(core: Core, queue: LocalQueue, rows: Sequence[bytes], now: float) -> None:
    """Puts messages that were got back to their places, and tells those who wait for some."""
    queue.restore(rows)
    if queue.waiting:
        wake(core, queue, rows, now)
    if queue.trigger:
        look_again(core, queue, now)
