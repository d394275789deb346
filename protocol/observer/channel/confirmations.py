"""Requests for confirmation of batches, and confirmations (channels.md 5.2, 5.3)."""

from __future__ import annotations

from typing import final

from mqbridge.protocol import inferred
from mqbridge.protocol.channel.states import State, Trigger
from mqbridge.protocol.constants import ControlFlags1, SegmentType
from mqbridge.protocol.observer.observations import MessageOutcome
from mqbridge.protocol.observer.overview import ObservationLog, Overview
from mqbridge.protocol.segment import Segment

from .batch_observations import BatchConfirmationSeen, ConfirmRequestSeen
from .batches import Batches
from .ends import ChannelEnds, OpenQuestion
from .negotiation import ChannelNegotiationObserver
from .silence import Silence


@final
class Confirmations:
    """Ends of batches. ``refused``: status code that denies that the open batch was committed, or 0."""

    __slots__ = ("_batches", "_ends", "_log", "_lost", "_negotiation", "_overview", "_silence", "refused")

    def __init__(
        self,
        log: ObservationLog,
        overview: Overview,
        negotiation: ChannelNegotiationObserver,
        ends: ChannelEnds,
        batches: Batches,
        silence: Silence,
    ) -> None:
        self._log, self._overview, self._negotiation = log, overview, negotiation
        self._ends, self._batches, self._silence = ends, batches, silence
        self._lost = False  # whether bytes were lost since the last outcome
        self.refused = 0

    def lose(self) -> None:
        """Note lost bytes."""
        self._lost = True

    def ask(self, segment: Segment) -> None:
        """Take a segment that requests confirmation."""
        log, batches, uncertain = self._log, self._batches, self._overview.uncertain
        batch = batches.batch
        if batch is not None and uncertain and not batch.whole and segment.luwid != batch.luwid:
            # The end of a later batch whose messages were not seen.
            batches.settle(log.direction, MessageOutcome.UNKNOWN, whole=False)
            batches.previous, batch = b"", None
        self._ends.step(Trigger.CONFIRM_ASKED)
        known = batch is not None or not self._overview.uncertain
        messages = None if not known or (batch is not None and not batch.whole) else batch.count if batch else 0
        log.add(ConfirmRequestSeen, segment.luwid, batch.luwid if batch is not None else b"", messages)
        if batch is not None:
            batch.asked, batch.asked_luwid = log.place, segment.luwid
        self._ends.question = OpenQuestion(SegmentType.STATUS_DATA, log.place, segment.luwid)

    def confirm(self, segment: Segment) -> None:
        """Take a segment of the receiver that confirms the open batch."""
        log, agreed = self._log, self._negotiation.agreed
        batch, asked = self._batches.batch, self._ends.question
        self._ends.answer(Trigger.CONFIRMED)
        if asked is not None and asked.type != SegmentType.STATUS_DATA:
            asked = None
        log.add(
            BatchConfirmationSeen,
            None if asked is None else asked.place,
            0.0 if asked is None else log.place.time - asked.place.time,
            segment.luwid,
            asked.luwid if asked is not None else batch.luwid if batch is not None else b"",
            batch.count if batch is not None else 0,
            None if agreed is None else agreed.silence_limit,
            bool(segment.flags1 & ControlFlags1.DLQ_USED),
        )
        settles = asked is not None
        self._batches.settle(log.direction.other, MessageOutcome.CONFIRMED, confirmed=True, whole=settles)
        if settles:
            self._overview.uncertain = self._lost = False
        self._ends.question = None
        self._silence.restart()

    def last_fate(self, *, capture_stops: bool) -> MessageOutcome:
        """Return the outcome of a batch that was not confirmed before the end."""
        batch, ends = self._batches.batch, self._ends
        if self.refused in inferred.BATCH_REFUSALS:
            return MessageOutcome.BACKED_OUT
        if batch is not None and batch.asked is not None and ends.states.receiver is State.CONFIRMING:
            return MessageOutcome.UNKNOWN if self._lost or ends.receiver not in ends.spoken else MessageOutcome.IN_DOUBT
        if capture_stops or self._overview.uncertain:
            return MessageOutcome.UNKNOWN
        return MessageOutcome.BACKED_OUT
