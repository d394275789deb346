"""Calls made inside the queue manager, below the door of sessions: with targets, handles and units of work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mqbridge.bridge.queue_manager import (
    Cursor,
    Disposal,
    GetOptions,
    Handle,
    PutOptions,
    QueueManager,
    RetrievedMessage,
    Target,
    Then,
    UnitOfWork,
)
from mqbridge.bridge.queue_manager.committing import backout, commit
from mqbridge.bridge.queue_manager.core import Core
from mqbridge.bridge.queue_manager.getting import browsing, handle_get
from mqbridge.bridge.queue_manager.putting import handle_put, undelivered_messages
from mqbridge.bridge.queue_manager.units_of_work import on_complete
from mqbridge.mappings.body import as_bytes
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQGMO, MQPMO


def put_alone(core: Core, put: Callable[[UnitOfWork], int], now: float, then: Then | None) -> int:
    """Make a put in a unit of work of its own, and have ``then`` told when that has ended; what the put returns."""
    work = UnitOfWork(implicit=True, in_turns=True)
    warning = put(work)
    on_complete(commit(core, work, now), then)
    return warning


def end_get(
    core: Core, got: RetrievedMessage | None, work: UnitOfWork, now: float, then: Then | None
) -> RetrievedMessage | None:
    """Commit the unit of work of a get that was made outside another, and have ``then`` told; the message, with its
    data in memory."""
    if got is not None and work.gets:
        got.message.body = as_bytes(got.message.body)
        pending = commit(core, work, now)
        got.held = pending is not None
        on_complete(pending, then)
    return got


def put_message(
    manager: QueueManager,
    handle: Handle,
    message: Message,
    options: PutOptions,
    unit: UnitOfWork | None,
    now: float,
    then: Then | None = None,
) -> int:
    """MQPUT through a handle."""
    core = manager.connections.core
    if unit is not None and not options.options & MQPMO.NO_SYNCPOINT:
        return handle_put.put_message(core, handle, message, options, unit, now)
    return put_alone(core, lambda work: handle_put.put_message(core, handle, message, options, work, now), now, then)


def get_message(
    manager: QueueManager,
    handle: Handle,
    options: GetOptions,
    unit: UnitOfWork | None,
    now: float,
    then: Then | None = None,
) -> RetrievedMessage | None:
    """MQGET through a handle, to get or to browse."""
    core, work = manager.connections.core, UnitOfWork(implicit=True)
    unit = work if unit is None or options.options & MQGMO.NO_SYNCPOINT else unit
    return end_get(core, handle_get.get_message(core, handle, options, unit, now, work), work, now, then)


def browse(
    manager: QueueManager, source: Target, cursor: Cursor, options: GetOptions, now: float
) -> RetrievedMessage | None:
    """MQGET with MQGMO_BROWSE_*."""
    return browsing.browse(manager.connections.core, source, cursor, options, now)


def dispose_undelivered(
    manager: QueueManager,
    message: Message,
    queue: str,
    queue_manager: str,
    reason: int,
    options: PutOptions,
    unit: UnitOfWork | None,
    now: float,
    *,
    then: Then | None = None,
    **how: Any,
) -> Disposal:
    """What a channel does with a message that it cannot put."""
    core, work = manager.connections.core, UnitOfWork(implicit=True) if unit is None else unit
    try:
        disposal = undelivered_messages.dispose(core, message, queue, queue_manager, reason, options, work, now, **how)
    except BaseException:
        if unit is None:
            backout(core, work, now)
        raise
    if unit is None:
        on_complete(commit(core, work, now), then)
    return disposal
