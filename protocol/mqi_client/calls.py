"""The calls of a client connection (mq-wire.md 8.3, client-observed.md 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from mqbridge.protocol.channel.link import Link
from mqbridge.protocol.constants import MQCC, MQPMO, MQRC, ByteOrder, SegmentType
from mqbridge.protocol.errors import LocalProtocolError
from mqbridge.protocol.framing import SegmentWriter
from mqbridge.protocol.layouts.sd import Sd
from mqbridge.protocol.mqi.states import ConversationTrigger
from mqbridge.protocol.structures import md_size, parse_inq, parse_od, parse_sd
from mqbridge.protocol.structures.fopa import parse_fopa
from mqbridge.protocol.structures.inq import make_inq
from mqbridge.protocol.structures.sro import parse_sro
from mqbridge.protocol.structures.sts import make_sts, parse_sts
from mqbridge.protocol.structures.sub import SUB

from . import requests
from .call import Call
from .conversation import ClientConversation
from .exchange import Exchange
from .get_parameters import GetParameters
from .gets import Gets
from .requests import ObjectName, SubscriptionName

_NO_HANDLE: Final = -1
_MQI_LENGTH: Final = 4
_REPORTED: Final = ("object_name", "object_q_mgr_name", "resolved_object_name", "resolved_q_mgr_name")
"""Fields that are zero in a request for a report (client-observed.md O-067)."""
_ASYNCHRONOUS: Final = int(MQPMO.ASYNC_RESPONSE)
_UNHEARD: Final = int(MQPMO.ASYNC_RESPONSE | MQPMO.FAIL_IF_QUIESCING)


@dataclass(slots=True)
class OpenReply:
    """The reply to an open. ``name``: of the object, resolved or dynamic. The queue's defaults are -1 if the reply has
    none."""

    handle: int
    name: bytes
    persistence: int = -1
    put_response: int = -1
    read_ahead: int = -1
    property_control: int = -1


@dataclass(frozen=True, slots=True)
class PutStatus:
    """Outcome of puts without reply; ``comp_code`` and ``reason``: of the first that did not succeed."""

    succeeded: int
    warned: int
    failed: int
    comp_code: int
    reason: int


class Calls:
    """The MQI of a connection. Each method sends a call and returns it; the call is an event when it is complete.

    All raise ``LocalProtocolError`` if the connection is not connected, another call is pending, or a value does not
    fit, and ``ConversionError`` for a name that cannot be encoded in the queue manager's CCSID.
    """

    __slots__ = ("_conversation", "_exchange", "_gets", "_link")

    def __init__(self, link: Link[Any], conversation: ClientConversation, exchange: Exchange, gets: Gets) -> None:
        self._link = link
        self._conversation = conversation
        self._exchange = exchange
        self._gets = gets

    def open(self, name: ObjectName, options: int, now: float) -> Call:
        """Send MQOPEN. ``options``: MQOO. Parse the reply with :func:`opened`."""
        self._conversation.check_connected()
        conversation, writer = self._conversation, self._link.wire.writer
        assert conversation.agreed is not None
        od, more = name.build(writer)
        behind, extra = requests.open_options(conversation.agreed, writer, options, conversation.capabilities)
        return self._exchange.begin(SegmentType.MQOPEN, 0, od, behind, now=now, more=more + extra)

    def close_object(self, handle: int, options: int, now: float) -> Call:
        """Send MQCLOSE. ``options``: MQCO."""
        self._conversation.check_connected()
        self._exchange.check_free()
        last = self._gets.close(handle)
        word = requests.word(self._link.wire.writer, options)
        return self._exchange.begin(SegmentType.MQCLOSE, handle, word, now=now, comp_code=last)

    def put(self, handle: int, descriptor: bytes, data: bytes, options: int, now: float, *, context: int = 0) -> Call:
        """Send MQPUT. ``descriptor``: MQMD in the connection's byte order and CCSID; ``options``: MQPMO.

        :func:`put_descriptor` returns the completed descriptor of the reply. With ASYNC_RESPONSE there is no reply: the
        call is complete at once, without an event; :meth:`ask_status` returns the outcome of such puts later. As with
        IBM's client, one with FAIL_IF_QUIESCING fails here, unsent, once the end is known.
        """
        self._conversation.check_connected()
        self._check_length(data)
        refused = self._refused(SegmentType.MQPUT, handle, options, now)
        if refused is not None:
            return refused
        writer = self._link.wire.writer
        pmo = _put_options(writer.order, writer.ccsid, options, context)
        length = len(data).to_bytes(_MQI_LENGTH, writer.order.endian)
        call = self._exchange.begin(SegmentType.MQPUT, handle, descriptor, pmo, length, data, now=now)
        return self._unless_asynchronous(call, options)

    def put1(self, name: ObjectName, descriptor: bytes, data: bytes, options: int, now: float) -> Call:
        """Send MQPUT1: as :meth:`put`, to an object that is not open."""
        self._conversation.check_connected()
        self._check_length(data)
        refused = self._refused(SegmentType.MQPUT1, _NO_HANDLE, options, now)
        if refused is not None:
            return refused
        writer = self._link.wire.writer
        od, more = name.build(writer, version=None if name.string is not None else 1)
        pmo = _put_options(writer.order, writer.ccsid, options, 0)
        length = len(data).to_bytes(_MQI_LENGTH, writer.order.endian)
        pieces = (od, descriptor, pmo, length, data)
        call = self._exchange.begin(SegmentType.MQPUT1, _NO_HANDLE, *pieces, now=now, more=more)
        return self._unless_asynchronous(call, options)

    def _refused(self, kind: SegmentType, handle: int, options: int, now: float) -> Call | None:
        """Return a put without reply that failed before it was sent; None for others."""
        quiescing = self._conversation.quiescing
        if quiescing is None or options & _UNHEARD != _UNHEARD:
            return None
        call = Call(kind, handle, now)
        call.done, call.comp_code, call.reason = True, MQCC.FAILED, quiescing
        return call

    def _unless_asynchronous(self, call: Call, options: int) -> Call:
        """Complete a put without reply as soon as it is sent (client-observed.md O-063)."""
        if options & _ASYNCHRONOUS:
            self._exchange.release(call)
        return call

    def get(self, handle: int, wanted: GetParameters, now: float) -> Call:
        """Get or browse a message. The call fails with 2033 if none arrives in time."""
        return self._gets.get(handle, wanted, now)

    def stop_waiting(self, now: float) -> None:
        """End a waiting get: with a message that is in transit, or with 2033. Other calls are not affected."""
        self._gets.stop_waiting(now)

    def ask_status(self, now: float) -> Call:
        """Send MQSTAT: the outcome of puts without reply since the last request. Parse the reply with
        :func:`put_status`."""
        self._conversation.check_connected()
        report = make_sts(self._link.wire.writer.order, 1, **dict.fromkeys(_REPORTED, bytes(48))).build()
        return self._exchange.begin(SegmentType.MQSTAT, 0, requests.word(self._link.wire.writer, 0), report, now=now)

    def _check_length(self, data: bytes) -> None:
        agreed = self._conversation.agreed
        if agreed is not None and len(data) > agreed.max_message_length:
            raise MessageTooLong(len(data), agreed.max_message_length)

    def inquire(self, handle: int, selectors: Sequence[int], characters: int, now: float) -> Call:
        """Send MQINQ. ``selectors``: MQIA and MQCA; ``characters``: total bytes of the character values. Parse the
        reply with :func:`inquired`."""
        self._conversation.check_connected()
        integers = sum(selector < FIRST_CHARACTER for selector in selectors)
        body = requests.inquire(self._link.wire.writer, selectors, integers, characters)
        more = integers * 4 + characters + 1
        return self._exchange.begin(SegmentType.MQINQ, handle, body, now=now, more=more)

    def set(
        self, handle: int, selectors: Sequence[int], integers: Sequence[int], characters: bytes, now: float
    ) -> Call:
        """Send MQSET."""
        self._conversation.check_connected()
        body = make_inq(self._link.wire.writer.order, selectors, integers, characters).build()
        return self._exchange.begin(SegmentType.MQSET, handle, body, now=now)

    def commit(self, now: float) -> Call:
        """Send MQCMIT."""
        self._conversation.check_connected()
        return self._exchange.begin(SegmentType.MQCMIT, 0, now=now)

    def backout(self, now: float) -> Call:
        """Send MQBACK."""
        self._conversation.check_connected()
        return self._exchange.begin(SegmentType.MQBACK, 0, now=now)

    def subscribe(self, name: SubscriptionName, handle: int, now: float) -> Call:
        """Send MQSUB. ``handle``: of the queue, 0 for a managed one. Parse the reply with :func:`subscribed`."""
        self._conversation.check_connected()
        body, more = name.build(self._link.wire.writer)
        return self._exchange.begin(SegmentType.MQSUB, handle, body, now=now, more=more)

    def request_publications(self, subscription: int, action: int, now: float) -> Call:
        """Send MQSUBRQ for retained publications. :func:`publications` returns their number."""
        self._conversation.check_connected()
        body = requests.subscription_request(self._link.wire.writer, action)
        return self._exchange.begin(SegmentType.MQSUBRQ, subscription, body, now=now)

    def disconnect(self, now: float) -> Call:
        """Send MQDISC, which commits; then the connection ends."""
        self._conversation.check_connected()
        call = self._exchange.begin(SegmentType.MQDISC, 0, now=now)
        self._conversation.go(ConversationTrigger.DISCONNECT)
        return call


class MessageTooLong(LocalProtocolError):
    """A message is longer than the channel allows and was not sent. ``reason``: 2010."""

    def __init__(self, length: int, limit: int) -> None:
        super().__init__(f"{length} bytes are more than the {limit} that the channel allows")
        self.reason = MQRC.DATA_LENGTH_ERROR


FIRST_CHARACTER: Final = 2001
"""The first selector of a character attribute (MQCA_FIRST)."""


@lru_cache(maxsize=64)
def _put_options(order: ByteOrder, ccsid: int, options: int, context: int) -> bytes:
    return requests.put_options(SegmentWriter(order, ccsid), options, context)


# Parsing of replies. All raise ``StructureError`` for a malformed one.


def opened(call: Call) -> OpenReply:
    """Parse the reply to a successful open."""
    od = parse_od(call.structures, 0, call.order)
    at = od.known + len(od.rest) + 4
    result = OpenReply(call.handle, od.record.object_name)
    if bytes(call.structures[at : at + 4]) in (b"FOPA", b"\xc6\xd6\xd7\xc1"):
        defaults = parse_fopa(call.structures, at, call.order).record
        result.persistence = defaults.def_persistence
        result.put_response = defaults.def_put_response_type
        result.read_ahead = defaults.def_read_ahead
        result.property_control = defaults.property_control
    return result


def put_descriptor(call: Call) -> bytes:
    """Return the MQMD as completed by the queue manager, from the reply to MQPUT or MQPUT1."""
    at = 0
    if call.type == SegmentType.MQPUT1:
        od = parse_od(call.structures, 0, call.order)
        at = od.known + len(od.rest)
    size = md_size(call.structures, at, call.order)
    return bytes(call.structures[at : at + size])


def inquired(call: Call) -> tuple[tuple[int, ...], bytes]:
    """Return the integer values, and the concatenated character values."""
    inquiry = parse_inq(call.structures, 0, call.order, values=True)
    return inquiry.int_attrs, inquiry.char_attrs


def subscribed(call: Call) -> tuple[int, int, Sd]:
    """Return the handle of the queue, the handle of the subscription, and SD."""
    head = SUB.codec(call.order).parse(call.structures)
    return call.handle, head.subscription_handle, parse_sd(call.structures, SUB.size, call.order).record


def publications(call: Call) -> int:
    """Return the number of retained publications sent."""
    number: int = parse_sro(call.structures, 4, call.order).num_pubs
    return number


def put_status(call: Call) -> PutStatus:
    """Parse the outcome of puts without reply."""
    record = parse_sts(call.structures, 4, call.order).record
    return PutStatus(
        record.put_success_count, record.put_warning_count, record.put_failure_count, record.comp_code, record.reason
    )
