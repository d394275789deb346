"""Get many messages of a queue at once, with one check and one read from the store for all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from mqbridge.bridge.queue_manager.core import Core
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.queues.expiry import discard
from mqbridge.bridge.queue_manager.queues.local_queue import LocalQueue
from mqbridge.bridge.queue_manager.queues.reading import read_message, read_messages
from mqbridge.bridge.queue_manager.queues.rows import (
    DATA_LENGTH,
    DEADLINE_AT,
    DEADLINE_END,
    NO_DEADLINE,
    Row,
    data_length,
    deadline_of,
    milliseconds,
    pack_position,
)
from mqbridge.bridge.queue_manager.target import Target
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQRC


def get_first(
    core: Core, source: Target, now: Time, most: int, room: int, uncommitted: int, *, any_usage: bool = False
) -> tuple[list[bytes], list[Message]]:
    """Take the first messages off a transmission queue, with ``any_usage`` off any local queue, of any length. Returns
    their rows and the messages.

    Equivalent to gets with MQGMO_SYNCPOINT and MQGMO_NO_WAIT: at most ``most``, until ``room`` bytes of data are
    reached. ``uncommitted``: number of messages already in the unit of work. Raises `MQError` as `get` does, and 2092
    for another queue; no message is taken then.
    """
    queue = source.require_gettable()
    if not queue.is_transmission_queue and not any_usage:
        raise MQError(MQRC.XMIT_Q_USAGE_ERROR, queue.name)
    if uncommitted >= core.max_uncommitted:
        raise MQError(MQRC.SYNCPOINT_LIMIT_REACHED, str(core.max_uncommitted))
    most = min(most, core.max_uncommitted - uncommitted)
    now_ms = milliseconds(now)
    rows: list[bytes] = []
    try:
        if queue.deadlines.count:
            _take_unexpired(core, queue, rows, now, most, room)
        else:
            rows = queue.take_front(most, room)
        messages = read_messages(core, queue, rows, now_ms)
    except BaseException:
        queue.restore(rows)
        raise
    count = len(rows)
    queue.uncommitted_gets += count
    if queue.meter is not None and count:
        queue.meter.got(queue, count, now)
    return rows, messages


def _take_unexpired(core: Core, queue: LocalQueue, rows: list[bytes], now: Time, most: int, room: int) -> None:
    """Take the first messages off a queue, into ``rows``; those that have expired are discarded and do not count."""
    now_ms = milliseconds(now)
    while len(rows) < most and room > 0:
        row = queue.take_first()
        if row is None:
            break
        deadline = deadline_of(row)
        if deadline and deadline <= now_ms:
            discard(core, queue, row, now)
            continue
        rows.append(row)
        room -= data_length(row, DATA_LENGTH)[0]


def take_found(core: Core, queue: LocalQueue, found: Iterable[bytes], now: Time) -> tuple[list[bytes], list[Message]]:
    """Take messages that a search has found off a queue. Returns their rows and the messages; expired ones are
    discarded, and those that are gone are left out. Raises `MQError` for an error of the store."""
    now_ms = milliseconds(now)
    rows: list[bytes] = []
    for row in found:
        if not queue.take(row):
            continue
        deadline = deadline_of(row)
        if deadline and deadline <= now_ms:
            discard(core, queue, row, now)
        else:
            rows.append(row)
    try:
        messages = read_messages(core, queue, rows, now_ms)
    except BaseException:
        queue.restore(rows)
        raise
    queue.uncommitted_gets += len(rows)
    if queue.meter is not None and rows:
        queue.meter.got(queue, len(rows), now)
    return rows, messages


def take_positions(core: Core, queue_name: str, positions: Iterable[int]) -> tuple[LocalQueue | None, list[bytes]]:
    """Take the messages at some positions off a queue. Returns the queue, None if it does not exist, and their rows.

    Positions without a message are skipped."""
    queue = core.queues.get(queue_name)
    rows: list[bytes] = []
    if queue is None:
        return None, rows
    for position in positions:
        row = queue.find(pack_position(position))
        if row is not None and queue.take(row):
            queue.uncommitted_gets += 1
            rows.append(row)
    return queue, rows


def read_held(core: Core, queue: LocalQueue, rows: Sequence[bytes], now: Time) -> list[Message]:
    """Read messages that were taken off a queue. Raises `MQError` for an error of the store."""
    return read_messages(core, queue, rows, milliseconds(now))


def read_place(core: Core, queue: LocalQueue, place: int, now: Time) -> Message | None:
    """Read the message at a place in a queue's order, from 0, which stays there; None if there are not so many. Expired
    ones do not count. Raises `MQError` for an error of the store."""
    now_ms = milliseconds(now)
    rows: Iterable[bytes] = queue.rows()
    if queue.deadlines.count:
        rows = filter(lambda row: row[DEADLINE_AT:DEADLINE_END] == NO_DEADLINE or deadline_of(row) > now_ms, rows)
    row = next(islice(rows, place, None), None)
    return None if row is None else read_message(core, queue, Row(row), now_ms)
