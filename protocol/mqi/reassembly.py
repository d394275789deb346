"""Reassembly of a call that spans several segments (mq-wire.md 6.4), within limits known in advance.

The structures of a put are in its first segment and state the length of the data; so a message that is too long is
detected before memory is allocated, and the rest of it is skipped.
"""

from __future__ import annotations

from typing import Final

from mqbridge.protocol.channel.status import ChannelError
from mqbridge.protocol.constants import StatusCode
from mqbridge.protocol.framing import Segment

from .parameters import MAX_CALL_LENGTH

PADDING: Final = 3
"""Longest padding of a segment on a shared connection, in bytes."""

SMALL_PIECE: Final = 4096
"""Length in bytes below which pieces are joined, so that many short segments do not become many objects."""


class PartialCall:
    """The segments of a call received so far.

    ``data_end``: offset of the end of the message data over all bodies, for a put; None for other calls, whose limit is
    `MAX_CALL_LENGTH`. ``keep``: False for a message that is too long.
    """

    __slots__ = ("_left", "body", "ccsid", "keep", "more", "order", "request_id", "type")

    def __init__(self, segment: Segment, data_end: int | None, *, keep: bool) -> None:
        self.type = segment.type
        self.request_id = segment.request_id
        self.order = segment.order
        self.ccsid = segment.ccsid
        self.body = segment.body
        self.more: list[bytes] = []
        self.keep = keep
        end = MAX_CALL_LENGTH if data_end is None else data_end + PADDING
        self._left = end - len(self.body)

    def add(self, segment: Segment) -> None:
        """Add a later segment. Raises ``ChannelError`` if it belongs to another call, or exceeds the stated length."""
        if segment.type != self.type or segment.request_id != self.request_id:
            raise ChannelError(
                f"segment type {segment.type:#04x}, request {segment.request_id} inside a call of type"
                f" {self.type:#04x}, request {self.request_id}",
                StatusCode.PROTOCOL_SEGMENT_ERROR,
            )
        self._left -= segment.body_length
        if self._left < 0:
            raise ChannelError(f"{-self._left} bytes more than the call has", StatusCode.PROTOCOL_LENGTH_ERROR)
        if not self.keep or not segment.body_length:
            return
        more = self.more
        if more and len(more[-1]) < SMALL_PIECE:
            more[-1] += segment.body
        else:
            more.append(segment.body)
