"""Getting many messages of a transmission queue at once: checks and the read from the store are made once for all."""

from __future__ import annotations

from mqbridge.bridge.queue_manager.committing import require_room
from mqbridge.bridge.queue_manager.core import Core
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.options import RetrievedMessage
from mqbridge.bridge.queue_manager.queues.expiry import discard
from mqbridge.bridge.queue_manager.queues.reading import read_messages
from mqbridge.bridge.queue_manager.queues.rows import Row, milliseconds, parse_row
from mqbridge.bridge.queue_manager.resolution import Target
from mqbridge.bridge.queue_manager.units_of_work import UnitOfWork
from mqbridge.protocol.constants import MQRC


def get_many(core: Core, source: Target, unit: UnitOfWork, now: float, most: int, room: int) -> list[RetrievedMessage]:
    """See `QueueManager.get_many`."""
    queue = source.require_gettable()
    if not queue.is_transmission_queue:
        raise MQError(MQRC.XMIT_Q_USAGE_ERROR, queue.name)
    require_room(core, unit)
    most = min(most, core.max_uncommitted - unit.count)
    now_ms = milliseconds(now)
    rows: list[bytes] = []
    parsed: list[Row] = []
    try:
        while len(rows) < most and room > 0:
            row = queue.take_first()
            if row is None:
                break
            fields = parse_row(row)
            if fields.deadline and fields.deadline <= now_ms:
                discard(core, queue, row, now)
                continue
            rows.append(row)
            parsed.append(fields)
            room -= fields.length
        messages = read_messages(core, queue, parsed, now_ms)
    except BaseException:
        queue.restore(rows)
        raise
    queue.uncommitted_gets += len(rows)
    unit.gets += [(queue, row) for row in rows]
    if queue.meter is not None and rows:
        queue.meter.got(queue, len(rows), now)
    return [
        RetrievedMessage(message, queue.name, queue.number, fields.position, fields.length)
        for fields, message in zip(parsed, messages, strict=True)
    ]
