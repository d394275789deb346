"""Messages streamed on shared connections: REQUEST_MSGS, ASYNC_MESSAGE, NOTIFICATION (client-observed.md 5).

A program's get is reported as a call: requested by its first REQUEST_MSGS, answered by the message, or by the
NOTIFICATION that there is none. Requests of message listeners and of read ahead are not calls.
"""

from __future__ import annotations

from typing import Final, final

from mqbridge.protocol.constants import MQCC, MQRC, ControlFlags1, NotificationCode, RequestFlags
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.errors import StructureError
from mqbridge.protocol.layouts.async_message import Async
from mqbridge.protocol.mqi.credit import after_answer, wants_one
from mqbridge.protocol.mqi.message_heads import read_descriptor
from mqbridge.protocol.mqi.states import DELIVERY, ConversationState, DeliveryState, DeliveryTrigger
from mqbridge.protocol.observer.observations import MessageOutcome, Place
from mqbridge.protocol.observer.overview import ObservationLog, Overview
from mqbridge.protocol.segment import Segment
from mqbridge.protocol.structures import ASYNC, ASYNC_MORE, NOTIF, REQMSG, async_name_size

from .call_observations import (
    CallAnswered,
    CallCut,
    CallMalformed,
    DeliveredAfterClose,
    DeliveredTooLong,
    DeliveredUnasked,
    HandleMisused,
)
from .connection_observations import Quiesced
from .conversations import ConversationObserver
from .message_outcomes import MessageOutcomes
from .messages import DeliveredMessage, is_no_message
from .negotiation import field_text
from .received_messages import ReceivedMessages
from .tracking import MAX_HANDLES, MAX_PARTIALS, MAX_UNSETTLED, ConversationTrack, ObservedStream, StreamedMessage

_CHECK: Final = int(RequestFlags.CHECK)
_WAITING: Final = int(RequestFlags.WAITING)
_LISTENER: Final = int(RequestFlags.LISTENER)
_FIRST: Final = int(ControlFlags1.FIRST)
_LAST: Final = int(ControlFlags1.LAST)
_FAILED: Final = int(MQCC.FAILED)
_NO_MESSAGE: Final = int(MQRC.NO_MSG_AVAILABLE)
_GET_ENDS: Final = {
    int(NotificationCode.GET_INHIBITED): int(MQRC.GET_INHIBITED),
    int(NotificationCode.QM_QUIESCING): int(MQRC.Q_MGR_QUIESCING),
}
_ASKING: Final = frozenset((DeliveryState.STREAMING, DeliveryState.CHECKING))
_NAME: Final = "MQGET"

Wanted = tuple[int, int, int, int, int, int]
"""RequestedBytes, MaxMsgLength, GetMsgOptions, WaitInterval, RequestFlags and GlobalMessageIndex of a REQUEST_MSGS."""


@final
class StreamObserver:
    """Deliveries for the handles of shared connections; each is in the ``streams`` of its conversation."""

    __slots__ = ("_conversations", "_log", "_outcomes", "_overview", "_received")

    def __init__(
        self,
        log: ObservationLog,
        overview: Overview,
        conversations: ConversationObserver,
        outcomes: MessageOutcomes,
        received: ReceivedMessages,
    ) -> None:
        self._log, self._overview, self._conversations = log, overview, conversations
        self._outcomes, self._received = outcomes, received

    def request(self, segment: Segment) -> None:
        """Take a REQUEST_MSGS. Raises ``StructureError``."""
        track = self._conversations.find(segment)
        if track is None:
            return
        body = REQMSG.codec(segment.order).parse(segment.body_view)
        number, flags = body.object_handle, body.request_flags
        handle = track.handles.get(number)
        if handle is None:
            misuse = track.misuse(number)
            if misuse:
                name = track.closed.get(number, "")
                self._log.add(HandleMisused, track.id, _NAME, number, name, misuse == 1, 0, None)
        elif flags & (_CHECK | _WAITING):
            handle.calls += 1
        stream = track.streams.get(number)
        if stream is None:
            if len(track.streams) >= MAX_HANDLES:
                return
            stream = track.streams[number] = ObservedStream()
        wanted = body.requested_bytes, body.max_msg_length, body.get_msg_options, body.wait_interval, flags
        self.ask(stream, (*wanted, body.global_message_index), segment.length)

    def ask(self, stream: ObservedStream, wanted: Wanted, length: int) -> None:
        """Take what a REQUEST_MSGS of ``length`` bytes says for a stream."""
        requested, longest, options, wait, flags, index = wanted
        self._confirm_received(stream, index)
        # A repeated check was answered when it was replaced (DELIVERY, mqi/states.py).
        state = DeliveryState.IDLE if stream.state is DeliveryState.CHECKING else stream.state
        stream.state = DELIVERY[state][DeliveryTrigger.CHECK if flags & _CHECK else DeliveryTrigger.ASK]
        stream.flags, stream.options, stream.max_length = flags, options, longest
        stream.single = wants_one(requested, flags)
        if not flags & (_WAITING | _CHECK) or flags & _LISTENER:
            return
        if stream.asked is None:
            stream.asked, stream.asked_bytes, stream.wait = self._log.place, length, 0
            stream.found, stream.got_bytes = None, 0
        if not flags & _CHECK:
            stream.wait = wait

    def _confirm_received(self, stream: ObservedStream, index: int) -> None:
        """Settle messages outside syncpoint: the client has received all of the conversation up to an index."""
        pending = stream.pending
        while pending and (pending[0][0] <= index or not pending[0][0]):
            self._outcomes.settle(pending.popleft()[2], MessageOutcome.CONFIRMED)

    # ASYNC_MESSAGE

    def deliver(self, segment: Segment) -> None:
        """Take an ASYNC_MESSAGE. Raises ``StructureError``."""
        track = self._conversations.find(segment)
        if track is None:
            return
        order, body = segment.order, segment.body_view
        head = (ASYNC if segment.flags1 & _FIRST else ASYNC_MORE).codec(order).parse(body)
        number = head.object_handle
        stream = track.streams.get(number)
        if number not in track.handles and not self._can_be_open(track, number, "ASYNC_MESSAGE"):
            return
        if stream is None:
            if len(track.streams) >= MAX_HANDLES:
                return
            stream = track.streams[number] = ObservedStream()
        data_at = ASYNC_MORE.size
        if isinstance(head, Async):
            if stream.partial is not None:
                self._cut(track, "a message inside another one")
            if not segment.flags1 & _LAST and self._too_many_incomplete():
                track.unsure = self._overview.uncertain = True
                return
            stream.partial, data_at = self._begin_message(head, body, segment)
        elif stream.partial is None:
            if not track.unsure:
                self._cut(track, "a message without its first segment")
            return
        partial = stream.partial
        data = body[data_at : data_at + head.segment_length]
        if len(data) < head.segment_length:
            self._log.add(
                CallMalformed, track.id, "ASYNC_MESSAGE", f"{head.segment_length} bytes of data told, {len(data)} there"
            )
        partial.bytes += segment.length
        partial.add(data)
        if segment.flags1 & _LAST:
            stream.partial = None
            self._message_whole(track, number, stream, partial, segment)

    def _too_many_incomplete(self) -> bool:
        """Return whether too many messages are incomplete."""
        incomplete = sum(
            stream.partial is not None
            for track in self._conversations.tracks.values()
            for stream in track.streams.values()
        )
        return incomplete >= MAX_PARTIALS

    def _can_be_open(self, track: ConversationTrack, number: int, name: str) -> bool:
        """Return whether a handle that is not known to be open may be; report it if not."""
        misuse = track.misuse(number)
        if misuse:
            self._log.add(DeliveredAfterClose, track.id, number, name, misuse == 1)
        return not misuse

    def _cut(self, track: ConversationTrack, detail: str) -> None:
        self._log.add(CallCut, track.id, "ASYNC_MESSAGE", detail)

    def _begin_message(self, head: Async, body: memoryview, segment: Segment) -> tuple[StreamedMessage, int]:
        at = ASYNC.size + async_name_size(head.resolved_q_name_length)
        try:
            descriptor = read_descriptor(body, at, segment.order)
        except StructureError:
            if not head.reason_code:
                raise
            descriptor = b""  # a reason in place of a message (client-observed.md O-089)
        queue = bytes(body[ASYNC.size : ASYNC.size + head.resolved_q_name_length])
        source = descriptor, segment.order, segment.ccsid
        return StreamedMessage(self._log.place, source, head, queue), at + len(descriptor)

    def _message_whole(
        self, track: ConversationTrack, number: int, stream: ObservedStream, partial: StreamedMessage, segment: Segment
    ) -> None:
        handle = track.handles.get(number)
        queue = "" if handle is None else handle.object_name
        if not track.unsure and stream.state not in _ASKING:
            self._log.add(DeliveredUnasked, track.id, number, queue)
        descriptor, reason = partial.source[0], partial.reason
        if not is_no_message(descriptor, max(partial.actual, partial.length), reason):
            self._streamed(track, number, queue, stream, partial, segment)
        failed = not descriptor or reason == MQRC.NO_MSG_AVAILABLE
        comp_code = MQCC.FAILED if failed else MQCC.WARNING if reason else MQCC.OK
        outcome = int(comp_code), partial.reason
        if stream.state is DeliveryState.CHECKING:
            stream.found = outcome
            stream.got_bytes += partial.bytes
            return
        if stream.state is DeliveryState.STREAMING:
            trigger = DeliveryTrigger.LAST_MESSAGE if stream.single else DeliveryTrigger.MESSAGE
            stream.state = DELIVERY[stream.state][trigger]
        self.get_answered(track, number, stream, queue, outcome, partial.bytes, partial.first)

    def _streamed(
        self,
        track: ConversationTrack,
        number: int,
        queue: str,
        stream: ObservedStream,
        partial: StreamedMessage,
        segment: Segment,
    ) -> None:
        there = partial.length
        if 0 <= stream.max_length < there:
            self._log.add(DeliveredTooLong, track.id, number, queue, there, stream.max_length)
        queue = queue or field_text(partial.queue, segment.ccsid)
        length = max(partial.actual, there)
        got = DeliveredMessage(*partial.source, partial.kept(), there, length, partial.first, partial.reason)
        manager = "" if (handle := track.handles.get(number)) is None else handle.queue_manager
        message = self._received.receive(track, number, (queue, manager), stream.options, got, streamed=True)
        if message is None:
            return
        if self._outcomes.is_full or len(stream.pending) >= MAX_UNSETTLED:
            self._outcomes.settle(message, MessageOutcome.CONFIRMED)
        else:
            stream.pending.append((partial.index, partial.message_index, message))

    def get_answered(
        self,
        track: ConversationTrack,
        number: int,
        stream: ObservedStream,
        queue: str,
        outcome: tuple[int, int],
        size: int,
        answered: Place,
    ) -> None:
        """Report the pending get, if any, as answered."""
        asked, stream.asked = stream.asked, None
        if asked is None:
            return
        wait, stream.wait, stream.found = stream.wait, 0, None
        comp_code, reason = outcome
        if track.unsure:
            track.unsure, track.state = False, ConversationState.CONNECTED
        track.calls += 1
        self._conversations.calls += 1
        self._received.count(queue, reason, wait)
        log = self._log
        log.observations.append(
            CallAnswered(
                log.direction,
                log.place,
                track.id,
                _NAME,
                number,
                queue,
                comp_code,
                reason,
                asked,
                answered,
                stream.asked_bytes,
                size,
                0,
                0,
                0,
                wait,
                True,
            )
        )

    # NOTIFICATION

    def notify(self, segment: Segment) -> None:
        """Take a NOTIFICATION. Raises ``StructureError``."""
        track = self._conversations.find(segment)
        if track is None or self._log.direction is Direction.INITIATOR:
            return
        body = NOTIF.codec(segment.order).parse(segment.body_view)
        number, code = body.object_handle, body.code
        if code == NotificationCode.QM_QUIESCING:
            self._log.add(Quiesced, track.id, "NOTIFICATION")
        if number <= 0 or code == NotificationCode.CONN_STATE_REPLY:
            return
        if number not in track.handles and not self._can_be_open(track, number, "NOTIFICATION"):
            return
        stream = track.streams.get(number)
        if stream is None:
            return
        handle = track.handles.get(number)
        queue = "" if handle is None else handle.object_name
        if code == NotificationCode.CHECK_MSG:
            self.check_answered(track, number, stream, queue, segment.length)
        elif code in _GET_ENDS:
            outcome = _FAILED, _GET_ENDS[code]
            self.get_answered(track, number, stream, queue, outcome, segment.length, self._log.place)

    def check_answered(
        self, track: ConversationTrack, number: int, stream: ObservedStream, queue: str, length: int
    ) -> None:
        """Take a NOTIFICATION of ``length`` bytes that ends a check."""
        if stream.state is DeliveryState.CHECKING:
            stream.state = DELIVERY[stream.state][after_answer(stream.flags, spent=stream.single)]
        outcome = stream.found or (_FAILED, _NO_MESSAGE)
        self.get_answered(track, number, stream, queue, outcome, stream.got_bytes + length, self._log.place)

    # The end of a handle

    def close(self, track: ConversationTrack, handle: int, last_index: int) -> None:
        """Take the reply to an MQCLOSE: messages after an index, which the client has not received, return to the queue
        (client-observed.md O-055)."""
        stream = track.streams.pop(handle, None)
        if stream is None:
            return
        for _, index, message in stream.pending:
            self._outcomes.settle(
                message, MessageOutcome.BACKED_OUT if index > last_index else MessageOutcome.CONFIRMED
            )
        stream.pending.clear()
