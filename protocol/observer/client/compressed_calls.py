"""Uncompressed parts of compressed calls: API header and CSH (client-observed.md O-013)."""

from __future__ import annotations

from typing import Final

from mqbridge.protocol.constants import ByteOrder, ControlFlags2
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.observer.observations import MessageRoute, Place, UnreadMessage
from mqbridge.protocol.segment import Segment
from mqbridge.protocol.structures import API, CSH

from .tracking import PartialCallBody, Waiting

_CSH_COUNTS_FROM: Final = 8
"""Bytes of a segment not included in the length in its CSH."""


def stated_compression(segment: Segment) -> int | None:
    """Return the compression of message data named in the CSH of a call; None if there is no CSH behind its API
    header."""
    there = bytes(segment.body_view[API.size : API.size + CSH.size])
    if not segment.flags2 & ControlFlags2.CSH or len(there) < CSH.size:
        return None
    read = CSH.codec(ByteOrder.BIG).parse(there)
    return int(read.msg_compression) if read.length == segment.length - _CSH_COUNTS_FROM else None


def unread_message(
    course: MessageRoute, direction: Direction, conversation: int, call: Waiting, whole: PartialCallBody, last: Place
) -> UnreadMessage:
    """Return the message of a compressed put, or of the compressed reply to a get."""
    return UnreadMessage(
        course,
        direction,
        b"",
        whole.order,
        whole.ccsid,
        b"",
        max(whole.length - API.size, 0),
        False,
        whole.first,
        last,
        call.object_name,
        call.queue_manager,
        handle=call.handle,
        conversation=conversation,
    )
