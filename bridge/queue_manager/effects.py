"""Effects: side effects of the queue manager as values, which its host performs.

``QueueManager.take_effects()`` returns them in order. They are not stored: after a crash a lost effect is either
repeated (a channel is triggered at restart) or without object (a waiting program is gone).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

from mqbridge.mappings.moment import Time

if TYPE_CHECKING:
    from .getting.waiter import Waiter


@dataclass(slots=True)
class Wake:
    """A waiter may get now, or its wait is over. It is no longer registered.

    ``reason``: 0 (MQRC_NONE) if there may be a message for it; it gets, and waits again if there is none. Otherwise the
    reason code with which the wait ends: 2033 timeout, 2016 get inhibited, 2052 queue deleted, 2161 queue manager
    quiescing, 2041 queue changed, 2494 gets are allowed again (for those who waited for that).
    """

    waiter: Waiter
    reason: int = 0


class Program(Protocol):
    """The program behind a session, as the queue manager sees it."""

    def completed(self, now: Time) -> None:
        """Handle completed requests: their outcomes are in `Session.completions`."""
        ...

    def connection_stopped(self, now: Time) -> None:
        """End because an operator has stopped the connection (STOP CONN)."""
        ...


class Completed(NamedTuple):
    """Requests of a session have been completed: call `Program.completed`."""

    program: Program


@dataclass(slots=True)
class StartChannel:
    """Start the channel of a transmission queue (channels.md 13), unless it is STOPPED, retrying or running.

    ``channel``: the name in TRIGDATA, else the sender or server channel whose XMITQ is ``queue``.
    """

    channel: str
    queue: str


@dataclass(slots=True)
class Log:
    """A line of the operator's log: message id (``"AMQ7310"``) and the inserts of its text, in order."""

    amq: str
    inserts: tuple[str | int, ...] = ()


Effect: TypeAlias = Wake | Completed | StartChannel | Log
