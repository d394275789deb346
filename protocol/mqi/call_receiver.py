"""Incoming calls of a client: reassembled, parsed, and refused where they cannot be made (mq-wire.md 8.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mqbridge.protocol.channel.link import Link
from mqbridge.protocol.channel.status import ChannelError
from mqbridge.protocol.constants import MQCC, MQPMO, MQRC, ByteOrder, ControlFlags1, SegmentType, SpiVerb, StatusCode
from mqbridge.protocol.errors import ConversionError, StructureError
from mqbridge.protocol.framing import Segment
from mqbridge.protocol.layouts.api import Api
from mqbridge.protocol.structures import API, SPI
from mqbridge.protocol.text import NAME_CCSIDS

from .calls import NO_HANDLE, Call, CallHead, Close
from .conversation import ServerConversation, ServerConversations
from .events import CallRefused, Event
from .message_calls import Put
from .message_heads import is_notify, read_put_head, read_spi_put_head
from .reading import READERS, reason_for
from .reassembly import PartialCall
from .replies import Replies, api_header, refused_xa
from .spi_calls import read_spi, verb_of
from .spi_replies import query_reply
from .states import CONVERSATION, ConversationState, ConversationTrigger

_FIRST: Final = int(ControlFlags1.FIRST)
_LAST: Final = int(ControlFlags1.LAST)
_WHOLE: Final = _FIRST | _LAST
_XA_START: Final = int(SegmentType.XA_START)
_SPI: Final = int(SegmentType.SPI)
_CALL: Final = ConversationTrigger.CALL
_NO_REPLY: Final = int(MQPMO.ASYNC_RESPONSE)


class CallReceiver:
    """Turns the segments of all conversations into calls, and refuses calls that are malformed or out of sequence."""

    __slots__ = ("_conversations", "_link", "_replies")

    def __init__(self, link: Link[Event], conversations: ServerConversations, replies: Replies) -> None:
        self._link = link
        self._conversations = conversations
        self._replies = replies

    def segment(self, segment: Segment, now: float) -> None:
        """Handle a segment of a call."""
        conversation = self._conversations.by_id.get(segment.conversation_id)
        if conversation is None:
            raise self._conversations.unknown(segment)
        start: Segment | PartialCall = segment
        more: Sequence[bytes] = ()
        kept = True
        if conversation.partial is None and segment.flags1 & _WHOLE == _WHOLE:
            body = segment.body_view
        else:
            whole = self._joined(conversation, segment)
            if whole is None:
                return
            start, body, more, kept = whole, memoryview(whole.body), whole.more, whole.keep
        ccsid = start.ccsid
        if ccsid not in NAME_CCSIDS:
            raise ConversionError(f"names cannot be written in CCSID {ccsid}, which the client speaks")
        kind, order = start.type, start.order
        handle = room = 0
        if kind < _XA_START:
            api: Api = API.codec(order).parse(body)
            handle, room = api.object_handle, api.reply_length
        head = CallHead(conversation.id, start.request_id, kind, order, ccsid, handle, room)
        trigger = _TRIGGERS.get(kind, _CALL)
        if conversation.waiting is not None or trigger not in CONVERSATION[conversation.state]:
            reason = _refusal(conversation, trigger, beside=is_notify(kind, body, order))
            if reason is not None:
                self._refuse(conversation, head, body, reason, f"conversation is {conversation.state.value}")
                return
        try:
            if not kept:
                raise StructureError("message", 0, "it is longer than the channel allows")
            call = (read_spi if kind == _SPI else READERS[kind])(head, body, more)
            if isinstance(call, Put) and call.length > self._longest:
                raise StructureError("message", 0, f"{call.length} bytes are more than the channel allows")
        except StructureError as error:
            reason = reason_for(error)
            if reason is None:
                raise
            self._refuse(conversation, head, body, reason, str(error))
            return
        if call is None:
            self._answer_query(conversation, head, body)
            return
        counters = self._link.wire.counters
        counters.messages += 1
        counters.last_message = now
        if trigger is not _CALL:
            conversation.step(trigger)
        if call.wanted and not call.beside:
            conversation.waiting = call
        if isinstance(call, Close):
            delivery = conversation.deliveries.get(call.handle)
            if delivery is not None:
                call.unreceived = delivery.close(call.last_index)
        self._link.events.append(call)

    def _joined(self, conversation: ServerConversation, segment: Segment) -> PartialCall | None:
        """Take a segment of a call that spans several; return the call with the last one."""
        partial, flags = conversation.partial, segment.flags1
        if partial is None:
            if not flags & _FIRST:
                raise ChannelError("a call without its first segment", StatusCode.PROTOCOL_SEGMENT_ERROR)
            end, keep = self._data_end(segment)
            conversation.partial = PartialCall(segment, end, keep=keep)
            return None
        if flags & _FIRST:
            raise ChannelError("a call inside another one", StatusCode.PROTOCOL_SEGMENT_ERROR)
        partial.add(segment)
        if not flags & _LAST:
            return None
        conversation.partial = None
        return partial

    def _data_end(self, segment: Segment) -> tuple[int | None, bool]:
        """Return where the call that begins with a segment ends, counted over all its bodies, and whether to keep its
        data."""
        try:
            found = _put_head(segment.type, segment.body_view, segment.order)
        except StructureError:
            return None, True  # reported when the call is complete
        if found is None:
            return None, True
        at, length, _ = found
        return at + length, length <= self._longest

    @property
    def _longest(self) -> int:
        """Return the longest message data that the channel allows, in bytes."""
        agreed = self._conversations.agreed
        assert agreed is not None
        return agreed.max_message_length

    def _answer_query(self, conversation: ServerConversation, head: CallHead, body: memoryview) -> None:
        """Answer SPI QUERY, which the agent does not see."""
        call = Call(head)
        conversation.waiting = call
        self._replies.answer(call, body=(query_reply(verb_of(body, call.order)[2], call.order),))

    def _refuse(
        self, conversation: ServerConversation, head: CallHead, body: memoryview, reason: MQRC, detail: str
    ) -> None:
        """Answer a call that could not be parsed or made; a pending call stays pending."""
        call = Call(head)
        repeated, options = _repeated(call, body)
        wanted = not options & _NO_REPLY
        if wanted and call.type >= _XA_START:
            self._replies.send(conversation, call, (refused_xa(call, body),))
        elif wanted:
            header = api_header(call, len(repeated), MQCC.FAILED, reason, NO_HANDLE)
            self._replies.send(conversation, call, (header + repeated,))
        self._link.emit(
            CallRefused(
                conversation=conversation.id,
                type=call.type,
                handle=call.handle,
                reason=reason,
                asynchronous=not wanted,
                detail=detail,
                options=options,
            )
        )


_PUTS: Final = frozenset({SegmentType.MQPUT, SegmentType.MQPUT1, SegmentType.SPI})
_TRIGGERS: Final = {
    int(SegmentType.MQCONN): ConversationTrigger.CONNECT,
    int(SegmentType.MQDISC): ConversationTrigger.DISCONNECT,
}
_ECHOED: Final = frozenset(
    {
        SegmentType.MQCONN,
        SegmentType.MQOPEN,
        SegmentType.MQSET,
        SegmentType.MQSTAT,
        SegmentType.MQSUB,
        SegmentType.MQSUBRQ,
    }
)


def _refusal(conversation: ServerConversation, trigger: ConversationTrigger, *, beside: bool) -> MQRC | None:
    """Return why a call cannot be made now; None if it can. ``beside``: while another call is pending."""
    if conversation.waiting is not None and not beside:
        return MQRC.CALL_IN_PROGRESS
    if trigger in CONVERSATION[conversation.state]:
        return None
    connected = conversation.state is ConversationState.CONNECTED
    return MQRC.ALREADY_CONNECTED if connected else MQRC.HCONN_ERROR


def _put_head(kind: int, body: memoryview, order: ByteOrder) -> tuple[int, int, int] | None:
    """Return, for a put, where its data begin, their length, and its MQPMO bits; None for other calls.

    Raises ``StructureError``.
    """
    if kind == SegmentType.SPI:
        if verb_of(body, order)[0] != SpiVerb.PUT:
            return None
        _, options, at, length, _ = read_spi_put_head(body, order)
    elif kind in _PUTS:
        _, _, options, at, length = read_put_head(body, order, kind)
    else:
        return None
    return at, length, int(options.record.options)


def _repeated(call: Call, body: memoryview) -> tuple[bytes, int]:
    """Return what the reply to a refused call repeats, and the MQPMO bits of a put (0 for other calls)."""
    if call.type in _ECHOED:
        return bytes(body[API.size :]), 0
    try:
        head = _put_head(call.type, body, call.order)
    except StructureError:
        head = None
    if head is not None:
        return bytes(body[API.size : head[0]]), head[2]
    return (bytes(body[API.size : API.size + SPI.size]) if call.type == SegmentType.SPI else b""), 0
