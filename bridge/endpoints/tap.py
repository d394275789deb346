"""A tap on all connections of a queue manager and their bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from mqbridge.bridge.agents.gateway.conversation_driver import ConversationDriver


@dataclass(slots=True)
class ConnectionEnds:
    """Both ends of a connection, each an address and a port; ``("", 0)`` for a Unix socket.

    ``called``: whether the partner opened the connection.
    """

    own: tuple[str, int]
    peer: tuple[str, int]
    called: bool


class Tap(Protocol):
    """Interface of a tap. Its methods are called for every connection, must be quick and must not raise."""

    def opened(self, connection: ConversationDriver, ends: ConnectionEnds) -> None:
        """A connection was opened."""

    def received(self, connection: ConversationDriver, data: bytes) -> None:
        """The partner sent bytes, which the agent processes next."""

    def sent(self, connection: ConversationDriver, data: bytes) -> None:
        """Bytes were sent to the partner."""

    def finished(self, connection: ConversationDriver) -> None:
        """We have sent our last bytes."""

    def gone(self, connection: ConversationDriver, orderly: bool) -> None:
        """The connection has ended; ``orderly``: closed, not aborted."""


class NullTap:
    """A tap that does nothing."""

    def opened(self, connection: ConversationDriver, ends: ConnectionEnds) -> None:
        """Do nothing."""

    def received(self, connection: ConversationDriver, data: bytes) -> None:
        """Do nothing."""

    def sent(self, connection: ConversationDriver, data: bytes) -> None:
        """Do nothing."""

    def finished(self, connection: ConversationDriver) -> None:
        """Do nothing."""

    def gone(self, connection: ConversationDriver, orderly: bool) -> None:
        """Do nothing."""
