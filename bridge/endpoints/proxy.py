"""A proxy that passes connections on as they are and tells a recording what it sees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from twisted.internet import interfaces, protocol
from twisted.internet.error import ConnectionDone
from twisted.python.failure import Failure
from zope.interface import implementer

from mqbridge.captures.recording.capture_file import CaptureFile
from mqbridge.captures.recording.capture_folder import CaptureFolder
from mqbridge.captures.recording.recorded_connection import RecordedConnection
from mqbridge.captures.streams.flow_events import Endpoint
from mqbridge.protocol.direction import Direction

from .addresses import LOCAL, client_endpoint, is_tcp, send_at_once

CONNECT_TIMEOUT: Final = 30
"""Seconds that the far end may take to accept."""


PORTS: Final = 1 << 16
"""Port numbers that there are."""


class RecordingProxy(protocol.Factory):
    """Takes connections, makes one to ``host`` and ``port`` for each, and carries bytes both ways.

    The far end sees the proxy's address in place of the caller's. In the recording stand the caller and the address
    that the proxy has reached; ``recording`` may be set later, but before any connection. ``refused``: told when the
    far end cannot be reached; the caller is cut off then.
    """

    noisy = False

    def __init__(
        self,
        reactor: Any,
        host: str,
        port: int,
        recording: CaptureFile | CaptureFolder | None,
        clock: Callable[[], float],
        refused: Callable[[str], None],
    ) -> None:
        self._reactor = reactor
        self._target = host, port
        self.recording = recording
        self.clock = clock
        self.refused = refused
        self.passed = 0
        """Connections that were passed on."""
        self.open = 0
        """Those of them that are not closed at both ends yet."""

    def buildProtocol(self, addr: Any) -> protocol.Protocol:
        """The near end of a connection that came in."""
        return _Near(self)

    def connect(self, near: _Near) -> Any:
        """Makes the connection to the far end; a Deferred of its protocol."""
        endpoint = client_endpoint(self._reactor, *self._target, timeout=CONNECT_TIMEOUT, local=None)
        return endpoint.connect(protocol.Factory.forProtocol(lambda: _Far(near)))


@implementer(interfaces.IHalfCloseableProtocol)
class _End(protocol.Protocol):
    """One end of a connection that is passed on; ``direction``: of what it sends."""

    direction: Direction
    partner: _End | None = None
    record: RecordedConnection | None = None
    proxy: RecordingProxy

    def join(self, partner: _End, record: RecordedConnection) -> None:
        """From now on bytes are passed on; an end that does not read makes the other one wait."""
        self.partner, self.record = partner, record
        transport: Any = self.transport
        send_at_once(transport)
        transport.registerProducer(partner.transport, True)

    def dataReceived(self, data: bytes) -> None:
        """Writes down, then passes on."""
        assert self.partner is not None
        assert self.record is not None
        self.record.send(self.direction, data, self.proxy.clock())
        self.partner.transport.write(data)  # type: ignore[union-attr]

    def readConnectionLost(self) -> None:
        """This end has said everything; the other one may have more to say."""
        if self.partner is None or self.record is None:
            self.transport.loseConnection()  # type: ignore[union-attr]
            return
        self.record.close(self.direction, self.proxy.clock())
        transport: Any = self.partner.transport
        transport.loseWriteConnection()
        if self.record.closed:
            for end in (self.partner, self):
                end.transport.loseConnection()  # type: ignore[union-attr]

    def writeConnectionLost(self) -> None:
        """The other end's last bytes are there."""

    def connectionLost(self, reason: Failure = protocol.connectionDone) -> None:
        """Both directions are over; what broke one end off breaks the other off."""
        partner, self.partner = self.partner, None
        if partner is None or self.record is None:
            return
        self.proxy.open -= partner.partner is None  # the other end was lost before
        transport: Any = partner.transport
        transport.unregisterProducer()
        if self.record.closed:
            transport.loseConnection()
            return
        if reason.check(ConnectionDone):
            self.record.close(self.direction, self.proxy.clock())
            transport.loseConnection()
        else:
            self.record.reset(self.direction, self.proxy.clock())
            transport.abortConnection()


class _Near(_End):
    """The end that called."""

    direction = Direction.INITIATOR

    def __init__(self, proxy: RecordingProxy) -> None:
        self.proxy = proxy
        self._connecting: Any = None

    def connectionMade(self) -> None:
        """Nothing is read until the far end is there."""
        self.transport.pauseProducing()  # type: ignore[union-attr]
        self._connecting = self.proxy.connect(self)
        self._connecting.addErrback(self._failed)

    def reached(self, far: _Far) -> None:
        """The far end is there."""
        near: Any = self.transport
        peer, other = near.getPeer(), far.transport.getPeer()  # type: ignore[union-attr]
        assert self.proxy.recording is not None
        self.proxy.passed += 1
        caller = (peer.host, peer.port) if is_tcp(peer) else (LOCAL, self.proxy.passed % PORTS)
        record = self.proxy.recording.connect(*_endpoints(caller, (other.host, other.port)), self.proxy.clock())
        self.proxy.open += 1
        self.join(far, record)
        far.join(self, record)
        near.resumeProducing()

    def connectionLost(self, reason: Failure = protocol.connectionDone) -> None:
        """The caller is gone; so is the attempt to pass it on."""
        if self.partner is None and self._connecting is not None:
            self._connecting.cancel()
        super().connectionLost(reason)

    def _failed(self, failure: Failure) -> None:
        if self.connected:
            self.proxy.refused(failure.getErrorMessage())
            self.transport.abortConnection()  # type: ignore[union-attr]


class _Far(_End):
    """The end that was called."""

    direction = Direction.RESPONDER

    def __init__(self, near: _Near) -> None:
        self.proxy = near.proxy
        self._near = near

    def connectionMade(self) -> None:
        """Both ends are there."""
        if self._near.connected:
            self._near.reached(self)
        else:
            self.transport.abortConnection()  # type: ignore[union-attr]


def _endpoints(*addresses: tuple[str, int]) -> list[Endpoint]:
    """The ends as a packet can name them: both of one family, without scope."""
    hosts = [host.partition("%")[0] for host, _ in addresses]
    if any(":" in host for host in hosts):
        hosts = [host if ":" in host else f"::ffff:{host}" for host in hosts]
    return [Endpoint(host, port) for host, (_, port) in zip(hosts, addresses, strict=True)]
