"""What the observer of a client connection tells of it as a whole (mq-wire.md 8.1, 8.5, 8.6, client-observed.md)."""

from __future__ import annotations

from dataclasses import dataclass

from mqbridge.protocol.observer.observations import Ending, Observation, Place
from mqbridge.protocol.states import Member


@dataclass(slots=True, eq=False)
class ClientProposed(Observation):
    """An INITIAL_DATA of either end: what it states. ``rounds``: from 1, counted by those of the client.

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
    """The negotiation is over. ``agreed``: what the server stated last; ``offered``: what the client stated last."""

    agreed: ClientProposed
    offered: ClientProposed | None


class Stage(Member):
    """How far a connection had come; the value is how reports write it."""

    NEGOTIATION = "negotiation"
    SIGN_ON = "sign-on"
    CONNECTED = "connected"


@dataclass(slots=True, eq=False)
class StatusSeen(Observation):
    """A STATUS_DATA that tells an error. ``meaning``: one clause; ``heeded``: whether it ends the connection for a
    client (client-observed.md O-030, O-034)."""

    conversation: int
    code: int
    meaning: str
    flags: int
    stage: Stage
    heeded: bool


@dataclass(slots=True, eq=False)
class ConnectRefused(Observation):
    """MQCONN was answered with a failure."""

    conversation: int
    reason: int
    queue_manager: str


@dataclass(slots=True, eq=False)
class CredentialsSeen(Observation):
    """Who a client says to be.

    ``kind``: ``USERID_DATA`` or ``CONAUTH_INFO``. ``password``: whether one came along; ``protected``: whether by the
    agreed algorithm, so that it cannot be read off the wire; None where that is not known. ``repeated``: the same was
    said before, on another conversation.
    """

    conversation: int
    kind: str
    user: str
    password: bool
    protected: bool | None
    repeated: bool = False


@dataclass(slots=True, eq=False)
class CredentialsAnswered(Observation):
    """What the server said to CONAUTH_INFO; ``code`` of the status, 0 for none."""

    conversation: int
    accepted: bool
    code: int
    asked: Place


@dataclass(slots=True, eq=False)
class ConversationStarted(Observation):
    """A conversation begins. ``asked``: place of the wish, that of the observation where none was needed."""

    conversation: int
    asked: Place


@dataclass(slots=True, eq=False)
class ConversationRefused(Observation):
    """A further conversation was wished for and not given; ``answer``: type of the SOCKET_ACTION that said so."""

    conversation: int
    answer: int


@dataclass(slots=True, eq=False)
class ConversationEnded(Observation):
    """A conversation is over. ``orderly``: after MQDISC, or before MQCONN; ``calls``: answered ones on it."""

    conversation: int
    orderly: bool
    calls: int


@dataclass(slots=True, eq=False)
class Quiesced(Observation):
    """The server tells that it, or a conversation, is about to end: SOCKET_ACTION 3 or 7, NOTIFICATION 7."""

    conversation: int
    name: str


@dataclass(slots=True, eq=False)
class Compressed(Observation):
    """A compressed segment: only its headers can be read (client-observed.md O-013). Told once a direction.

    ``header``, ``data``: which part is compressed; ``technique``: compression of message data that its CSH names, None
    where it has none.
    """

    header: bool
    data: bool
    technique: int | None


@dataclass(slots=True, eq=False)
class HeartbeatAnswered(Observation):
    """A heartbeat and its answer. ``direction``: of the end that answered."""

    asked: Place


@dataclass(slots=True, eq=False)
class HeartbeatUnanswered(Observation):
    """A heartbeat without an answer. ``direction``: of the end that asked. ``waited``: seconds."""

    asked: Place
    waited: float
    interval: int
    ending: Ending


@dataclass(slots=True, eq=False)
class SilenceSeen(Observation):
    """Nothing passed either way for so many ``seconds`` although the ends agreed on a heartbeat ``interval``.

    ``direction``: of the end that had to ask.
    """

    seconds: float
    interval: int


@dataclass(slots=True, eq=False)
class ClientEnded(Observation):
    """A client connection is over: what it was like as a whole. Told last.

    ``orderly``: ended as agreed. ``left``: conversations that were still connected; ``begun``, ``ended``: time of the
    first segment and of the last. ``calls``: answered ones; ``connects``: MQCONN among them that did not fail;
    ``opens``: opens of queues and topics. ``messages``: put and got. ``split``: calls and messages of several
    segments, ``short``: segments of these but the last that are below half of the agreed size; ``split_segments``: all
    of them. ``units``: units of work that were committed with a message in them, ``single``: those with one message.
    ``empty_gets``: gets without a wait that found nothing, ``gets``: gets; ``polled``: the queue with most of the empty
    ones. ``heartbeats``: both ways. ``idle``: longest time without a call, seconds.
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
