"""Local queues of the definitions: loaded with their messages at start, kept up as definitions change."""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.queue_manager.core import Core
from mqbridge.bridge.queue_manager.getting.waiting import end_all, end_enabled, end_inhibited
from mqbridge.bridge.queue_manager.objects import Definition, Kind
from mqbridge.bridge.store.interface import StoreDamaged
from mqbridge.protocol.constants import MQRC

from .clearing import free
from .local_queue import LocalQueue
from .rows import is_row

FIRST_FOREIGN_NUMBER: Final = 2**31
"""Queue numbers of the store from this one on have other owners, such as queues of Everyplace."""


def load_queues(core: Core) -> None:
    """Create all queues and read the rows of all stored messages. Raises `StoreDamaged`.

    Rows with a number that no queue has are skipped, with a line in the log. Those of other owners, from
    `FIRST_FOREIGN_NUMBER` on, are left alone.
    """
    for definition in core.objects.select(Kind.QLOCAL):
        core.queues[definition.name] = LocalQueue(definition, core.expiring)
    numbers = {queue.number: queue for queue in core.queues.values()}
    orphans: dict[int, int] = {}
    for number, position, row, _ in core.store.scan_all():
        if number >= FIRST_FOREIGN_NUMBER:
            break  # they are in the order of the numbers
        queue = numbers.get(number)
        if queue is None:
            orphans[number] = orphans.get(number, 0) + 1
            continue
        _check(queue, position, row)
        queue.load(row)
    for number, count in orphans.items():
        core.log("AMQ7472", f"{count} messages of queue number {number}", "no queue has this number")


def _check(queue: LocalQueue, position: int, row: bytes) -> None:
    if not is_row(row) or row[:8] != position.to_bytes(8, "big") or row[0] >= len(queue.chains):
        raise StoreDamaged("the row of a message cannot be read", f"queue {queue.name}, position {position}")


def definition_changed(core: Core, old: Definition | None, new: Definition | None) -> None:
    """Follow a change of a definition; the registry calls it."""
    core.forget_resolved()
    definition = new or old
    if definition is None:
        return
    if definition.kind is Kind.QMGR:
        core.refresh()
    elif definition.kind is Kind.QLOCAL:
        if new is None:
            _forget(core, definition.name)
        else:
            _keep(core, new)
        end_enabled(core)
    elif definition.kind in (Kind.QALIAS, Kind.QREMOTE):
        route = core.routes.get(definition.name)
        if route is not None and new is not None:
            route.refresh(new)
            end_inhibited(core)
            end_enabled(core)
        elif route is not None:
            del core.routes[definition.name]


def _keep(core: Core, definition: Definition) -> None:
    queue = core.queues.get(definition.name)
    if queue is not None:
        queue.refresh(definition)
        core.changed.add(queue)
        if queue.get_inhibited:
            end_all(core, queue, MQRC.GET_INHIBITED)
        return
    queue = LocalQueue(definition, core.expiring)
    for position, row, _ in core.store.scan(queue.number):
        _check(queue, position, row)
        queue.load(row)
    core.queues[definition.name] = queue
    core.changed.add(queue)


def _forget(core: Core, name: str) -> None:
    """Remove a deleted queue: its waits end, and handles fail at their next call."""
    queue = core.queues.pop(name, None)
    if queue is None:
        return
    queue.deleted = True
    core.expiring.discard(queue)
    core.changed.discard(queue)
    core.abandoned.discard(queue)
    core.arrivals.pop(queue, None)
    end_all(core, queue, MQRC.Q_DELETED)
    memory, queue.memory = queue.memory, {}
    if memory:
        core.turns.begin(free(core, memory.values()), 0.0)
