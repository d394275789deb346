"""What the queue manager wants done by others, as values: whoever drives it takes them and acts.

``QueueManager.take_effects()`` gives them in the order in which they came about. Nothing here has been written to the
store for the effect's sake: an effect that is lost in a crash comes about again (a channel is triggered at restart,
a waiting program is gone).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

if TYPE_CHECKING:
    from .getting.waiter import Waiter


@dataclass(slots=True)
class Wake:
    """A waiter may get now, or its wait is over.

    ``reason`` is 0 (MQRC_NONE): a message it may want is there; the waiter is no longer registered and gets (and
    waits again where somebody was faster). Anything else is the reason with which the wait ends: 2033 time is up,
    2016 get inhibited, 2052 queue deleted, 2161 queue manager quiescing, 2041 queue changed; 2494 gets are allowed
    again, where that was waited for.
    """

    waiter: Waiter
    reason: int = 0


class Program(Protocol):
    """Who makes the requests of a session, as the queue manager sees it."""

    def completed(self, now: float) -> None:
        """Take the outcomes of requests that have been completed, from `Session.completions`."""
        ...

    def break_off(self, now: float) -> None:
        """End: an operator ends the connection (STOP CONN)."""
        ...


class Completed(NamedTuple):
    """Requests of a session have been completed: whoever performs it tells the program."""

    program: Program


@dataclass(slots=True)
class StartChannel:
    """A transmission queue with messages that nobody serves asks for its channel (channels.md 13).

    ``channel`` is the name out of TRIGDATA, or of the sender or server channel whose XMITQ is ``queue``. Who performs
    it starts the channel unless it is STOPPED, retrying or running already.
    """

    channel: str
    queue: str


@dataclass(slots=True)
class Log:
    """A line for the operator: message id (``"AMQ7310"`` …) and the values to put into its text, in order."""

    amq: str
    inserts: tuple[str | int, ...] = ()


Effect: TypeAlias = Wake | Completed | StartChannel | Log
