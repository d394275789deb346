"""Segment a message that is too long for its queue (mqi.md 6.4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mqbridge.bridge.queue_manager.committing import backout
from mqbridge.bridge.queue_manager.core import Core
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.queues.bodies import BodyInParts
from mqbridge.bridge.queue_manager.target import Target
from mqbridge.bridge.queue_manager.units_of_work import UnitOfWork
from mqbridge.mappings.body import read_slice
from mqbridge.mappings.descriptor import reader
from mqbridge.mappings.headers import headers_length
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQMF, MQRC, ByteOrder
from mqbridge.protocol.constants.lengths import MQMD_LENGTH_2

from .placing import place

CUT_AT: Final = 16
"""The length of all segments but the last is a multiple of this many bytes."""
TOO_BIG: Final = frozenset((int(MQRC.MSG_TOO_BIG_FOR_Q), int(MQRC.MSG_TOO_BIG_FOR_Q_MGR)))
_READ: Final = {order: reader(order, "persistence", "msg_flags") for order in ByteOrder}


def may_be_cut(message: Message) -> bool:
    """Whether the descriptor allows segmentation."""
    if len(message.raw_md) != MQMD_LENGTH_2:
        return False
    return bool(_READ[message.order](message.raw_md)[1] & MQMF.SEGMENTATION_ALLOWED)


def place_segments(
    core: Core, target: Target, message: Message, user: str, work: UnitOfWork, now: Time, refusal: MQError
) -> list[Message]:
    """Place a message that was refused for its length in segments, all or none; returns them. ``user``: as of `place`.

    Raises ``refusal`` if segments cannot be small enough, and otherwise as `place`.
    """
    part = UnitOfWork(implicit=True, bytes_held=work.bytes_held)
    placed = []
    try:
        for segment in _segments(core, target, message, refusal):
            place(core, target, segment, user, part, now)
            placed.append(segment)
            if work.count + part.count > core.max_uncommitted:
                raise MQError(MQRC.SYNCPOINT_LIMIT_REACHED, str(core.max_uncommitted))
    except BaseException:
        backout(core, part, now)
        raise
    work.puts += part.puts
    work.bytes_held = part.bytes_held
    part.puts = []
    if isinstance(message.body, BodyInParts):
        message.body.give_back()
    return placed


def _segments(core: Core, target: Target, message: Message, refusal: MQError) -> Iterator[Message]:
    queue = target.require_puttable()
    size = min(queue.max_message_length, core.max_message_length) // CUT_AT * CUT_AT
    length = len(message.body)
    md = message.md
    if not size or headers_length(message, core.ccsid, size) > size:
        raise refusal
    last = md.msg_flags & MQMF.LAST_SEGMENT or not md.msg_flags & MQMF.SEGMENT
    for start in range(0, length, size):
        segment = message.copy(read_slice(message.body, start, size))
        ends = start + size >= length and last
        segment.md.set(
            msg_id=core.ids.message_id() if start else md.msg_id,
            offset=md.offset + start,
            msg_flags=(md.msg_flags & ~MQMF.LAST_SEGMENT) | MQMF.SEGMENT | (MQMF.LAST_SEGMENT if ends else 0),
        )
        yield segment
