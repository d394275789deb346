"""Messages streamed to the client of a shared connection, and its requests for them (client-observed.md 5).

REQUEST_MSGS and NOTIFICATION come in; ASYNC_MESSAGE and NOTIFICATION go out.
"""

from __future__ import annotations

from typing import Any, Final

from mqbridge.protocol import inferred
from mqbridge.protocol.channel.link import Link, read_body
from mqbridge.protocol.channel.states import State
from mqbridge.protocol.channel.status import ChannelError
from mqbridge.protocol.constants import (
    MQGMO,
    ByteOrder,
    ConnectionState,
    ControlFlags1,
    NotificationCode,
    RequestFlags,
    SegmentType,
    StatusCode,
)
from mqbridge.protocol.errors import LocalProtocolError
from mqbridge.protocol.framing import Segment
from mqbridge.protocol.layouts.async_message import AsyncBig, AsyncLittle
from mqbridge.protocol.records import Buffer
from mqbridge.protocol.structures import NOTIF, TSHM, async_name, parse_request_msgs

from .conversation import ServerConversation, ServerConversations
from .delivery import Delivery, MessagesWanted, Selection
from .events import Event, Notified
from .outgoing import WHOLE, Data, SplitDelivery, parts_of, pieces_of
from .states import ConversationTrigger, DeliveryState

_STREAMED: Final = 1
"""Request id of messages and unsolicited notifications (client-observed.md O-080)."""
_NO_TOKEN: Final = bytes(16)
_LONGEST_ID: Final = 24
_STATUS: Final = int(inferred.MESSAGE_STATUS)
_SELECTION: Final = int(RequestFlags.SELECTION)
_CONFIRM: Final = int(ControlFlags1.CONFIRM_REQUEST)
_CALL: Final = ConversationTrigger.CALL
_CLOSED: Final = State.CLOSED
_CHECKING: Final = DeliveryState.CHECKING
_LITTLE: Final = ByteOrder.LITTLE
_HEADER: Final = TSHM.size


class Deliveries:
    """The messages sent, for all handles of a connection, to the client."""

    __slots__ = ("_conversations", "_link")

    def __init__(self, link: Link[Event], conversations: ServerConversations) -> None:
        self._link = link
        self._conversations = conversations

    def find(self, conversation: int, handle: int) -> Delivery | None:
        """Return the delivery of a handle; None before the first request and after its close."""
        found = self._conversations.by_id.get(conversation)
        return None if found is None else found.deliveries.get(handle)

    # Out

    def send(
        self,
        delivery: Delivery,
        descriptor: bytes,
        data: Data,
        *,
        full_length: int | None = None,
        reason: int = 0,
        token: bytes = _NO_TOKEN,
        queue: bytes = b"",
        status: int = 0,
        reference: Any = None,
        held: bool = False,
    ) -> None:
        """Send a message for a handle that is ``ready``.

        ``descriptor``: MQMD in our byte order and CCSID, of the version that the selection asks for. ``data``: cut to
        ``delivery.max_length``. ``full_length``: length of the whole message in bytes if it was cut, with ``reason``
        2079 or 2080. ``token``: 16 bytes. ``queue``: name sent along, without blanks. ``status``: bits of
        ``MessageStatus`` about groups and segments. ``reference``: returned by :class:`Close` if the client has not
        received the message; pass one for each message that leaves the queue. ``held``: ``delivery.take_arrived``
        returns the reference once the client has received the message.

        Raises ``LocalProtocolError`` for a delivery that is not ready.
        """
        link = self._link
        if link.state is _CLOSED or not delivery.ready:
            raise LocalProtocolError(f"nothing may be delivered for handle {delivery.handle}: {delivery.state.value}")
        pieces = parts_of(data)
        length = sum(map(len, pieces))
        stream, conversation = delivery.stream, delivery.conversation
        stream.global_index += 1
        delivery.message_index += 1
        writer, agreed = link.wire.writer, self._conversations.agreed
        assert agreed is not None
        kind = AsyncLittle if writer.order is _LITTLE else AsyncBig
        head = kind(
            object_handle=delivery.handle,
            message_index=delivery.message_index,
            global_message_index=stream.global_index,
            segment_length=length,
            selection_index=delivery.selection.index,
            reason_code=reason,
            total_msg_length=length,
            actual_msg_length=length if full_length is None else full_length,
            msg_token=token,
            status=_STATUS | status,
            resolved_q_name_length=len(queue),
        )
        name, ids = async_name(queue), (conversation, _STREAMED)
        body_length = head.SIZE + len(name) + len(descriptor) + length
        size, total = agreed.transmission_size, _HEADER + body_length
        if total > size:
            message = SplitDelivery(writer, ids, head, name, descriptor, pieces_of(pieces), length, size=size)
            link.wire.queue_split(message, conversation)
        else:
            filling = bytes(min(-total % 4, size - total))
            header = writer.header(SegmentType.ASYNC_MESSAGE, body_length + len(filling), flags1=WHOLE, ids=ids)
            whole = (header + head.build() + name + descriptor, *pieces_of(pieces), filling)
            link.wire.queue(whole, total + len(filling), conversation)
        if delivery.sent(len(descriptor) + length, reference, held=held):
            self._answer_check(delivery)

    def no_message(self, delivery: Delivery) -> None:
        """Note that there are no (more) messages: this answers a check; other requests keep waiting."""
        if delivery.state is _CHECKING and self._link.state is not _CLOSED:
            self._answer_check(delivery)

    def notify(self, delivery: Delivery, code: int, value: int = 0) -> None:
        """Notify a client about a handle: GET_INHIBITED, GET_ALLOWED, QM_QUIESCING (O-091).

        Does nothing for a closed handle.
        """
        if not delivery.closed and not self._link.closed:
            self._notify(delivery.conversation, delivery.handle, code, value, _STREAMED)

    def quiesce(self, conversation: ServerConversation) -> None:
        """Notify a conversation's waiting gets with FAIL_IF_QUIESCING that the queue manager is ending."""
        for delivery in conversation.deliveries.values():
            if delivery.waiting and delivery.options & MQGMO.FAIL_IF_QUIESCING:
                self.notify(delivery, NotificationCode.QM_QUIESCING, inferred.QUIESCING_VALUE)

    def _answer_check(self, delivery: Delivery) -> None:
        delivery.answered()
        self._notify(delivery.conversation, delivery.handle, NotificationCode.CHECK_MSG, 0, delivery.request)

    def _notify(self, conversation: int, handle: int, code: int, value: int, request: int) -> None:
        wire = self._link.wire
        body = NOTIF.codec(wire.writer.order)(object_handle=handle, code=code, value=value).build()
        segment = wire.writer.build_shared(conversation, request, SegmentType.NOTIFICATION, body, flags1=WHOLE)
        wire.queue((segment,), len(segment), conversation)

    # In

    def request_msgs(self, segment: Segment, now: float) -> None:
        """Handle REQUEST_MSGS: the client requests messages of a handle, or checks whether there are any."""
        conversation = self._streaming(segment)
        body = read_body(parse_request_msgs, segment)
        handle = body.object_handle
        if handle not in conversation.handles:
            raise ChannelError(f"messages are wanted of handle {handle}, not open", StatusCode.INVALID_HOBJ)
        delivery = conversation.deliveries.get(handle)
        if delivery is None:
            delivery = conversation.deliveries[handle] = Delivery(conversation.stream, handle)
        link = self._link
        counters = link.wire.counters
        counters.messages += 1
        counters.last_message = now
        if delivery.state is _CHECKING:
            self._answer_check(delivery)  # before another request replaces it
        delivery.ask(body, _selection(body) if body.request_flags & _SELECTION else None, segment.request_id)
        if delivery.spent:
            # Messages in transit already use up the credit: the request was sent before they arrived.
            delivery.skip()
            self.no_message(delivery)
        elif delivery.ready:
            link.events.append(MessagesWanted(delivery))

    def notification(self, segment: Segment, now: float) -> None:
        """Handle NOTIFICATION: the client starts or stops its message listeners, or reports something else."""
        conversation = self._streaming(segment)
        body = read_body(_read_notification, segment)
        of_connection = body.code == NotificationCode.CONN_STATE
        if of_connection:
            conversation.stream.listening = body.value
            if segment.flags1 & _CONFIRM:
                reply, request = NotificationCode.CONN_STATE_REPLY, segment.request_id
                self._notify(conversation.id, body.object_handle, reply, body.value, request)
        number, emit = conversation.id, self._link.emit
        emit(Notified(conversation=number, handle=body.object_handle, code=body.code, value=body.value))
        if of_connection and body.value == ConnectionState.STARTED:
            for delivery in conversation.deliveries.values():
                if delivery.listener and delivery.ready:
                    emit(MessagesWanted(delivery))

    def _streaming(self, segment: Segment) -> ServerConversation:
        """Return the connected conversation of a segment. Raises ``ChannelError`` if there is none."""
        conversation = self._conversations.by_id.get(segment.conversation_id)
        if conversation is None:
            raise self._conversations.unknown(segment)
        if not conversation.shared or not conversation.step(_CALL):
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
