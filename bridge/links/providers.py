"""Connections of links to their providers: performs the effects of links on sockets."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import Any

from mqbridge.bridge.agents.linking.effects import AbandonProvider, ConnectToProvider, ProviderUser, SendToProvider
from mqbridge.bridge.agents.linking.provider import Lost, ProviderEvent
from mqbridge.bridge.endpoints.driver import Driver
from mqbridge.bridge.tls import CertificateSource

from .access import Access, PasswordFileError
from .connection import AmqpConnection
from .socket import ProviderSocket


class Providers:
    """The connections of one queue manager's links.

    ``container``: begins their container ids. ``accesses``: by the names of the links. ``repository``: returns the key
    repository of the queue manager.
    """

    def __init__(
        self, driver: Driver, container: str, accesses: dict[str, Access], repository: Callable[[], CertificateSource]
    ) -> None:
        self._driver = driver
        self._container = container
        self._accesses = accesses
        self._repository = repository
        self._sockets: dict[str, ProviderSocket] = {}
        self._failing: dict[str, Any] = {}

    def perform(self, effect: ConnectToProvider | AbandonProvider | SendToProvider) -> None:
        """Perform an effect of a link."""
        link = effect.link
        if isinstance(effect, ConnectToProvider):
            self._connect(link)
        elif isinstance(effect, AbandonProvider):
            self._abandon(link.name)
        else:
            found = self._sockets.get(link.name)
            if found is not None and found.connection is effect.connection:
                # Events must not reach the link while the gateway is pumped.
                self._driver.reactor.callLater(0, found.flush)

    def stop(self) -> None:
        """Drop all connections at once."""
        for name in [*self._sockets, *self._failing]:
            self._abandon(name)

    def _connect(self, link: ProviderUser) -> None:
        driver, access = self._driver, self._accesses[link.name]
        try:
            settings = access.settings(f"{self._container}.{link.name}")
        except PasswordFileError as error:
            lost = Lost(f"the password cannot be read: {error}", permanent=True)
            self._failing[link.name] = driver.reactor.callLater(0, self._fail, link, lost)
            return
        connection = AmqpConnection(settings, monotonic())
        made = ProviderSocket(driver.reactor, connection, monotonic, partial(self._happened, link, connection))
        self._sockets[link.name] = made
        link.connected(connection, driver.now())
        made.connect(access.place, access.keys(self._repository))

    def _happened(self, link: ProviderUser, connection: AmqpConnection, events: list[ProviderEvent]) -> None:
        found = self._sockets.get(link.name)
        if found is not None and found.connection is connection:
            self._report(link, events)

    def _fail(self, link: ProviderUser, lost: Lost) -> None:
        del self._failing[link.name]
        self._report(link, [lost])

    def _report(self, link: ProviderUser, events: list[ProviderEvent]) -> None:
        driver = self._driver
        driver.gateway.channel_manager.now = now = driver.now()
        link.receive(events, now)
        driver.pump()

    def _abandon(self, name: str) -> None:
        found, failing = self._sockets.pop(name, None), self._failing.pop(name, None)
        if found is not None:
            found.abort()
        if failing is not None:
            failing.cancel()
