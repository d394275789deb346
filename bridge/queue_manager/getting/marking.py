"""Mark and unmark browsed messages, and end marks that have expired (mqi.md 11.3)."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from mqbridge.bridge.queue_manager.core import Core
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.objects import NO_LIMIT
from mqbridge.bridge.queue_manager.queues.local_queue import LocalQueue
from mqbridge.bridge.queue_manager.queues.rows import POSITION_BYTES
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQGMO, MQOO, MQRC

from .marks import CoOpMarks
from .waiting import wake

if TYPE_CHECKING:
    from mqbridge.bridge.queue_manager.handle import Handle


def require_markable(queue: LocalQueue, bits: int, row: bytes) -> None:
    """Raise `MQError` 2200 if MARK_BROWSE_CO_OP finds a message that is already marked."""
    marks = queue.co_op_marks
    if bits & MQGMO.MARK_BROWSE_CO_OP and marks is not None and row in marks:
        raise MQError(MQRC.MSG_MARKED_BROWSE_CO_OP, queue.name)


def after_browse(core: Core, queue: LocalQueue, handle: Handle, bits: int, row: bytes, now: Time) -> None:
    """Mark or unmark a message that a browse returned, by its options."""
    if bits & MQGMO.MARK_BROWSE_HANDLE:
        handle.remembered().marks.add(row, partial(_find, queue))
    elif bits & MQGMO.UNMARK_BROWSE_HANDLE:
        handle.remembered().marks.discard(row)
    if bits & MQGMO.MARK_BROWSE_CO_OP:
        if queue.co_op_marks is None:
            queue.co_op_marks = CoOpMarks()
        queue.co_op_marks.add(row, _end_of_mark(core, now))
    elif bits & MQGMO.UNMARK_BROWSE_CO_OP and queue.co_op_marks is not None and queue.co_op_marks.discard(row):
        wake(core, queue, [row], now)


def _find(queue: LocalQueue, position: bytes) -> bytes | None:
    """The message at a position, even if it is locked."""
    found = queue.find(position)
    if found is not None:
        return found
    for handle in queue.handles:
        for row in handle.locked:
            if row[:POSITION_BYTES] == position:
                return row
    return None


def _end_of_mark(core: Core, now: Time) -> float:
    interval = core.objects.manager.integer("MARKINT")
    return math.inf if interval == NO_LIMIT else now + interval / 1000


def end_marks(core: Core, queue: LocalQueue, now: Time) -> None:
    """End expired marks of cooperating handles, and wake waits for unmarked messages."""
    marks = queue.co_op_marks
    if marks is None:
        return
    freed = [row for row in marks.expire(now, partial(_find, queue)) if queue.find(row[:POSITION_BYTES])]
    if not marks:
        queue.co_op_marks = None
    if freed and queue.waiting:
        wake(core, queue, freed, now)


def forget_co_op_marks(queue: LocalQueue) -> None:
    """End all marks of cooperating handles when the last of these is closed."""
    if queue.co_op_marks is not None and not any(handle.options & MQOO.CO_OP for handle in queue.handles):
        queue.co_op_marks = None


def next_mark_end(core: Core) -> float | None:
    """When the next mark expires on a queue with waits for unmarked messages; None for never."""
    queues = core.waits.for_marks()
    if not queues:
        return None
    ends = [
        end
        for queue in queues
        if queue.co_op_marks is not None and (end := queue.co_op_marks.next_end()) is not None and end < math.inf
    ]
    return min(ends, default=None)


def end_waited_for_marks(core: Core, now: Time) -> None:
    """End expired marks on queues with waits for unmarked messages."""
    for queue in core.waits.for_marks():
        end_marks(core, queue, now)
