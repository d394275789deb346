"""A call and its reply: a client sends a call only after the previous one was answered (mq-wire.md 6.4, 8.3)."""

from __future__ import annotations

from math import inf
from typing import Any, Final

from mqbridge.protocol.channel.link import Link
from mqbridge.protocol.channel.status import ChannelError
from mqbridge.protocol.constants import MQCC, REPLY, ControlFlags1, SegmentType, StatusCode
from mqbridge.protocol.errors import LocalProtocolError, StructureError
from mqbridge.protocol.framing import Segment
from mqbridge.protocol.mqi.outgoing import header_size
from mqbridge.protocol.mqi.parameters import MAX_CALL_LENGTH
from mqbridge.protocol.mqi.reassembly import PartialCall
from mqbridge.protocol.structures import API

from .call import Call
from .conversation import ClientConversation
from .parameters import ClientParameters
from .stream import MAX_DELIVERED

_FIRST: Final = int(ControlFlags1.FIRST)
_LAST: Final = int(ControlFlags1.LAST)
_WHOLE: Final = _FIRST | _LAST
_NEW_HANDLE: Final = frozenset({SegmentType.MQOPEN, SegmentType.MQSUB})


class Exchange:
    """The pending call and its deadline."""

    __slots__ = ("_conversation", "_link", "_parameters", "_partial", "call", "deadline", "patient")

    def __init__(self, link: Link[Any], conversation: ClientConversation, parameters: ClientParameters) -> None:
        self._link = link
        self._conversation = conversation
        self._parameters = parameters
        self._partial: PartialCall | None = None
        self.call: Call | None = None
        """The pending call."""
        self.deadline = link.started_at + parameters.handshake_timeout
        """Deadline of its reply, seconds since the epoch; infinite for a waiting get."""
        self.patient = False
        """It is a waiting get, so the queue manager may be silent."""

    def check_free(self) -> None:
        """Raise ``LocalProtocolError`` while a call is pending."""
        if self.call is not None:
            raise LocalProtocolError("another call waits for its reply")

    def begin(
        self, kind: SegmentType, handle: int, *pieces: bytes, now: float, more: int = 0, comp_code: int = 0
    ) -> Call:
        """Send a call. ``more``: bytes that its reply may exceed it by.

        Raises ``LocalProtocolError`` while another call is pending.
        """
        self.check_free()
        call = Call(kind, handle, now)
        length = API.size + sum(map(len, pieces))
        room = header_size(self._conversation.ids) + length + more
        codec = API.codec(self._link.wire.writer.order)
        api = codec(reply_length=room, comp_code=comp_code, object_handle=handle).build()
        self._conversation.send_call(kind, (api, *pieces), length)
        self.call = call
        if kind != SegmentType.MQCONN:  # part of the handshake, which has its own time limit
            self.allow_reply(now)
        return call

    def allow_reply(self, now: float) -> None:
        """Start the reply's time limit."""
        self.deadline = now + self._parameters.reply_timeout
        self.patient = False

    def allow_wait(self, wait: float | None) -> None:
        """Extend the time limit by the wait of a get: seconds, None without limit."""
        self.deadline = inf if wait is None else self.deadline + wait
        self.patient = True

    def take(self, segment: Segment) -> Call | None:
        """Take a segment of the reply. Returns the call, with outcome and body, once the reply is complete."""
        call, partial, flags = self.call, self._partial, segment.flags1
        if call is None or segment.type != call.type + REPLY:
            raise ChannelError(f"{SegmentType(segment.type)} was not asked for", StatusCode.PROTOCOL_SEGMENT_ERROR)
        if partial is None:
            if flags & _WHOLE == _WHOLE:
                return self._whole(call, segment, segment.body)
            if not flags & _FIRST:
                raise ChannelError("a reply without its first segment", StatusCode.PROTOCOL_SEGMENT_ERROR)
            room = MAX_DELIVERED if call.type == SegmentType.MQGET else 0
            self._partial = PartialCall(segment, MAX_CALL_LENGTH + room, keep=True)
            return None
        if flags & _FIRST:
            raise ChannelError("a reply inside another one", StatusCode.PROTOCOL_SEGMENT_ERROR)
        partial.add(segment)
        if not flags & _LAST:
            return None
        self._partial = None
        return self._whole(call, segment, b"".join((partial.body, *partial.more)))

    def _whole(self, call: Call, segment: Segment, body: bytes) -> Call:
        try:
            api = API.codec(segment.order).parse(body)
            if api.comp_code > MQCC.FAILED:
                raise StructureError("API", 4, f"CompCode is {api.comp_code}")
        except StructureError as error:
            raise ChannelError(str(error), StatusCode.PROTOCOL_LENGTH_ERROR) from error
        call.comp_code, call.reason = api.comp_code, api.reason
        call.body, call.order, call.ccsid = body, segment.order, segment.ccsid
        if call.type in _NEW_HANDLE:
            call.handle = api.object_handle
        return call

    def finish(self, call: Call) -> None:
        """Complete a call and emit it."""
        self.release(call)
        self._link.emit(call)

    def release(self, call: Call) -> None:
        """Complete a call without an event."""
        call.done = True
        if self.call is call:
            self.call = None
        self.patient = False

    def abandon(self, reason: int) -> None:
        """Fail the pending call because the connection has ended; MQCONN emits no event."""
        call = self.call
        if call is not None and call.type != SegmentType.MQCONN:
            call.comp_code, call.reason = MQCC.FAILED, reason
            self.finish(call)
