"""Both ends of a message channel, as a third party sees them.

The states are those of :mod:`protocol.channel.states`, kept by :class:`~.course.Course`; messages and batches are
followed by :class:`~.batches.Batches`, INITIAL_DATA by :class:`~.negotiating.Negotiating`. What is asked and answered,
how it ends, and silence are in :class:`~.answers.Answering`, the base of the part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final

from mqbridge.protocol.channel.states import State, Trigger
from mqbridge.protocol.constants import ControlFlags1, ControlFlags2, SegmentType
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.observer.observations import MessageFate, Observation, Place, SegmentTooLong
from mqbridge.protocol.segment import HEADER_SIZES, Segment
from mqbridge.protocol.structures import TSH

from .answers import Answering
from .batches import NO_LIMIT
from .observations import CompressedSeen
from .open_batch import OpenBatch

_MESSAGE: Final = int(SegmentType.MESSAGE_DATA)
_COMPRESSED: Final = int(ControlFlags2.HDRCOMP | ControlFlags2.MSGCOMP | ControlFlags2.CSH)
_CONFIRM: Final = int(ControlFlags1.CONFIRM_REQUEST)
_LAST: Final = int(ControlFlags1.LAST)
_FIRST: Final = int(ControlFlags1.FIRST)

_SINGLE_HEADERS: Final = frozenset(struc_id for struc_id, size in HEADER_SIZES.items() if size == TSH.size)

Handler = Callable[[Any, Direction, Segment, Place], list[Observation]]


class ChannelPart(Answering):
    """Understands a message channel; see ``protocol.observer.connection.Part``.

    ``queue_manager``: name of the called one; until it told its name, of the caller. ``agreed``: None until seen.
    """

    def receive(self, direction: Direction, segment: Segment, place: Place) -> list[Observation]:
        """Take a segment."""
        told: list[Observation] = []
        self._spoken.add(direction)
        if segment.length > self._longest and segment.type != SegmentType.INITIAL_DATA:
            told.append(SegmentTooLong(direction, place, segment.length, self._longest))
        if self._ended:
            self._after_close(direction, segment, place, told)
        by_sender = direction is self.sender
        if by_sender:
            if place.time - self._since > self._interval:
                self._silence(place, told, over=False)
            self._since = place.time
        if segment.type == _MESSAGE:
            seen = self._message(direction, segment, place)
            return told + seen if told else seen
        handler = self.HANDLERS.get(segment.type)
        if handler is not None:
            told += handler(self, direction, segment, place)
        return told

    def lose(self, direction: Direction, length: int, place: Place) -> None:
        """Bytes are not in the capture."""
        del length
        self._since = max(self._since, place.time)
        self._forget(direction)

    # Start

    def _initial(self, direction: Direction, segment: Segment, place: Place) -> list[Observation]:
        told: list[Observation] = []
        if self.course.receiver is not State.NEGOTIATING and self.agreed is not None:
            self._misplaced(direction, place, Trigger.VALUES_CHANGED, self.course.receiver, True, told)
        told += self._negotiating.receive(direction, segment, place)
        negotiating = self._negotiating
        values = negotiating.answer or negotiating.proposal
        if values is None:
            return told
        self.channel, self.queue_manager = values.channel_name, values.queue_manager
        if negotiating.proposal is not None:
            to_responder = negotiating.proposal.asks_to_be_sent_to
            self.sender = Direction.RESPONDER if to_responder else Direction.INITIATOR
        agreed = negotiating.agreed
        if agreed is not None and agreed is not self.agreed:
            self.agreed = agreed
            self._longest = agreed.transmission_size
            self._interval = agreed.heartbeat_interval or float("inf")
            self._since = place.time
            batches = self.batches
            batches.wrap, batches.fast, batches.numbered = agreed.sequence_wrap, agreed.fast, agreed.numbered
            batches.batch_limit = agreed.batch_size or NO_LIMIT
            batches.length_limit = agreed.message_length or NO_LIMIT
            self.course.start()
            self.uncertain = False
        return told

    # Messages

    def _message(self, direction: Direction, segment: Segment, place: Place) -> list[Observation]:
        told: list[Observation] = []
        if direction is not self.sender:
            self._sends(direction, place, "MESSAGE_DATA", True, told)
        batches, flags = self.batches, segment.flags1
        batch = batches.batch
        if batch is not None and flags & _FIRST and (batch.asked is not None or self._is_another(batch, segment)):
            # The batch before is over, though its end or the answer was not seen.
            self._step(direction, place, Trigger.MESSAGE, told)
            told += batches.settle(direction, place, MessageFate.UNKNOWN, whole=False)
            batches.previous = b""
            self.uncertain = True
        last = flags & _LAST
        if self.course.receiver is not State.BATCH or not last:
            self._step(direction, place, Trigger.MESSAGE if last else Trigger.MESSAGE_PART, told)
        if segment.flags2 & _COMPRESSED:
            told += self._compressed(direction, segment, place)
            told += batches.compressed(direction, segment, place)
        elif segment.struc_id not in _SINGLE_HEADERS:
            told += batches.unread(direction, segment, place)
        else:
            seen = batches.message(direction, segment, place)
            told = told + seen if told else seen
        if flags & _CONFIRM and last:
            told += self._confirm_asked(direction, segment, place)
        return told

    def _is_another(self, batch: OpenBatch, segment: Segment) -> bool:
        """Whether a message belongs to a later batch, of whose beginning bytes were lost."""
        return self.uncertain and not batch.whole and segment.luwid != batch.luwid

    def _compressed(self, direction: Direction, segment: Segment, place: Place) -> list[Observation]:
        """Said once for each direction."""
        if direction in self._compressing:
            return []
        self._compressing.add(direction)
        agreed = self.agreed
        flags = segment.flags2
        values = None if agreed is None else (agreed.header_compression, agreed.message_compression)
        header, data = bool(flags & ControlFlags2.HDRCOMP), bool(flags & ControlFlags2.MSGCOMP)
        return [CompressedSeen(direction, place, header, data, values)]

    HANDLERS: ClassVar[Mapping[int, Handler]] = {
        SegmentType.INITIAL_DATA: _initial,
        SegmentType.STATUS_DATA: Answering._status,
        SegmentType.HEARTBEAT: Answering._heartbeat,
        SegmentType.RESYNC_DATA: Answering._resync,
        SegmentType.RESET_DATA: Answering._reset,
        SegmentType.PING_DATA: Answering._ping,
    }
