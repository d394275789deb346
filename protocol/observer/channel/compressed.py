"""Uncompressed parts of compressed messages (mq-wire.md 4.2, client-observed.md O-013).

No bytes of compressed message channel segments are public, and no source says which part is where. So nothing is
decompressed: a structure is read if its StrucId is found, uncompressed, in its usual place.
"""

from __future__ import annotations

from typing import Final

from mqbridge.protocol.direction import Direction
from mqbridge.protocol.observer.observations import MessageRoute, Place, UnreadMessage
from mqbridge.protocol.segment import Segment
from mqbridge.protocol.structures import MSH, XQH

from .messages import DESCRIPTOR, HEADERS, MSH_IDS, XQH_IDS, MessageHead, read_head
from .values import read_name

_MSH_AT: Final = DESCRIPTOR - XQH.size - MSH.size
_NUMBER_AT: Final = _MSH_AT + 4
_XQH_AT: Final = _MSH_AT + MSH.size
_MD_IDS: Final = (b"MD  ", b"\xd4\xc4\x40\x40")


def message_in_clear(direction: Direction, segment: Segment, place: Place, batch: int) -> UnreadMessage:
    """Return what the first segment of a compressed message reveals of it."""
    number, queue, queue_manager, descriptor = 0, b"", b"", b""
    length, ebcdic = segment.body_length, False
    if _at(segment, _MSH_AT) in MSH_IDS:
        number = int.from_bytes(_at(segment, _NUMBER_AT), segment.order.endian)
        length -= MSH.size
        if _at(segment, _XQH_AT) in XQH_IDS and _at(segment, DESCRIPTOR) in _MD_IDS and segment.length >= HEADERS:
            head = MessageHead._make(read_head(segment))
            queue, queue_manager = head.queue, head.queue_manager
            descriptor = bytes(segment.buffer[segment.start + DESCRIPTOR : segment.start + HEADERS])
            length, ebcdic = segment.length - HEADERS, descriptor[0] & 0x80 != 0
    return UnreadMessage(
        MessageRoute.CHANNEL,
        direction,
        descriptor,
        segment.order,
        segment.ccsid,
        b"",
        length,
        False,
        place,
        place,
        read_name(queue, segment.ccsid, ebcdic),
        read_name(queue_manager, segment.ccsid, ebcdic),
        number,
        segment.luwid,
        batch,
    )


def _at(segment: Segment, offset: int) -> bytes:
    """Return four bytes of a segment, fewer at its end."""
    start = segment.start + offset
    return bytes(segment.buffer[start : min(start + 4, segment.start + segment.length)])
