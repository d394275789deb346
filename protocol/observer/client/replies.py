"""How an observer pairs replies with their calls, and what it reads of them (mq-wire.md 5.4, 8.3)."""

from __future__ import annotations

from typing import Final

from mqbridge.protocol.compiled import Record
from mqbridge.protocol.constants import MQCC, MQGMO, MQRC, SegmentType, SpiVerb
from mqbridge.protocol.errors import StructureError
from mqbridge.protocol.mqi.message_heads import read_descriptor
from mqbridge.protocol.mqi.states import ConversationState, ConversationTrigger
from mqbridge.protocol.numbers import ByteOrder
from mqbridge.protocol.observer.observations import MessageCourse, MessageFate, ObservedMessage, Place
from mqbridge.protocol.structures import API, XA, lpoo_size, parse_od, parse_sts
from mqbridge.protocol.structures.spi_base import SPI_BASE_SIZE

from .call_observations import CallAnswered, HandleMisused, ObjectClosed, ObjectOpened, ReplyUnexpected
from .compressed_calls import unread_message
from .connection_observations import ConnectRefused
from .messages import Got, Outcome, got_head, is_browse, is_in_unit, kept_data
from .requests import API_SIZE, COMPRESSED, SPI_BODY, SUBSCRIBED, Requests, call_name
from .signing_on import field_text
from .tracking import Handle, Partial, Track, Waiting

REPLY: Final = 0x10
"""What the type of a reply adds to that of its call."""
_TSH_SIZE: Final = 28
_FAILED: Final = int(MQCC.FAILED)
_FIRST_XA: Final = int(SegmentType.XA_START_REPLY)
_MQGET: Final = int(SegmentType.MQGET)
_MQPUT: Final = int(SegmentType.MQPUT)
_UTF_8: Final = 1208
_NO_MESSAGE: Final = int(MQRC.NO_MSG_AVAILABLE)
_TRUNCATED_FAILED: Final = int(MQRC.TRUNCATED_MSG_FAILED)
_ENDS_UNIT: Final = frozenset(map(int, (SegmentType.MQCMIT, SegmentType.MQBACK, SegmentType.MQDISC)))
_ALL_RECEIVED: Final = 0xFFFFFFFF
_UNUSABLE: Final = (0, -1)


class Replies(Requests):
    """The part with the replies of the queue manager."""

    def __init__(self, whole: bool) -> None:
        super().__init__(whole)
        self.calls = self.connects = self.opens = self.gets = 0
        self._empty: dict[str, int] = {}

    def _take_reply(
        self,
        track: Track,
        whole: Partial | None,
        kind: int,
        body: memoryview,
        request: int,
        order: ByteOrder,
        ccsid: int,
        answered: Place,
        size: int,
    ) -> None:
        """A reply is there as a whole; ``whole``: its segments where there are several."""
        call = _pair(track, kind - REPLY, request)
        if call is None:
            if not track.unsure:
                waiting = tuple(found.name for found in track.waiting)
                name = call_name(kind - REPLY)
                self._tell(ReplyUnexpected, track.id, name, waiting)
            return
        track.unsure = False
        if self.uncertain and not self.connected and kind != SegmentType.MQCONN_REPLY:
            self.connected = True  # before the capture
        if len(body) < API_SIZE:
            self._malformed(track.id, f"reply to {call.name}", f"{len(body)} bytes, {API_SIZE} needed")
            if call.message is not None:
                self._see(call.message)
                self._settle(call.message, MessageFate.UNKNOWN)
            return
        if kind >= _FIRST_XA:
            header = XA.codec(order).parse(body)
            stated, reason, handle = header.length, header.return_value, 0
            comp_code = 0 if reason >= 0 else _FAILED
        else:
            api = API.codec(order).parse(body)
            stated, comp_code, reason, handle = api.reply_length, api.comp_code, api.reason, api.object_handle
        call.answered = answered
        self._settle_call(track, call, body, order, ccsid, Outcome(comp_code, reason, handle, stated), whole)
        there = (whole.length if whole is not None else len(body)) + _TSH_SIZE
        track.calls += 1
        self.calls += 1
        told = CallAnswered(
            self._direction,
            self._place,
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
        self._told.append(told)
        if call.misused:
            self._tell(
                HandleMisused, track.id, call.name, call.handle, call.object_name, call.misused == 1, comp_code, reason
            )

    def _settle_call(
        self,
        track: Track,
        call: Waiting,
        body: memoryview,
        order: ByteOrder,
        ccsid: int,
        outcome: Outcome,
        whole: Partial | None,
    ) -> None:
        """What a reply changes."""
        comp_code, reason, handle, _ = outcome
        kind = call.type
        compressed = whole is not None and whole.flags2 & COMPRESSED
        try:
            if call.message is not None:
                if comp_code != _FAILED and not compressed:
                    _complete(call, call.message, body, order, ccsid)
            elif kind == _MQGET and compressed and whole is not None:
                self._got_unread(track, call, outcome, whole)
            elif kind == _MQGET:
                self._got(track, call, body, order, ccsid, outcome, whole)
        except StructureError as error:
            self._malformed(track.id, f"reply to {call.name}", str(error))
        if call.message is not None:
            self._put_answered(track, call, comp_code, reason)
        elif kind in _ENDS_UNIT:
            self._unit_answered(track, call, comp_code, reason)
            if kind == SegmentType.MQDISC:
                self._disconnected(track)
        elif kind >= SegmentType.XA_START:
            self._branch_answered(track, call, reason)
        elif kind == SegmentType.MQCONN:
            self._connect_answered(track, call, comp_code, reason)
        elif kind == SegmentType.MQCLOSE:
            if comp_code != _FAILED:
                self._closed(track, call)
        elif kind == SegmentType.MQSTAT and comp_code != _FAILED:
            self._put_status(track, body, order)
        elif comp_code != _FAILED:
            self._opened(track, call, body, order, ccsid, handle)

    # What each reply says

    def _connect_answered(self, track: Track, call: Waiting, comp_code: int, reason: int) -> None:
        failed = comp_code == _FAILED
        track.step(ConversationTrigger.REFUSED if failed else ConversationTrigger.CONNECTED)
        if failed:
            if call.before is ConversationState.CONNECTED:
                track.state = call.before  # a second MQCONN, which changes nothing
            self._tell(ConnectRefused, track.id, reason, call.queue_manager)
            self._refused(reason)
            return
        self.connected = True
        self.connects += 1
        self.outcome, self.reason = "open", 0

    def _disconnected(self, track: Track) -> None:
        track.step(ConversationTrigger.DISCONNECTED)
        self._settle_track(track, MessageFate.CONFIRMED)
        track.handles.clear()
        track.closed.clear()
        track.streams.clear()

    def _opened(self, track: Track, call: Waiting, body: memoryview, order: ByteOrder, ccsid: int, handle: int) -> None:
        """An open or a subscription gave a handle."""
        kind, verb = call.type, call.verb
        subscribed = kind == SegmentType.MQSUB or verb == SpiVerb.SUBSCRIBE
        if kind != SegmentType.MQOPEN and verb != SpiVerb.OPEN and not subscribed:
            return
        asked, call.handle = call.handle, handle
        name, manager = call.object_name, call.queue_manager
        if subscribed:
            at = API_SIZE if kind == SegmentType.MQSUB else SUBSCRIBED + SPI_BASE_SIZE
            raw = bytes(body[at : at + 4])
            subscription = int.from_bytes(raw, order, signed=True)
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
        self._tell(ObjectOpened, track.id, call.handle, name, manager, call.name, call.options)

    def _give_handle(self, track: Track, handle: int, name: str, manager: str) -> None:
        self._close_stream(track, handle, _ALL_RECEIVED)  # of an earlier object of that number
        track.open(handle, Handle(name, manager, self._place))

    def _closed(self, track: Track, call: Waiting) -> None:
        self._close_stream(track, call.handle, call.last_index)
        found = track.close(call.handle)
        opened, calls = (None, 0) if found is None else (found.opened, max(0, found.calls - 1))
        self._tell(ObjectClosed, track.id, call.handle, call.object_name, opened, calls)

    def _close_stream(self, track: Track, handle: int, last_index: int) -> None:
        raise NotImplementedError

    def _put_status(self, track: Track, body: memoryview, order: ByteOrder) -> None:
        try:
            record = parse_sts(body, API_SIZE + 4, order).record
        except StructureError as error:
            self._malformed(track.id, "reply to MQSTAT", str(error))
            return
        self._status_answered(record.put_failure_count)

    def _got(
        self,
        track: Track,
        call: Waiting,
        body: memoryview,
        order: ByteOrder,
        ccsid: int,
        outcome: Outcome,
        whole: Partial | None,
    ) -> None:
        comp_code, reason = outcome.comp_code, outcome.reason
        self._count_get(call.object_name, reason, call.wait)
        if comp_code == _FAILED:
            return
        descriptor, options, resolved, at, length = got_head(body, order)
        if whole is None or whole.kept is None:
            end = min(len(body), at + length)
            if end < at + length:
                end = min(end, outcome.stated - _TSH_SIZE)  # the message was cut: what follows is filling
            kept, there = kept_data(body, at, end, (descriptor, order, ccsid)), end - at
        else:
            kept, there = (whole.kept.data(), whole.kept.digest()), whole.kept.length
        queue = call.object_name or field_text(resolved, ccsid)
        got = Got(descriptor, order, ccsid, kept, there, length, call.answered, reason)
        self._message_got(track, call.handle, (queue, call.queue_manager), call.options or options, got)

    def _got_unread(self, track: Track, call: Waiting, outcome: Outcome, whole: Partial) -> None:
        """A get brought a compressed message, or none."""
        self._count_get(call.object_name, outcome.reason, call.wait)
        options = call.options
        if outcome.comp_code == _FAILED or not options:
            return  # without options nothing says whether it was a browse
        course = MessageCourse.BROWSE if is_browse(options) else MessageCourse.GET
        message = unread_message(course, self._direction, track.id, call, whole, self._place)
        self._see(message)
        if outcome.reason == _TRUNCATED_FAILED:
            self._settle(message, MessageFate.REFUSED, outcome.reason)
        elif course is MessageCourse.GET and (track.branch is not None or is_in_unit(options, b"", whole.order)):
            self._join(track.branch or track.unit, message)
        else:
            outside = is_browse(options) or options & MQGMO.NO_SYNCPOINT
            self._settle(message, MessageFate.CONFIRMED if outside else MessageFate.UNKNOWN)

    def _count_get(self, queue: str, reason: int, wait: int) -> None:
        self.gets += 1
        if reason == _NO_MESSAGE and not wait and (queue in self._empty or len(self._empty) < MAX_POLLED):
            self._empty[queue] = self._empty.get(queue, 0) + 1

    def _message_got(
        self, track: Track, handle: int, source: tuple[str, str], options: int, got: Got, *, streamed: bool = False
    ) -> ObservedMessage | None:
        """A message came from a queue and queue manager; given back where only the client's next words settle it, as of
        those that stream."""
        browse = is_browse(options)
        whole = got.there >= got.length
        message = ObservedMessage(
            MessageCourse.BROWSE if browse else MessageCourse.GET,
            self._direction,
            got.descriptor,
            got.order,
            got.ccsid,
            got.kept[0],
            got.length,
            whole,
            got.first,
            self._place,
            *source,
            handle=handle,
            conversation=track.id,
            digest=got.kept[1] if whole else b"",
        )
        self._see(message)
        if got.reason == _TRUNCATED_FAILED:
            self._settle(message, MessageFate.REFUSED, got.reason)
        elif browse:
            self._settle(message, MessageFate.CONFIRMED)
        elif track.branch is not None or is_in_unit(options, got.descriptor, got.order):
            self._join(track.branch or track.unit, message)
        elif streamed:
            return message
        else:
            self._settle(message, MessageFate.CONFIRMED)
        return None


MAX_POLLED: Final = 1000
"""Queues whose empty gets are counted."""


def _pair(track: Track, kind: int, request: int) -> Waiting | None:
    """The call that a reply belongs to: the oldest of its type and request id."""
    waiting = track.waiting
    if waiting and waiting[0].type == kind and waiting[0].request == request:
        return waiting.popleft()
    for call in waiting:
        if call.type == kind and call.request == request:
            waiting.remove(call)
            return call
    return None


def _complete(call: Waiting, message: ObservedMessage, body: memoryview, order: ByteOrder, ccsid: int) -> None:
    """The descriptor of a message that was put, as the queue manager completed it. Raises ``StructureError``."""
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
    """Names of an object as the reply to its open has them; those of the request where it does not."""
    try:
        at = API_SIZE
        if verb:
            at = SPI_BODY + 2 * SPI_BASE_SIZE
            at += lpoo_size(body, at)
        record: Record = parse_od(body, at, order).record
    except StructureError:
        return name, manager
    found = field_text(record.object_name, ccsid)
    return found or name, field_text(record.object_q_mgr_name, ccsid) or manager
