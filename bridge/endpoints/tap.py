"""What passes through the sockets of a queue manager, told to whoever wants to know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from mqbridge.bridge.agents.gateway.conversation_driver import ConversationDriver


@dataclass(slots=True)
class ConnectionEnds:
    """The two ends of a connection, each an address and a port; a Unix socket has none and gives ``("", 0)``.

    ``called``: whether we were called, not the caller.
    """

    own: tuple[str, int]
    peer: tuple[str, int]
    called: bool


class Tap(Protocol):
    """Is told of every connection. What it does must be quick, and must not raise."""

    def opened(self, connection: ConversationDriver, ends: ConnectionEnds) -> None:
        """A connection is there."""

    def received(self, connection: ConversationDriver, data: bytes) -> None:
        """The partner sent bytes; the agent gets them next."""

    def sent(self, connection: ConversationDriver, data: bytes) -> None:
        """Bytes go to the partner."""

    def finished(self, connection: ConversationDriver) -> None:
        """We have sent our last bytes."""

    def gone(self, connection: ConversationDriver, orderly: bool) -> None:
        """The connection is over; ``orderly``: by closing, not by breaking it off."""


class NullTap:
    """A tap that nobody listens at."""

    def opened(self, connection: ConversationDriver, ends: ConnectionEnds) -> None:
        """A connection is there."""

    def received(self, connection: ConversationDriver, data: bytes) -> None:
        """The partner sent bytes; the agent gets them next."""

    def sent(self, connection: ConversationDriver, data: bytes) -> None:
        """Bytes go to the partner."""

    def finished(self, connection: ConversationDriver) -> None:
        """We have sent our last bytes."""

    def gone(self, connection: ConversationDriver, orderly: bool) -> None:
        """The connection is over; ``orderly``: by closing, not by breaking it off."""
