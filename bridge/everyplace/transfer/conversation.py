"""What the two ends of a connection need of each other to transfer messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from mqbridge.bridge.everyplace.changes import Change
from mqbridge.protocol.everyplace.frames import Frame, Kind


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

    def ask(self, kind: Kind, body: bytes, then: Callable[[Frame], None]) -> None:
        """Send a request; ``then`` gets its answer. Nothing comes if the connection is cut."""
        ...


class Committer(Protocol):
    """Where changes go."""

    def submit(self, change: Change[Any], then: Callable[[bool], None]) -> None:
        """Have a change committed; ``then`` gets whether it was."""
        ...
