"""A step of a route, and what it may know and use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from mqbridge.mappings.message import Message
from mqbridge.mappings.tree import EnteredBy
from mqbridge.protocol.formats import NO_FORMATS, Formats

DEFAULT_TIME_LIMIT: Final = 5.0
"""Seconds that a Python function may take for a message."""
DEFAULT_LENGTH: Final = 4 << 20
"""Default of MAXMSGL: bytes of data."""
DEFAULT_MESSAGES: Final = 1000
DEFAULT_TOTAL: Final = 64 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """``length``: bytes of data that a message may have after a step (MAXMSGL). ``messages``: how many a run may have
    made of one, and how many a Python function may return. ``total``: bytes of data of all these together."""

    length: int = DEFAULT_LENGTH
    messages: int = DEFAULT_MESSAGES
    total: int = DEFAULT_TOTAL

    @property
    def together(self) -> int:
        """Bytes of data of all messages together; never less than one may have."""
        return max(self.total, self.length)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What steps know besides the message.

    ``ccsid``: the queue manager's. ``queue_manager``: its name. ``queue``: where the message was got. ``application``:
    name of the program in headers that are added. ``now``: seconds since 1970. ``formats``: those of plug-ins.
    ``entered_by``: ``"queue"``, or ``"other"`` for a message of another transport (jms-mapping.md 10.4).
    """

    ccsid: int = 1208
    queue_manager: str = ""
    queue: str = ""
    application: str = "mqbridge"
    now: float = 0.0
    formats: Formats = NO_FORMATS
    entered_by: EnteredBy = "queue"


class Action(Protocol):
    """What a step does to a message."""

    @property
    def shown(self) -> str:
        """The step as `explain` names it."""
        ...

    def apply(self, message: Message, surroundings: Surroundings) -> Message:
        """Return the message as it is afterwards; the one given stays as it is. Raises an ``MQBridgeError``."""
        ...


@dataclass(frozen=True, slots=True)
class PythonFunction:
    """A step in a worker process. ``target``: ``"module:function"``. ``time_limit``: seconds for a message."""

    target: str
    time_limit: float = DEFAULT_TIME_LIMIT

    @property
    def shown(self) -> str:
        """See `Action.shown`."""
        return f"python {self.target}"


AnyAction: TypeAlias = Action | PythonFunction


@dataclass(frozen=True, slots=True)
class Step:
    """One step. ``number``: its place in the list, from 1."""

    number: int
    action: AnyAction

    @property
    def shown(self) -> str:
        """The step in one or a few words: ``strip-rfh2``, ``set usr.seen``."""
        return self.action.shown
