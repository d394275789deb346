"""Observations of a message channel: negotiation, heartbeats, answers, ends (channels.md 4 to 6).

``asked`` is the place of the segment that an answer belongs to. Batches and messages are in ``batch_observations``.
"""

from __future__ import annotations

from dataclasses import dataclass

from mqbridge.protocol.observer.observations import Observation, Place

from .values import ChannelValues, Values


@dataclass(slots=True, eq=False)
class Proposed(Observation):
    """The caller states its values. ``answer``: the other end's answer to the previous ones; None for the first."""

    values: Values
    answer: Values | None
    round: int


@dataclass(slots=True, eq=False)
class ProposalAnswered(Observation):
    """The called end states its values. ``proposal``: what it answers, None if not seen."""

    values: Values
    proposal: Values | None


@dataclass(slots=True, eq=False)
class ChannelAgreed(Observation):
    """Both ends have the same values."""

    agreed: ChannelValues
    proposal: Values
    answer: Values
    rounds: int


@dataclass(slots=True, eq=False)
class Resynchronised(Observation):
    """RESYNC_DATA was answered: the sender's batch in doubt and its last number, the receiver's last batch and number.

    If the batches are the same, the sender commits; otherwise it backs out and sends again (channels.md 5.4).
    """

    asked: Place
    luwid: bytes
    sequence_number: int
    answer_luwid: bytes
    answer_sequence_number: int


@dataclass(slots=True, eq=False)
class SequenceNumberReset(Observation):
    """The sending end states the next sequence number."""

    sequence_number: int


@dataclass(slots=True, eq=False)
class PingAnswerSeen(Observation):
    """Test data were returned. ``same``: unchanged."""

    asked: Place
    length: int
    same: bool


@dataclass(slots=True, eq=False)
class HeartbeatSeen(Observation):
    """A heartbeat that requests an answer. ``by_sender``: sent by the end that sends messages; None if unknown.

    ``open``: unanswered earlier heartbeats of that end.
    """

    by_sender: bool | None
    open: int


@dataclass(slots=True, eq=False)
class ChannelHeartbeatAnswered(Observation):
    """A heartbeat was answered. ``waited``: seconds until the answer."""

    asked: Place
    waited: float


@dataclass(slots=True, eq=False)
class ChannelHeartbeatUnanswered(Observation):
    """The connection or the capture ended before the heartbeat at ``asked`` was answered."""

    asked: Place
    waited: float
    capture_stops: bool


@dataclass(slots=True, eq=False)
class LongSilence(Observation):
    """The sending end sent nothing for longer than the agreed interval, while it was not waiting for an answer.

    ``seconds``: duration. ``interval``, ``limit``: agreed, in seconds. ``over``: the silence ended with the connection.
    """

    seconds: float
    interval: int
    limit: float
    over: bool


@dataclass(slots=True, eq=False)
class ChannelStatusSeen(Observation):
    """STATUS_DATA with an error. ``code``, ``value``: of its body. ``started``: the channel was negotiated."""

    code: int
    value: int | None
    started: bool


@dataclass(slots=True, eq=False)
class FieldSeen(Observation):
    """A field of a segment has an invalid value. ``certain``: the expectation is a known fact, not inferred."""

    structure: str
    field: str
    expected: str
    seen: str
    certain: bool = True


@dataclass(slots=True, eq=False)
class SegmentUnreadable(Observation):
    """The body of a segment cannot be parsed."""

    what: str
    expected: str
    seen: str


@dataclass(slots=True, eq=False)
class ChannelCompressedSeen(Observation):
    """The first compressed segment of a direction, which is not decompressed.

    ``header``, ``data``: which part is compressed. ``agreed``: negotiated compressions for headers and data, None if
    the negotiation was not seen.
    """

    header: bool
    data: bool
    agreed: tuple[int, int] | None


@dataclass(slots=True, eq=False)
class ChannelSegmentOutOfState(Observation):
    """A segment that the tables of the live machines do not accept at this point.

    ``what``: the trigger. ``state``: of the addressed end. ``expected``: triggers that the state accepts. ``certain``:
    the expectation is a known fact, not inferred.
    """

    what: str
    state: str
    expected: tuple[str, ...]
    certain: bool


@dataclass(slots=True, eq=False)
class CloseRequestSeen(Observation):
    """The receiving end asks to end the channel (REQUEST_CLOSE)."""


@dataclass(slots=True, eq=False)
class ChannelClosing(Observation):
    """An end closes the channel normally (CLOSE_CHANNEL without an error). ``call_back``: it will call back."""

    call_back: bool


@dataclass(slots=True, eq=False)
class SegmentAfterClose(Observation):
    """An end sends after it closed the channel."""

    what: str


@dataclass(slots=True, eq=False)
class ClosedWithoutExchange(Observation):
    """The connection ended although neither end had closed the channel or reported an error.

    ``reset``: TCP was reset. ``state``: of the channel.
    """

    reset: bool
    state: str
