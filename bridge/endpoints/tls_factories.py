"""Any protocol inside TLS: a factory for listeners, and connecting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from twisted.internet import protocol
from twisted.internet.defer import Deferred, fail
from twisted.internet.error import TimeoutError as ConnectTimeout
from twisted.python.failure import Failure

from mqbridge.bridge.tls import TlsError

from .addresses import send_at_once
from .tls import TlsTransport
from .tls_sessions import RefusingSession, Session

HANDSHAKE_TIMEOUT: Final = 60.0
"""Seconds within which the handshake of an accepted connection must be over."""


class TlsServerFactory(protocol.Factory):
    """A factory of what ``upper_factory`` makes, inside TLS.

    The upper protocol is connected at once, so it counts and limits connections in the handshake too; it writes nothing
    before it has received something. ``make_session`` returns the session of an accepted connection; if it raises
    `TlsError`, so does the connection end.
    """

    noisy = False

    def __init__(
        self,
        reactor: Any,
        upper_factory: Any,
        make_session: Callable[[], Session],
        timeout: float = HANDSHAKE_TIMEOUT,
    ) -> None:
        self.upper_factory = upper_factory
        self._reactor = reactor
        self._make_session = make_session
        self._timeout = timeout

    def startFactory(self) -> None:
        """Start the upper factory."""
        self.upper_factory.doStart()

    def stopFactory(self) -> None:
        """Stop the upper factory."""
        self.upper_factory.doStop()

    def buildProtocol(self, addr: Any) -> protocol.Protocol | None:
        """Return the protocol of an accepted socket."""
        upper = self.upper_factory.buildProtocol(addr)
        return None if upper is None else _Accepted(self, upper)

    def put_below(self, upper: Any, raw: Any) -> None:
        """Connect an upper protocol inside TLS over the transport of a socket."""
        try:
            session = self._make_session()
        except TlsError as error:
            session = RefusingSession(error)
        send_at_once(raw)
        tls = TlsTransport(raw, session, self._reactor)
        tls.begin(upper, within=self._timeout)
        upper.makeConnection(tls)


class _Accepted(protocol.Protocol):
    """The first protocol of an accepted socket."""

    def __init__(self, factory: TlsServerFactory, upper: Any) -> None:
        self._factory = factory
        self._upper = upper

    def connectionMade(self) -> None:
        """Leave the place to TLS."""
        self._factory.put_below(self._upper, self.transport)


def connect_tls(
    reactor: Any, endpoint: Any, upper_factory: Any, make_session: Callable[[], Session], timeout: float
) -> Deferred[Any]:
    """Connect to a Twisted endpoint with TLS. Returns a Deferred of the upper protocol, which is made and connected
    when the handshake is over.

    ``timeout``: seconds for all of it. The Deferred fails with `TlsError`, or with what connecting raises; it can be
    cancelled.
    """
    try:
        session = make_session()
    except TlsError as error:
        return fail(error)
    return _Call(reactor, upper_factory, session, timeout).connect(endpoint)


class _Call(protocol.Protocol):
    """A call: the first protocol of the socket, and the upper one until the handshake is over."""

    def __init__(self, reactor: Any, upper_factory: Any, session: Session, timeout: float) -> None:
        self._reactor = reactor
        self._upper_factory = upper_factory
        self._session = session
        self._timeout = timeout
        self._done: Deferred[Any] = Deferred(lambda _: self._give_up())
        self._timer: Any = None
        self._connecting: Any = None
        self._tls: TlsTransport | None = None

    def connect(self, endpoint: Any) -> Deferred[Any]:
        """Begin."""
        self._timer = self._reactor.callLater(self._timeout, self._time_out)
        self._connecting = endpoint.connect(protocol.Factory.forProtocol(lambda: self))
        self._connecting.addErrback(self._fail)
        return self._done

    def connectionMade(self) -> None:
        """The socket is connected: begin the handshake."""
        raw = self.transport
        send_at_once(raw)
        self._tls = tls = TlsTransport(raw, self._session, self._reactor, self._established)
        tls.begin(self, b"")

    def _established(self) -> Any:
        self._end_timer()
        tls = self._tls
        assert tls is not None
        upper = self._upper_factory.buildProtocol(tls.getPeer())
        upper.makeConnection(tls)
        self._done.callback(upper)
        return upper

    def connectionLost(self, reason: Failure = protocol.connectionDone) -> None:
        """The socket is closed before the end of the handshake."""
        self._fail(reason)

    def _fail(self, reason: Failure) -> None:
        self._end_timer()
        if not self._done.called:
            self._done.errback(reason)

    def _time_out(self) -> None:
        self._fail(Failure(ConnectTimeout(f"TLS was not agreed within {self._timeout:.0f} seconds")))
        self._give_up()

    def _give_up(self) -> None:
        self._end_timer()
        if self._tls is not None:
            self._tls.abortConnection()
        elif self._connecting is not None:
            self._connecting.cancel()

    def _end_timer(self) -> None:
        timer, self._timer = self._timer, None
        if timer is not None and timer.active():
            timer.cancel()
