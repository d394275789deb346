"""Make messages visible: add them to the queue's order, wake getters, fire triggers."""

from __future__ import annotations

from collections.abc import Sequence

from mqbridge.bridge.queue_manager.core import Core
from mqbridge.bridge.queue_manager.getting.waiting import wake
from mqbridge.bridge.queue_manager.queues.local_queue import LocalQueue
from mqbridge.mappings.moment import Time

from .triggering import arrived, look_again


def publish(core: Core, queue: LocalQueue, rows: Sequence[bytes], now: Time) -> None:
    """Make new messages visible, in order of their rows, and wake waits for them."""
    queue.last_put = now
    queue.add(rows)
    if queue.waiting:
        wake(core, queue, rows, now)
    if queue.trigger:
        arrived(core, queue, rows, now)
    if core.arrivals and queue in core.arrivals:
        core.arrivals[queue](rows, now)


def give_back(core: Core, queue: LocalQueue, rows: Sequence[bytes], now: Time) -> None:
    """Return messages that were got to their positions, and wake waits for them."""
    queue.restore(rows)
    if queue.waiting:
        wake(core, queue, rows, now)
    if queue.trigger:
        look_again(core, queue, now)
