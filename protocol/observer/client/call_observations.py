"""Observations of calls, objects and deliveries (mq-wire.md 8.3, 8.4, client-observed.md 4, 5)."""

from __future__ import annotations

from dataclasses import dataclass

from mqbridge.protocol.observer.observations import Ending, Observation, Place


@dataclass(slots=True, eq=False)
class CallAnswered(Observation):
    """A call and its reply; the place is that of the reply.

    ``name``: ``MQPUT``, ``SPI OPEN``, ``XA_START`` … A get on a shared connection is also ``MQGET``, with ``streamed``:
    requested by REQUEST_MSGS, answered by a message or by the NOTIFICATION that there is none. ``handle``: of the
    object, including a new one; 0 for none. ``comp_code``, ``reason``: MQCC and MQRC; for XA calls 0 or 2 and the
    return value. ``asked``, ``answered``: places of the first segments of request and reply. ``request_bytes``,
    ``reply_bytes``: their segments with headers. ``room``: bytes that the client allows for the reply; ``stated``:
    length stated in the reply; ``counted``: its actual length, counted the same way; 0 if not applicable. ``wait``:
    milliseconds that a get would wait, -1 without limit.
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


@dataclass(slots=True, eq=False)
class CallUnanswered(Observation):
    """A call without a reply when its conversation, the connection or the capture ended.

    ``wait``: milliseconds of a waiting get, -1 without limit; 0 for other calls.
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


@dataclass(slots=True, eq=False)
class PutUnanswerable(Observation):
    """An asynchronous put, which has no reply (client-observed.md O-063)."""

    conversation: int
    name: str
    handle: int
    object_name: str
    request_bytes: int


@dataclass(slots=True, eq=False)
class ReplyUnexpected(Observation):
    """A reply without a pending call. ``waiting``: names of the calls that are pending."""

    conversation: int
    name: str
    waiting: tuple[str, ...]


@dataclass(slots=True, eq=False)
class CallsOverlap(Observation):
    """A call while another call of the same conversation is pending (``protocol.mqi.states``)."""

    conversation: int
    name: str
    waiting: str
    asked: Place


@dataclass(slots=True, eq=False)
class ClientSegmentOutOfState(Observation):
    """A segment that the tables of the live machines do not accept: the ``state``, and what is ``possible`` in it."""

    conversation: int
    what: str
    state: str
    possible: tuple[str, ...]


@dataclass(slots=True, eq=False)
class CallMalformed(Observation):
    """A call, reply or other client segment that cannot be parsed. ``detail``: one clause."""

    conversation: int
    name: str
    detail: str


@dataclass(slots=True, eq=False)
class CallCut(Observation):
    """Segments of a call or reply that do not fit together. ``detail``: one clause."""

    conversation: int
    name: str
    detail: str


@dataclass(slots=True, eq=False)
class ObjectOpened(Observation):
    """An open or subscription returned a handle. ``options``: MQOO of an open, MQSO of a subscription."""

    conversation: int
    handle: int
    object_name: str
    queue_manager: str
    name: str
    options: int


@dataclass(slots=True, eq=False)
class ObjectClosed(Observation):
    """A handle was closed. ``opened``: place of the open, None if not captured. ``calls``: answered calls with it,
    without open and close."""

    conversation: int
    handle: int
    object_name: str
    opened: Place | None
    calls: int


@dataclass(slots=True, eq=False)
class HandleMisused(Observation):
    """A call with a handle that is closed (``closed``) or was never given. ``reason``: of the reply, None if none is
    expected."""

    conversation: int
    name: str
    handle: int
    object_name: str
    closed: bool
    comp_code: int
    reason: int | None


@dataclass(slots=True, eq=False)
class DeliveredAfterClose(Observation):
    """ASYNC_MESSAGE or NOTIFICATION for a handle that is closed or unknown: clients drop the connection
    (client-observed.md O-104). ``closed``: it was open before."""

    conversation: int
    handle: int
    name: str
    closed: bool


@dataclass(slots=True, eq=False)
class DeliveredUnasked(Observation):
    """A message for an open handle without a request, or beyond its request (client-observed.md O-105)."""

    conversation: int
    handle: int
    object_name: str


@dataclass(slots=True, eq=False)
class DeliveredTooLong(Observation):
    """More message data than the client's limit (client-observed.md O-088)."""

    conversation: int
    handle: int
    object_name: str
    length: int
    limit: int


@dataclass(slots=True, eq=False)
class GetOutlived(Observation):
    """A get was still waiting when its connection ended. ``waited``: seconds so far. ``wait``: requested milliseconds,
    -1 without limit."""

    conversation: int
    handle: int
    object_name: str
    waited: float
    wait: int
