"""RESYNC_DATA: the number of the last message that an end has sent or committed (channels.md 5.4)."""

from __future__ import annotations

import struct
from typing import Final

from mqbridge.protocol import inferred
from mqbridge.protocol.constants import ByteOrder, StatusCode
from mqbridge.protocol.framing import Segment

from .status import ChannelError

_BODIES: Final = {order: struct.Struct(order.prefix + "II") for order in ByteOrder}


def resync_body(order: ByteOrder, sequence: int) -> bytes:
    """Build the body of RESYNC_DATA (:data:`protocol.inferred.RESYNC_FLAGS`)."""
    return _BODIES[order].pack(inferred.RESYNC_BODY_LENGTH, sequence)


def read_resync(segment: Segment) -> int:
    """Return the sequence number of a RESYNC_DATA segment. Raises ``ChannelError`` for a layout other than ours."""
    if segment.body_length == inferred.RESYNC_BODY_LENGTH:
        length, sequence = _BODIES[segment.order].unpack(segment.body_view)
        if length == inferred.RESYNC_BODY_LENGTH:
            return int(sequence)
    raise ChannelError(
        f"RESYNC_DATA of unknown layout: {bytes(segment.body_view[:64]).hex()}",
        StatusCode.PROTOCOL_INVALID_DATA,
        amq="AMQ9504",
        retryable=False,
    )
