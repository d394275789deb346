"""A proxy that forwards connections unchanged and records them."""

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
"""Number of port numbers."""


class RecordingProxy(protocol.Factory):
    """Accepts connections, opens one to ``host`` and ``port`` for each, and forwards bytes both ways.

    The far end sees the proxy's address as the caller's. The recording shows the real caller and the address that the
    proxy has connected to; ``recording`` may be set later, but before the first connection. ``refused`` is called if
    the far end cannot be reached; the caller is then disconnected.
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
        """Number of forwarded connections."""
        self.open = 0
        """Number of those that are not closed at both ends."""

    def buildProtocol(self, addr: Any) -> protocol.Protocol:
        """Return the near end of an accepted connection."""
        return _Near(self)

    def connect(self, near: _Near) -> Any:
        """Connect to the far end. Returns a Deferred of its protocol."""
        endpoint = client_endpoint(self._reactor, *self._target, timeout=CONNECT_TIMEOUT, local=None)
        return endpoint.connect(protocol.Factory.forProtocol(lambda: _Far(near)))


@implementer(interfaces.IHalfCloseableProtocol)
class _End(protocol.Protocol):
    """One end of a forwarded connection. ``direction``: of the bytes that it sends."""

    direction: Direction
    partner: _End | None = None
    record: RecordedConnection | None = None
    proxy: RecordingProxy

    def join(self, partner: _End, record: RecordedConnection) -> None:
        """Start forwarding; an end that does not read stops reading from the other one."""
        self.partner, self.record = partner, record
        transport: Any = self.transport
        send_at_once(transport)
        transport.registerProducer(partner.transport, True)

    def dataReceived(self, data: bytes) -> None:
        """Record bytes, then forward them."""
        assert self.partner is not None
        assert self.record is not None
        self.record.send(self.direction, data, self.proxy.clock())
        self.partner.transport.write(data)  # type: ignore[union-attr]

    def readConnectionLost(self) -> None:
        """This end has sent its FIN; the other one may still send."""
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
        """The other end has received all bytes."""

    def connectionLost(self, reason: Failure = protocol.connectionDone) -> None:
        """Both directions are closed; an aborted end aborts the other."""
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
    """The calling end."""

    direction = Direction.INITIATOR

    def __init__(self, proxy: RecordingProxy) -> None:
        self.proxy = proxy
        self._connecting: Any = None

    def connectionMade(self) -> None:
        """Stop reading until the far end is connected."""
        self.transport.pauseProducing()  # type: ignore[union-attr]
        self._connecting = self.proxy.connect(self)
        self._connecting.addErrback(self._failed)

    def reached(self, far: _Far) -> None:
        """The far end is connected."""
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
        """The caller has gone: cancel the attempt to reach the far end."""
        if self.partner is None and self._connecting is not None:
            self._connecting.cancel()
        super().connectionLost(reason)

    def _failed(self, failure: Failure) -> None:
        if self.connected:
            self.proxy.refused(failure.getErrorMessage())
            self.transport.abortConnection()  # type: ignore[union-attr]


class _Far(_End):
    """The called end."""

    direction = Direction.RESPONDER

    def __init__(self, near: _Near) -> None:
        self.proxy = near.proxy
        self._near = near

    def connectionMade(self) -> None:
        """Both ends are connected."""
        if self._near.connected:
            self._near.reached(self)
        else:
            self.transport.abortConnection()  # type: ignore[union-attr]


def _endpoints(*addresses: tuple[str, int]) -> list[Endpoint]:
    """The ends as a packet can name them: of one address family, without scope."""
    hosts = [host.partition("%")[0] for host, _ in addresses]
    if any(":" in host for host in hosts):
        hosts = [host if ":" in host else f"::ffff:{host}" for host in hosts]
    return [Endpoint(host, port) for host, (_, port) in zip(hosts, addresses, strict=True)]
