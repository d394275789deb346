"""Reassembly of a logical message from its segments (mqi.md 12.5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mqbridge.bridge.queue_manager.core import Core
from mqbridge.bridge.queue_manager.queues.bodies import LAZY_BODY
from mqbridge.bridge.queue_manager.queues.local_queue import LocalQueue
from mqbridge.bridge.queue_manager.queues.reading import read_message
from mqbridge.bridge.queue_manager.queues.rows import REPORTS, Row, flags_of
from mqbridge.mappings.body import Body, ConcatenatedBody, as_bytes
from mqbridge.mappings.descriptor import patcher, reader
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQMF, MQRC, ByteOrder

from .groups import logical_length

_READ_FORM: Final = {order: reader(order, "encoding", "coded_char_set_id") for order in ByteOrder}
_READ_FLAGS: Final = {order: reader(order, "msg_flags") for order in ByteOrder}
_SET_FLAGS: Final = {order: patcher(order, "msg_flags") for order in ByteOrder}
_ONLY_SEGMENT: Final = int(MQMF.SEGMENT | MQMF.LAST_SEGMENT)


@dataclass(slots=True)
class ReassembledMessage:
    """A message reassembled from segments.

    ``rows``: those of its segments. ``length``: bytes of the logical message that they cover. ``warning``: 0, or 2243
    or 2244 if the remaining segments differ in CCSID or encoding and were left out.
    """

    message: Message
    rows: Sequence[bytes]
    length: int
    warning: int = 0


def read_joined(core: Core, queue: LocalQueue, rows: Sequence[bytes], now_ms: int) -> ReassembledMessage:
    """Read the message of one row, or reassemble that of several segments in order. Raises `MQError` for store
    errors."""
    first = read_message(core, queue, Row(rows[0]), now_ms)
    length = logical_length(rows[0])
    if len(rows) == 1:
        return ReassembledMessage(first, rows, length)
    form = _READ_FORM[first.order](first.raw_md)
    parts: list[Body] = [_filled(rows[0], first.body)]
    warning = 0
    for row in rows[1:]:
        segment = read_message(core, queue, Row(row), now_ms)
        encoding, ccsid = _READ_FORM[segment.order](segment.raw_md)
        if ccsid != form[1]:
            warning = MQRC.INCONSISTENT_CCSIDS
            break
        if encoding != form[0]:
            warning = MQRC.INCONSISTENT_ENCODINGS
            break
        parts.append(_filled(row, segment.body))
        length += logical_length(row)
    if not warning:
        (flags,) = _READ_FLAGS[first.order](first.raw_md)
        first.raw_md = _SET_FLAGS[first.order](first.raw_md, flags | _ONLY_SEGMENT)
    first.body = _one_body(parts)
    return ReassembledMessage(first, rows[: len(parts)], length, warning)


def _filled(row: bytes, body: Body) -> Body:
    """Return the data of a segment; that of a report is padded with zeros to the length of the segment it reports
    on."""
    missing = logical_length(row) - len(body) if flags_of(row) & REPORTS else 0
    return ConcatenatedBody([body, bytes(missing)]) if missing > 0 else body


def _one_body(parts: list[Body]) -> Body:
    if sum(map(len, parts)) <= LAZY_BODY:
        return b"".join(map(as_bytes, parts))
    return ConcatenatedBody(parts)
