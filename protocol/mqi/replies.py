"""The replies of a server connection.

A reply repeats the structures of its call as they stand, behind an API header with the outcome (mq-wire.md 5.4, 8.3).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mqbridge.protocol import inferred
from mqbridge.protocol.channel.link import Link
from mqbridge.protocol.channel.states import State
from mqbridge.protocol.constants import MQCC, REPLY, ByteOrder, SegmentType, XAReturn
from mqbridge.protocol.errors import LocalProtocolError
from mqbridge.protocol.framing import SegmentWriter
from mqbridge.protocol.layouts.api import ApiBig, ApiLittle
from mqbridge.protocol.structures import API, TSH, TSHM, XA
from mqbridge.protocol.structures.inq import make_inq
from mqbridge.protocol.structures.xid import TransactionId

from .calls import NO_HANDLE, Call, Close, Connect, Disconnect, Inquire, Open, Subscribe, Xa
from .conversation import ServerConversation, ServerConversations
from .events import Event
from .message_calls import Get, Reserve
from .outgoing import WHOLE, Data, Parts, SplitReply, parts_of, pieces_of
from .spi_replies import reserve_reply
from .states import ConversationTrigger

_CLOSED: Final = State.CLOSED
_FAILED: Final = int(MQCC.FAILED)
_CONNECTION_ID: Final = 24
_TAG: Final = 128
_HEADERS: Final = TSH.size + API.size
_LITTLE: Final = ByteOrder.LITTLE
_SINGLE_HEADER: Final = TSH.size
_SHARED_HEADER: Final = TSHM.size
_STEPS: Final = (Connect, Disconnect, Close)


class Replies:
    """Sends the replies to the calls of all conversations of a connection.

    Each method sends the reply to one call, with the call's structures in their current state. ``comp_code`` and
    ``reason``: MQCC and MQRC; a reason without completion code means MQCC_FAILED. A put without reply, or a call of an
    ended conversation, is ignored. All raise ``LocalProtocolError`` for a call that was already answered.

    ``writer``: as the link's, with the numeric encoding that the client states.
    """

    __slots__ = ("_conversations", "_link", "_writer")

    def __init__(self, link: Link[Event], conversations: ServerConversations, writer: SegmentWriter) -> None:
        self._link = link
        self._conversations = conversations
        self._writer = writer

    def answer(
        self,
        call: Call,
        *,
        comp_code: int = 0,
        reason: int = 0,
        handle: int | None = None,
        body: Parts | None = None,
    ) -> None:
        """Answer a call that has no method of its own.

        ``handle``: by default that of the call; none for MQCLOSE. ``body``: the bytes behind the API header, by default
        the structures of the call.
        """
        if reason and not comp_code:
            comp_code = _FAILED
        if handle is None:
            handle = NO_HANDLE if isinstance(call, Close) else call.handle
        if body is None:
            body = (call.repeated(),)
        conversation = self._answered(call, failed=comp_code == _FAILED)
        if conversation is not None:
            header = api_header(call, sum(map(len, body)), comp_code, reason, handle)
            self.send(conversation, call, (header, *body))

    def refuse(self, call: Call, reason: int) -> None:
        """Fail a call. ``reason``: MQRC."""
        if isinstance(call, Xa):
            self.xa(call, XAReturn.RMFAIL)
            return
        if isinstance(call, Connect):
            _describe_connection(call, b"", b"")
        handle = NO_HANDLE if isinstance(call, Open) else call.handle
        self.answer(call, comp_code=_FAILED, reason=reason, handle=handle)

    def connect(
        self, call: Connect, *, connection_id: bytes, tag: bytes = b"", comp_code: int = 0, reason: int = 0
    ) -> None:
        """Answer MQCONN: the conversation is connected.

        ``connection_id``: 24 bytes. ``tag``: connection tag, at most 128 bytes. Use :meth:`refuse` for refusals.
        """
        _describe_connection(call, connection_id, tag)
        self.answer(call, comp_code=comp_code, reason=reason, handle=0)

    def open(
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
        """Answer MQOPEN or SPI OPEN with a handle and the queue's defaults (DEFPSIST, DEFPRESP, DEFREADA, PROPCTL; -1
        if the object has none).

        A ``put_response`` other than 1 makes clients put asynchronously (client-observed.md O-054). Set resolved names
        in ``call.od`` first.
        """
        if call.attributes is not None:
            record = call.attributes.record
            record.def_persistence = persistence
            record.def_put_response_type = put_response
            record.def_read_ahead = read_ahead
            record.property_control = property_control
        conversation = self._conversations.by_id.get(call.conversation)
        if conversation is not None and comp_code != _FAILED:
            conversation.opened(handle)
        self.answer(call, comp_code=comp_code, reason=reason, handle=handle)

    def inquire(
        self, call: Inquire, integers: Sequence[int], characters: bytes, *, comp_code: int = 0, reason: int = 0
    ) -> None:
        """Answer MQINQ: integers in the order of the integer selectors, characters in the order of the character
        selectors."""
        inq = make_inq(call.order, call.selectors, integers, characters)
        self.answer(call, comp_code=comp_code, reason=reason, body=(inq.build(),))

    def get(
        self,
        call: Get,
        data: Data,
        *,
        full_length: int | None = None,
        comp_code: int = 0,
        reason: int = 0,
    ) -> None:
        """Answer MQGET with ``call.descriptor`` and ``call.options`` in their current state, and message data.

        ``data``: at most ``call.buffer_length`` bytes. ``full_length``: length of the whole message if the data were
        cut. If there is no message, use :meth:`refuse`.
        """
        pieces = parts_of(data)
        length = sum(map(len, pieces)) if full_length is None else full_length
        head = b"".join((call.descriptor, call.options.build(), call.word(length)))
        self.answer(call, comp_code=comp_code, reason=reason, body=(head, *pieces))

    def subscribe(
        self, call: Subscribe, *, handle: int, subscription: int, comp_code: int = 0, reason: int = 0
    ) -> None:
        """Answer MQSUB or SPI SUBSCRIBE with the handles of queue and subscription. Set SubCorrelId and other output
        fields in ``call.sd`` first."""
        call.subscription = subscription
        conversation = self._conversations.by_id.get(call.conversation)
        if conversation is not None and comp_code != _FAILED:
            conversation.handles.add(subscription)
            if handle not in conversation.handles:
                conversation.opened(handle)
        self.answer(call, comp_code=comp_code, reason=reason, handle=handle)

    def reserve(self, call: Reserve, *, count: int, position: int, first_id: bytes) -> None:
        """Answer SPI RESERVE: consecutive ids from ``first_id`` (24 bytes), incremented at byte ``position`` (from
        1)."""
        self.answer(call, handle=0, body=(reserve_reply(call.spi, call.order, count, position, first_id),))

    def xa(self, call: Xa, return_value: int, xids: Sequence[TransactionId] = ()) -> None:
        """Answer an XA call. ``xids``: for XA_RECOVER, at most as many as requested; ``return_value`` is their
        number."""
        behind = call.behind
        if call.type == SegmentType.XA_RECOVER:
            behind = call.word(len(xids)) + b"".join(xid.build() for xid in xids)
        header = XA.codec(call.order)(
            length=TSH.size + XA.size + len(behind),
            return_value=return_value,
            tm_flags=call.flags,
            rm_id=call.resource_manager,
        )
        conversation = self._answered(call, failed=False)
        if conversation is not None:
            self.send(conversation, call, (header.build() + behind,))

    # Building replies

    def _answered(self, call: Call, *, failed: bool) -> ServerConversation | None:
        """Mark a call as answered; return its conversation, or None if no reply is sent."""
        if not call.wanted:
            return None
        if call.answered:
            raise LocalProtocolError(f"{SegmentType(call.type)} was answered before")
        call.answered = True
        conversation = self._conversations.by_id.get(call.conversation)
        if conversation is None or self._link.state is _CLOSED:
            return None
        if not call.beside:
            if conversation.waiting is not call:
                return None
            conversation.waiting = None
        if isinstance(call, _STEPS):
            self._step(conversation, call, failed=failed)
        return conversation

    def _step(self, conversation: ServerConversation, call: Call, *, failed: bool) -> None:
        """Make the transition of a conversation that the reply to a call causes."""
        if isinstance(call, Connect):
            conversation.step(ConversationTrigger.REFUSED if failed else ConversationTrigger.CONNECTED)
            self._conversations.connected = self._conversations.connected or not failed
        elif isinstance(call, Disconnect):
            conversation.step(ConversationTrigger.DISCONNECTED)
        elif failed:
            conversation.deliveries.pop(call.handle, None)
        else:
            conversation.forget(call.handle)

    def send(self, conversation: ServerConversation, call: Call, pieces: Parts) -> None:
        """Send the segments of a reply. ``pieces``: its body, header included."""
        wire, writer, kind = self._link.wire, self._writer, call.type + REPLY
        agreed = self._conversations.agreed
        assert agreed is not None
        if call.order != writer.order or call.ccsid != writer.ccsid:
            # A client that did not adopt our byte order or CCSID is answered in its own: its structures are repeated.
            writer = SegmentWriter(call.order, call.ccsid, writer.encoding)
        if conversation.shared:
            ids, total = (conversation.id, call.request), _SHARED_HEADER
        else:
            ids, total = None, _SINGLE_HEADER
        length, size = sum(map(len, pieces)), agreed.transmission_size
        total += length
        if total > size:
            reply = SplitReply(writer, ids, kind, pieces_of(pieces), length, size=size)
            wire.queue_split(reply, conversation.id)
            return
        header = writer.header(kind, length, flags1=WHOLE, ids=ids)
        wire.queue((header, *pieces_of(pieces)), total, conversation.id)


def _describe_connection(call: Connect, connection_id: bytes, tag: bytes) -> None:
    """Return the FCNO of a reply: at most version 3, without the leftover bytes of the request."""
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
    """Build the API header of a reply with ``length`` bytes behind it."""
    length += _HEADERS
    if call.order is _LITTLE:  # a class that is named is compiled into a direct call
        little = ApiLittle(reply_length=length, comp_code=comp_code, reason=reason, object_handle=handle)
        return little.build()
    big = ApiBig(reply_length=length, comp_code=comp_code, reason=reason, object_handle=handle)
    return big.build()


def refused_xa(call: Call, body: memoryview) -> bytes:
    """Build the reply to an XA call out of sequence: XAER_PROTO, the rest as received."""
    header = XA.codec(call.order).parse(body)
    header.length, header.return_value = TSH.size + len(body), XAReturn.PROTO
    return header.build() + bytes(body[XA.size :])
