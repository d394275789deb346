"""From a row to the message it stands for: descriptor and data out of the store or out of memory."""

from __future__ import annotations

from typing import Final

from bridge.store.interface import StoreError
from mappings.body import Body
from mappings.descriptor import ByteOrder, patcher
from mappings.message import Message

from .bodies import LAZY_BODY, StoredBody, split
from .core import STORE_DAMAGED, Core
from .errors import MQError
from .queues import LocalQueue
from .rows import BIG_ENDIAN, STORED, Row

_ORDERS: Final[tuple[ByteOrder, ...]] = ("big", "little")
_SET_EXPIRY = {order: patcher(order, "expiry") for order in _ORDERS}
_SET_BACKOUT_COUNT = {order: patcher(order, "backout_count") for order in _ORDERS}
_MILLISECONDS: Final = 100
"""Milliseconds in a unit of Expiry."""


def read_message(core: Core, queue: LocalQueue, row: Row, now_ms: int) -> Message:
    """The message of a row, with its remaining Expiry and its BackoutCount. Raises `MQError` by the store's error."""
    flags = row.flags
    md_length = row.md_length
    body: Body
    try:
        if flags & STORED:
            if row.length > LAZY_BODY:
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
        core.log("AMQ7472", queue.name, f"message at position {row.position} is cut short")
        raise MQError(STORE_DAMAGED, queue.name)
    order: ByteOrder = "big" if flags & BIG_ENDIAN else "little"
    if row.deadline:
        raw_md = _SET_EXPIRY[order](raw_md, remaining_expiry(row, now_ms))
    if row.backout_count:
        raw_md = _SET_BACKOUT_COUNT[order](raw_md, row.backout_count)
    return Message(raw_md, body, order=order, ccsid=row.ccsid)


def remaining_expiry(row: Row, now_ms: int) -> int:
    """Tenths of a second that a message with a deadline has left, at least one."""
    return max(-((now_ms - row.deadline) // _MILLISECONDS), 1)
