"""Browse messages with a cursor, without removing them (mqi.md 11.1)."""

from __future__ import annotations

from mqbridge.bridge.queue_manager.core import Core
from mqbridge.bridge.queue_manager.errors import MQError, SearchYielded
from mqbridge.bridge.queue_manager.handle import Cursor
from mqbridge.bridge.queue_manager.options import GetOptions, RetrievedMessage
from mqbridge.bridge.queue_manager.queues.expiry import discard
from mqbridge.bridge.queue_manager.queues.reading import read_message
from mqbridge.bridge.queue_manager.queues.rows import POSITION_BYTES, Row, milliseconds
from mqbridge.bridge.queue_manager.target import Target
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQGMO, MQRC

from .get import fit
from .get_options import check_get_options, require_no_handle_options
from .selection import select


def browse(core: Core, source: Target, cursor: Cursor, options: GetOptions, now: Time) -> RetrievedMessage | None:
    """Browse with MQGMO_BROWSE_FIRST, _NEXT or BROWSE_MSG_UNDER_CURSOR, and move ``cursor`` (mqi.md 11.1)."""
    queue = source.require_gettable()
    bits = options.options
    check_get_options(bits)
    require_no_handle_options(bits)
    if bits & MQGMO.FAIL_IF_QUIESCING:
        core.require_not_quiescing()
    now_ms = milliseconds(now)
    under_cursor = bool(bits & MQGMO.BROWSE_MSG_UNDER_CURSOR)
    after = b"" if bits & MQGMO.BROWSE_FIRST else cursor.position
    while True:
        if under_cursor:
            row = queue.find(cursor.position) if cursor.position else None
            if row is None:
                raise MQError(MQRC.NO_MSG_UNDER_CURSOR)
        else:
            row = select(queue, options, after)
            if row is None:
                return None
        fields = Row(row)
        if not fields.deadline or fields.deadline > now_ms:
            break
        queue.take(row)
        discard(core, queue, row, now)
        if options.in_turns is not None and options.in_turns.left <= 0:
            raise SearchYielded(queue.name)
    message = read_message(core, queue, fields, now_ms)
    got = RetrievedMessage(message, queue.name, queue.number, fields.position, fields.length)
    fit(core, queue, got, options)
    if got.reason == MQRC.TRUNCATED_MSG_FAILED:
        return got
    cursor.position = row[:POSITION_BYTES]
    return got
