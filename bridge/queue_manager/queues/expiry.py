"""Discard expired messages, with their expiration reports (mqi.md 4.4, channels.md 9)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mqbridge.bridge.queue_manager.committing import commit
from mqbridge.bridge.queue_manager.core import Core
from mqbridge.bridge.queue_manager.putting.on_behalf import authority_of
from mqbridge.bridge.queue_manager.putting.reporting import queue_manager_report
from mqbridge.bridge.queue_manager.units_of_work import UnitOfWork
from mqbridge.mappings.delayed import DELAY_QUEUE, when_due
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.mappings.mq import unwrap
from mqbridge.mappings.reports import ReportKind
from mqbridge.protocol.errors import MQBridgeError

from .local_queue import LocalQueue
from .reading import read_message
from .rows import Row, milliseconds

SCAN_INTERVAL: Final = 1.0
"""Seconds between two scans for expired messages. No get returns one in between, but CURDEPTH counts it."""
if TYPE_CHECKING:
    from mqbridge.bridge.queue_manager.turns import Steps

_SCAN: Final = "expiry"
_DISCARDED: Final = 400
"""Turn units for a message that is discarded."""
_FOUND: Final = 10
"""Turn units for a deadline that has come, of a message that may be gone."""
_REPORT: Final = 3_000
"""Turn units besides for one with a report."""
_REPORTED: Final = int(ReportKind.EXPIRATION)


def discard(core: Core, queue: LocalQueue, row: bytes, now: Time) -> None:
    """Discard an expired message, already taken out of the queue's order, in a unit of work of its own."""
    work = UnitOfWork(implicit=True)
    fields = Row(row)
    core.turns.left -= _DISCARDED
    if fields.report & _REPORTED:
        core.turns.left -= _REPORT
        try:
            original = read_message(core, queue, fields, milliseconds(now))
            user = authority_of(row, original)
            if queue.is_transmission_queue:
                original = unwrap(original).message
            elif queue.name == DELAY_QUEUE:
                _, original = when_due(original)
            _report(core, original, user, work, now)
        except MQBridgeError as error:
            core.log("AMQ7310", ReportKind.EXPIRATION.name, queue.name, str(error))
    queue.uncommitted_gets += 1
    work.gets.append((queue, row))
    commit(core, work, now)


def _report(core: Core, original: Message, user: str, work: UnitOfWork, now: Time) -> None:
    if original.md.report & _REPORTED:
        original.md.expiry = -1
        queue_manager_report(core, original, ReportKind.EXPIRATION, user, work, now)


def scan(core: Core, now: Time) -> None:
    """Discard expired messages, in turns, and let everything else expire that is due (`Core.also_expires`)."""
    if not core.turns.busy(_SCAN):
        core.turns.begin(_discard_due(core), now, _SCAN)
    for each in core.also_expires:
        each.timeout(now)


def _discard_due(core: Core) -> Steps:
    now = yield 0
    for queue in list(core.expiring):
        for position in queue.deadlines.due(milliseconds(now)):
            row = queue.find(position)
            if row is not None and Row(row).deadline <= milliseconds(now) and queue.take(row):
                discard(core, queue, row, now)
            now = yield _FOUND
        if queue.deadlines.next() is None:
            core.expiring.discard(queue)


def next_deadline(core: Core) -> float | None:
    """When the next message, or something else, expires, in seconds since the epoch; None if nothing does."""
    earliest: float | None = None
    for queue in core.expiring:
        deadline = queue.deadlines.next()
        if deadline is not None and (earliest is None or deadline / 1000 < earliest):
            earliest = deadline / 1000
    for each in core.also_expires:
        at = each.next_timeout()
        if at is not None and (earliest is None or at < earliest):
            earliest = at
    return earliest
