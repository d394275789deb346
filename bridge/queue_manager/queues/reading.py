"""Read the message of a row: descriptor and data from the store or from memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mqbridge.bridge.queue_manager.core import STORE_DAMAGED, Core
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.store.interface import StoreError
from mqbridge.mappings.body import Body
from mqbridge.mappings.descriptor import patcher
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.constants.lengths import MQMD_LENGTH_1, MQMD_LENGTH_2

from .bodies import LAZY_BODY, StoredBody, split
from .local_queue import LocalQueue
from .rows import BIG_ENDIAN, ORDERS, STORED, VERSION_2, Row, held_fields

_SET_EXPIRY = {order: patcher(order, "expiry") for order in ByteOrder}
_SET_BACKOUT_COUNT = {order: patcher(order, "backout_count") for order in ByteOrder}
_MILLISECONDS: Final = 100
"""Milliseconds in a unit of Expiry."""


def read_message(
    core: Core,
    queue: LocalQueue,
    row: Row,
    now_ms: int,
    lazy_above: int = LAZY_BODY,
    *,
    whole: bytes | None = None,
) -> Message:
    """The message of a row, with remaining Expiry and BackoutCount in its descriptor.

    Stored data longer than ``lazy_above`` bytes is read on demand. ``whole``: descriptor and data, if they have been
    read. Raises `MQError` for an error of the store.
    """
    flags = row.flags
    md_length = row.md_length
    body: Body
    try:
        if whole is not None:
            raw_md, body = whole[:md_length], whole[md_length:]
        elif flags & STORED:
            if row.length > lazy_above:
                raw_md = core.store.read(queue.number, row.position, 0, md_length)
                body = StoredBody(core.store, queue.number, row.position, md_length, row.length)
            else:
                stored = core.store.read(queue.number, row.position)
                raw_md, body = stored[:md_length], stored[md_length:]
        else:
            raw_md, body = split(core.store, queue.memory[row.position], md_length)
    except StoreError as error:
        raise core.store_error(error, queue.name) from error
    if len(raw_md) != md_length:
        raise _cut_short(core, queue, row.position)
    return _message(row, raw_md, body, now_ms)


def read_messages(core: Core, queue: LocalQueue, rows: Sequence[bytes], now_ms: int) -> list[Message]:
    """The messages of several rows, each as of `read_message`; the store is read once for all short ones."""
    fields = [held_fields(row) for row in rows]
    together = [each[0] for each in fields if each[1] & STORED and each[4] <= LAZY_BODY]
    try:
        stored = core.store.read_many(queue.number, together) if together else []
    except StoreError as error:
        raise core.store_error(error, queue.name) from error
    messages: list[Message] = []
    number = 0
    for row, (position, flags, ccsid, deadline, length, backout_count) in zip(rows, fields, strict=True):
        whole: bytes | None = None
        if flags & STORED:
            if length <= LAZY_BODY:
                whole = stored[number]
                number += 1
        else:
            held = queue.memory[position]
            if type(held) is bytes and len(held) <= LAZY_BODY:
                whole = held
        if whole is None or deadline or backout_count:
            messages.append(read_message(core, queue, Row(row), now_ms, whole=whole))
            continue
        md_length = MQMD_LENGTH_2 if flags & VERSION_2 else MQMD_LENGTH_1
        if len(whole) < md_length:
            raise _cut_short(core, queue, position)
        order = ORDERS[flags & BIG_ENDIAN]
        messages.append(Message(whole[:md_length], whole[md_length:], order=order, ccsid=ccsid))
    return messages


def _cut_short(core: Core, queue: LocalQueue, position: int) -> MQError:
    core.log("AMQ7472", queue.name, f"message at position {position} is cut short")
    return MQError(STORE_DAMAGED, queue.name)


def _message(row: Row, raw_md: bytes, body: Body, now_ms: int) -> Message:
    """The message of a descriptor and data, with Expiry as of now."""
    order = ORDERS[row.flags & BIG_ENDIAN]
    if row.deadline:
        raw_md = _SET_EXPIRY[order](raw_md, remaining_expiry(row, now_ms))
    if row.backout_count:
        raw_md = _SET_BACKOUT_COUNT[order](raw_md, row.backout_count)
    return Message(raw_md, body, order=order, ccsid=row.ccsid)


def remaining_expiry(row: Row, now_ms: int) -> int:
    """Tenths of a second that a message with a deadline has left, at least one."""
    return max(-((now_ms - row.deadline) // _MILLISECONDS), 1)
