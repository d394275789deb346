"""What the observer tells of calls, objects and deliveries (mq-wire.md 8.3, 8.4, client-observed.md 4, 5)."""

from __future__ import annotations

from dataclasses import dataclass

from mqbridge.protocol.observer.observations import Ending, Observation, Place


@dataclass(slots=True, eq=False)
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


@dataclass(slots=True, eq=False)
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
    """A reply that no call waits for. ``waiting``: names of the calls that wait there, may be empty."""

    conversation: int
    name: str
    waiting: tuple[str, ...]


@dataclass(slots=True, eq=False)
class CallsOverlap(Observation):
    """A call while another one of the same conversation waits for its reply (``protocol.mqi.states``)."""

    conversation: int
    name: str
    waiting: str
    asked: Place


@dataclass(slots=True, eq=False)
class OutOfState(Observation):
    """Something that the tables of the live machines do not allow: ``state`` it was in, what is ``possible``."""

    conversation: int
    what: str
    state: str
    possible: tuple[str, ...]


@dataclass(slots=True, eq=False)
class CallMalformed(Observation):
    """A call or reply, or another segment of clients, that cannot be read. ``detail``: one clause."""

    conversation: int
    name: str
    detail: str


@dataclass(slots=True, eq=False)
class CallCut(Observation):
    """A call or reply of several segments that did not come as such. ``detail``: one clause."""

    conversation: int
    name: str
    detail: str


@dataclass(slots=True, eq=False)
class ObjectOpened(Observation):
    """An open or a subscription gave a handle. ``options``: MQOO of an open, MQSO of a subscription."""

    conversation: int
    handle: int
    object_name: str
    queue_manager: str
    name: str
    options: int


@dataclass(slots=True, eq=False)
class ObjectClosed(Observation):
    """A handle was closed. ``opened``: where it was opened, None where the capture does not have that; ``calls``:
    answered ones with it, without open and close."""

    conversation: int
    handle: int
    object_name: str
    opened: Place | None
    calls: int


@dataclass(slots=True, eq=False)
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


@dataclass(slots=True, eq=False)
class DeliveredAfterClose(Observation):
    """ASYNC_MESSAGE or NOTIFICATION for a handle whose close was answered, or that nobody has: clients lose their
    socket (client-observed.md O-104). ``closed``: it was open once."""

    conversation: int
    handle: int
    name: str
    closed: bool


@dataclass(slots=True, eq=False)
class DeliveredUnasked(Observation):
    """A message for an open handle that had asked for none, or not for another one (client-observed.md O-105)."""

    conversation: int
    handle: int
    object_name: str


@dataclass(slots=True, eq=False)
class DeliveredTooLong(Observation):
    """More message data than the client asked for at the most (client-observed.md O-088)."""

    conversation: int
    handle: int
    object_name: str
    length: int
    limit: int


@dataclass(slots=True, eq=False)
class GetOutlived(Observation):
    """A get was still waiting when its connection ended. ``waited``: seconds so far; ``wait``: milliseconds wanted,
    -1 for ever."""

    conversation: int
    handle: int
    object_name: str
    waited: float
    wait: int
