"""Effects of links: connections to providers, to be opened, written to and given up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from mqbridge.bridge.agents.linking.provider import ProviderConnection, ProviderEvent
from mqbridge.mappings.moment import Time


class ProviderUser(Protocol):
    """The link behind a connection, as the endpoint sees it."""

    @property
    def name(self) -> str:
        """Its name in the configuration, where the endpoint finds address, user and certificates."""
        ...

    def connected(self, connection: ProviderConnection, now: Time) -> None:
        """The transport is made and the connection is being opened; `Opened`, `Refused` or `Lost` comes next."""
        ...

    def receive(self, events: Sequence[ProviderEvent], now: Time) -> None:
        """Events have come, those of one read from the transport together. After the call there may be something to
        be sent. `Lost` also reports that a connection could not be made."""
        ...


class ConnectToProvider(NamedTuple):
    """Open a connection for a link, then call ``link.connected``, or ``link.receive`` with `Lost`."""

    link: ProviderUser


class AbandonProvider(NamedTuple):
    """Give up the attempt to connect a link, or cut its connection at once. Nothing is called afterwards."""

    link: ProviderUser


class SendToProvider(NamedTuple):
    """A link has made requests of its connection: send what waits."""

    link: ProviderUser
    connection: ProviderConnection
