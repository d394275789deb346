"""The gets of a client connection, shared or not (client-observed.md 5 and 5.1)."""

from __future__ import annotations

import struct
from typing import Any, Final

from mqbridge.protocol.channel.link import Link, read_body
from mqbridge.protocol.channel.status import ChannelError
from mqbridge.protocol.constants import (
    MQCC,
    MQGMO,
    MQRC,
    ByteOrder,
    ControlFlags1,
    NotificationCode,
    SegmentType,
    StatusCode,
)
from mqbridge.protocol.errors import StructureError
from mqbridge.protocol.framing import Segment
from mqbridge.protocol.mqi.outgoing import WHOLE
from mqbridge.protocol.records import Buffer
from mqbridge.protocol.structures import ASYNC, GMO, MD, NOTIF, md_size
from mqbridge.protocol.structures.gmo import parse_gmo

from . import requests
from .call import Call, GotMessage
from .conversation import ClientConversation
from .events import QueueManagerQuiescing
from .exchange import Exchange
from .get_parameters import GetParameters
from .states import GetState, GetTrigger
from .stream import MAX_KEPT, InboundStream, with_properties

_FIRST: Final = int(ControlFlags1.FIRST)
_LAST: Final = int(ControlFlags1.LAST)
_STREAMED: Final = 1
_CHECKED: Final = 3
"""Request ids of requests and of checks (client-observed.md O-080)."""
_HANDLE: Final = {order: struct.Struct(order.prefix + "4xi") for order in ByteOrder}
_WARNINGS: Final = frozenset({MQRC.TRUNCATED_MSG_ACCEPTED, MQRC.TRUNCATED_MSG_FAILED})
_QUIESCES: Final = int(MQGMO.FAIL_IF_QUIESCING)
_WAITS: Final = int(MQGMO.WAIT)


class Gets:
    """The gets of all handles: by REQUEST_MSGS if the connection is shared, else by MQGET."""

    __slots__ = ("_conversation", "_exchange", "_global_index", "_link", "_streams")

    def __init__(self, link: Link[Any], conversation: ClientConversation, exchange: Exchange) -> None:
        self._link = link
        self._conversation = conversation
        self._exchange = exchange
        self._streams: dict[int, InboundStream] = {}
        self._global_index = 0

    # Gets

    def get(self, handle: int, wanted: GetParameters, now: float) -> Call:
        """Begin to get or browse a message. The call fails with 2033 if none arrives in time."""
        exchange = self._exchange
        self._conversation.check_connected()
        exchange.check_free()
        if self._conversation.ids is None:
            return self._get_by_call(handle, wanted, now)
        call = Call(SegmentType.REQUEST_MSGS, handle, now)
        stream = self._streams.get(handle)
        if stream is None:
            stream = self._streams[handle] = InboundStream(handle)
        exchange.call = stream.call = call
        if stream.kept and wanted.selection == stream.wanted.selection:
            stream.wanted = wanted
            self._give(stream)
            return call
        stream.wanted, stream.reason = wanted, 0
        exchange.allow_reply(now)
        if wanted.wait == 0 or not wanted.options & _WAITS:
            self._ask_for(stream, check=True)
        else:
            stream.deadline = None if wanted.wait is None else now + wanted.wait
            exchange.allow_wait(None)
            self._ask_for(stream, check=False)
        return call

    def _ask_for(self, stream: InboundStream, *, check: bool) -> None:
        stream.step(GetTrigger.CHECK if check else GetTrigger.WAIT)
        body = stream.request(self._link.wire.writer, self._global_index, check=check)
        flags = requests.CONFIRM if check else WHOLE
        self._conversation.send(SegmentType.REQUEST_MSGS, body, flags, request=_CHECKED if check else _STREAMED)

    def _get_by_call(self, handle: int, wanted: GetParameters, now: float) -> Call:
        agreed, writer = self._conversation.agreed, self._link.wire.writer
        assert agreed is not None
        room = agreed.max_message_length if wanted.max_length < 0 else wanted.max_length
        options = requests.get_options(
            writer, with_properties(wanted.options), wanted.milliseconds, wanted.match_options,
            wanted.msg_token,
        )  # fmt: skip
        descriptor = MD.codec(writer.order)(
            version=2, msg_type=0, expiry=0, priority=0, persistence=0, original_length=0, format=b" " * 8,
            encoding=wanted.encoding or writer.encoding, coded_char_set_id=wanted.ccsid or writer.ccsid,
            msg_id=wanted.msg_id, correl_id=wanted.correl_id, group_id=wanted.group_id,
            msg_seq_number=wanted.msg_seq_number or 1, offset=wanted.offset,
        ).build()  # fmt: skip
        pieces = (descriptor, options, requests.word(writer, room))
        call = self._exchange.begin(SegmentType.MQGET, handle, *pieces, now=now, more=room)
        if wanted.options & _WAITS and wanted.wait != 0:
            self._exchange.allow_wait(wanted.wait)
        return call

    def answered(self, call: Call) -> None:
        """Parse the reply to MQGET: MD, GMO, length of the whole message, data."""
        body, order = call.structures, call.order
        if call.failed and call.reason != MQRC.TRUNCATED_MSG_FAILED:
            return
        try:
            size = md_size(body, 0, order)
            options = parse_gmo(body, size, order)
            at = size + options.known
            length = int.from_bytes(body[at : at + 4], order.endian)
            if len(body) < at + 4:
                raise StructureError("DataLength", at, "is missing")
        except StructureError as error:
            raise ChannelError(str(error), StatusCode.PROTOCOL_LENGTH_ERROR) from error
        token = options.record.msg_token if options.known > GMO.first(80).size else bytes(16)
        data = bytes(body[at + 4 : at + 4 + length])
        if len(data) < length and call.reason not in _WARNINGS:
            raise ChannelError(f"{length} bytes told, {len(data)} there", StatusCode.PROTOCOL_LENGTH_ERROR)
        message = GotMessage(bytes(body[:size]), [data], length, token, order, call.ccsid)
        message.queue = options.record.resolved_q_name.rstrip(b" \0")
        call.message = message

    # Incoming segments

    def async_message(self, segment: Segment, now: float) -> None:
        """Handle ASYNC_MESSAGE: a message or part of one."""
        body, flags = segment.body_view, segment.flags1
        if self._conversation.ids is None:
            raise ChannelError("a streamed message on a connection not shared", StatusCode.PROTOCOL_SEGMENT_ERROR)
        if (len(body) < ASYNC.size and flags & _FIRST) or len(body) < 8:
            raise ChannelError(f"a message of {len(body)} bytes", StatusCode.PROTOCOL_LENGTH_ERROR)
        handle = _HANDLE[segment.order].unpack_from(body)[0]
        stream = self._streams.get(handle)
        if stream is None:
            raise ChannelError(f"a message for handle {handle}, not open", StatusCode.INVALID_HOBJ)
        try:
            found = stream.take(segment, body, first=bool(flags & _FIRST), last=bool(flags & _LAST))
        except StructureError as error:
            raise ChannelError(str(error), StatusCode.PROTOCOL_LENGTH_ERROR) from error
        if found is None:
            return
        self._global_index += 1
        index, reason, message = found
        before = stream.state
        stream.step(GetTrigger.MESSAGE)
        if before is GetState.CLOSED:
            return
        if reason and not message.length and reason not in _WARNINGS:
            stream.reason = reason  # no message, only a reason (O-089)
        elif len(stream.kept) >= MAX_KEPT:
            raise ChannelError("more messages than were asked for", StatusCode.PROTOCOL_SEGMENT_ERROR)
        else:
            stream.kept.append((index, reason, message))
        if before is GetState.WAITING:
            self._give(stream)

    def notification(self, segment: Segment, now: float) -> None:
        """Handle NOTIFICATION: the answer to a check, or an event of the queue or the queue manager."""
        note = read_body(_read_notification, segment)
        stream = self._streams.get(note.object_handle)
        if note.code == NotificationCode.QM_QUIESCING and stream is None:
            self.quiesce(MQRC.Q_MGR_QUIESCING, now)
        if stream is None or stream.state is GetState.CLOSED:
            return
        if note.code == NotificationCode.CHECK_MSG:
            # At the end of a wait an unsolicited one is accepted too (O-082).
            waited = stream.state is not GetState.IDLE
            stream.step(GetTrigger.ANSWERED)
            if waited:
                self._give(stream)
        elif note.code == NotificationCode.GET_INHIBITED:
            self._end_wait(stream, MQRC.GET_INHIBITED, now)
        elif note.code == NotificationCode.QM_QUIESCING:
            self._end_wait(stream, MQRC.Q_MGR_QUIESCING, now)

    def _end_wait(self, stream: InboundStream, reason: int, now: float) -> None:
        """End a wait early; a message in transit still counts."""
        stream.reason = stream.reason or reason
        if stream.state is GetState.WAITING:
            self._check(stream, now)

    def _check(self, stream: InboundStream, now: float) -> None:
        stream.deadline = None
        self._exchange.allow_reply(now)
        self._ask_for(stream, check=True)

    def _current(self) -> InboundStream | None:
        """Return the stream of the get that waits by REQUEST_MSGS."""
        call = self._exchange.call
        return None if call is None or call.type != SegmentType.REQUEST_MSGS else self._streams[call.handle]

    @property
    def deadline(self) -> float | None:
        """Return the time at which the waiting get expires; None for never."""
        stream = self._current()
        return None if stream is None else stream.deadline

    def wait_expired(self, now: float) -> None:
        """Send a check for a message in transit when the wait has expired."""
        stream = self._current()
        if stream is not None:
            self._check(stream, now)

    def stop_waiting(self, now: float) -> None:
        """End the waiting get: with a message in transit, or with 2033."""
        stream = self._current()
        if stream is not None:
            self._end_wait(stream, MQRC.NO_MSG_AVAILABLE, now)

    def quiesce(self, reason: int, now: float) -> None:
        """Report that the queue manager, or the connection, is ending, and end a get with FAIL_IF_QUIESCING."""
        self._conversation.quiescing = int(reason)
        self._link.emit(QueueManagerQuiescing(int(reason)))
        stream = self._current()
        if stream is not None and stream.wanted.options & _QUIESCES:
            self._end_wait(stream, reason, now)

    def _give(self, stream: InboundStream) -> None:
        """Complete the get of a handle, with a message if there is one."""
        call, stream.call, stream.deadline = stream.call, None, None
        if call is None:
            self._exchange.patient = False
            return
        if stream.kept:
            stream.taken_index, reason, call.message = stream.kept.popleft()
            call.comp_code, call.reason = MQCC.WARNING if reason else MQCC.OK, reason
        else:
            call.comp_code, call.reason = MQCC.FAILED, stream.reason or MQRC.NO_MSG_AVAILABLE
        self._exchange.finish(call)

    # For the close of a handle

    def close(self, handle: int) -> int:
        """Stop the messages of a handle; return the index of the last one given to the program, or 0."""
        stream = self._streams.get(handle)
        if stream is None:
            return 0
        stream.step(GetTrigger.CLOSE)
        return stream.taken_index

    def closed(self, handle: int) -> None:
        """Forget a handle whose close was answered."""
        self._streams.pop(handle, None)

    def clear(self) -> None:
        """Forget all handles, because the connection has ended."""
        self._streams.clear()


def _read_notification(body: Buffer, order: ByteOrder) -> Any:
    return NOTIF.codec(order).parse(body)
