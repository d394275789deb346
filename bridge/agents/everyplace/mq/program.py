"""What the bridge asks of a program that is connected to a queue manager of MQ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum, unique
from typing import NamedTuple, Protocol, TypeAlias

from mqbridge.bridge.store.interface import Operation
from mqbridge.mappings.message import Message


class MqFailure(NamedTuple):
    """A call has failed. ``reason``: MQRC."""

    reason: int
    text: str = ""


class GotMq(NamedTuple):
    """A message that was got or browsed."""

    message: Message


class MqPut(NamedTuple):
    """A message that is to be put, and where."""

    queue: str
    queue_manager: str
    message: Message


class MqDone(NamedTuple):
    """A call has been done. ``but``: what an operator must know of it."""

    but: str = ""


DONE = MqDone()
PutOutcome: TypeAlias = MqDone | MqFailure
GetOutcome: TypeAlias = GotMq | MqFailure


@unique
class Take(Enum):
    """How a message is read."""

    GET = "get"
    """Under syncpoint."""
    BROWSE_FIRST = "browse first"
    BROWSE_NEXT = "browse next"
    UNDER_CURSOR = "get what was browsed"
    """Under syncpoint; 2034 if somebody else has got it."""


class Wanted(NamedTuple):
    """What is read. ``wait``: seconds until a message must be there. ``msg_id``, ``correl_id``: 24 bytes that it must
    have; empty for any. ``removes``: what is browsed may be got afterwards. ``exclusive``: nobody else reads the queue
    meanwhile, or it fails with 2042."""

    queue: str
    take: Take = Take.GET
    wait: float = 0.0
    removes: bool = False
    exclusive: bool = False
    msg_id: bytes = b""
    correl_id: bytes = b""


class AheadPuts(Protocol):
    """Puts of a program that are sent ahead of their answers."""

    def put(self, puts: Sequence[MqPut], then: Callable[[PutOutcome], None]) -> None:
        """Put messages under syncpoint, in order, and ask once what has become of them.

        A failure, that of the first that failed, leaves a unit of work that can only be backed out.
        """
        ...


class MqProgram(Protocol):
    """A program: its calls are made one after the other, and each is answered, perhaps at once.

    A program that has lost its queue manager answers every call with 2009 or the reason why; `broken` says so.
    """

    @property
    def broken(self) -> bool:
        """Whether it cannot be used any more."""
        ...

    @property
    def takes_rows(self) -> bool:
        """Whether a commit takes rows of the store with it."""
        ...

    @property
    def ahead(self) -> AheadPuts | None:
        """Puts ahead of their answers; None where they cannot be had, or save nothing."""
        ...

    def put(self, queue: str, queue_manager: str, message: Message, then: Callable[[PutOutcome], None]) -> None:
        """MQPUT1 under syncpoint."""
        ...

    def dispose(
        self,
        message: Message,
        reason: int,
        destination: tuple[str, str],
        dead_letter_queue: str,
        then: Callable[[PutOutcome], None],
    ) -> None:
        """Dispose of a message that cannot be delivered, under syncpoint and with the gateway's own authority.

        It is discarded if it asks for it, otherwise put with an MQDLH on a dead-letter queue, a blank one the queue
        manager's. Its ReplyToQ gets the exception report that it asks for, with the authority of who has put it if that
        is known. ``reason``: MQRC or MQFB for MQDLH and report. ``destination``: queue and queue manager, for MQDLH.
        """
        ...

    def get(self, wanted: Wanted, then: Callable[[GetOutcome], None]) -> None:
        """MQGET; 2033 if no message comes in time."""
        ...

    def stop_waiting(self) -> None:
        """End a get that waits, with 2033 or with a message that has come."""
        ...

    def commit(self, rows: Sequence[Operation], then: Callable[[PutOutcome], None]) -> None:
        """MQCMIT; ``rows`` only where they are taken. A failure may mean that it was committed."""
        ...

    def back_out(self, then: Callable[[PutOutcome], None]) -> None:
        """MQBACK."""
        ...

    def end(self) -> None:
        """Disconnect, after a commit or backout; what is not committed is backed out. Nothing is answered any more."""
        ...
