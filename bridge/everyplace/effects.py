"""Effects: what a queue manager asks of its host, as values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, unique
from typing import NamedTuple, TypeAlias

from mqbridge.protocol.everyplace.calls import Call, Outcome
from mqbridge.protocol.everyplace.names import Address

from .definitions.listener_definition import ListenerDefinition
from .queues.message_event import MessageEvent
from .queues.queue import Queue

Then: TypeAlias = Callable[[Outcome], None]


@dataclass(frozen=True, slots=True)
class AskPartner:
    """Send a call to another queue manager over a connection, and call ``then`` with its outcome (E-128, E-192).

    ``connection``: name of the definition, via chains resolved. ``queue``: whose protection the channel must give; None
    for a question that is about no queue yet.
    """

    connection: str
    call: Call
    then: Then
    queue: Queue | None = None


@dataclass(frozen=True, slots=True)
class AskMq:
    """Have the bridge make a call on a queue of MQ, and call ``then`` with its outcome (E-193).

    ``address``: of the call, with aliases resolved; ``queue`` may stand for every queue of its queue manager. ``peer``:
    the queue manager that asks for it, empty for a program of this one.
    """

    queue: Queue
    address: Address
    call: Call
    then: Then
    peer: str = ""


class Transmit(NamedTuple):
    """A queue has messages to send over a connection; E-501 and E-502 have agreed.

    ``connection``: empty where they wait until they are pulled. ``target``: the queue manager to which they go; empty
    for any.
    """

    queue: Queue
    connection: str
    target: str = ""


@dataclass(frozen=True, slots=True)
class Alarm:
    """Something that an operator should know. ``name``: of the object that it is about."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class StartListener:
    """Accept connections as a definition says (E-261)."""

    definition: ListenerDefinition


@dataclass(frozen=True, slots=True)
class StopListener:
    """Accept no more connections; those that are there may end."""

    name: str


@dataclass(frozen=True, slots=True)
class Audit:
    """An administration message has been dealt with (E-288).

    ``peer``: the queue manager that it came from, as it was authenticated; empty for a program of this one.
    ``origin``: the queue manager on which it was put first, as it says. ``request``: action, class and name. ``code``:
    return code. ``reason``: why it failed.
    """

    peer: str
    origin: str
    request: str
    code: int
    reason: str


@unique
class Topic(Enum):
    """What a notice is about (E-570)."""

    ACTIVATE = "activate"
    CLOSE = "close"
    QUEUE = "queue"
    QUEUE_MANAGER = "queue manager"
    ATTRIBUTE = "attribute"
    AUTHENTICATE = "authenticate"
    LOG = "log on/off"
    USER_BASE = "user base"


@unique
class Level(Enum):
    """How much a notice matters (E-570)."""

    INFORMATION = "information"
    WARNING = "warning"
    ERROR = "error"
    SUCCESS = "success"
    AUDIT_SUCCESS = "audit success"
    AUDIT_FAILURE = "audit failure"


@dataclass(frozen=True, slots=True)
class Notice:
    """A line for the log of the host. ``name``: of the object that it is about. An `Alarm` is what an operator must
    act upon."""

    topic: Topic
    level: Level
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Triggered:
    """Try to send everything that waits, and to pull; E-501 has agreed, E-502 is asked for each queue (E-211)."""


@dataclass(frozen=True, slots=True)
class MessageArrived:
    """Call ``listener`` with an event, in the thread of its program (E-205)."""

    listener: Callable[[MessageEvent], None]
    event: MessageEvent


Effect: TypeAlias = (
    AskPartner | AskMq | Transmit | Triggered | MessageArrived | Alarm | Notice | Audit | StartListener | StopListener
)
