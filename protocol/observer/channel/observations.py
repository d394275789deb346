"""What the observer of a message channel tells: agreement, heartbeats, answers, ends (channels.md 4 to 6).

``asked`` is the place of the segment that an answer belongs to. Batches and messages are in ``batch_observations``.
"""

from __future__ import annotations

from dataclasses import dataclass

from mqbridge.protocol.observer.observations import Observation, Place

from .values import Agreed, Values


@dataclass(slots=True, eq=False)
class Proposed(Observation):
    """The caller states its values. ``answer``: what the other end said to those before; None for the first."""

    values: Values
    answer: Values | None
    round: int


@dataclass(slots=True, eq=False)
class Answered(Observation):
    """The other end states its values. ``proposal``: what it answers, None where that was not seen."""

    values: Values
    proposal: Values | None


@dataclass(slots=True, eq=False)
class ChannelAgreed(Observation):
    """Both ends have the same values."""

    agreed: Agreed
    proposal: Values
    answer: Values
    rounds: int


@dataclass(slots=True, eq=False)
class Resynchronised(Observation):
    """RESYNC_DATA was answered: the sender's batch in doubt and its last number, the receiver's last batch and number.

    The same batch: the sender commits. Another: it backs out and sends again (channels.md 5.4).
    """

    asked: Place
    luwid: bytes
    sequence_number: int
    answer_luwid: bytes
    answer_sequence_number: int


@dataclass(slots=True, eq=False)
class SequenceNumberReset(Observation):
    """The sending end tells the number that comes next."""

    sequence_number: int


@dataclass(slots=True, eq=False)
class PingAnswered(Observation):
    """Test data came back. ``same``: as they were sent."""

    asked: Place
    length: int
    same: bool


@dataclass(slots=True, eq=False)
class HeartbeatSeen(Observation):
    """A heartbeat that wants an answer. ``by_sender``: the end that sends messages asks; None: not known who that is.

    ``open``: heartbeats of that end before it that are not answered yet.
    """

    by_sender: bool | None
    open: int


@dataclass(slots=True, eq=False)
class HeartbeatAnswered(Observation):
    """``waited``: seconds from question to answer."""

    asked: Place
    waited: float


@dataclass(slots=True, eq=False)
class HeartbeatUnanswered(Observation):
    """The connection or the capture ended before the answer to the heartbeat at ``asked``."""

    asked: Place
    waited: float
    capture_stops: bool


@dataclass(slots=True, eq=False)
class LongSilence(Observation):
    """Nothing of the sending end for longer than the agreed interval, while nobody owed it an answer.

    ``seconds``: how long. ``interval``, ``limit``: agreed, in seconds. ``over``: the silence ended with the connection.
    """

    seconds: float
    interval: int
    limit: float
    over: bool


@dataclass(slots=True, eq=False)
class StatusSeen(Observation):
    """STATUS_DATA that tells of an error. ``code``, ``value``: of its body; ``started``: the channel was agreed on."""

    code: int
    value: int | None
    started: bool


@dataclass(slots=True, eq=False)
class FieldSeen(Observation):
    """A field of a segment does not hold what it has to. ``certain``: the expectation is a known fact."""

    structure: str
    field: str
    expected: str
    seen: str
    certain: bool = True


@dataclass(slots=True, eq=False)
class SegmentUnreadable(Observation):
    """The body of a segment cannot be read."""

    what: str
    expected: str
    seen: str


@dataclass(slots=True, eq=False)
class CompressedSeen(Observation):
    """The first compressed segment of a direction: what such segments hold is not read.

    ``header``, ``data``: which part is compressed. ``agreed``: compressions agreed on for headers and data, None where
    the agreement was not seen.
    """

    header: bool
    data: bool
    agreed: tuple[int, int] | None


@dataclass(slots=True, eq=False)
class OutOfPlace(Observation):
    """A segment that the tables of the live machines do not have at this point.

    ``what``: the step, ``state``: of the end that it was sent to, ``expected``: steps that the state knows.
    ``certain``: the expectation is a known fact and not inferred.
    """

    what: str
    state: str
    expected: tuple[str, ...]
    certain: bool


@dataclass(slots=True, eq=False)
class CloseAsked(Observation):
    """The receiving end wants the channel to end (REQUEST_CLOSE)."""


@dataclass(slots=True, eq=False)
class ChannelClosing(Observation):
    """An end closes the channel in order (CLOSE_CHANNEL without an error). ``call_back``: to call by itself."""

    call_back: bool


@dataclass(slots=True, eq=False)
class SegmentAfterClose(Observation):
    """An end that has closed the channel sends on."""

    what: str


@dataclass(slots=True, eq=False)
class ClosedWithoutExchange(Observation):
    """The connection ended though neither end had closed the channel or told an error.

    ``reset``: TCP was reset. ``state``: where the channel stood.
    """

    reset: bool
    state: str
