"""What a client asks about the messages of its handles: REQUEST_MSGS and NOTIFICATION (client-observed 5)."""

from __future__ import annotations

from typing import Any, Final

from mqbridge.protocol.channel.status import ChannelError
from mqbridge.protocol.constants import (
    ConnectionState,
    ControlFlags1,
    NotificationCode,
    RequestFlags,
    SegmentType,
    StatusCode,
)
from mqbridge.protocol.framing import Segment
from mqbridge.protocol.grammar import Buffer
from mqbridge.protocol.numbers import ByteOrder
from mqbridge.protocol.structures import NOTIF, parse_request_msgs

from .conversation import Conversation
from .delivery import Delivery, Selection
from .events import MessagesWanted, Notified
from .opening import read_body
from .session import Session
from .states import ConversationTrigger

_CONFIRM: Final = int(ControlFlags1.CONFIRM_REQUEST)
_LONGEST_ID: Final = 24
_SELECTION: Final = int(RequestFlags.SELECTION)


class Streaming(Session):
    """A server connection with its deliveries."""

    __slots__ = ()

    def delivery(self, conversation: int, handle: int) -> Delivery | None:
        """What is wanted of a handle; None before anything was asked for, and after its close."""
        found = self._conversations.get(conversation)
        return None if found is None else found.deliveries.get(handle)

    def _request_msgs(self, segment: Segment, now: float) -> None:
        del now
        conversation = self._shared(segment)
        body = read_body(parse_request_msgs, segment)
        handle = body.object_handle
        if handle not in conversation.handles:
            raise ChannelError(f"messages are wanted of handle {handle}, not open", StatusCode.INVALID_HOBJ)
        delivery = conversation.deliveries.get(handle)
        if delivery is None:
            delivery = conversation.deliveries[handle] = Delivery(conversation, conversation.id, handle)
        self._count_call()
        selection = _selection(body) if body.request_flags & _SELECTION else None
        self.no_message(delivery)  # an earlier check is answered before another request replaces it
        delivery.ask(body, selection, segment.request_id)
        if delivery.spent:
            # What is on its way uses the credit up already: the client asked before it came.
            delivery.skip()
            self.no_message(delivery)
        elif delivery.ready:
            self._emit(MessagesWanted(delivery=delivery))

    def _notification(self, segment: Segment, now: float) -> None:
        del now
        conversation = self._shared(segment)
        body = read_body(_read_notification, segment)
        if body.code == NotificationCode.CONN_STATE:
            conversation.listening = body.value
        if body.code == NotificationCode.CONN_STATE and segment.flags1 & _CONFIRM:
            self._notify(
                conversation.id, body.object_handle, NotificationCode.CONN_STATE_REPLY, body.value, segment.request_id
            )
        self._emit(Notified(conversation=conversation.id, handle=body.object_handle, code=body.code, value=body.value))
        if body.code == NotificationCode.CONN_STATE and body.value == ConnectionState.STARTED:
            for delivery in conversation.deliveries.values():
                if delivery.listener and delivery.ready:
                    self._emit(MessagesWanted(delivery=delivery))

    def _shared(self, segment: Segment) -> Conversation:
        conversation = self._conversation_of(segment)
        if not conversation.shared or not conversation.step(ConversationTrigger.CALL):
            raise ChannelError(
                f"{SegmentType(segment.type)} in a conversation that is {conversation.state.value}",
                StatusCode.PROTOCOL_SEGMENT_ERROR,
            )
        return conversation


def _read_notification(body: Buffer, order: ByteOrder) -> Any:
    return NOTIF.codec(order).parse(body)


def _selection(body: Any) -> Selection:
    return Selection(
        index=body.selection_index,
        md_version=body.mqmd_version,
        ccsid=body.ccsid,
        encoding=body.encoding,
        match_options=body.match_options,
        msg_seq_number=body.msg_seq_number,
        offset=body.offset,
        msg_id=body.msg_id or bytes(_LONGEST_ID),
        correl_id=body.correl_id or bytes(_LONGEST_ID),
        group_id=body.group_id or bytes(_LONGEST_ID),
        msg_token=body.msg_token or bytes(16),
    )
