"""The two ends of a message channel: which one sends, their states, and what is out of sequence."""

from __future__ import annotations

from typing import final

from mqbridge.protocol.channel.states import State, Trigger
from mqbridge.protocol.constants import SegmentType
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.observer.observations import Place
from mqbridge.protocol.observer.overview import ObservationLog, Overview
from mqbridge.protocol.segment import Segment

from .endpoint_states import CERTAIN, EndpointStates, expected_steps
from .negotiation import ChannelNegotiationObserver
from .observations import ChannelSegmentOutOfState, SegmentAfterClose


@final
class OpenQuestion:
    """A request of the sending end outside of batches. ``data``: of the body."""

    __slots__ = ("data", "luwid", "place", "type")

    def __init__(self, kind: SegmentType, place: Place, luwid: bytes = b"", data: bytes = b"") -> None:
        self.type = kind
        self.place = place
        self.luwid = luwid
        self.data = data


@final
class ChannelEnds:
    """Both ends.

    ``sender``: the end that sends messages, None if unknown. ``spoken``: ends that have sent anything (a capture may
    hold one direction only). ``closed``: ends that have closed the channel or reported an error; True if one was found
    to send afterwards. ``question``: the pending request, apart from heartbeats.
    """

    __slots__ = ("_log", "_negotiation", "_overview", "closed", "question", "sender", "spoken", "states")

    def __init__(self, log: ObservationLog, overview: Overview, negotiation: ChannelNegotiationObserver) -> None:
        self._log, self._overview, self._negotiation = log, overview, negotiation
        self.states = EndpointStates(not overview.uncertain)
        self.sender: Direction | None = None
        self.spoken: set[Direction] = set()
        self.closed: dict[Direction, bool] = {}
        self.question: OpenQuestion | None = None

    @property
    def receiver(self) -> Direction | None:
        """The end that receives messages."""
        return None if self.sender is None else self.sender.other

    @property
    def settled(self) -> bool:
        """Whether the states of both ends are known, and neither has closed the channel."""
        return not (self._overview.uncertain or self.closed)

    def lose(self) -> None:
        """Note lost bytes."""
        if self.states.receiver is not State.NEGOTIATING:
            self.states.forget()
        self.question = None

    def step(self, trigger: Trigger) -> None:
        """Make a transition of the sending end."""
        state = self.states.sent(trigger)
        if state is not None:
            self.misplaced(trigger, state, by_sender=True)

    def answer(self, trigger: Trigger) -> None:
        """Make a transition of the receiving end."""
        state = self.states.answered(trigger)
        if state is not None:
            self.misplaced(trigger, state, by_sender=False)

    def misplaced(self, trigger: Trigger, state: State, *, by_sender: bool) -> None:
        """Report a segment that the addressed end does not accept in its ``state``."""
        if not self.settled:
            return
        steps, answers_seen = expected_steps(state, by_sender), self._log.direction.other in self.spoken
        certain = trigger in CERTAIN and answers_seen
        self._log.add(ChannelSegmentOutOfState, trigger.value, state.value, steps, certain)
        self._overview.uncertain = not answers_seen

    def unanswering(self, what: str, *possible: str) -> None:
        """Report an answer to nothing."""
        if self.settled:
            self._log.add(ChannelSegmentOutOfState, what, "Running", possible, False)

    def sends(self, what: str, certain: bool) -> None:
        """Note that an end does what only the end that sends messages does."""
        direction = self._log.direction
        if direction is self.sender:
            return
        proposal = self._negotiation.proposal
        # What follows REQUEST_INITIATION is inferred (mq-wire.md 7.1).
        certain = certain and (proposal is None or not proposal.asks_to_be_sent_to)
        if self.sender is not None and self.settled:
            expected = (f"{what} of the end that sends messages",)
            self._log.add(ChannelSegmentOutOfState, f"{what} of the other end", "Receiving", expected, certain)
        self.sender = direction

    def after_close(self, segment: Segment) -> None:
        """Report the first segment of an end after it closed the channel."""
        if self.closed.get(self._log.direction) is False:
            self.closed[self._log.direction] = True
            self._log.add(SegmentAfterClose, str(SegmentType(segment.type)))
