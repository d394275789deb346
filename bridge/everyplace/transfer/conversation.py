"""What the two ends of a connection need of each other to transfer messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from mqbridge.bridge.everyplace.changes import Change
from mqbridge.protocol.everyplace.batches import Confirm, Have, Numbered, Part, Push, State, Taken, read_body
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.frames import Frame, Kind
from mqbridge.protocol.everyplace.handshakes import Failure, read_greeting, write_greeting

Expected = TypeVar("Expected", Confirm, Have, Numbered, Part, Push, State, Taken)
Reply = Callable[[Kind, bytes], None]
"""Answers a request."""
Trouble = Callable[[EveryplaceError | None], None]
"""Hears why a lane does not go on; None when it does again."""


class Line(Protocol):
    """A connection that is ready: both ends know who the other is."""

    @property
    def partner(self) -> str:
        """The queue manager at the other end."""
        ...

    @property
    def incarnation(self) -> bytes:
        """Its incarnation."""
        ...

    @property
    def version(self) -> int:
        """That of the protocol, which both ends speak."""
        ...

    def ask(self, kind: Kind, body: bytes, then: Callable[[Frame], None]) -> None:
        """Send a request; ``then`` gets its answer. Nothing comes if the connection is cut."""
        ...

    def fail(self, error: EveryplaceError) -> None:
        """End the connection: the other end says what it may not say."""
        ...


class Committer(Protocol):
    """Where changes go."""

    def submit(self, change: Change[Any], then: Callable[[bool], None]) -> None:
        """Have a change committed; ``then`` gets whether it was."""
        ...


def refusal(error: EveryplaceError) -> bytes:
    """Return the body of an ERROR."""
    return write_greeting(Failure(int(error.code), error.text))


def expected(frame: Frame, kind: Kind, body: type[Expected]) -> Expected:
    """Return the body of an answer of the right kind.

    Raises `EveryplaceError` DATA for another kind, and what the other end says in an ERROR.
    """
    if frame.kind is Kind.ERROR:
        failure = read_greeting(Kind.ERROR, frame.body)
        assert isinstance(failure, Failure), "the body of an ERROR"
        raise failure.error()
    if frame.kind is not kind:
        raise EveryplaceError(Code.DATA, f"a {frame.kind.name} came where a {kind.name} was expected")
    found = read_body(kind, frame.body)
    assert isinstance(found, body)
    return found
