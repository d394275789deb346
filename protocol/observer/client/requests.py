"""Calls of a client, as parsed by an observer (mq-wire.md 8.3, 5.12, 5.13, client-observed.md 4, 6)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final, final

from mqbridge.protocol.constants import MQGMO, ByteOrder, SegmentType, SpiVerb
from mqbridge.protocol.errors import StructureError
from mqbridge.protocol.mqi.message_heads import is_notify, read_descriptor, word_at
from mqbridge.protocol.mqi.states import ConversationState, ConversationTrigger
from mqbridge.protocol.observer.observations import MessageRoute, ObservedMessage, Place
from mqbridge.protocol.observer.overview import ObservationLog
from mqbridge.protocol.structures import (
    API,
    CONN,
    LSD,
    SPBI,
    SPI,
    SUB,
    ObjectDescriptor,
    SubscriptionDescriptor,
    lpoo_size,
    parse_gmo,
    parse_od,
    parse_sd,
    parse_xid,
)
from mqbridge.protocol.structures.spi_base import SPI_BASE_SIZE

from .call_observations import CallMalformed, CallsOverlap, PutUnanswerable
from .compressed_calls import unread_message
from .conversations import ConversationObserver
from .message_outcomes import MessageOutcomes
from .messages import ASYNC_RESPONSE, SYNCPOINT, kept_data, put_head
from .negotiation import field_text
from .open_calls import OpenCalls
from .tracking import ConversationTrack, PartialCallBody, Waiting

API_SIZE: Final = API.size
SPI_BODY: Final = API.size + SPI.size
"""Offset of the structures of an SPI call."""
SUBSCRIBED: Final = SPI_BODY + SPI_BASE_SIZE
_UTF_8: Final = 1208
_OPEN_OPTIONS_AT: Final = 8
_WAIT: Final = int(MQGMO.WAIT)
_XA_NAMED: Final = frozenset((SegmentType.XA_OPEN, SegmentType.XA_CLOSE, SegmentType.XA_RECOVER))
_FIRST_XA: Final = int(SegmentType.XA_START)
_ON_HANDLES: Final = frozenset(
    map(
        int,
        (
            SegmentType.MQCLOSE,
            SegmentType.MQGET,
            SegmentType.MQPUT,
            SegmentType.MQSET,
            SegmentType.MQINQ,
            SegmentType.MQSUBRQ,
        ),
    )
)
# For every call: members of an enum are looked up slowly.
_CALL: Final = ConversationTrigger.CALL
_CONNECTED: Final = ConversationState.CONNECTED
_PUT: Final = MessageRoute.PUT
_PUTS: Final = frozenset(map(int, (SegmentType.MQPUT, SegmentType.MQPUT1)))
_COMMITS: Final = frozenset(map(int, (SegmentType.MQCMIT, SegmentType.MQDISC)))
_SPI: Final = int(SegmentType.SPI)


@cache
def call_name(kind: int, verb: int = 0) -> str:
    """Return the name of a call: ``MQPUT``, ``SPI OPEN``, ``XA_START``."""
    return f"SPI {SpiVerb(verb)}" if kind == SegmentType.SPI and verb else str(SegmentType(kind))


@final
class Requests:
    """Calls of the client, each taken when its last segment has arrived."""

    __slots__ = ("_conversations", "_log", "_open_calls", "_outcomes")

    def __init__(
        self, log: ObservationLog, conversations: ConversationObserver, outcomes: MessageOutcomes, open_calls: OpenCalls
    ) -> None:
        self._log, self._conversations = log, conversations
        self._outcomes, self._open_calls = outcomes, open_calls

    def take(
        self,
        track: ConversationTrack,
        whole: PartialCallBody | None,
        kind: int,
        body: memoryview,
        request: int,
        order: ByteOrder,
        ccsid: int,
        asked: Place,
        size: int,
    ) -> None:
        """Take a call. ``whole``: its segments if there are several. ``size``: their total bytes."""
        call = Waiting(kind, call_name(kind), request, 0, asked, size, 0)
        if len(body) < API_SIZE:
            self._log.add(CallMalformed, track.id, call.name, f"{len(body)} bytes, {API_SIZE} needed")
            return
        if kind >= _FIRST_XA:
            trigger = _CALL
            call.room = int.from_bytes(body[:4], "big")
        else:
            api = API.codec(order).parse(body)
            call.room, call.handle, call.last_index = api.reply_length, api.object_handle, api.comp_code
            trigger = _TRIGGERS.get(kind, _CALL)
        if trigger is not _CALL or track.state is not _CONNECTED:
            call.before = track.state
            self._conversations.step(track, trigger, call.name)
        if track.waiting and not track.unsure and not is_notify(kind, body, order):
            first = next((waiting for waiting in track.waiting if waiting.verb != SpiVerb.NOTIFY), None)
            if first is not None:
                self._log.add(CallsOverlap, track.id, call.name, first.name, first.asked)
        if kind in _ON_HANDLES:
            _use_handle(track, call)
        wanted = True
        if not (whole.flags2 if whole is not None else 0) & COMPRESSED:
            try:
                wanted = self._read(track, call, body, order, ccsid, whole)
            except StructureError as error:
                self._log.add(CallMalformed, track.id, call.name, str(error))
        elif kind in _PUTS and whole is not None:
            call.message = unread_message(_PUT, self._log.direction, track.id, call, whole, self._log.place)
            call.in_unit = track.branch is not None
        if wanted:
            self._open_calls.add(track, call)

    # Parsing of each call

    def _read(
        self,
        track: ConversationTrack,
        call: Waiting,
        body: memoryview,
        order: ByteOrder,
        ccsid: int,
        whole: PartialCallBody | None,
    ) -> bool:
        """Parse a call; return False if no reply is expected. Raises ``StructureError``."""
        kind = call.type
        if kind in _PUTS:
            return self._put(track, call, body, order, ccsid, whole)
        if kind >= _FIRST_XA:
            if kind not in _XA_NAMED:
                call.key = parse_xid(body, API_SIZE, order).key
            if kind == SegmentType.XA_COMMIT and call.key in self._outcomes.branches:
                self._outcomes.branches[call.key].asked = True
            return True
        if kind in _COMMITS:
            track.unit.asked = True
        elif kind == _SPI:
            return self._spi(track, call, body, order, ccsid, whole)
        else:
            reader = _READERS.get(kind)
            if reader is not None:
                reader(call, body, order, ccsid)
        return True

    def _put(
        self,
        track: ConversationTrack,
        call: Waiting,
        body: memoryview,
        order: ByteOrder,
        ccsid: int,
        whole: PartialCallBody | None,
    ) -> bool:
        head = put_head(body, order, call.type)
        if head.queue:
            call.object_name = field_text(head.queue, ccsid) or field_text(head.string, _UTF_8)
            call.queue_manager = field_text(head.queue_manager, ccsid)
        if whole is None or whole.kept is None:
            source = head.descriptor, order, ccsid
            data, digest = kept_data(body, head.at, head.at + head.length, source)
            there = min(len(body) - head.at, head.length)
        else:
            data, digest, there = whole.kept.data(), whole.kept.digest(), whole.kept.length
        message = ObservedMessage(
            _PUT,
            self._log.direction,
            head.descriptor,
            order,
            ccsid,
            data,
            head.length,
            there == head.length,
            call.asked,
            self._log.place,
            call.object_name,
            call.queue_manager,
            handle=call.handle,
            conversation=track.id,
            digest=digest if there == head.length else b"",
        )
        call.in_unit = bool(head.options & SYNCPOINT) or track.branch is not None
        if there < head.length:
            self._log.add(
                CallMalformed, track.id, call.name, f"{head.length} bytes of message data told, {there} there"
            )
        if not head.options & ASYNC_RESPONSE:
            call.message = message
            return True
        self._log.add(PutUnanswerable, track.id, call.name, call.handle, call.object_name, call.size)
        self._outcomes.see(message)
        self._outcomes.put_asynchronously(track, message, call.in_unit)
        return False

    def _spi(
        self,
        track: ConversationTrack,
        call: Waiting,
        body: memoryview,
        order: ByteOrder,
        ccsid: int,
        whole: PartialCallBody | None,
    ) -> bool:
        call.verb = word_at(body, API_SIZE, order, "SPI")
        call.name = call_name(call.type, call.verb)
        if call.verb == SpiVerb.PUT:
            _use_handle(track, call)
            return self._put(track, call, body, order, ccsid, whole)
        if call.verb == SpiVerb.OPEN:
            at = SPI_BODY + 2 * SPI_BASE_SIZE
            call.options = word_at(body, at + _OPEN_OPTIONS_AT, order, "LPOO")
            _name_object(call, parse_od(body, at + lpoo_size(body, at), order), ccsid)
        elif call.verb == SpiVerb.SUBSCRIBE:
            at = SUBSCRIBED + SPBI.size + LSD.size
            _name_subscription(call, parse_sd(body, at, order), ccsid)
        return True


def _use_handle(track: ConversationTrack, call: Waiting) -> None:
    handle = track.handles.get(call.handle)
    if handle is not None:
        call.object_name, call.queue_manager = handle.object_name, handle.queue_manager
        handle.calls += 1
        return
    call.misused = track.misuse(call.handle)
    call.object_name = track.closed.get(call.handle, "")


def _connect(call: Waiting, body: memoryview, order: ByteOrder, ccsid: int) -> None:
    call.queue_manager = field_text(CONN.codec(order).parse(body, API_SIZE).q_mgr_name, ccsid)


def _open(call: Waiting, body: memoryview, order: ByteOrder, ccsid: int) -> None:
    od = parse_od(body, API_SIZE, order)
    call.options = word_at(body, API_SIZE + od.known + len(od.rest), order, "OpenOptions")
    _name_object(call, od, ccsid)


def _close(call: Waiting, body: memoryview, order: ByteOrder, _ccsid: int) -> None:
    call.options = word_at(body, API_SIZE, order, "CloseOptions")


def _get(call: Waiting, body: memoryview, order: ByteOrder, _ccsid: int) -> None:
    descriptor = read_descriptor(body, API_SIZE, order)
    record = parse_gmo(body, API_SIZE + len(descriptor), order).record
    call.options = record.options
    call.wait = record.wait_interval if record.options & _WAIT else 0


def _subscribe(call: Waiting, body: memoryview, order: ByteOrder, ccsid: int) -> None:
    _name_subscription(call, parse_sd(body, API_SIZE + SUB.size, order), ccsid)


def _name_object(call: Waiting, od: ObjectDescriptor, ccsid: int) -> None:
    record = od.record
    call.object_name = field_text(record.object_name, ccsid) or field_text(od.string("object_string") or b"", _UTF_8)
    call.queue_manager = field_text(record.object_q_mgr_name, ccsid)


def _name_subscription(call: Waiting, sd: SubscriptionDescriptor, ccsid: int) -> None:
    call.options = sd.record.options
    name = field_text(sd.record.object_name, ccsid)
    call.object_name = field_text(sd.string("object_string") or b"", _UTF_8) or name


COMPRESSED: Final = 0x03
"""ControlFlags2 of a segment with a compressed body."""
_TRIGGERS: Final = {
    int(SegmentType.MQCONN): ConversationTrigger.CONNECT,
    int(SegmentType.MQDISC): ConversationTrigger.DISCONNECT,
}
_READERS: Final[dict[int, Callable[[Waiting, memoryview, ByteOrder, int], None]]] = {
    SegmentType.MQCONN: _connect,
    SegmentType.MQOPEN: _open,
    SegmentType.MQCLOSE: _close,
    SegmentType.MQGET: _get,
    SegmentType.MQSUB: _subscribe,
}
