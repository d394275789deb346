"""What a sender settles before its first message: a batch in doubt, a reset (channels.md 5.4 to 5.6)."""

from __future__ import annotations

import enum

from mqbridge.protocol import inferred
from mqbridge.protocol.constants import SegmentType, StatusCode
from mqbridge.protocol.errors import LocalProtocolError
from mqbridge.protocol.framing import Segment
from mqbridge.protocol.structures import reset_data

from .events import Event, InDoubtResolved, SequenceReset
from .link import Link
from .parameters import SenderState
from .resync import read_resync, resync_body
from .sequence import next_number
from .states import State, Trigger
from .status import ChannelError


class InDoubtOutcome(enum.Enum):
    """Outcome of a batch in doubt."""

    COMMIT = "commit"
    BACK_OUT = "back out"
    DISAGREE = "disagree"
    """The two records cannot come from the same history: the batch stays in doubt until an operator decides."""


def settle(saved: SenderState, luwid: bytes, sequence: int, wrap: int) -> InDoubtOutcome:
    """Return what the receiver's record (``luwid``, ``sequence``) says of the batch that ``saved`` has in doubt.

    Commit if the receiver has that batch; back out if it has the LUWID or the number of the batch before. Zeros and 0
    are the record of a receiver that has never committed, so the first batch is no exception. A sender whose numbers
    are unsure compares the LUWID only: batches with persistent messages are recorded before they are confirmed, so a
    receiver that has the batch has its LUWID.
    """
    if saved.in_doubt is None or luwid == saved.in_doubt.luwid:
        return InDoubtOutcome.COMMIT
    if saved.unsure or luwid == saved.luwid or next_number(sequence, wrap) == next_number(saved.sequence, wrap):
        return InDoubtOutcome.BACK_OUT
    return InDoubtOutcome.DISAGREE


class SenderRecovery:
    """The saved state of a sending end, and its reconciliation with the partner's.

    ``wrap``: the sequence wrap value, equal at both ends.
    """

    __slots__ = ("_link", "_wrap", "saved")

    def __init__(self, link: Link[Event], saved: SenderState, wrap: int) -> None:
        self._link = link
        self._wrap = wrap
        self.saved = saved
        """The durable state, or what it becomes once the emitted event is recorded."""

    def begin(self) -> bool:
        """Ask for the outcome of a batch in doubt, or send our number; return False if neither is needed."""
        saved, link = self.saved, self._link
        if saved.in_doubt is not None:
            link.go(Trigger.AGREED_IN_DOUBT)
            body = resync_body(link.wire.writer.order, saved.in_doubt.sequence)
            flags = int(inferred.RESYNC_FLAGS)
            link.wire.send(SegmentType.RESYNC_DATA, body, flags=flags, luwid=saved.in_doubt.luwid)
        elif saved.sends_number:
            link.go(Trigger.AGREED_RESET)
            self._send_reset()
        else:
            return False
        return True

    def recorded(self) -> bool:
        """Continue once the settled state is durable: send our number, or return False if that is not needed.

        Raises ``LocalProtocolError`` if nothing was to be recorded.
        """
        if not self.saved.sends_number:
            self._link.go(Trigger.RECORDED)
            return False
        self._link.go(Trigger.RECORDED_RESET)
        self._send_reset()
        return True

    def resync_answered(self, segment: Segment, now: float) -> None:
        """Take RESYNC_DATA, which states what the partner committed last. Raises ``ChannelError``."""
        link, saved = self._link, self.saved
        if link.state is not State.RESYNCHRONISING:
            raise ChannelError("RESYNC_DATA that nobody asked for", StatusCode.PROTOCOL_SEGMENT_ERROR)
        try:
            sequence = read_resync(segment)
        except ChannelError as error:
            error.amq = "AMQ9507"  # the batch stays in doubt until an operator decides
            raise
        in_doubt = saved.in_doubt
        if in_doubt is None:
            raise LocalProtocolError("no batch is in doubt")
        outcome = settle(saved, segment.luwid, sequence, self._wrap)
        if outcome is InDoubtOutcome.DISAGREE:
            raise ChannelError(
                f"the partner committed batch {segment.luwid.hex()} and number {sequence} last; here batch"
                f" {in_doubt.luwid.hex()} is in doubt and {saved.sequence} was last before it",
                StatusCode.MSG_SEQUENCE_ERROR,
                amq="AMQ9526",
                value=next_number(saved.sequence, self._wrap),
            )
        link.go(Trigger.RESYNC_ANSWERED)
        commit = outcome is InDoubtOutcome.COMMIT
        self.saved = saved.settled(commit)
        link.emit(InDoubtResolved(commit=commit, luwid=in_doubt.luwid, sequence=self.saved.sequence))

    def reset_answered(self, segment: Segment, now: float) -> None:
        """Take the partner's answer to a reset. Raises ``ChannelError`` if none was sent."""
        self._link.step(Trigger.RESET_ANSWERED)
        self.saved = self.saved.reset_done()
        self._link.emit(SequenceReset(sequence=self._next))

    @property
    def _next(self) -> int:
        return next_number(self.saved.sequence, self._wrap)

    def _send_reset(self) -> None:
        wire = self._link.wire
        body = reset_data(wire.writer.order, self._next).build()
        wire.send(SegmentType.RESET_DATA, body, flags=int(inferred.RESET_FLAGS))
