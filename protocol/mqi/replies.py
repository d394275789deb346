"""The replies of a server connection, and the messages that it streams.

A reply repeats the structures of its call as they stand, behind an API header with the outcome (mq-wire.md 5.4, 8.3).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from mqbridge.protocol import inferred
from mqbridge.protocol.channel.machine import Machine
from mqbridge.protocol.constants import MQCC, NotificationCode, SegmentType, XAReturn
from mqbridge.protocol.errors import LocalProtocolError
from mqbridge.protocol.framing import SegmentWriter
from mqbridge.protocol.structures import API, ASYNC, NOTIF, XA, async_name
from mqbridge.protocol.structures.inq import make_inq
from mqbridge.protocol.structures.xid import TransactionId

from .calls import NO_HANDLE, Call, Close, Connect, Disconnect, Get, Inquire, Open, Reserve, Subscribe, Xa
from .conversation import Conversation
from .delivery import Delivery
from .events import Event
from .outgoing import WHOLE, Data, Ids, Parts, SplitMessage, SplitReply, header_size, parts_of, pieces_of
from .parameters import Agreed
from .spi_replies import reserve_reply
from .states import ConversationTrigger

REPLY: Final = 0x10
"""What the type of a reply adds to that of its call."""
STREAM_REQUEST: Final = 1
"""Request id of streamed messages (client-observed O-080)."""
_NO_TOKEN: Final = bytes(16)
_STATUS: Final = int(inferred.MESSAGE_STATUS)
_TSH_SIZE: Final = 28
_CONNECTION_ID: Final = 24
_STEPS: Final = (Connect, Disconnect, Close)
_TAG: Final = 128


class Replies(Machine[Event]):
    """The part of a server connection that speaks."""

    __slots__ = ("_connected", "_conversations", "_reply_writer", "agreed")

    agreed: Agreed | None
    _conversations: dict[int, Conversation]
    _connected: bool
    _reply_writer: SegmentWriter
    """As that of the wire, with the numeric encoding that the client states."""

    # Replies

    def reply(self, call: Call, *, comp_code: int = 0, reason: int = 0, handle: int | None = None) -> None:
        """Answer a call with the structures that it came with, as they stand now.

        ``comp_code`` follows from the reason (0: OK, else FAILED) unless given, as for warnings. ``handle``: of the
        object, that of the call when None. A put without reply, or a call of a conversation that is over, is passed
        over. Raises ``LocalProtocolError`` for a call that was answered before.
        """
        if handle is None:
            handle = NO_HANDLE if isinstance(call, Close) else call.handle
        self._answer(call, (call.repeated(),), comp_code, reason, handle)

    def refuse(self, call: Call, reason: int) -> None:
        """Answer a call that failed. ``reason``: MQRC. Raises as :meth:`reply`."""
        if isinstance(call, Xa):
            self.reply_xa(call, XAReturn.RMFAIL)
        else:
            if isinstance(call, Connect):
                _describe_connection(call, b"", b"")
            handle = NO_HANDLE if isinstance(call, Open) else call.handle
            self._answer(call, (call.repeated(),), MQCC.FAILED, reason, handle)

    def reply_connect(
        self, call: Connect, *, connection_id: bytes, tag: bytes = b"", comp_code: int = 0, reason: int = 0
    ) -> None:
        """Answer MQCONN: the conversation is connected.

        ``connection_id``: 24 bytes. ``tag``: connection tag of 128 bytes, shorter ones are filled with NULs. Refusals
        go by :meth:`refuse`.
        """
        _describe_connection(call, connection_id, tag)
        self._answer(call, (call.repeated(),), comp_code, reason, 0)

    def reply_open(
        self,
        call: Open,
        handle: int,
        *,
        persistence: int = -1,
        put_response: int = -1,
        read_ahead: int = -1,
        property_control: int = -1,
        comp_code: int = 0,
        reason: int = 0,
    ) -> None:
        """Answer MQOPEN or SPI OPEN with a handle and the defaults of the queue (DEFPSIST, DEFPRESP, DEFREADA,
        PROPCTL; -1 for an object that has none). A ``put_response`` other than 1 makes clients put asynchronously
        (client-observed O-054). Resolved names go into ``call.od`` before."""
        if call.attributes is not None:
            record = call.attributes.record
            record.def_persistence = persistence
            record.def_put_response_type = put_response
            record.def_read_ahead = read_ahead
            record.property_control = property_control
        conversation = self._conversations.get(call.conversation)
        if conversation is not None and comp_code != MQCC.FAILED:
            conversation.opened(handle)
        self._answer(call, (call.repeated(),), comp_code, reason, handle)

    def reply_inquire(
        self, call: Inquire, integers: Sequence[int], characters: bytes, *, comp_code: int = 0, reason: int = 0
    ) -> None:
        """Answer MQINQ: integers in the order of the integer selectors, characters in that of the character ones."""
        inq = make_inq(call.order, call.selectors, integers, characters)
        self._answer(call, (inq.build(),), comp_code, reason, call.handle)

    def reply_get(
        self,
        call: Get,
        data: Data,
        *,
        full_length: int | None = None,
        comp_code: int = 0,
        reason: int = 0,
    ) -> None:
        """Answer MQGET with ``call.descriptor`` and ``call.options`` as they stand, and message data.

        ``data``: not more than ``call.buffer_length`` bytes. ``full_length``: bytes of the whole message where the
        data were cut. Without a message use :meth:`refuse`.
        """
        pieces = parts_of(data)
        length = sum(map(len, pieces)) if full_length is None else full_length
        head = b"".join((call.descriptor, call.options.build(), call.word(length)))
        self._answer(call, (head, *pieces), comp_code, reason, call.handle)

    def reply_subscribe(
        self, call: Subscribe, *, handle: int, subscription: int, comp_code: int = 0, reason: int = 0
    ) -> None:
        """Answer MQSUB or SPI SUBSCRIBE: handles of the queue and of the subscription. SubCorrelId and what else comes
        back goes into ``call.sd`` before."""
        call.subscription = subscription
        conversation = self._conversations.get(call.conversation)
        if conversation is not None and comp_code != MQCC.FAILED:
            conversation.handles.add(subscription)
            if handle not in conversation.handles:
                conversation.opened(handle)
        self._answer(call, (call.repeated(),), comp_code, reason, handle)

    def reply_reserve(self, call: Reserve, *, count: int, position: int, first_id: bytes) -> None:
        """Answer SPI RESERVE: ids from ``first_id`` (24 bytes) on, each one more at byte ``position`` (from 1)."""
        self._answer(call, (reserve_reply(call.spi, call.order, count, position, first_id),), 0, 0, 0)

    def reply_xa(self, call: Xa, return_value: int, xids: Sequence[TransactionId] = ()) -> None:
        """Answer an XA call. ``xids``: of XA_RECOVER, at most as many as wanted; the return value is their number."""
        behind = call.behind
        if call.type == SegmentType.XA_RECOVER:
            behind = call.word(len(xids)) + b"".join(xid.build() for xid in xids)
        header = XA.codec(call.order)(
            length=_TSH_SIZE + XA.size + len(behind),
            return_value=return_value,
            tm_flags=call.flags,
            rm_id=call.resource_manager,
        )
        self._finish_call(call, (header.build() + behind,))

    # Messages that stream

    def deliver(
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
    ) -> None:
        """Send a message for a handle that is ``ready``.

        ``descriptor``: MQMD in our order and CCSID, of the version that the selection wants. ``data``: cut to
        ``delivery.max_length``; ``full_length``: bytes of the whole message where they were cut, with ``reason`` 2079
        or 2080. ``token``: 16 bytes. ``queue``: name that goes along, without blanks. ``status``: bits of
        ``MessageStatus`` about groups and segments. ``reference``: given back by :class:`Close` when the client had not
        received the message (of each that leaves the queue).
        Raises ``LocalProtocolError`` for a delivery that is not ready.
        """
        if self.closed or delivery.closed:
            raise LocalProtocolError(f"handle {delivery.handle} is closed")
        if not delivery.ready:
            raise LocalProtocolError(f"nothing may be delivered for handle {delivery.handle}: {delivery.state.value}")
        pieces = parts_of(data)
        length = sum(map(len, pieces))
        full = length if full_length is None else full_length
        conversation: Conversation = delivery.owner
        conversation.global_index += 1
        delivery.message_index += 1
        writer = self.wire.writer
        head = ASYNC.codec(writer.order)(
            object_handle=delivery.handle,
            message_index=delivery.message_index,
            global_message_index=conversation.global_index,
            segment_length=length,
            selection_index=delivery.selection.index,
            reason_code=reason,
            total_msg_length=length,
            actual_msg_length=full,
            msg_token=token,
            status=_STATUS | status,
            resolved_q_name_length=len(queue),
        )
        name = async_name(queue)
        ids = (conversation.id, STREAM_REQUEST)
        self._send(ids, SegmentType.ASYNC_MESSAGE, head, name, descriptor, pieces, length)
        delivery.sent(len(descriptor), length, conversation.global_index, reference)
        if delivery.exhausted():
            self._check_answer(delivery)

    def _send(self, ids: Ids, kind: int, head: Any, name: bytes, descriptor: bytes, pieces: Parts, length: int) -> None:
        assert self.agreed is not None
        writer, size = self.wire.writer, self.agreed.transmission_size
        body_length = head.SIZE + len(name) + len(descriptor) + length
        total = header_size(ids) + body_length
        if total > size:
            message = SplitMessage(writer, ids, head, name, descriptor, pieces_of(pieces), length, size=size)
            self.wire.queue_split(message, ids and ids[0])
            return
        filling = bytes(min(-total % 4, size - total))
        header = writer.header(kind, body_length + len(filling), flags1=WHOLE, ids=ids)
        whole = (header + head.build() + name + descriptor, *pieces_of(pieces), filling)
        self.wire.queue(whole, total + len(filling), ids and ids[0])

    def no_message(self, delivery: Delivery) -> None:
        """There is no message (any more) for a delivery: a check is answered, other requests go on waiting."""
        if not self.closed and delivery.checking:
            self._check_answer(delivery)

    def _check_answer(self, delivery: Delivery) -> None:
        delivery.answered()
        self._notify(delivery.conversation, delivery.handle, NotificationCode.CHECK_MSG, 0, delivery.request)

    def notify(self, delivery: Delivery, code: int, value: int = 0) -> None:
        """Tell a client unasked what became of a handle: GET_INHIBITED, GET_ALLOWED, QM_QUIESCING (O-091). A handle
        that is closed is passed over."""
        if not self.closed and not delivery.closed:
            self._notify(delivery.conversation, delivery.handle, code, value, STREAM_REQUEST)

    def _notify(self, conversation: int, handle: int, code: int, value: int, request: int) -> None:
        order = self.wire.writer.order
        body = NOTIF.codec(order)(object_handle=handle, code=code, value=value).build()
        segment = self.wire.writer.build_shared(conversation, request, SegmentType.NOTIFICATION, body, flags1=WHOLE)
        self.wire.queue((segment,), len(segment), conversation)

    # How a reply is built

    def _answer(self, call: Call, pieces: Parts, comp_code: int, reason: int, handle: int) -> None:
        if reason and not comp_code:
            comp_code = MQCC.FAILED
        length = sum(map(len, pieces))
        header = api_header(call, length, comp_code, reason, handle)
        self._finish_call(call, (header, *pieces), refused=comp_code == MQCC.FAILED)

    def _finish_call(self, call: Call, pieces: Parts, *, refused: bool = False) -> None:
        if not call.wanted:
            return
        if call.answered:
            raise LocalProtocolError(f"{SegmentType(call.type)} was answered before")
        call.answered = True
        conversation = self._conversations.get(call.conversation)
        if self.closed or conversation is None or (conversation.waiting is not call and not call.beside):
            return
        if not call.beside:
            conversation.waiting = None
        if isinstance(call, _STEPS):
            self._step_conversation(conversation, call, refused)
        self._send_reply(conversation, call, pieces)

    def _step_conversation(self, conversation: Conversation, call: Call, refused: bool) -> None:
        if isinstance(call, Connect):
            conversation.step(ConversationTrigger.REFUSED if refused else ConversationTrigger.CONNECTED)
            self._connected = self._connected or not refused
        elif isinstance(call, Disconnect):
            conversation.step(ConversationTrigger.DISCONNECTED)
        elif isinstance(call, Close):
            if refused:
                conversation.deliveries.pop(call.handle, None)
            else:
                conversation.forget(call.handle)

    def _send_reply(self, conversation: Conversation, call: Call, pieces: Parts) -> None:
        assert self.agreed is not None
        ids = (conversation.id, call.request) if conversation.shared else None
        writer, size = self._writer_of(call), self.agreed.transmission_size
        length = sum(map(len, pieces))
        total = header_size(ids) + length
        if total > size:
            self.wire.queue_split(
                SplitReply(writer, ids, call.type + REPLY, pieces_of(pieces), length, size=size), conversation.id
            )
            return
        header = writer.header(call.type + REPLY, length, flags1=WHOLE, ids=ids)
        self.wire.queue((header, *pieces_of(pieces)), total, conversation.id)

    def _writer_of(self, call: Call) -> SegmentWriter:
        """A client that did not adopt our byte order or CCSID is answered in its own: its structures come back."""
        writer = self._reply_writer
        if call.order == writer.order and call.ccsid == writer.ccsid:
            return writer
        return SegmentWriter(call.order, call.ccsid, writer.encoding)


def _describe_connection(call: Connect, connection_id: bytes, tag: bytes) -> None:
    """The FCNO of a reply: version 3 at most, whatever the request had, and none of its left-over bytes."""
    if call.options is None:
        return
    record = call.options.record
    record.version = min(record.version, 3)
    record.cap_flag = inferred.CONNECTION_CAPABILITIES.get(record.version, 0)
    record.conn_tag = connection_id[:_CONNECTION_ID].ljust(_TAG, b"\0")
    for slot in record.SLOTS[4:]:
        key = slot.field.key
        if slot.size == 4:
            setattr(record, key, 0)
        else:
            setattr(record, key, tag[:_TAG].ljust(_TAG, b"\0") if key == "ret_conn_tag" else bytes(slot.size))


def api_header(call: Call, length: int, comp_code: int, reason: int, handle: int) -> bytes:
    """API of the reply to a call, with ``length`` bytes behind it."""
    header = API.codec(call.order)(
        reply_length=_TSH_SIZE + API.size + length, comp_code=comp_code, reason=reason, object_handle=handle
    )
    return header.build()


def refused_xa(call: Call, body: memoryview) -> bytes:
    """The reply to an XA call at the wrong time: XAER_PROTO, the rest as it came."""
    header = XA.codec(call.order).parse(body)
    header.length, header.return_value = _TSH_SIZE + len(body), XAReturn.PROTO
    return header.build() + bytes(body[XA.size :])
