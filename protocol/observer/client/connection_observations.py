"""Observations of a client connection as a whole (mq-wire.md 8.1, 8.5, 8.6, client-observed.md)."""

from __future__ import annotations

from dataclasses import dataclass

from mqbridge.protocol.observer.observations import Ending, Observation, Place
from mqbridge.protocol.states import Member


@dataclass(slots=True, eq=False)
class ClientProposed(Observation):
    """An INITIAL_DATA of either end. ``rounds``: from 1, counted by those of the client.

    ``error``: the server marked its answer as a disagreement, so that another round follows.
    """

    fap_level: int
    transmission_size: int
    message_length: int
    heartbeat_interval: int
    conversations: int
    channel: str
    queue_manager: str
    ccsid: int
    product: str
    password_algorithms: tuple[int, ...]
    compressed: bool
    error: bool
    rounds: int


@dataclass(slots=True, eq=False)
class ClientAgreed(Observation):
    """Negotiation has succeeded. ``agreed``: the server's last statement. ``offered``: the client's last statement."""

    agreed: ClientProposed
    offered: ClientProposed | None


class ConnectStage(Member):
    """How far a connection got; the values are the words in reports."""

    NEGOTIATION = "negotiation"
    SIGN_ON = "sign-on"
    CONNECTED = "connected"


@dataclass(slots=True, eq=False)
class ClientStatusSeen(Observation):
    """STATUS_DATA with an error. ``meaning``: one clause. ``heeded``: it ends the connection for a client
    (client-observed.md O-030, O-034)."""

    conversation: int
    code: int
    meaning: str
    flags: int
    stage: ConnectStage
    heeded: bool


@dataclass(slots=True, eq=False)
class ConnectRefused(Observation):
    """MQCONN was answered with a failure."""

    conversation: int
    reason: int
    queue_manager: str


@dataclass(slots=True, eq=False)
class CredentialsSeen(Observation):
    """The user that a client states.

    ``kind``: ``USERID_DATA`` or ``CONAUTH_INFO``. ``password``: one was sent. ``protected``: by the agreed algorithm,
    so that it cannot be read; None if unknown. ``repeated``: the same was sent before, on another conversation.
    """

    conversation: int
    kind: str
    user: str
    password: bool
    protected: bool | None
    repeated: bool = False


@dataclass(slots=True, eq=False)
class CredentialsAnswered(Observation):
    """The server's answer to CONAUTH_INFO; ``code``: of the status, 0 for none."""

    conversation: int
    accepted: bool
    code: int
    asked: Place


@dataclass(slots=True, eq=False)
class ConversationStartSeen(Observation):
    """A conversation begins. ``asked``: place of the request; that of the observation if none was needed."""

    conversation: int
    asked: Place


@dataclass(slots=True, eq=False)
class ConversationRefused(Observation):
    """A further conversation was requested and refused. ``answer``: type of the SOCKET_ACTION that refused it."""

    conversation: int
    answer: int


@dataclass(slots=True, eq=False)
class ConversationEndSeen(Observation):
    """A conversation has ended. ``orderly``: after MQDISC, or before MQCONN. ``calls``: answered ones on it."""

    conversation: int
    orderly: bool
    calls: int


@dataclass(slots=True, eq=False)
class Quiesced(Observation):
    """The server announces that it, or a conversation, is about to end: SOCKET_ACTION 3 or 7, NOTIFICATION 7."""

    conversation: int
    name: str


@dataclass(slots=True, eq=False)
class ClientCompressedSeen(Observation):
    """A compressed segment, of which only headers can be read (client-observed.md O-013). Reported once per direction.

    ``header``, ``data``: which part is compressed. ``technique``: compression of message data named in its CSH, None if
    it has none.
    """

    header: bool
    data: bool
    technique: int | None


@dataclass(slots=True, eq=False)
class ClientHeartbeatAnswered(Observation):
    """A heartbeat and its answer. ``direction``: of the end that answered."""

    asked: Place


@dataclass(slots=True, eq=False)
class ClientHeartbeatUnanswered(Observation):
    """An unanswered heartbeat. ``direction``: of the end that sent it. ``waited``: seconds."""

    asked: Place
    waited: float
    interval: int
    ending: Ending


@dataclass(slots=True, eq=False)
class SilenceSeen(Observation):
    """Nothing was sent in either direction for ``seconds``, although a heartbeat ``interval`` was negotiated.

    ``direction``: of the end that should have sent a heartbeat.
    """

    seconds: float
    interval: int


@dataclass(slots=True, eq=False)
class ClientEnded(Observation):
    """Summary of a client connection; its last observation.

    ``orderly``: a normal end. ``left``: conversations that were still connected. ``begun``, ``ended``: times of the
    first and last segment. ``calls``: answered ones. ``connects``: successful MQCONN. ``opens``: opens of queues and
    topics. ``messages``: put and got. ``split``: calls and messages of several segments; ``split_segments``: their
    segments; ``short``: those of them, except the last of each, that are below half of the negotiated size. ``units``:
    committed units of work with a message; ``single``: those with one message. ``gets``: number of gets;
    ``empty_gets``: those without a wait that found nothing; ``polled``: the queue with most of these. ``heartbeats``:
    in both directions. ``idle``: longest time without a call, seconds.
    """

    ending: Ending
    orderly: bool
    left: int
    begun: float
    ended: float
    segments: int
    bytes: int
    calls: int
    connects: int
    opens: int
    messages: int
    split: int
    split_segments: int
    short: int
    units: int
    single: int
    gets: int
    empty_gets: int
    polled: str
    heartbeats: int
    idle: float
