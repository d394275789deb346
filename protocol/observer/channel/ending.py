"""What a channel's observer knows, how it forgets after lost bytes, and how a connection ends (channels.md 6)."""

from __future__ import annotations

from collections import deque
from typing import Final

from mqbridge.protocol import inferred
from mqbridge.protocol.channel.states import State, Trigger
from mqbridge.protocol.constants import SegmentType
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.observer.observations import Ending, MessageFate, Observation, Place
from mqbridge.protocol.segment import Segment

from .batches import Batches
from .course import CERTAIN, Course, expected_steps
from .negotiating import Negotiating
from .observations import (
    ClosedWithoutExchange,
    HeartbeatUnanswered,
    LongSilence,
    OutOfPlace,
    SegmentAfterClose,
)
from .values import Agreed

MAX_OPEN_QUESTIONS: Final = 16
"""Heartbeats that wait for an answer; older ones are forgotten."""

_NEVER: Final = float("inf")
_SENDS_BY_ITSELF: Final = frozenset((State.RUNNING, State.HEARTBEATING, State.BATCH))


class Knowledge:
    """Base of :class:`~.part.ChannelPart`."""

    def __init__(self, whole: bool) -> None:
        self.channel = ""
        self.queue_manager = ""
        self.user = ""
        self.outcome = "open"
        self.reason = 0
        self.uncertain = not whole
        self.agreed: Agreed | None = None
        self.sender: Direction | None = None
        self.course = Course(whole)
        self.batches = Batches()
        self._negotiating = Negotiating()
        self._longest = 0x7FFFFFFF
        self._interval = _NEVER  # the agreed one while it counts
        self._since = _NEVER  # since when the sender has been silent
        self._beats: deque[tuple[Direction, Place]] = deque(maxlen=MAX_OPEN_QUESTIONS)
        self._asked: tuple[SegmentType, Place, bytes, bytes] | None = None  # at the start: type, place, LUWID, body
        self._ended: dict[Direction, bool] = {}  # who closed or told an error; True: it was found to send on
        self._refused = 0  # status that says that the open batch was not committed
        self._lost = False  # bytes, since something was last settled
        self._compressing: set[Direction] = set()
        self._spoken: set[Direction] = set()  # a capture may hold one direction only
        if not whole:
            self.batches.lose()

    def _forget(self, direction: Direction) -> None:
        self.uncertain = self._lost = True
        self._negotiating.lose()
        if direction is not self._receiver:
            self.batches.lose()
        if self.course.receiver is not State.NEGOTIATING:
            self.course.forget()
        self._beats.clear()
        self._asked = None

    @property
    def _receiver(self) -> Direction | None:
        return None if self.sender is None else self.sender.other

    # Steps

    def _step(self, direction: Direction, place: Place, trigger: Trigger, told: list[Observation]) -> None:
        """The sending end takes a step."""
        state = self.course.sent(trigger)
        if state is not None:
            self._misplaced(direction, place, trigger, state, True, told)

    def _answer(self, direction: Direction, place: Place, trigger: Trigger, told: list[Observation]) -> None:
        """The receiving end takes a step."""
        state = self.course.answered(trigger)
        if state is not None:
            self._misplaced(direction, place, trigger, state, False, told)

    def _misplaced(
        self,
        direction: Direction,
        place: Place,
        trigger: Trigger,
        state: State | None,
        by_sender: bool,
        told: list[Observation],
    ) -> None:
        if self.uncertain or self._ended or state is None:
            return
        steps, answers_seen = expected_steps(state, by_sender), direction.other in self._spoken
        certain = trigger in CERTAIN and answers_seen
        told.append(OutOfPlace(direction, place, trigger.value, state.value, steps, certain))
        self.uncertain = not answers_seen

    def _sends(self, direction: Direction, place: Place, what: str, certain: bool, told: list[Observation]) -> None:
        """An end does what only the end that sends messages does."""
        proposal = self._negotiating.proposal
        # What follows REQUEST_INITIATION is inferred (mq-wire.md 7.1).
        certain = certain and (proposal is None or not proposal.asks_to_be_sent_to)
        if self.sender is not None and not self.uncertain and not self._ended:
            expected = (f"{what} of the end that sends messages",)
            told.append(OutOfPlace(direction, place, f"{what} of the other end", "Receiving", expected, certain))
        self.sender = direction

    # Ends

    def _after_close(self, direction: Direction, segment: Segment, place: Place, told: list[Observation]) -> None:
        if self._ended.get(direction) is False:
            self._ended[direction] = True
            told.append(SegmentAfterClose(direction, place, str(SegmentType(segment.type))))

    def _silence(self, place: Place, told: list[Observation], *, over: bool) -> None:
        """The sending end was silent for longer than agreed: only where it was its turn."""
        agreed, sender = self.agreed, self.sender
        if agreed is None or sender is None or self.uncertain or self._ended:
            return
        if self.course.sender not in _SENDS_BY_ITSELF:
            return
        limit = agreed.silence_limit
        if limit is not None:
            seconds = place.time - self._since
            told.append(LongSilence(sender, place, seconds, agreed.heartbeat_interval, limit, over))

    def close(self, direction: Direction, ending: Ending, place: Place) -> list[Observation]:
        """The connection is over."""
        told: list[Observation] = []
        stops = ending is Ending.OPEN
        if place.time - self._since > self._interval:
            self._silence(place, told, over=True)
        if not self._ended:
            for asker, asked in self._beats if len(self._spoken) > 1 else ():
                told.append(HeartbeatUnanswered(asker.other, place, asked, place.time - asked.time, stops))
            if not stops and not self.uncertain:
                state = self.course.sender.value if self.course.sender is not None else State.RUNNING.value
                told.append(ClosedWithoutExchange(direction, place, ending is Ending.RESET, state))
        fate, sender = self._last_fate(stops), self.sender or direction
        told += self.batches.settle(sender, place, fate, reason=self._refused, capture_stops=stops)
        if self.outcome == "open" and not stops:
            self.outcome = "refused" if self.agreed is None and not self.uncertain else "cut"
        return told

    def _last_fate(self, stops: bool) -> MessageFate:
        """What becomes of a batch that nobody confirmed before the end."""
        batch = self.batches.batch
        if self._refused in inferred.BATCH_REFUSALS:
            return MessageFate.BACKED_OUT
        if batch is not None and batch.asked is not None and self.course.receiver is State.CONFIRMING:
            return MessageFate.UNKNOWN if self._lost or self._receiver not in self._spoken else MessageFate.IN_DOUBT
        if stops or self.uncertain:
            return MessageFate.UNKNOWN
        return MessageFate.BACKED_OUT
