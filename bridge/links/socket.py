"""A connection to a provider on Twisted: the socket below `AmqpConnection`, TLS between them, and its timer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from twisted.internet import protocol
from twisted.internet.error import ConnectionDone
from twisted.internet.interfaces import IPushProducer
from twisted.python.failure import Failure
from zope.interface import implementer

from mqbridge.bridge.agents.linking.provider import ProviderEvent
from mqbridge.bridge.endpoints.addresses import send_at_once
from mqbridge.bridge.endpoints.tls_factories import connect_tls

from .connection import AmqpConnection
from .keys import LinkKeys
from .places import CONNECT_TIMEOUT, Place

CLOSE_TIMEOUT: Final = 10.0
"""Seconds that a provider has to take the last bytes; then the socket is closed without."""


@implementer(IPushProducer)
class ProviderSocket(protocol.Protocol):
    """The socket of one connection. ``flush`` is to be called after requests of the connection. While the provider
    does not read, what is to be sent stays in the engine.

    ``clock``: steady seconds. ``happened`` gets the events, in order, and may make requests; after the last event
    nothing is called any more.
    """

    transport: Any

    def __init__(
        self,
        reactor: Any,
        connection: AmqpConnection,
        clock: Callable[[], float],
        happened: Callable[[list[ProviderEvent]], None],
    ) -> None:
        self._reactor = reactor
        self._clock = clock
        self._happened = happened
        self.connection = connection
        self._connecting: Any = None
        self._timer: Any = None
        self._due: float | None = None
        self._flushing = self._full = self._ended = False

    def connect(self, place: Place, keys: LinkKeys | None) -> None:
        """Connect, inside TLS if there are keys."""
        factory = protocol.Factory.forProtocol(lambda: self)
        factory.noisy = False
        endpoint = place.endpoint(self._reactor)
        if keys is None:
            connecting = endpoint.connect(factory)
        else:
            connecting = connect_tls(
                self._reactor, endpoint, factory, lambda: keys.session(place.host), CONNECT_TIMEOUT
            )
        self._connecting = connecting
        connecting.addCallbacks(lambda _: None, self._not_connected)

    def _not_connected(self, failure: Failure) -> None:
        self._connecting = None
        self.connection.lost(failure.getErrorMessage())
        self._reactor.callLater(0, self.flush)  # connecting may have failed at once

    def connectionMade(self) -> None:
        """The socket is connected."""
        self._connecting = None
        if hasattr(self.transport, "getHost"):
            send_at_once(self.transport)
        self.transport.registerProducer(self, True)
        self.connection.tick(self._clock())
        self.flush()

    def dataReceived(self, data: bytes) -> None:
        """Take bytes of the provider."""
        self.connection.receive_data(data, self._clock())
        self.flush()

    def connectionLost(self, reason: Any = protocol.connectionDone) -> None:
        """The socket is closed."""
        self.transport = None
        done = bool(reason.check(ConnectionDone))
        self.connection.lost("the provider has closed the connection" if done else reason.getErrorMessage())
        self.flush()

    def flush(self) -> None:
        """Write what is to be sent, and report what happened, until there is neither."""
        if self._flushing:
            return
        self._flushing = True
        try:
            while True:
                data = b"" if self._full else self.connection.take()
                if data and self.transport is not None:
                    self.transport.write(data)
                events = self.connection.events()
                if events:
                    self._happened(events)
                elif not data:
                    break
        finally:
            self._flushing = False
        if self.connection.over:
            self._end()
        else:
            self._set_timer()

    def pauseProducing(self) -> None:
        """The provider does not read."""
        self._full = True

    def resumeProducing(self) -> None:
        """The provider has read what was sent."""
        self._full = False
        self.flush()

    def stopProducing(self) -> None:
        """The socket is closed; `connectionLost` follows."""

    def abort(self) -> None:
        """Drop the connection at once; no more events come."""
        self._happened = _ignore
        self.connection.lost("given up")
        transport = self.transport
        if transport is not None:
            transport.abortConnection()
        self._end()

    def _end(self) -> None:
        """Close the socket behind the last bytes, and stop what is under way."""
        if self._timer is not None and (self.transport is None or not self._ended):
            self._timer.cancel()
            self._timer = None
        connecting, self._connecting = self._connecting, None
        if connecting is not None:
            connecting.cancel()
        if self.transport is not None and not self._ended:
            self._ended = True
            self.transport.unregisterProducer()
            self.transport.loseConnection()
            self._timer = self._reactor.callLater(CLOSE_TIMEOUT, self._close)

    def _close(self) -> None:
        self._timer = None
        if self.transport is not None:
            self.transport.abortConnection()

    def _set_timer(self) -> None:
        """Call back at the engine's deadline. A later deadline keeps the timer, which then finds nothing due."""
        due = self.connection.next_timeout
        if due is None or self.transport is None or (self._due is not None and self._timer and self._due <= due):
            return
        if self._timer is not None:
            self._timer.cancel()
        self._due = due
        self._timer = self._reactor.callLater(max(due - self._clock(), 0.0), self._time_out)

    def _time_out(self) -> None:
        self._timer = None
        self.connection.tick(self._clock())
        self.flush()


def _ignore(_: list[ProviderEvent]) -> None:
    """Nobody listens any more."""
