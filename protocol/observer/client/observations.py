"""What the observer of a client connection tells (mq-wire.md 8, client-observed.md)."""

from __future__ import annotations

from attrs import define

from protocol.observer.observations import Ending, Observation, Place
from protocol.states import Member

NO_CONVERSATION = 0
"""Conversation of a connection that is not shared, and of what concerns a connection as a whole."""


@define(slots=True, eq=False)
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


@define(slots=True, eq=False)
class ClientAgreed(Observation):
    """The negotiation is over. ``agreed``: what the server stated last; ``offered``: what the client stated last."""

    agreed: ClientProposed
    offered: ClientProposed | None


class Stage(Member):
    """How far a connection had come; the value is how reports write it."""

    NEGOTIATION = "negotiation"
    SIGN_ON = "sign-on"
    CONNECTED = "connected"


@define(slots=True, eq=False)
class StatusSeen(Observation):
    """A STATUS_DATA that tells an error. ``meaning``: one clause; ``heeded``: whether it ends the connection for a
    client (client-observed O-030, O-034)."""

    conversation: int
    code: int
    meaning: str
    flags: int
    stage: Stage
    heeded: bool


@define(slots=True, eq=False)
class ConnectRefused(Observation):
    """MQCONN was answered with a failure."""

    conversation: int
    reason: int
    queue_manager: str


@define(slots=True, eq=False)
class CredentialsSeen(Observation):
    """Who a client says to be.

    ``kind``: ``USERID_DATA`` or ``CONAUTH_INFO``. ``password``: whether one came along; ``protected``: whether by the
    agreed algorithm, so that it cannot be read off the wire; None where that is not known.
    """

    conversation: int
    kind: str
    user: str
    password: bool
    protected: bool | None


@define(slots=True, eq=False)
class CredentialsAnswered(Observation):
    """What the server said to CONAUTH_INFO; ``code`` of the status, 0 for none."""

    conversation: int
    accepted: bool
    code: int
    asked: Place


@define(slots=True, eq=False)
class ConversationStarted(Observation):
    """A conversation begins. ``asked``: place of the wish, that of the observation where none was needed."""

    conversation: int
    asked: Place


@define(slots=True, eq=False)
class ConversationRefused(Observation):
    """A further conversation was wished for and not given; ``answer``: type of the SOCKET_ACTION that said so."""

    conversation: int
    answer: int


@define(slots=True, eq=False)
class ConversationEnded(Observation):
    """A conversation is over. ``orderly``: after MQDISC, or before MQCONN; ``calls``: answered ones on it."""

    conversation: int
    orderly: bool
    calls: int


@define(slots=True, eq=False)
class CallAnswered(Observation):
    """A call and its reply; the place is that of the reply.

    ``name``: ``MQPUT``, ``SPI OPEN``, ``XA_START`` … A get on a shared connection is ``MQGET`` too, with ``streamed``:
    asked by REQUEST_MSGS, answered by a message or the NOTIFICATION that there is none. ``handle``: of the object
    concerned, new ones included, 0 for none. ``comp_code``, ``reason``: MQCC and MQRC; of XA calls 0 or 2 and the
    return value. ``asked``: place of the request's first segment, ``answered``: of the reply's first.
    ``request_bytes``, ``reply_bytes``: their segments with headers. ``room``: bytes that the client asked for at the
    most, ``stated``: that the reply says to have, ``counted``: that it has by the same count; 0 where they have none.
    ``wait``: milliseconds that a get would wait, -1 for ever.
    """

    conversation: int
    name: str
    handle: int
    object_name: str
    comp_code: int
    reason: int
    asked: Place
    answered: Place
    request_bytes: int
    reply_bytes: int
    room: int = 0
    stated: int = 0
    counted: int = 0
    wait: int = 0
    streamed: bool = False


@define(slots=True, eq=False)
class CallUnanswered(Observation):
    """A call that had no reply when its conversation or connection ended, or the capture did.

    ``wait``: of a get, milliseconds, -1 for ever; other calls 0.
    """

    conversation: int
    name: str
    handle: int
    object_name: str
    asked: Place
    request_bytes: int
    wait: int
    ending: Ending
    streamed: bool = False


@define(slots=True, eq=False)
class PutUnanswerable(Observation):
    """An asynchronous put, which has no reply (client-observed O-063)."""

    conversation: int
    name: str
    handle: int
    object_name: str
    request_bytes: int


@define(slots=True, eq=False)
class ReplyUnexpected(Observation):
    """A reply that no call waits for. ``waiting``: names of the calls that wait there, may be empty."""

    conversation: int
    name: str
    waiting: tuple[str, ...]


@define(slots=True, eq=False)
class CallsOverlap(Observation):
    """A call while another one of the same conversation waits for its reply (``protocol.mqi.states``)."""

    conversation: int
    name: str
    waiting: str
    asked: Place


@define(slots=True, eq=False)
class OutOfState(Observation):
    """Something that the tables of the live machines do not allow: ``state`` it was in, what is ``possible``."""

    conversation: int
    what: str
    state: str
    possible: tuple[str, ...]


@define(slots=True, eq=False)
class CallMalformed(Observation):
    """A call or reply, or another segment of clients, that cannot be read. ``detail``: one clause."""

    conversation: int
    name: str
    detail: str


@define(slots=True, eq=False)
class CallCut(Observation):
    """A call or reply of several segments that did not come as such. ``detail``: one clause."""

    conversation: int
    name: str
    detail: str


@define(slots=True, eq=False)
class ObjectOpened(Observation):
    """An open or a subscription gave a handle. ``options``: MQOO of an open, MQSO of a subscription."""

    conversation: int
    handle: int
    object_name: str
    queue_manager: str
    name: str
    options: int


@define(slots=True, eq=False)
class ObjectClosed(Observation):
    """A handle was closed. ``opened``: where it was opened, None where the capture does not have that; ``calls``:
    answered ones with it, without open and close."""

    conversation: int
    handle: int
    object_name: str
    opened: Place | None
    calls: int


@define(slots=True, eq=False)
class HandleMisused(Observation):
    """A call with a handle that is closed (``closed``) or was never given. ``reason``: what the reply says, None where
    none is wanted."""

    conversation: int
    name: str
    handle: int
    object_name: str
    closed: bool
    comp_code: int
    reason: int | None


@define(slots=True, eq=False)
class DeliveredAfterClose(Observation):
    """ASYNC_MESSAGE or NOTIFICATION for a handle whose close was answered, or that nobody has: clients lose their
    socket (client-observed O-104). ``closed``: it was open once."""

    conversation: int
    handle: int
    name: str
    closed: bool


@define(slots=True, eq=False)
class DeliveredUnasked(Observation):
    """A message for an open handle that had asked for none, or not for another one (client-observed O-105)."""

    conversation: int
    handle: int
    object_name: str


@define(slots=True, eq=False)
class DeliveredTooLong(Observation):
    """More message data than the client asked for at the most (client-observed O-088)."""

    conversation: int
    handle: int
    object_name: str
    length: int
    limit: int


@define(slots=True, eq=False)
class Quiesced(Observation):
    """The server tells that it, or a conversation, is about to end: SOCKET_ACTION 3 or 7, NOTIFICATION 7."""

    conversation: int
    name: str


@define(slots=True, eq=False)
class Compressed(Observation):
    """A compressed segment: only its headers can be read (client-observed O-013). Told once a direction."""


@define(slots=True, eq=False)
class HeartbeatAnswered(Observation):
    """A heartbeat and its answer. ``direction``: of the end that answered."""

    asked: Place


@define(slots=True, eq=False)
class HeartbeatUnanswered(Observation):
    """A heartbeat without an answer. ``direction``: of the end that asked. ``waited``: seconds."""

    asked: Place
    waited: float
    interval: int
    ending: Ending


@define(slots=True, eq=False)
class SilenceSeen(Observation):
    """Nothing passed either way for so many ``seconds`` although the ends agreed on a heartbeat ``interval``.

    ``direction``: of the end that had to ask.
    """

    seconds: float
    interval: int


@define(slots=True, eq=False)
class GetOutlived(Observation):
    """A get was still waiting when its connection ended. ``waited``: seconds so far; ``wait``: milliseconds wanted,
    -1 for ever."""

    conversation: int
    handle: int
    object_name: str
    waited: float
    wait: int


@define(slots=True, eq=False)
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
