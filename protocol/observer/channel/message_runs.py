"""Runs of messages in a batch: MESSAGE_DATA that continues what is known needs no state machine.

In a batch nearly every segment holds one whole message with the next number, the LUWID of the batch and consistent
lengths. For such a segment :class:`~.channel_observer.ChannelObserver` finds that there is nothing to say but the
message, and moves a few counters. Here all of that is compared at once, on the words of the header and one ``unpack``,
and the counters are moved. Whatever differs, and whatever ends the run (a request for confirmation), is left to the
observer.
"""

from __future__ import annotations

from typing import Any, Final, final

from mqbridge.protocol.channel.sequence import HIGHEST_NUMBER, is_number, next_number
from mqbridge.protocol.channel.states import State
from mqbridge.protocol.constants import ByteOrder, ControlFlags1, SegmentType
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.observer.kept_data import MAX_KEPT_DATA, MAX_UNSETTLED_DATA
from mqbridge.protocol.observer.observations import MessageRoute, MessageSeen, Observation, ObservedMessage, Place
from mqbridge.protocol.observer.overview import ObservationLog, Overview
from mqbridge.protocol.segment import SINGLE_WORDS

from .batches import MAX_UNSETTLED_MESSAGES, Batches
from .ends import ChannelEnds
from .messages import DESCRIPTOR, HEADERS, MSH_IDS, TRANSMISSION_HEADER, UNPACKERS, XQH_IDS
from .silence import Silence
from .values import read_name

_MESSAGE: Final = int(SegmentType.MESSAGE_DATA)
_ALONE: Final = int(ControlFlags1.FIRST | ControlFlags1.LAST)
_SHAPE: Final = _ALONE | int(ControlFlags1.CONFIRM_REQUEST)
_BATCH: Final = State.BATCH
_CHANNEL: Final = MessageRoute.CHANNEL
_ORDERS: Final = {int(order): order for order in ByteOrder}


@final
class MessageRuns:
    """Messages that continue the open batch."""

    __slots__ = ("_batches", "_ends", "_log", "_overview", "_silence", "longest")

    def __init__(
        self, log: ObservationLog, overview: Overview, ends: ChannelEnds, batches: Batches, silence: Silence
    ) -> None:
        self._log, self._overview = log, overview
        self._ends, self._batches, self._silence = ends, batches, silence
        self.longest = 0x7FFFFFFF
        """Agreed length of a segment in bytes."""

    def take(
        self, direction: Direction, words: tuple[Any, ...], buffer: bytes, start: int, place: Place
    ) -> list[Observation] | None:
        """Take a segment that continues the run; None, with nothing changed, for any other.

        ``words``: its header, as ``protocol.segment.read_header`` gives it, with a shape that was seen before.
        """
        if len(words) != SINGLE_WORDS:
            return None
        _, length, byte_order, kind, flags1, flags2, luwid, tail = words
        batches, ends, silence = self._batches, self._ends, self._silence
        batch = batches.batch
        if (
            kind != _MESSAGE
            or flags1 & _SHAPE != _ALONE
            or flags2
            or batch is None
            or not batch.whole
            or batch.asked is not None
            or luwid != batch.luwid
            or direction is not ends.sender
            or ends.states.receiver is not _BATCH
            or ends.closed
            or self._overview.uncertain
            or not HEADERS <= length <= self.longest
            or place.time - silence.since > silence.interval
            or not batches.continues(tail, byte_order)
        ):
            return None
        values = UNPACKERS[byte_order](buffer, start)
        msh_id, number, data_length, unknown, message_length, xqh_id, xqh_version, queue, queue_manager = values
        there = length - HEADERS
        count, wrap = batch.count + 1, batches.wrap or HIGHEST_NUMBER
        if (
            number != batches.expected
            or not is_number(number, wrap)
            or there != data_length
            or message_length != data_length + TRANSMISSION_HEADER
            or unknown
            or xqh_version != 1
            or msh_id not in MSH_IDS
            or xqh_id not in XQH_IDS
            or not batches.numbered
            or count == batches.first_excess
            or there > batches.length_limit
            or there > MAX_KEPT_DATA
            or batches.kept + there > MAX_UNSETTLED_DATA
            or len(batch.messages) >= MAX_UNSETTLED_MESSAGES
        ):
            return None
        log, ccsid = self._log, batches.ccsid
        log.direction, log.place, silence.since = direction, place, place.time
        batches.expected = next_number(number, wrap)
        ends.spoken.add(direction)
        batch.count, batch.last = count, number
        batch.first = batch.first or number
        at = start + HEADERS
        descriptor = buffer[start + DESCRIPTOR : at]
        ebcdic = descriptor[0] & 0x80 != 0
        message = ObservedMessage(
            _CHANNEL,
            direction,
            descriptor,
            _ORDERS[byte_order],
            ccsid,
            buffer[at : start + length],
            there,
            True,
            place,
            place,
            read_name(queue, ccsid, ebcdic),
            read_name(queue_manager, ccsid, ebcdic),
            number,
            luwid,
            batch.number,
        )
        batches.kept += there
        batch.size += there
        batch.messages.append(message)
        return [MessageSeen(direction, place, message)]
