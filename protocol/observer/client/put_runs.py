"""Runs of puts: MQPUT and its reply, or MQPUT after MQPUT without replies, need no state machine.

A program that puts messages makes the same call on the same handle again and again. Each call is one segment, nothing
else is pending in its conversation, and the reply brings MQCC and MQRC. Such a segment is read here where it lies, and
has the effects that :class:`~.requests.Requests` and :class:`~.replies.ReplyObserver` would find. Whatever differs is
left to them, with nothing changed.
"""

from __future__ import annotations

import struct
from typing import Any, Final, final

from mqbridge.protocol.constants import MQCC, ByteOrder, SegmentType
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.mqi.message_heads import MD_SIZES
from mqbridge.protocol.mqi.states import ConversationState
from mqbridge.protocol.observer.kept_data import MAX_KEPT_DATA
from mqbridge.protocol.observer.observations import MessageRoute, ObservedMessage
from mqbridge.protocol.observer.overview import ObservationLog, Overview
from mqbridge.protocol.segment import SINGLE_WORDS, TAILS
from mqbridge.protocol.structures import API, PMO_SIZES

from .call_observations import CallAnswered, PutUnanswerable
from .conversations import ConversationObserver
from .message_outcomes import MessageOutcomes
from .messages import ASYNC_RESPONSE, NO_RECORDS, PMO_BEGINNINGS, PMO_RECORDS_AT, SYNCPOINT
from .received_messages import TSH_SIZE
from .tracking import ConversationTrack, Waiting

_MQPUT: Final = int(SegmentType.MQPUT)
_FAILED: Final = int(MQCC.FAILED)
_CONNECTED: Final = ConversationState.CONNECTED
_PUT: Final = MessageRoute.PUT
_NAME: Final = str(SegmentType.MQPUT)
_ORDERS: Final = {int(order): order for order in ByteOrder}
_API_SIZE: Final = API.size
_BEGINNING: Final = 8
_WORD: Final = 4
_PMO_HEAD: Final = 12
_room: Final = struct.Struct(">L").unpack_from
"""ReplyLength of an API header, which is big-endian whatever the byte order."""
_API: Final = {
    int(order): struct.Struct(
        order.prefix + "".join(slot.code if slot.field.key != "reply_length" else "4x" for slot in API.slots)
    ).unpack_from
    for order in ByteOrder
}
_PMO: Final = {int(order): struct.Struct(order.prefix + "4sLL").unpack_from for order in ByteOrder}
"""Beginning of MQPMO: StrucId, Version, Options (mq-wire.md 5.9)."""
_LENGTH: Final = {int(order): struct.Struct(order.prefix + "L").unpack_from for order in ByteOrder}


@final
class PutRuns:
    """Puts, one segment each, of conversations in which nothing else is pending."""

    __slots__ = ("_conversations", "_log", "_outcomes", "_overview")

    def __init__(
        self, log: ObservationLog, overview: Overview, conversations: ConversationObserver, outcomes: MessageOutcomes
    ) -> None:
        self._log, self._overview = log, overview
        self._conversations, self._outcomes = conversations, outcomes

    def request(self, track: ConversationTrack, words: tuple[Any, ...], buffer: bytes, body: int, end: int) -> bool:
        """Take an MQPUT whose body lies from ``body`` to ``end``; return False for one that does not continue a run."""
        log = self._log
        if (
            log.direction is not Direction.INITIATOR
            or track.waiting
            or track.partials
            or track.state is not _CONNECTED
            or end < body + _API_SIZE + _BEGINNING
        ):
            return False
        byte_order = words[-6]
        order = _ORDERS[byte_order]
        index, _, number = _API[byte_order](buffer, body)
        handle = track.handles.get(number)
        at = body + _API_SIZE
        size = MD_SIZES.get((order, buffer[at : at + _BEGINNING]))
        if handle is None or size is None or end < at + size + _PMO_HEAD:
            return False
        descriptor = buffer[at : at + size]
        at += size
        struc_id, version, options = _PMO[byte_order](buffer, at)
        size = PMO_SIZES.get(version)
        if size is None or struc_id not in PMO_BEGINNINGS:
            return False
        begin = at + size + _WORD
        if end < begin or (
            size > PMO_RECORDS_AT and buffer[at + PMO_RECORDS_AT : at + PMO_RECORDS_AT + _WORD] != NO_RECORDS
        ):
            return False
        (length,) = _LENGTH[byte_order](buffer, at + size)
        if length > end - begin or length > MAX_KEPT_DATA:
            return False
        place = log.place
        handle.calls += 1
        name, manager = handle.object_name, handle.queue_manager
        message = ObservedMessage(
            _PUT,
            Direction.INITIATOR,
            descriptor,
            order,
            TAILS[byte_order].unpack(words[-1])[1],
            buffer[begin : begin + length],
            length,
            True,
            place,
            place,
            name,
            manager,
            0,
            b"",
            0,
            number,
            track.id,
        )
        in_unit = options & SYNCPOINT != 0 or track.branch is not None
        if options & ASYNC_RESPONSE:
            log.observations.append(
                PutUnanswerable(Direction.INITIATOR, place, track.id, _NAME, number, name, words[1])
            )
            self._outcomes.see(message)
            self._outcomes.put_asynchronously(track, message, in_unit)
            return True
        request = 0 if len(words) == SINGLE_WORDS else words[3]
        call = Waiting(_MQPUT, _NAME, request, number, place, words[1], _room(buffer, body)[0], name, manager)
        call.last_index, call.message, call.in_unit = index, message, in_unit
        track.waiting.append(call)
        return True

    def reply(self, track: ConversationTrack, words: tuple[Any, ...], buffer: bytes, body: int, end: int) -> bool:
        """Take an MQPUT_REPLY likewise."""
        log, conversations = self._log, self._conversations
        waiting = track.waiting
        if (
            log.direction is not Direction.RESPONDER
            or len(waiting) != 1
            or track.partials
            or end < body + _API_SIZE
            or (self._overview.uncertain and not conversations.connected)
        ):
            return False
        call = waiting[0]
        message = call.message
        request = 0 if len(words) == SINGLE_WORDS else words[3]
        if call.type != _MQPUT or call.request != request or call.misused or message is None:
            return False
        byte_order = words[-6]
        order = _ORDERS[byte_order]
        comp_code, reason, _ = _API[byte_order](buffer, body)
        if comp_code != _FAILED:
            at = body + _API_SIZE
            size = MD_SIZES.get((order, buffer[at : at + _BEGINNING]))
            if size is None or end < at + size:
                return False
            message.descriptor = buffer[at : at + size]
            message.order, message.ccsid = order, TAILS[byte_order].unpack(words[-1])[1]
        waiting.popleft()
        track.unsure = False
        place = call.answered = log.place
        self._outcomes.answer_put(track, call, comp_code, reason)
        track.calls += 1
        conversations.calls += 1
        log.observations.append(
            CallAnswered(
                Direction.RESPONDER,
                place,
                track.id,
                _NAME,
                call.handle,
                call.object_name,
                comp_code,
                reason,
                call.asked,
                place,
                call.size,
                words[1],
                call.room,
                _room(buffer, body)[0],
                end - body + TSH_SIZE,
                call.wait,
            )
        )
        return True
