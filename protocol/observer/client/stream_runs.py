"""Runs of streamed messages: REQUEST_MSGS, ASYNC_MESSAGE of one segment, NOTIFICATION that a check is answered.

A consumer on a shared connection gets each message by the same three segments, or many by one request. Such a segment
is read here where it lies, and has the effects that :class:`~.message_streams.StreamObserver` would find. Whatever
differs (another handle, a reason, a message in parts, one that nobody asked for) is left to it, with nothing changed.
"""

from __future__ import annotations

import struct
from typing import Any, Final, final

from mqbridge.protocol.constants import ByteOrder, ControlFlags1, NotificationCode, RequestFlags
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.mqi.message_heads import MD_SIZES
from mqbridge.protocol.mqi.states import DELIVERY, DeliveryState, DeliveryTrigger
from mqbridge.protocol.observer.kept_data import MAX_KEPT_DATA
from mqbridge.protocol.observer.observations import MessageOutcome, MessageRoute, ObservedMessage
from mqbridge.protocol.observer.overview import ObservationLog
from mqbridge.protocol.segment import TAILS
from mqbridge.protocol.structures import ASYNC, NOTIF, REQMSG, async_name_size

from .message_outcomes import MessageOutcomes
from .message_streams import StreamObserver
from .messages import is_browse, is_in_unit
from .tracking import MAX_UNSETTLED, ConversationTrack

_WHOLE: Final = int(ControlFlags1.FIRST | ControlFlags1.LAST)
_CHECK_MSG: Final = int(NotificationCode.CHECK_MSG)
_CALLS: Final = int(RequestFlags.CHECK | RequestFlags.WAITING)
_CHECKING: Final = DeliveryState.CHECKING
_STREAMING: Final = DeliveryState.STREAMING
_AFTER_ONE: Final = DELIVERY[_STREAMING][DeliveryTrigger.LAST_MESSAGE]
_CONFIRMED: Final = MessageOutcome.CONFIRMED
_BROWSE: Final = MessageRoute.BROWSE
_GET: Final = MessageRoute.GET
_OK: Final = 0, 0
"""MQCC and MQRC of a message without a reason."""
_ORDERS: Final = {int(order): order for order in ByteOrder}
_BEGINNING: Final = 8
_ASYNC_SIZE: Final = ASYNC.size
_REQMSG_SIZE: Final = REQMSG.size
_NOTIF_SIZE: Final = NOTIF.size


def _readers(structure: Structure[Any], *keys: str) -> dict[int, Any]:
    """Return functions that unpack these fields of a structure, by byte order."""
    codes = [slot.code if slot.field.key in keys else f"{slot.size}x" for slot in structure.slots]
    return {int(order): struct.Struct(order.prefix + "".join(codes)).unpack_from for order in ByteOrder}


_ASYNC: Final = _readers(
    ASYNC, "object_handle", "message_index", "global_message_index", "segment_length", "reason_code",
    "actual_msg_length", "resolved_q_name_length",
)  # fmt: skip
_REQMSG: Final = _readers(
    REQMSG, "object_handle", "requested_bytes", "max_msg_length", "get_msg_options", "wait_interval", "request_flags",
    "global_message_index",
)  # fmt: skip
_NOTIF: Final = _readers(NOTIF, "object_handle", "code")


@final
class StreamRuns:
    """Deliveries for handles and streams that are known."""

    __slots__ = ("_log", "_outcomes", "_streams")

    def __init__(self, log: ObservationLog, outcomes: MessageOutcomes, streams: StreamObserver) -> None:
        self._log, self._outcomes, self._streams = log, outcomes, streams

    def request(self, track: ConversationTrack, words: tuple[Any, ...], buffer: bytes, body: int, end: int) -> bool:
        """Take a REQUEST_MSGS whose body lies from ``body`` to ``end``; return False for one that does not continue a
        run."""
        if end < body + _REQMSG_SIZE:
            return False
        number, requested, longest, options, wait, flags, index = _REQMSG[words[-6]](buffer, body)
        stream, handle = track.streams.get(number), track.handles.get(number)
        if stream is None or handle is None:
            return False
        if flags & _CALLS:
            handle.calls += 1
        self._streams.ask(stream, (requested, longest, options, wait, flags, index), words[1])
        return True

    def deliver(self, track: ConversationTrack, words: tuple[Any, ...], buffer: bytes, body: int, end: int) -> bool:
        """Take an ASYNC_MESSAGE likewise."""
        if words[-4] & _WHOLE != _WHOLE or end < body + _ASYNC_SIZE:
            return False
        byte_order = words[-6]
        order = _ORDERS[byte_order]
        number, message_index, index, there, reason, actual, name = _ASYNC[byte_order](buffer, body)
        stream, handle = track.streams.get(number), track.handles.get(number)
        if stream is None or handle is None or stream.partial is not None or reason or not handle.object_name:
            return False
        state = stream.state
        at = body + _ASYNC_SIZE + async_name_size(name)
        size = MD_SIZES.get((order, buffer[at : at + _BEGINNING]))
        if (
            (state is not _STREAMING and state is not _CHECKING)
            or size is None
            or end < at + size + there
            or actual > there
            or there > MAX_KEPT_DATA
            or 0 <= stream.max_length < there
        ):
            return False
        log, outcomes, options = self._log, self._outcomes, stream.options
        place = log.place
        descriptor = buffer[at : at + size]
        at += size
        browse = is_browse(options)
        message = ObservedMessage(
            _BROWSE if browse else _GET,
            log.direction,
            descriptor,
            order,
            TAILS[byte_order].unpack(words[-1])[1],
            buffer[at : at + there],
            there,
            True,
            place,
            place,
            handle.object_name,
            handle.queue_manager,
            0,
            b"",
            0,
            number,
            track.id,
        )
        outcomes.see(message)
        if browse:
            outcomes.settle(message, _CONFIRMED)
        elif track.branch is not None or is_in_unit(options, descriptor, order):
            outcomes.join(track.branch or track.unit, message)
        elif outcomes.is_full or len(stream.pending) >= MAX_UNSETTLED:
            outcomes.settle(message, _CONFIRMED)
        else:
            stream.pending.append((index, message_index, message))
        if state is _CHECKING:
            stream.found = _OK
            stream.got_bytes += words[1]
            return True
        if stream.single:
            stream.state = _AFTER_ONE
        if stream.asked is not None:
            self._streams.get_answered(track, number, stream, handle.object_name, _OK, words[1], place)
        return True

    def notify(self, track: ConversationTrack, words: tuple[Any, ...], buffer: bytes, body: int, end: int) -> bool:
        """Take a NOTIFICATION likewise."""
        if end < body + _NOTIF_SIZE or self._log.direction is Direction.INITIATOR:
            return False
        number, code = _NOTIF[words[-6]](buffer, body)
        stream, handle = track.streams.get(number), track.handles.get(number)
        if code != _CHECK_MSG or stream is None or handle is None or number <= 0:
            return False
        self._streams.check_answered(track, number, stream, handle.object_name, words[1])
        return True
