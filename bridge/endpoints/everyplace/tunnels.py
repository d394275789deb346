"""Sockets to other gateways: straight, through a tunnel that a proxy makes, and inside TLS (E-308)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from twisted.internet import protocol
from twisted.internet.defer import Deferred
from twisted.internet.protocol import Factory
from twisted.python.failure import Failure

from mqbridge.bridge.endpoints.addresses import client_endpoint, send_at_once
from mqbridge.bridge.endpoints.tls_factories import connect_tls
from mqbridge.bridge.endpoints.tls_sessions import Session
from mqbridge.protocol.everyplace.errors import EveryplaceError
from mqbridge.protocol.everyplace.http_answers import AnswerReader
from mqbridge.protocol.everyplace.http_requests import MAX_TRIES, HttpRequests

from .places import Place

CONNECT_TIMEOUT: Final = 30.0
"""Seconds within which a connection must be there, with its TLS handshake."""
MakeSession = Callable[[Place], Session]


class Dialling:
    """Makes connections to one place. ``session``: makes the session of one inside TLS; may raise `TlsError`.
    ``requests``: of HTTP, None for streams."""

    def __init__(self, reactor: Any, place: Place, session: MakeSession, requests: HttpRequests | None = None) -> None:
        self._reactor = reactor
        self._place = place
        self._session = session
        self._requests = requests

    def connect(self, factory: Factory) -> Deferred[Any]:
        """Connect a protocol of a factory. The Deferred fails with `TlsError`, `EveryplaceError`, or what connecting
        raises; it can be cancelled."""
        place, requests = self._place, self._requests
        host, port = (place.host, place.port) if requests is None else requests.next_hop
        endpoint = client_endpoint(self._reactor, host, port, timeout=CONNECT_TIMEOUT, local=None)
        if requests is not None and requests.tunnelled:
            endpoint = Tunnels(endpoint, requests)
        if not place.secured:
            found: Deferred[Any] = endpoint.connect(factory)
            return found
        return connect_tls(self._reactor, endpoint, factory, lambda: self._session(place), CONNECT_TIMEOUT)


class Tunnels:
    """A Twisted endpoint behind a proxy. ``proxy``: the endpoint of that."""

    def __init__(self, proxy: Any, requests: HttpRequests) -> None:
        self._proxy = proxy
        self._requests = requests

    def connect(self, factory: Any) -> Deferred[Any]:
        """Connect through the proxy; the Deferred fails with `EveryplaceError`, or with what connecting raises."""
        attempt = _Attempt(self._proxy, self._requests, factory)
        attempt.go_on()
        return attempt.done


class _Attempt:
    """Connections to the proxy, one after the other, until it makes a tunnel."""

    def __init__(self, proxy: Any, requests: HttpRequests, factory: Any) -> None:
        self._proxy = proxy
        self.requests = requests
        self.factory = factory
        self.done: Deferred[Any] = Deferred(lambda _: self._give_up())
        self._tries = 0
        self._connecting: Any = None
        self._open: _Asking | None = None

    def go_on(self) -> None:
        """Try, unless it was tried often enough."""
        if self._tries >= MAX_TRIES:
            self.failed(self.requests.too_often())
            return
        self._tries += 1
        self._connecting = self._proxy.connect(Factory.forProtocol(lambda: _Asking(self)))
        self._connecting.addCallbacks(self._asks, self.failed)

    def _asks(self, asking: _Asking) -> None:
        self._open = asking

    def failed(self, reason: Failure | Exception) -> None:
        """There will be no tunnel."""
        if not self.done.called:
            self.done.errback(reason if isinstance(reason, Failure) else Failure(reason))

    def _give_up(self) -> None:
        if self._open is not None:
            self._open.abort()
        elif self._connecting is not None:
            self._connecting.cancel()


class _Asking(protocol.Protocol):
    """A connection to the proxy, until the tunnel is there."""

    def __init__(self, attempt: _Attempt) -> None:
        self._attempt = attempt
        self._reader = AnswerReader(bodiless=True)
        self._over = False

    def connectionMade(self) -> None:
        """Ask for the tunnel."""
        send_at_once(self.transport)
        try:
            self.transport.write(self._attempt.requests.connect())  # type: ignore[union-attr]
        except EveryplaceError as error:
            self._end(error)

    def dataReceived(self, data: bytes) -> None:
        """The answer comes."""
        if not self._over:
            self._read(data)

    def _read(self, data: bytes) -> None:
        try:
            answer = self._reader.receive(data)
            if answer is None:
                return
            if self._attempt.requests.connected(answer):
                self._hand_over()
                return
        except EveryplaceError as error:
            self._end(error)
            return
        self.abort()
        self._attempt.go_on()

    def _hand_over(self) -> None:
        """Leave the place to what goes through the tunnel."""
        self._over = True
        transport: Any = self.transport
        upper = self._attempt.factory.buildProtocol(transport.getPeer())
        transport.protocol = upper
        upper.makeConnection(transport)
        if not self._attempt.done.called:
            self._attempt.done.callback(upper)

    def _end(self, error: EveryplaceError) -> None:
        self.abort()
        self._attempt.failed(error)

    def abort(self) -> None:
        """Close it."""
        self._over = True
        self.transport.abortConnection()  # type: ignore[union-attr]

    def connectionLost(self, reason: Failure = protocol.connectionDone) -> None:
        """The proxy has closed it, which may be the end of its answer."""
        if not self._over:
            self._read(b"")
