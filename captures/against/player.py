"""Replay of a recorded connection's initiator against a live endpoint, comparing its answers; sans-IO.

The initiator's segments are sent again, with values assigned by the endpoint in place of recorded ones, as soon as the
answers that preceded them in the recording have arrived. Recorded heartbeats are not replayed; the endpoint's are
answered. Times are seconds of any monotonic clock.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Final

from mqbridge.captures.against.agreement import Agreement, number_in, sent_by, split_agreement
from mqbridge.captures.against.credentials import ReplayCredentials, password_is_masked
from mqbridge.captures.against.sequence_numbers import Renumbering
from mqbridge.captures.differential import AnswerComparison, GivenValues, Mask, Tally, segments_of, tally, values_of
from mqbridge.captures.differential.answers import Assembler, ComparedAnswer
from mqbridge.captures.differential.recorded_flows import RecordedFlow, Step
from mqbridge.captures.streams.recognition import MAX_BELIEVABLE_SEGMENT
from mqbridge.protocol.constants import ControlFlags1, SegmentType, StatusCode
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.errors import FramingError
from mqbridge.protocol.framing import Segment, SegmentReader, SegmentWriter
from mqbridge.protocol.text import decode_field

DEFAULT_PATIENCE: Final = 10.0
"""Seconds that an answer may take beyond its recorded time."""
MAX_SILENCES: Final = 3
"""Missing answers of one connection before it is given up."""

MAX_UNRECORDED: Final = 10_000
"""Answers of one connection beyond the recorded ones."""

_WHOLE: Final = int(ControlFlags1.FIRST | ControlFlags1.LAST)
_SHARED: Final = b"TSHM"
_UNASKED: Final = frozenset({SegmentType.ASYNC_MESSAGE, SegmentType.NOTIFICATION, SegmentType.SOCKET_ACTION})
"""Types that a server sends unsolicited: an extra one does not stand for a reply."""

_Line = tuple[int, int]
"""Conversation, and type of what is sent unasked or 0: what comes there is counted."""


class Player:
    """One recorded connection.

    ``closed``: replay is complete or was given up, and the connection is to be closed. ``notes``: remarks for the user
    besides the differences, one per line. ``patience``: seconds that an answer may take beyond the recorded time.
    ``sequence``: number of a sender's first message, None for the recorded one. ``given``: values that the endpoint
    assigned on earlier connections. ``gate``: nothing recorded later than this time is sent; :meth:`advance` continues
    when it has moved.
    """

    def __init__(
        self,
        flow: RecordedFlow,
        *,
        patience: float = DEFAULT_PATIENCE,
        credentials: ReplayCredentials | None = None,
        sequence: int | None = None,
        given: GivenValues | None = None,
    ) -> None:
        self.flow = flow
        self.notes: list[str] = []
        self.closed = False
        self.gate = math.inf
        self.played = 0
        self.comparison = AnswerComparison(given=given)
        self._patience = patience
        self._credentials = credentials
        self._numbers = Renumbering(flow.steps, sequence)
        beginning, self._steps = split_agreement([step for step in flow.steps if not _is_heartbeat(step)])
        self._recorded_agreement = [step for step in beginning if step.direction is Direction.RESPONDER]
        self._agreement = Agreement(sent_by(beginning, Direction.INITIATOR))
        self._agreeing = True
        self._place = 0
        self._due: defaultdict[_Line, list[float]] = defaultdict(list)
        self._heard: defaultdict[_Line, int] = defaultdict(int)
        self._missing = 0
        self._recorded_parts = Assembler()
        self._reader = SegmentReader(MAX_BELIEVABLE_SEGMENT)
        self._writer = SegmentWriter()
        self._out: list[bytes] = []
        self._deadline: float | None = None
        self._silences = 0
        self._recorded_codes = {
            _status_of(step.segment)[0] for step in flow.steps if step.direction is Direction.RESPONDER
        }

    # Driven by whoever has the connection

    @property
    def channel(self) -> str:
        """Return the channel that the recorded initiator named."""
        first = self._agreement.first()
        return decode_field(values_of(first).get("ID.ChannelName", b""), first.ccsid)

    def start(self, now: float) -> None:
        """Begin: the connection is established."""
        if self.flow.lost:
            self._note(
                f"{self.flow.lost} bytes of the recording are missing or no segments: neither played nor compared"
            )
        self._warn_of_what_cannot_be_played()
        first = self._agreement.first()
        self._writer = SegmentWriter(first.order, first.ccsid)
        self._say_proposal(first)
        self._deadline = now + self._patience
        self._expect_proposals()

    def data_to_send(self) -> bytes:
        """Return the bytes to send now."""
        data, self._out = b"".join(self._out), []
        return data

    def receive_data(self, data: bytes, now: float) -> None:
        """Take bytes from the endpoint."""
        if self.closed:
            return
        try:
            segments = list(self._reader.feed(data))
        except FramingError as error:
            self._note(f"the endpoint's bytes are no segments: {error}")
            self._give_up()
            return
        for segment in segments:
            if segment.type == SegmentType.HEARTBEAT:
                self._answer_heartbeat(segment)
            elif self._agreeing and segment.type == SegmentType.INITIAL_DATA:
                self._agree(segment, now)
            else:
                refused = self._agreeing and not self._agreement.answers
                self._agreeing_is_over()
                self._look(segment)
                for answer in self.comparison.hear(self.flow.number, [self._numbers.as_recorded(segment)]):
                    self._heard[_line(answer)] += 1
                if sum(self._heard.values()) > len(self.flow.steps) + MAX_UNRECORDED:
                    self._note("the endpoint does not stop talking: given up")
                    self._give_up()
                    return
                if refused:
                    self._note("nothing is agreed on, so nothing more is played")
                    self._give_up()
                    return
        if not self._agreeing:
            self._go_on(now)

    def receive_eof(self, reason: str = "") -> None:
        """Note that the endpoint closed the connection; ``reason``: why, if it broke."""
        if self.closed:
            return
        self._agreeing_is_over()
        rest = [step for step in self._steps[self._place :] if step.direction is Direction.INITIATOR]
        if rest:
            self._note(f"the endpoint ended the connection before segment {rest[0].number}{reason and f': {reason}'}")
        elif self._silent():
            self._note(f"the endpoint ended the connection before its last answer{reason and f': {reason}'}")
        self.closed = True

    def advance(self, now: float) -> None:
        """Send what is due."""
        if not self._agreeing:
            self._go_on(now)

    @property
    def comes_next(self) -> float:
        """Return the recorded time of the next step: an awaited answer, or something to send."""
        if self.closed:
            return math.inf
        if self._agreeing:
            return self.flow.start
        missing = [due[self._heard[line]] for line, due in self._due.items() if self._heard[line] < len(due)]
        if missing:
            return self.flow.start + min(missing)
        if self._place < len(self._steps):
            return self.flow.start + self._steps[self._place].time
        return self.flow.end

    def next_timeout(self) -> float | None:
        """Return when :meth:`timeout` is due."""
        return None if self.closed else self._deadline

    def timeout(self, now: float) -> None:
        """Give up an overdue answer and continue, a limited number of times."""
        if self.closed or self._deadline is None or now < self._deadline:
            return
        self._silences += 1
        waits_for = self._steps[self._place].number if self._place < len(self._steps) else len(self.flow.steps)
        self._note(f"no answer within {self._patience:g} seconds, in front of segment {waits_for}")
        if self._agreeing or self._silences >= MAX_SILENCES:
            self._note("given up")
            self._give_up()
            return
        for line, due in self._due.items():
            self._heard[line] = max(self._heard[line], len(due))
        self._go_on(now)

    def result(self, masks: tuple[Mask, ...]) -> Tally:
        """Return the comparison under these masks."""
        return tally(self.comparison, masks)

    # The agreement

    def _say_proposal(self, proposal: Segment) -> None:
        data = self._credentials.put_into(proposal) if self._credentials is not None else proposal.data
        (said,) = segments_of(data)
        self.comparison.proposals[self.flow.number] = values_of(said)
        self._out.append(data)

    def _expect_proposals(self) -> None:
        if not self._recorded_agreement:
            self._agreeing = False
            self._expect_answers()

    def _agree(self, answer: Segment, now: float) -> None:
        following = self._agreement.receive(answer)
        if following is None:
            self._agreeing_is_over()
            return
        (said,) = segments_of(following if isinstance(following, bytes) else following.data)
        self._say_proposal(said)
        self._deadline = now + self._patience

    def _agreeing_is_over(self) -> None:
        if not self._agreeing:
            return
        self._agreeing = False
        recorded, live = self._recorded_agreement, self._agreement.answers
        if live and len(recorded) != len(live):
            for counted in (
                self.comparison.compared,
                self.comparison.mapped,
            ):  # one thing compared, and rightly another
                counted["rounds of the agreement"] += 1
            recorded, live = recorded[-1:], live[-1:]
        number = self.flow.number
        self.comparison.expect(number, [step.segment for step in recorded], [step.number for step in recorded])
        self.comparison.hear(number, live)
        self._expect_answers()
        if recorded and live:
            there, here = (number_in(one, "ID.FapLevel") for one in (recorded[-1].segment, live[-1]))
            if there != here:
                self._note(f"level {there} was agreed on there, {here} is here; what is played is of level {there}")
        if any(step.segment.struc_id == _SHARED for step in self._steps) and live and not self._agreement.shares:
            self._note("conversations share the recorded connection; the endpoint does not let them (SHARECNV)")
            self._give_up()

    # Play

    def _go_on(self, now: float) -> None:
        if self.closed:
            return
        begin = self._place
        answered = self._steps[begin - 1].time if begin else 0.0
        while self._place < len(self._steps):
            step = self._steps[self._place]
            if step.direction is Direction.RESPONDER:
                self._expect(step)
            elif self._silent() or self.flow.start + step.time > self.gate:
                break
            else:
                self._say(step)
                answered = step.time
            self._place += 1
        missing = self._silent()
        if not missing:
            self._deadline = None
            self.closed = self._place == len(self._steps) and self.flow.end <= self.gate
        elif self._place > begin or missing < self._missing or self._deadline is None:
            latest = self._steps[min(self._place, len(self._steps) - 1)].time
            self._deadline = now + self._patience + max(0.0, latest - answered)
        self._missing = missing

    def _expect_answers(self) -> None:
        """Expect all recorded answers after the negotiation: they may arrive earlier than recorded."""
        said = [step for step in self._steps if step.direction is Direction.RESPONDER]
        self.comparison.expect(self.flow.number, (step.segment for step in said), (step.number for step in said))

    def _expect(self, step: Step) -> None:
        for answer in self._recorded_parts.take([step.segment]):
            self._due[_line(answer)].append(step.time)

    def _say(self, step: Step) -> None:
        data = self.comparison.request(self.flow.number, self._numbers.as_played(step.segment))
        if self._credentials is not None:
            (said,) = segments_of(data)
            data = self._credentials.put_into(said)
        self._out.append(data)
        self.played += 1

    def _silent(self) -> int:
        """Return how many recorded answers are missing."""
        return sum(max(0, len(due) - self._heard[line]) for line, due in self._due.items())

    def _give_up(self) -> None:
        self._agreeing_is_over()
        self.closed = True

    def _answer_heartbeat(self, segment: Segment) -> None:
        if segment.flags1 & ControlFlags1.CONFIRM_REQUEST:
            build = self._writer.build_common if segment.struc_id != b"TSH " else self._writer.build
            self._out.append(build(SegmentType.HEARTBEAT, flags1=_WHOLE))

    # Notes

    def _note(self, text: str) -> None:
        self.notes.append(text)

    def _warn_of_what_cannot_be_played(self) -> None:
        signs_on = [step.segment for step in self._steps if step.direction is Direction.INITIATOR]
        if self._credentials is None and any(password_is_masked(one) for one in signs_on):
            self._note("the password is masked in the recording and is played as it is; --user gives another sign-on")
        if any(segment.type == SegmentType.RESYNC_DATA for segment in signs_on):
            self._note("the recording settles a batch in doubt, of which this endpoint may know nothing")

    def _look(self, segment: Segment) -> None:
        """Report why the endpoint refuses to continue where the recorded one did not."""
        code, value = _status_of(segment)
        if not code or code in self._recorded_codes:
            return
        self._recorded_codes.add(code)
        if code == StatusCode.MSG_SEQUENCE_ERROR:
            self._note(self._numbers.advice(value))
        else:
            self._note(f"the endpoint says {StatusCode(code)}")


def _line(answer: ComparedAnswer) -> _Line:
    return answer.kind[2], answer.kind[0] if answer.kind[0] in _UNASKED else 0


def _status_of(segment: Segment) -> tuple[int, int]:
    """Return code and value of a STATUS_DATA; 0 if there is none."""
    if segment.type != SegmentType.STATUS_DATA:
        return 0, 0
    values = values_of(segment)
    return values.get("STATUS.Code", 0), values.get("STATUS.Value", 0)


def _is_heartbeat(step: Step) -> bool:
    return step.segment.type == SegmentType.HEARTBEAT
