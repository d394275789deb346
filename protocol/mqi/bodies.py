"""Bodies of segments that are read whole (mq-wire.md 5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mqbridge.protocol.channel.status import ChannelError
from mqbridge.protocol.constants import StatusCode
from mqbridge.protocol.errors import StructureError
from mqbridge.protocol.framing import Segment


def read_body(read: Callable[..., Any], segment: Segment) -> Any:
    """Read the body of a segment. Raises ``ChannelError`` where it is malformed."""
    try:
        return read(segment.body_view, segment.order)
    except StructureError as error:
        raise ChannelError(str(error), StatusCode.PROTOCOL_LENGTH_ERROR) from error
