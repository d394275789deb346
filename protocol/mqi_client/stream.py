"""Messages streamed to a client: the requests of a get, and the messages (client-observed.md 5)."""

from __future__ import annotations

from collections import deque
from typing import Any, Final

from mqbridge.protocol.channel.agreement import MAX_MESSAGE_LENGTH
from mqbridge.protocol.channel.status import ChannelError
from mqbridge.protocol.constants import MQGMO, RequestFlags, StatusCode
from mqbridge.protocol.errors import StructureError
from mqbridge.protocol.framing import Segment, SegmentWriter
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.mqi.credit import ONE_MESSAGE
from mqbridge.protocol.mqi.parameters import MAX_CALL_LENGTH
from mqbridge.protocol.structures import ASYNC, ASYNC_MORE, MD, MD1, REQMSG, REQMSG_SELECTION, async_name_size

from .call import Call, GotMessage
from .get_parameters import MATCHED, GetParameters
from .states import GETTING, GetState, GetTrigger

MAX_DELIVERED: Final = MAX_MESSAGE_LENGTH + MAX_CALL_LENGTH
"""Longest message in bytes; properties may exceed what the channel allows for data."""
MAX_KEPT: Final = 1000
"""Number of unrequested messages that a queue manager may send."""
_FORCED: Final = int(MQGMO.PROPERTIES_FORCE_MQRFH2)
_SAID: Final = int(
    MQGMO.UNLOCK
    | MQGMO.PROPERTIES_FORCE_MQRFH2
    | MQGMO.NO_PROPERTIES
    | MQGMO.PROPERTIES_IN_HANDLE
    | MQGMO.PROPERTIES_COMPATIBILITY
)
_CHECK: Final = int(RequestFlags.WAITING | RequestFlags.SINGLE | RequestFlags.CHECK)
_WAIT: Final = int(RequestFlags.WAITING)
_SELECTION: Final = int(RequestFlags.SELECTION)
_CONVERSION: Final = -2
"""Index of the conversion target in a selection."""


def with_properties(options: int) -> int:
    """Return the MQGMO bits to send: properties are returned in an MQRFH2 unless the program says otherwise (O-062)."""
    return options if options & _SAID else options | _FORCED


class InboundStream:
    """The messages of one handle."""

    __slots__ = (
        "_index", "_partial", "_selected", "arrived", "call", "deadline", "handle", "kept", "message_index", "reason",
        "state", "taken_index", "wanted",
    )  # fmt: skip

    def __init__(self, handle: int) -> None:
        self.handle = handle
        self.state = GetState.IDLE
        self.call: Call | None = None
        self.wanted = GetParameters()
        self.deadline: float | None = None
        """When a waiting get expires."""
        self.arrived = 0
        """Bytes received since the last request (``protocol.mqi.credit``)."""
        self.message_index = 0
        self.taken_index = 0
        """Index of the last message given to the program."""
        self.kept: deque[tuple[int, int, GotMessage]] = deque()
        """Index, reason and message of those not yet given to the program."""
        self.reason = 0
        """Reason with which the get ends if no message arrives."""
        self._index = 0
        self._selected: tuple[Any, ...] | None = None
        self._partial: PartialDelivery | None = None

    def step(self, trigger: GetTrigger) -> None:
        """Make a transition. Raises ``ChannelError`` if the table has none."""
        following = GETTING[self.state].get(trigger)
        if following is None:
            raise ChannelError(
                f"{trigger.value!r} is not possible for handle {self.handle}, {self.state.value}",
                StatusCode.PROTOCOL_SEGMENT_ERROR,
            )
        self.state = following

    def request(self, writer: SegmentWriter, global_index: int, *, check: bool) -> bytes:
        """Build REQUEST_MSGS for the current get."""
        wanted = self.wanted
        flags = _CHECK if check else _WAIT
        values: dict[str, Any] = {
            "object_handle": self.handle,
            "received_bytes": self.arrived,
            "requested_bytes": ONE_MESSAGE,
            "max_msg_length": wanted.max_length,
            "get_msg_options": with_properties(wanted.options),
            "wait_interval": 0 if check else wanted.milliseconds,
            "request_flags": flags,
            "global_message_index": global_index,
        }
        self.arrived = 0
        selection = wanted.selection
        if selection == self._selected:
            return REQMSG.codec(writer.order)(**values).build()
        if self._selected is None or selection[:_CONVERSION] != self._selected[:_CONVERSION]:
            self._index = self._index % 0xFFFF + 1  # a different code page alone is not a new selection
        self._selected = selection
        values |= {
            "request_flags": flags | _SELECTION,
            "selection_index": self._index,
            "mqmd_version": wanted.md_version,
            "ccsid": wanted.ccsid or writer.ccsid,
            "encoding": wanted.encoding or writer.encoding,
            "msg_seq_number": wanted.msg_seq_number,
            "offset": wanted.offset,
            "match_options": wanted.match_options,
        }
        matched = b"".join(getattr(wanted, name) for option, name in MATCHED if wanted.match_options & option)
        return REQMSG_SELECTION.codec(writer.order)(**values).build() + matched

    def take(
        self, segment: Segment, body: memoryview, *, first: bool, last: bool
    ) -> tuple[int, int, GotMessage] | None:
        """Take a segment of a message; return index, reason and message once it is complete. Raises
        ``StructureError``."""
        partial = self._partial
        if first:
            if partial is not None:
                raise StructureError("ASYNC", 0, "a message inside another one")
            partial = PartialDelivery(segment, body)
        elif partial is None:
            raise StructureError("ASYNC", 0, "a message without its first segment")
        else:
            partial.add(segment, body)
        self._partial = None if last else partial
        if not last:
            return None
        message = partial.whole()
        self.arrived += len(message.descriptor) + sum(map(len, message.pieces))
        self.message_index = partial.head.message_index
        return partial.head.message_index, partial.head.reason_code, message


_DESCRIPTORS: Final[dict[int, Structure[Any]]] = {1: MD1, 2: MD}
"""By version."""


class PartialDelivery:
    """A message that has arrived in part."""

    __slots__ = ("head", "left", "message", "segments")

    def __init__(self, segment: Segment, body: memoryview) -> None:
        order = segment.order
        self.head = head = ASYNC.codec(order).parse(body)
        self.segments = 1
        if head.total_msg_length > MAX_DELIVERED:
            raise StructureError("ASYNC", 28, f"a message of {head.total_msg_length} bytes")
        at = ASYNC.size + async_name_size(head.resolved_q_name_length)
        name = bytes(body[ASYNC.size : ASYNC.size + head.resolved_q_name_length])
        version = int.from_bytes(body[at + 4 : at + 8], order.endian)
        structure = _DESCRIPTORS.get(version)
        if structure is None:
            raise StructureError("MD", at + 4, f"Version is {version}")
        descriptor = bytes(body[at : at + structure.size])
        if len(descriptor) < structure.size:
            raise StructureError("MD", at, f"{structure.size} bytes needed, {len(descriptor)} there")
        self.left = head.total_msg_length
        length = max(head.actual_msg_length, head.total_msg_length)
        self.message = GotMessage(descriptor, [], length, head.msg_token, order, segment.ccsid, name)
        self._data(body, at + structure.size, head.segment_length)

    def add(self, segment: Segment, body: memoryview) -> None:
        """Add a later segment. Raises ``StructureError``."""
        head = ASYNC_MORE.codec(segment.order).parse(body)
        if head.message_index != self.head.message_index or head.segment_index != self.segments & 0xFFFF:
            raise StructureError("ASYNC", 8, f"segment {head.segment_index} of message {head.message_index}")
        self.segments += 1
        self._data(body, ASYNC_MORE.size, head.segment_length)

    def _data(self, body: memoryview, at: int, length: int) -> None:
        data = bytes(body[at : at + length])
        if len(data) < length or length > self.left:
            raise StructureError("ASYNC", at, f"{length} bytes told, {len(data)} there, {self.left} expected")
        self.left -= length
        if data or not self.message.pieces:
            self.message.pieces.append(data)

    def whole(self) -> GotMessage:
        """Return the message. Raises ``StructureError`` if some of it is missing."""
        if self.left:
            raise StructureError("ASYNC", 0, f"a message ends {self.left} bytes early")
        return self.message
