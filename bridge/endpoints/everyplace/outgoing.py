"""Connections that a gateway opens to other gateways (mqe.md 13, E-245)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol

from twisted.internet.protocol import Factory
from twisted.python.failure import Failure

from mqbridge.bridge.endpoints.addresses import client_endpoint
from mqbridge.bridge.endpoints.tls_factories import connect_tls
from mqbridge.bridge.endpoints.tls_sessions import Session
from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.network.outgoing import Line
from mqbridge.bridge.everyplace.network.settings import Peer
from mqbridge.bridge.tls import TlsError
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError

from .carrier import EveryplaceHost, LineCarrier
from .peers import peer_of
from .stream import StreamProtocol

CONNECT_TIMEOUT: Final = 30.0
"""Seconds within which a connection must be there, with its TLS handshake."""
DEFAULT_PORT: Final = 8081
_ADAPTERS: Final = ("tcp", "tls")


class Caller(EveryplaceHost, Protocol):
    """The endpoint, as connections that it opens see it."""

    def calls(self, name: str, peer: Peer, carrier: LineCarrier) -> Line:
        """Make the line of a connection that is there. Raises `EveryplaceError` if it must not be used."""
        ...

    def failed(self, name: str, error: EveryplaceError) -> None:
        """A connection could not be made."""
        ...


class Outgoing:
    """Opens connections. ``session``: makes the session of a call to a host inside TLS; may raise `TlsError`."""

    def __init__(self, reactor: Any, session: Callable[[str], Session]) -> None:
        self._reactor = reactor
        self._session = session
        self._attempts: dict[str, Any] = {}

    def open(self, caller: Caller, definition: ConnectionDefinition) -> None:
        """Open a connection; ``caller`` is told when it is there, or that it is not."""
        name = definition.name
        try:
            host, port = host_and_port_of(definition)
        except EveryplaceError as error:
            self._reactor.callLater(0, caller.failed, name, error)
            return

        def make(carrier: StreamProtocol) -> Line:
            return caller.calls(name, peer_of(carrier.transport), carrier)

        factory = Factory.forProtocol(lambda: StreamProtocol(caller, make, None))
        factory.noisy = False
        endpoint = client_endpoint(self._reactor, host, port, timeout=CONNECT_TIMEOUT, local=None)
        if definition.adapter == "tls":
            connecting = connect_tls(self._reactor, endpoint, factory, lambda: self._session(host), CONNECT_TIMEOUT)
        else:
            connecting = endpoint.connect(factory)
        self._attempts[name] = connecting

        def made(_: Any) -> None:
            self._attempts.pop(name, None)

        def failed(failure: Failure) -> None:
            if self._attempts.pop(name, None) is not None:
                code = Code.AUTHENTICATE if failure.check(TlsError) else Code.ADAPTER_EXCEPTION
                caller.failed(name, EveryplaceError(code, f"{host}:{port}: {failure.getErrorMessage()}"))

        connecting.addCallbacks(made, failed)

    def abort_all(self) -> None:
        """Give up what is being opened."""
        attempts, self._attempts = self._attempts, {}
        for each in attempts.values():
            each.cancel()


def host_and_port_of(definition: ConnectionDefinition) -> tuple[str, int]:
    """Return where a connection leads. Raises `EveryplaceError` for an adapter or address that cannot be."""
    if definition.adapter not in _ADAPTERS:
        raise EveryplaceError(
            Code.CON_ADAPTER_REQUIRED,
            f"connection {definition.name}: a gateway calls over {' and '.join(_ADAPTERS)}, not {definition.adapter}",
        )
    host, colon, port = definition.endpoint.rpartition(":")
    if not colon:
        return definition.endpoint, DEFAULT_PORT
    if not (port.isascii() and port.isdigit() and 0 < int(port) < 1 << 16):
        raise EveryplaceError(Code.ADAPTER_MISSING_REMOTE_ADDRESS, f"{definition.endpoint} is no address")
    return host.strip("[]"), int(port)
