"""Exchanges before the first message: resynchronisation, reset of sequence numbers, ping (mq-wire.md 7.3).

Answers are interpreted as by a live sender (``protocol.channel.sender``).
"""

from __future__ import annotations

from typing import final

from mqbridge.protocol.channel.resync import read_resync
from mqbridge.protocol.channel.sequence import next_number
from mqbridge.protocol.channel.states import Trigger
from mqbridge.protocol.channel.status import ChannelError
from mqbridge.protocol.constants import ControlFlags1, SegmentType
from mqbridge.protocol.errors import StructureError
from mqbridge.protocol.observer.overview import ObservationLog
from mqbridge.protocol.segment import Segment
from mqbridge.protocol.structures import parse_reset

from .batches import Batches
from .ends import ChannelEnds, OpenQuestion
from .observations import PingAnswerSeen, Resynchronised, SegmentUnreadable, SequenceNumberReset
from .silence import Silence


@final
class StartExchanges:
    """RESYNC_DATA, RESET_DATA and PING_DATA."""

    __slots__ = ("_batches", "_ends", "_log", "_silence")

    def __init__(self, log: ObservationLog, ends: ChannelEnds, batches: Batches, silence: Silence) -> None:
        self._log, self._ends, self._batches, self._silence = log, ends, batches, silence

    def resync(self, segment: Segment) -> None:
        """Take a RESYNC_DATA."""
        log, ends, batches = self._log, self._ends, self._batches
        try:
            number = read_resync(segment)
        except ChannelError as error:
            log.add(SegmentUnreadable, "RESYNC_DATA", "a length of 8 and a sequence number", str(error))
            return
        if segment.flags1 & ControlFlags1.CONFIRM_REQUEST:
            ends.sends("RESYNC_DATA", False)
            ends.step(Trigger.RESYNC_ASKED)
            data = number.to_bytes(4, "big")
            ends.question = OpenQuestion(SegmentType.RESYNC_DATA, log.place, segment.luwid, data)
            return
        asked = ends.question
        ends.answer(Trigger.RESYNC_ANSWERED)
        if asked is not None and asked.type == SegmentType.RESYNC_DATA:
            in_doubt = asked.place, asked.luwid, int.from_bytes(asked.data, "big")
            log.add(Resynchronised, *in_doubt, segment.luwid, number)
            # Another batch: the sender takes its own numbers, which agree with these unless the receiver was reset.
            wrap, same = batches.wrap, segment.luwid == asked.luwid
            batches.expected = next_number(number, wrap) if wrap and same else None
        ends.question = None
        self._silence.restart()

    def reset(self, segment: Segment) -> None:
        """Take a RESET_DATA."""
        log, ends = self._log, self._ends
        asks = segment.flags1 & ControlFlags1.CONFIRM_REQUEST
        if log.direction is ends.receiver and (self.awaits_reset or not asks):
            self.reset_answered()
            return
        ends.sends("RESET_DATA", False)
        ends.step(Trigger.RESET_ASKED)
        ends.question = OpenQuestion(SegmentType.RESET_DATA, log.place, segment.luwid)
        try:
            body = parse_reset(segment.body_view, segment.order)
        except StructureError:
            seen = f"{segment.body_length} bytes"
            log.add(SegmentUnreadable, "RESET_DATA", "8 bytes behind the header", seen)
            return
        self._batches.expected = body.record.sequence_number
        log.add(SequenceNumberReset, body.record.sequence_number)

    @property
    def awaits_reset(self) -> bool:
        """Return whether a RESET_DATA is unanswered."""
        question = self._ends.question
        return question is not None and question.type == SegmentType.RESET_DATA

    def reset_answered(self) -> None:
        """Take the segment at hand as the answer to RESET_DATA."""
        self._ends.answer(Trigger.RESET_ANSWERED)
        self._ends.question = None
        self._silence.restart()

    def ping(self, segment: Segment) -> None:
        """Take a PING_DATA."""
        log, ends, data = self._log, self._ends, segment.body
        if segment.body_length < 4:
            log.add(SegmentUnreadable, "PING_DATA", "a length and data", f"{len(data)} bytes")
        if segment.flags1 & ControlFlags1.CONFIRM_REQUEST:
            ends.sends("PING_DATA", False)
            ends.step(Trigger.PING)
            ends.question = OpenQuestion(SegmentType.PING_DATA, log.place, data=data[4:])
            return
        asked, ends.question = ends.question, None
        if asked is not None and asked.type == SegmentType.PING_DATA:
            log.add(PingAnswerSeen, asked.place, len(data) - 4, data[4:] == asked.data)
        else:
            ends.unanswering("PING_DATA, sent back", "no answer")
