"""Replies, matched with their calls (mq-wire.md 5.4, 8.3)."""

from __future__ import annotations

from typing import Final, final

from mqbridge.protocol.constants import MQCC, REPLY, ByteOrder, SegmentType, SpiVerb
from mqbridge.protocol.errors import StructureError
from mqbridge.protocol.mqi.message_heads import read_descriptor
from mqbridge.protocol.mqi.states import ConversationState, ConversationTrigger
from mqbridge.protocol.observer.observations import MessageOutcome, ObservedMessage, Place
from mqbridge.protocol.observer.overview import ObservationLog, Overview
from mqbridge.protocol.structures import API, XA, lpoo_size, parse_od, parse_sts
from mqbridge.protocol.structures.spi_base import SPI_BASE_SIZE

from .call_observations import CallAnswered, CallMalformed, HandleMisused, ObjectClosed, ObjectOpened, ReplyUnexpected
from .connection_observations import ConnectRefused
from .conversations import ConversationObserver
from .message_outcomes import MessageOutcomes
from .message_streams import StreamObserver
from .messages import ReplyOutcome
from .negotiation import field_text
from .received_messages import TSH_SIZE, ReceivedMessages
from .requests import API_SIZE, COMPRESSED, SPI_BODY, SUBSCRIBED, call_name
from .tracking import ConversationTrack, ObservedHandle, PartialCallBody, Waiting

_FAILED: Final = int(MQCC.FAILED)
_FIRST_XA: Final = int(SegmentType.XA_START_REPLY)
_MQGET: Final = int(SegmentType.MQGET)
_MQPUT: Final = int(SegmentType.MQPUT)
_UTF_8: Final = 1208
_ENDS_UNIT: Final = frozenset(map(int, (SegmentType.MQCMIT, SegmentType.MQBACK, SegmentType.MQDISC)))
_ALL_RECEIVED: Final = 0xFFFFFFFF
_UNUSABLE: Final = (0, -1)


@final
class ReplyObserver:
    """Replies of the queue manager. ``connects``: successful MQCONN. ``opens``: opens of queues and topics."""

    __slots__ = (
        "_conversations", "_log", "_outcomes", "_overview", "_received", "_streams", "connects", "opens",
    )  # fmt: skip

    def __init__(
        self,
        log: ObservationLog,
        overview: Overview,
        conversations: ConversationObserver,
        outcomes: MessageOutcomes,
        received: ReceivedMessages,
        streams: StreamObserver,
    ) -> None:
        self._log, self._overview, self._conversations = log, overview, conversations
        self._outcomes, self._received, self._streams = outcomes, received, streams
        self.connects = self.opens = 0

    def take(
        self,
        track: ConversationTrack,
        whole: PartialCallBody | None,
        kind: int,
        body: memoryview,
        request: int,
        order: ByteOrder,
        ccsid: int,
        answered: Place,
        size: int,
    ) -> None:
        """Take a reply. ``whole``: its segments if there are several. ``size``: their total bytes."""
        call = _pair(track, kind - REPLY, request)
        if call is None:
            if not track.unsure:
                waiting = tuple(found.name for found in track.waiting)
                name = call_name(kind - REPLY)
                self._log.add(ReplyUnexpected, track.id, name, waiting)
            return
        track.unsure = False
        conversations = self._conversations
        if self._overview.uncertain and not conversations.connected and kind != SegmentType.MQCONN_REPLY:
            conversations.connected = True  # before the capture
        if len(body) < API_SIZE:
            self._log.add(CallMalformed, track.id, f"reply to {call.name}", f"{len(body)} bytes, {API_SIZE} needed")
            if call.message is not None:
                self._outcomes.see(call.message)
                self._outcomes.settle(call.message, MessageOutcome.UNKNOWN)
            return
        if kind >= _FIRST_XA:
            header = XA.codec(order).parse(body)
            stated, reason, handle = header.length, header.return_value, 0
            comp_code = 0 if reason >= 0 else _FAILED
        else:
            api = API.codec(order).parse(body)
            stated, comp_code, reason, handle = api.reply_length, api.comp_code, api.reason, api.object_handle
        call.answered = answered
        self._settle_call(track, call, body, order, ccsid, ReplyOutcome(comp_code, reason, handle, stated), whole)
        there = (whole.length if whole is not None else len(body)) + TSH_SIZE
        track.calls += 1
        conversations.calls += 1
        log = self._log
        observation = CallAnswered(
            log.direction,
            log.place,
            track.id,
            call.name,
            call.handle,
            call.object_name,
            comp_code,
            reason,
            call.asked,
            answered,
            call.size,
            size,
            call.room,
            stated,
            there,
            call.wait,
        )
        log.observations.append(observation)
        if call.misused:
            self._log.add(
                HandleMisused, track.id, call.name, call.handle, call.object_name, call.misused == 1, comp_code, reason
            )

    def _settle_call(
        self,
        track: ConversationTrack,
        call: Waiting,
        body: memoryview,
        order: ByteOrder,
        ccsid: int,
        outcome: ReplyOutcome,
        whole: PartialCallBody | None,
    ) -> None:
        """Apply the effects of a reply."""
        comp_code, reason, handle, _ = outcome
        kind = call.type
        compressed = whole is not None and whole.flags2 & COMPRESSED
        try:
            if call.message is not None:
                if comp_code != _FAILED and not compressed:
                    _complete(call, call.message, body, order, ccsid)
            elif kind == _MQGET and compressed and whole is not None:
                self._received.take_compressed_reply(track, call, outcome, whole)
            elif kind == _MQGET:
                self._received.take_reply(track, call, body, order, ccsid, outcome, whole)
        except StructureError as error:
            self._log.add(CallMalformed, track.id, f"reply to {call.name}", str(error))
        if call.message is not None:
            self._outcomes.answer_put(track, call, comp_code, reason)
        elif kind in _ENDS_UNIT:
            self._outcomes.answer_unit(track, call, comp_code, reason)
            if kind == SegmentType.MQDISC:
                self._disconnected(track)
        elif kind >= SegmentType.XA_START:
            self._outcomes.answer_branch(track, call, reason)
        elif kind == SegmentType.MQCONN:
            self._connect_answered(track, call, comp_code, reason)
        elif kind == SegmentType.MQCLOSE:
            if comp_code != _FAILED:
                self._closed(track, call)
        elif kind == SegmentType.MQSTAT and comp_code != _FAILED:
            self._put_status(track, body, order)
        elif comp_code != _FAILED:
            self._opened(track, call, body, order, ccsid, handle)

    # Effects of each reply

    def _connect_answered(self, track: ConversationTrack, call: Waiting, comp_code: int, reason: int) -> None:
        failed = comp_code == _FAILED
        track.step(ConversationTrigger.REFUSED if failed else ConversationTrigger.CONNECTED)
        if failed:
            if call.before is ConversationState.CONNECTED:
                track.state = call.before  # a second MQCONN, which changes nothing
            self._log.add(ConnectRefused, track.id, reason, call.queue_manager)
            self._conversations.refuse(reason)
            return
        self.connects += 1
        self._conversations.accept()

    def _disconnected(self, track: ConversationTrack) -> None:
        track.step(ConversationTrigger.DISCONNECTED)
        self._outcomes.settle_conversation(track, MessageOutcome.CONFIRMED)
        track.handles.clear()
        track.closed.clear()
        track.streams.clear()

    def _opened(
        self, track: ConversationTrack, call: Waiting, body: memoryview, order: ByteOrder, ccsid: int, handle: int
    ) -> None:
        """Note the handle that an open or subscription returned."""
        kind, verb = call.type, call.verb
        subscribed = kind == SegmentType.MQSUB or verb == SpiVerb.SUBSCRIBE
        if kind != SegmentType.MQOPEN and verb != SpiVerb.OPEN and not subscribed:
            return
        asked, call.handle = call.handle, handle
        name, manager = call.object_name, call.queue_manager
        if subscribed:
            at = API_SIZE if kind == SegmentType.MQSUB else SUBSCRIBED + SPI_BASE_SIZE
            raw = bytes(body[at : at + 4])
            subscription = int.from_bytes(raw, order.endian, signed=True)
            if len(raw) == 4 and subscription > 0:
                self._give_handle(track, subscription, name, manager)
            if handle == asked and handle in track.handles:
                handle = 0  # it was open before
        else:
            self.opens += 1
            name, manager = _resolved(body, order, ccsid, verb, name, manager)
            call.object_name = name
        if handle not in _UNUSABLE:
            self._give_handle(track, handle, name, manager)
        self._log.add(ObjectOpened, track.id, call.handle, name, manager, call.name, call.options)

    def _give_handle(self, track: ConversationTrack, handle: int, name: str, manager: str) -> None:
        self._streams.close(track, handle, _ALL_RECEIVED)  # of an earlier object with that number
        track.open(handle, ObservedHandle(name, manager, self._log.place))

    def _closed(self, track: ConversationTrack, call: Waiting) -> None:
        self._streams.close(track, call.handle, call.last_index)
        found = track.close(call.handle)
        opened, calls = (None, 0) if found is None else (found.opened, max(0, found.calls - 1))
        self._log.add(ObjectClosed, track.id, call.handle, call.object_name, opened, calls)

    def _put_status(self, track: ConversationTrack, body: memoryview, order: ByteOrder) -> None:
        try:
            record = parse_sts(body, API_SIZE + 4, order).record
        except StructureError as error:
            self._log.add(CallMalformed, track.id, "reply to MQSTAT", str(error))
            return
        self._outcomes.answer_status(record.put_failure_count)


def _pair(track: ConversationTrack, kind: int, request: int) -> Waiting | None:
    """Return the call that a reply belongs to: the oldest with its type and request id."""
    waiting = track.waiting
    if waiting and waiting[0].type == kind and waiting[0].request == request:
        return waiting.popleft()
    for call in waiting:
        if call.type == kind and call.request == request:
            waiting.remove(call)
            return call
    return None


def _complete(call: Waiting, message: ObservedMessage, body: memoryview, order: ByteOrder, ccsid: int) -> None:
    """Take over a put message's descriptor as the queue manager completed it. Raises ``StructureError``."""
    at = API_SIZE
    if call.type == _MQPUT:
        pass
    elif call.type == SegmentType.SPI:
        at = SPI_BODY + SPI_BASE_SIZE
    elif call.type == SegmentType.MQPUT1:
        od = parse_od(body, at, order)
        at += od.known + len(od.rest)
    message.descriptor, message.order, message.ccsid = read_descriptor(body, at, order), order, ccsid


def _resolved(body: memoryview, order: ByteOrder, ccsid: int, verb: int, name: str, manager: str) -> tuple[str, str]:
    """Return the resolved names in the reply to an open; those of the request if it has none."""
    try:
        at = API_SIZE
        if verb:
            at = SPI_BODY + 2 * SPI_BASE_SIZE
            at += lpoo_size(body, at)
        record = parse_od(body, at, order).record
    except StructureError:
        return name, manager
    found = field_text(record.object_name, ccsid)
    return found or name, field_text(record.object_q_mgr_name, ccsid) or manager
