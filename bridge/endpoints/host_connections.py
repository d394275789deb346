"""Connections of partners that speak the protocol of a template: made, and accepted on ports of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from twisted.internet.defer import Deferred
from twisted.internet.protocol import Factory
from twisted.python.failure import Failure

from mqbridge.bridge.agents.gateway.conversation_driver import ConversationDriver
from mqbridge.bridge.agents.partner.effects import AbandonCall, CallHost, HostUser
from mqbridge.bridge.security.tls import TlsConnection

from .channel_protocol import ChannelProtocol
from .driver import Driver
from .opening import open_endpoint, with_backlog
from .tls_factories import TlsServerFactory, connect_tls
from .tls_sessions import Session

CONNECT_TIMEOUT: Final = 30.0
"""Seconds within which a connection must be established, TLS included."""


class Reach(NamedTuple):
    """How a host is reached. ``endpoint``: Twisted's, made for a reactor. ``session``: makes a session of TLS; None: a
    plain connection."""

    endpoint: Callable[[Any], Any]
    session: Callable[[], Session] | None = None


class HostConnections:
    """The sockets of one queue manager's partners.

    ``reaches``: by the names of those that call. ``prepare``: called with the name of a partner before each connection.
    """

    def __init__(self, driver: Driver, reaches: Mapping[str, Reach], prepare: Callable[[str], None]) -> None:
        self._driver = driver
        self._reaches = reaches
        self._prepare = prepare
        self._calls: dict[str, Any] = {}
        self._ports: list[Any] = []

    def perform(self, effect: CallHost | AbandonCall) -> None:
        """Perform an effect of a partner."""
        name = effect.partner.name
        if isinstance(effect, CallHost):
            self._prepare(name)
            self._call(effect.partner)
        elif (calling := self._calls.pop(name, None)) is not None:
            calling.cancel()

    def _call(self, partner: HostUser) -> None:
        driver, reach = self._driver, self._reaches[partner.name]
        connections = driver.gateway.connections

        def make(address: str, port: int, now: float, tls: TlsConnection | None) -> ConversationDriver | None:
            return connections.called(partner.joined, address, port, now, tls)

        def failed(failure: Failure) -> None:
            if self._calls.get(partner.name) is calling:
                del self._calls[partner.name]
                driver.gateway.channel_manager.now = now = driver.now()
                partner.failed(failure.getErrorMessage(), now)
                driver.pump()

        def made(_: Any) -> None:
            if self._calls.get(partner.name) is calling:
                del self._calls[partner.name]
            driver.pump()

        factory = Factory.forProtocol(lambda: ChannelProtocol(driver, make, called=False))
        factory.noisy = False
        endpoint = reach.endpoint(driver.reactor)
        if reach.session is None:
            calling: Deferred[Any] = endpoint.connect(factory)
        else:
            calling = connect_tls(driver.reactor, endpoint, factory, reach.session, CONNECT_TIMEOUT)
        self._calls[partner.name] = calling
        calling.addCallbacks(made, failed)

    async def listen(self, partner: HostUser, endpoint: str, make_session: Callable[[], Session] | None) -> Any:
        """Open the port of a partner that calls us, inside TLS with sessions of ``make_session``.

        Raises what opening raises. Returns the port.
        """
        driver = self._driver
        connections = driver.gateway.connections

        def make(address: str, port: int, now: float, tls: TlsConnection | None) -> ConversationDriver | None:
            self._prepare(partner.name)
            return connections.inbound(address, port, now, tls, partner.joined)

        factory: Any = Factory.forProtocol(lambda: ChannelProtocol(driver, make, called=True))
        factory.noisy = False
        if make_session is not None:
            factory = TlsServerFactory(driver.reactor, factory, make_session, connections.patience())
        port = await open_endpoint(driver.reactor, with_backlog(endpoint), factory)
        driver.descriptor_guard.ports.append(port)
        self._ports.append(port)
        return port

    async def close(self) -> None:
        """Close the ports; connections stay."""
        ports, self._ports = self._ports, []
        for port in ports:
            self._driver.descriptor_guard.ports.remove(port)
            await port.stopListening()

    def stop(self) -> None:
        """Give up what is being connected."""
        calls, self._calls = self._calls, {}
        for calling in calls.values():
            calling.cancel()
