"""Effects of senders: connections to other managers, to be opened, written to and given up."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from mqbridge.mappings.moment import Time


class ManagerCaller(Protocol):
    """A sender, as the endpoint sees it."""

    @property
    def name(self) -> str:
        """Its queue."""
        ...

    @property
    def address(self) -> str:
        """IP address of the other manager."""
        ...

    @property
    def port(self) -> int:
        """Its port."""
        ...

    def connected(self, now: Time) -> None:
        """The connection is there."""
        ...

    def failed(self, reason: str, now: Time) -> None:
        """The connection could not be made."""
        ...

    def receive(self, data: bytes, now: Time) -> None:
        """Take bytes of the other manager; none mean that the connection has ended."""
        ...

    def take(self) -> bytes:
        """Return the bytes to send."""
        ...


class CallManager(NamedTuple):
    """Open a connection for a sender, then call its ``connected`` or ``failed``."""

    sender: ManagerCaller


class SendToManager(NamedTuple):
    """Send what `ManagerCaller.take` returns."""

    sender: ManagerCaller


class LeaveManager(NamedTuple):
    """Give up the attempt to connect, or cut the connection, at once. Nothing is called afterwards."""

    sender: ManagerCaller
