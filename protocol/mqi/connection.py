"""The server side of a client's connection: segments in, calls and other events out (mq-wire.md 8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from mqbridge.protocol.channel import Responder
from mqbridge.protocol.channel.machine import Handler
from mqbridge.protocol.channel.status import ChannelError
from mqbridge.protocol.constants import MQCC, MQPMO, MQRC, ControlFlags1, SegmentType, SpiVerb, StatusCode
from mqbridge.protocol.errors import ConversionError, StructureError
from mqbridge.protocol.framing import Segment
from mqbridge.protocol.numbers import ByteOrder
from mqbridge.protocol.structures import API, SPI
from mqbridge.protocol.text import NAME_CCSIDS

from .calls import NO_HANDLE, Call, Close, Put
from .conversation import Conversation
from .events import CallRefused, Event
from .message_heads import is_notify, read_put_head, read_spi_put_head
from .parameters import ServerParameters
from .reading import READERS, Common, reason_for
from .reassembly import PartialCall
from .replies import api_header, refused_xa
from .spi_calls import read_spi, verb_of
from .spi_replies import query_reply
from .states import CONVERSATION, ConversationState, ConversationTrigger
from .streaming import Streaming

_FIRST: Final = int(ControlFlags1.FIRST)
_LAST: Final = int(ControlFlags1.LAST)


class ServerConnection(Streaming):
    """One TCP connection of a client, from the hand-over by the responder to its end.

    The package's docstring says what it does and what its agent must do.
    """

    __slots__ = ()

    @classmethod
    def answering(
        cls, responder: Responder, parameters: ServerParameters, now: float
    ) -> tuple[ServerConnection, list[Event]]:
        """Answer ``ChannelRequested`` of a client with a SVRCONN channel; the first events come along.

        Raises ``LocalProtocolError`` when the responder has no request, or its connection has ended.
        """
        wire, proposal = responder.hand_over()
        connection = cls(wire, proposal, parameters, now)
        return connection, connection.receive_data(b"", now)

    # Calls

    def _call(self, segment: Segment, now: float) -> None:
        del now
        conversation = self._conversation_of(segment)
        partial = conversation.partial
        if segment.flags1 & _FIRST:
            if partial is not None:
                raise ChannelError("a call inside another one", StatusCode.PROTOCOL_SEGMENT_ERROR)
            if segment.flags1 & _LAST:
                self._take(conversation, segment, segment.body_view, ())
            else:
                end, keep = self._data_end(segment)
                conversation.partial = PartialCall(segment, end, keep=keep)
            return
        if partial is None:
            raise ChannelError("a call without its first segment", StatusCode.PROTOCOL_SEGMENT_ERROR)
        partial.add(segment)
        if segment.flags1 & _LAST:
            conversation.partial = None
            self._take(conversation, partial, memoryview(partial.body), partial.more)

    def _data_end(self, segment: Segment) -> tuple[int | None, bool]:
        """Where in all its bodies the call ends that begins with a segment, and whether its data are to be kept."""
        try:
            head = _put_head(segment.type, segment.body_view, segment.order)
        except StructureError:
            return None, True  # told when the call is whole
        if head is None:
            return None, True
        at, length, _ = head
        assert self.agreed is not None
        return at + length, length <= self.agreed.max_message_length

    def _take(
        self, conversation: Conversation, start: Segment | PartialCall, body: memoryview, more: Sequence[bytes]
    ) -> None:
        """A call is whole."""
        if start.ccsid not in NAME_CCSIDS:
            raise ConversionError(f"names cannot be written in CCSID {start.ccsid}, which the client speaks")
        kind, order = start.type, start.order
        common: Common = {
            "conversation": conversation.id,
            "request": start.request_id,
            "type": kind,
            "order": order,
            "ccsid": start.ccsid,
        }
        if kind < SegmentType.XA_START:
            api = API.codec(order).parse(body)
            common["handle"], common["room"] = api.object_handle, api.reply_length
        trigger = _TRIGGERS.get(kind, ConversationTrigger.CALL)
        reason = self._too_early(conversation, trigger, beside=is_notify(kind, body, order))
        if reason is not None:
            self._refuse_raw(conversation, common, body, reason, f"conversation is {conversation.state.value}")
            return
        try:
            call = self._read(common, body, more, kept=isinstance(start, Segment) or start.keep)
        except StructureError as error:
            reason = reason_for(error)
            if reason is None:
                raise
            self._refuse_raw(conversation, common, body, reason, str(error))
            return
        if call is not None:
            self._begin_call(conversation, call, trigger)
        else:
            self._answer_query(conversation, common, body)

    @staticmethod
    def _too_early(conversation: Conversation, trigger: ConversationTrigger, *, beside: bool) -> MQRC | None:
        if conversation.waiting is not None and not beside:
            return MQRC.CALL_IN_PROGRESS
        if trigger in CONVERSATION[conversation.state]:
            return None
        connected = conversation.state is ConversationState.CONNECTED
        return MQRC.ALREADY_CONNECTED if connected else MQRC.HCONN_ERROR

    def _read(self, common: Common, body: memoryview, more: Sequence[bytes], *, kept: bool) -> Call | None:
        """The value of a call; None for a query that is answered here. Raises ``StructureError``."""
        if not kept:
            raise StructureError("message", 0, "it is longer than the channel allows")
        call = (read_spi if common["type"] == SegmentType.SPI else READERS[common["type"]])(common, body, more)
        assert self.agreed is not None
        if isinstance(call, Put) and call.length > self.agreed.max_message_length:
            raise StructureError("message", 0, f"{call.length} bytes are more than the channel allows")
        return call

    def _begin_call(self, conversation: Conversation, call: Call, trigger: ConversationTrigger) -> None:
        self._count_call()
        if trigger is not ConversationTrigger.CALL:
            conversation.step(trigger)
        if call.wanted and not call.beside:
            conversation.waiting = call
        if isinstance(call, Close):
            delivery = conversation.deliveries.get(call.handle)
            if delivery is not None:
                call.unreceived = delivery.close(call.last_index)
        self._emit(call)

    def _answer_query(self, conversation: Conversation, common: Common, body: memoryview) -> None:
        call = Call(**common)
        reply = query_reply(verb_of(body, call.order)[2], call.order)
        conversation.waiting = call
        self._answer(call, (reply,), 0, 0, call.handle)

    def _refuse_raw(
        self, conversation: Conversation, common: Common, body: memoryview, reason: MQRC, detail: str
    ) -> None:
        """Answer a call that no value is made of; one that waits goes on waiting."""
        call = Call(**common)
        repeated, options = _repeated(call, body)
        wanted = not options & MQPMO.ASYNC_RESPONSE
        if wanted and call.type >= SegmentType.XA_START:
            self._send_reply(conversation, call, (refused_xa(call, body),))
        elif wanted:
            header = api_header(call, len(repeated), MQCC.FAILED, reason, NO_HANDLE)
            self._send_reply(conversation, call, (header + repeated,))
        self._emit(
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

    HANDLERS: ClassVar[Mapping[int, Handler]] = {
        SegmentType.INITIAL_DATA: Streaming._initial_data,
        SegmentType.STATUS_DATA: Streaming._status,
        SegmentType.SECURITY_DATA: Streaming._security,
        SegmentType.USERID_DATA: Streaming._user_id,
        SegmentType.CONAUTH_INFO: Streaming._credentials,
        SegmentType.HEARTBEAT: Streaming._heartbeat,
        SegmentType.SOCKET_ACTION: Streaming._socket_action,
        SegmentType.REQUEST_MSGS: Streaming._request_msgs,
        SegmentType.NOTIFICATION: Streaming._notification,
        SegmentType.SPI: _call,
        **dict.fromkeys(READERS, _call),
    }


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


def _put_head(kind: int, body: memoryview, order: ByteOrder) -> tuple[int, int, int] | None:
    """Of a put: where its data begin, how many there are, its MQPMO bits. None for other calls.

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
    """What the reply to a call that no value is made of repeats, and the MQPMO bits of a put, 0 of other calls."""
    if call.type in _ECHOED:
        return bytes(body[API.size :]), 0
    try:
        head = _put_head(call.type, body, call.order)
    except StructureError:
        head = None
    if head is not None:
        return bytes(body[API.size : head[0]]), head[2]
    return (bytes(body[API.size : API.size + SPI.size]) if call.type == SegmentType.SPI else b""), 0
