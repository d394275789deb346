"""Destinations of subscriptions: managed queues, created and deleted with them, and queues that programs provide."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mqbridge.bridge.queue_manager.committing import commit
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.bridge.queue_manager.queues.dynamic_queues import add_dynamic_queue
from mqbridge.bridge.store.interface import DropQueue
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQRC

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mqbridge.bridge.queue_manager.core import Core
    from mqbridge.bridge.queue_manager.handle import Handle
    from mqbridge.bridge.queue_manager.objects import Change
    from mqbridge.bridge.queue_manager.units_of_work import PendingCommit, UnitOfWork

    from .subscription import Subscription
    from .topic_attributes import TopicAttributes

DURABLE_PREFIX: Final = "SYSTEM.MANAGED.DURABLE."
NON_DURABLE_PREFIX: Final = "SYSTEM.MANAGED.NDURABLE."


def add_managed_queue(core: Core, attributes: TopicAttributes, now: Time, *, durable: bool) -> Change:
    """Create a managed queue from the model queue that the topic names. Raises `MQError` 2085, 2057."""
    name = attributes.model(durable)
    model = core.objects.queue(name)
    if model is None:
        raise MQError(MQRC.UNKNOWN_OBJECT_NAME, name)
    if model.kind is not Kind.QMODEL:
        raise MQError(MQRC.Q_TYPE_ERROR, f"{name} is no model queue")
    return add_dynamic_queue(core, model, (DURABLE_PREFIX if durable else NON_DURABLE_PREFIX) + "*", now)


def delete_managed_queue(core: Core, name: str) -> list[Change]:
    """Delete the managed queue of a removed subscription: now, or when its last handle is closed."""
    queue = core.queues.get(name)
    if queue is None or not queue.dynamic:
        return []
    if queue.handles:
        core.abandoned.add(queue)
        return []
    number = queue.number
    change = core.objects.delete(Kind.QLOCAL, name)
    if change.operations:
        change.operations.insert(0, DropQueue(number))
    return [change]


def delete_orphans(core: Core, subscriptions: Iterable[Subscription]) -> None:
    """Delete, at start, managed queues whose subscriptions were removed while the queues were open."""
    wanted = {each.destination[0] for each in subscriptions}
    for definition in core.objects.select(Kind.QLOCAL, generic=DURABLE_PREFIX + "*"):
        if definition.text("DEFTYPE") == "PERMDYN" and definition.name not in wanted:
            for change in delete_managed_queue(core, definition.name):
                core.submit(change.operations)


def provided_destination(core: Core, handle: Handle | None, *, durable: bool) -> tuple[str, str]:
    """Queue and queue manager name under which publications reach the queue that a program has open.

    Raises `MQError` 2019 (not open), 2522 (no queue, or a temporary one for a durable subscription).
    """
    if handle is None or handle.closed:
        raise MQError(MQRC.HOBJ_ERROR, "no destination is open")
    target = handle.target
    if target.topic is not None or target.queue is None:
        raise MQError(MQRC.INVALID_DESTINATION, "the destination is no queue")
    if target.remote:
        first = target.path[0].name
        definition = core.objects.queue(first)
        named = definition is not None and definition.kind is Kind.QREMOTE and definition.text("RNAME")
        return (first, "") if named else (target.queue_name, target.queue_manager_name)
    if durable and target.queue.temporary:
        raise MQError(MQRC.INVALID_DESTINATION, f"{target.queue.name} is a temporary queue")
    return target.path[0].name, ""


def commit_changes(
    core: Core,
    changes: Sequence[Change],
    unit: UnitOfWork,
    now: Time,
    withdraw: Callable[[], None] | None = None,
) -> PendingCommit | None:
    """Commit changes of definitions, and copies of retained publications in ``unit``, in one transaction.

    If it fails, ``withdraw`` is called and the changes are undone.
    """

    def decided(error: MQError | None) -> None:
        if error is not None:
            if withdraw is not None:
                withdraw()
            undo(core, changes)

    pending = commit(core, unit, now, [operation for change in changes for operation in change.operations])
    if pending is not None:
        pending.finish = decided
    return pending


def undo(core: Core, changes: Sequence[Change]) -> None:
    """Undo changes in memory, the last one first."""
    for change in reversed(changes):
        core.objects.undo(change)
