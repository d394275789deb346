"""TLS between a socket's transport and the protocol above it.

Twisted's own TLS transport is not used: it passes calls that it lacks to the socket, and tells that bytes were taken
that wait in its buffers. Here `TlsFilter` is the protocol of the socket's transport and `TlsTransport` the transport of
the upper protocol. Nothing is passed on that is not written here, and bytes count as taken when the kernel has taken
their ciphertext.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twisted.internet.interfaces import IConsumer, IPushProducer, ITransport
from zope.interface import implementer

from mqbridge.bridge.security.tls import TlsConnection

from .tls_filter import BUFFER_SIZE, TlsFilter
from .tls_sessions import Session


@implementer(IConsumer, IPushProducer, ITransport)
class TlsTransport:
    """The upper face: the transport of a protocol inside TLS. What is written before the handshake is over, or after
    the session has ended, is discarded.

    ``raw``: the socket's transport. ``established`` is called when the handshake is over, before the first plain bytes
    are passed on, and returns the upper protocol for them; without it that of `begin` stays. ``bufferSize``: bytes of
    ciphertext not taken by the kernel above which a push producer is paused. ``disconnecting``: the upper protocol has
    closed. ``paused``: it does not read.
    """

    __slots__ = (
        "_filter", "_producer", "_producer_paused", "_streaming", "bufferSize", "disconnecting",
        "paused", "reactor",
    )  # fmt: skip

    def __init__(self, raw: Any, session: Session, reactor: Any, established: Callable[[], Any] | None = None) -> None:
        self._filter = TlsFilter(raw, session, reactor, self, established)
        self.reactor = reactor
        self.bufferSize = BUFFER_SIZE
        self.disconnecting = self.paused = False
        self._producer: Any = None
        self._streaming = self._producer_paused = False

    def begin(self, upper: Any, data: bytes | None = None, within: float | None = None) -> None:
        """Take the place of the socket's protocol, for an upper protocol. ``data``: what was received already; no bytes
        begin a caller's handshake. ``within``: seconds until the handshake must be over."""
        self._filter.begin(upper, within)
        if data is not None:
            self._filter.dataReceived(data)

    @property
    def agreed(self) -> TlsConnection | None:
        """What the handshake has agreed; None until it is over."""
        return self._filter.session.agreed

    @property
    def raw(self) -> Any:
        """The socket's transport."""
        return self._filter.raw

    @property
    def connected(self) -> bool:
        """Whether the socket is open."""
        return not self._filter.lost

    # Writing

    def write_now(self, data: bytes) -> bool:
        """Write at once; returns whether the kernel has taken everything."""
        lower = self._filter
        return not lower.open or lower.send(lower.encrypt(data))

    def write(self, data: bytes) -> None:
        """Write in the reactor's next iteration."""
        lower = self._filter
        if data and lower.open:
            lower.queue(lower.encrypt(data))
            if lower.waiting > self.bufferSize:
                self.pause_until_taken()

    def writeSequence(self, iovec: Any) -> None:
        """Write pieces."""
        self.write(b"".join(iovec))

    def pause_until_taken(self) -> None:
        """Pause a push producer until the kernel has taken all ciphertext, if it has not."""
        if self._filter.waiting and self._streaming and not self._producer_paused:
            self._producer_paused = True
            self._producer.pauseProducing()

    def registerProducer(self, producer: Any, streaming: bool) -> None:
        """Register who writes, as with other transports."""
        if self._producer is not None:
            raise RuntimeError("there is a producer already")
        if self._filter.lost:
            producer.stopProducing()
            return
        self._producer, self._streaming = producer, streaming
        if not streaming:
            producer.resumeProducing()

    def unregisterProducer(self) -> None:
        """The producer has written everything."""
        self._producer, self._streaming, self._producer_paused = None, False, False
        if self.disconnecting:
            self._filter.close(half=False)

    def drained(self) -> None:
        """The kernel has taken all ciphertext."""
        if self._producer is not None and (not self._streaming or self._producer_paused):
            self._producer_paused = False
            self._producer.resumeProducing()

    def closed(self) -> None:
        """The socket is closed."""
        producer, self._producer = self._producer, None
        if producer is not None:
            producer.stopProducing()

    # Reading

    def pauseProducing(self) -> None:
        """Stop reading."""
        self.paused = True
        self._filter.raw.pauseProducing()

    def resumeProducing(self) -> None:
        """Read on."""
        self.paused = False
        self._filter.read_on()

    def stopProducing(self) -> None:
        """Close the connection."""
        self.loseConnection()

    # Ending

    def loseConnection(self) -> None:
        """Close the connection after the last bytes and close_notify, once there is no producer."""
        if not self.disconnecting:
            self.disconnecting = True
            if self._producer is None:
                self._filter.close(half=False)

    def loseWriteConnection(self) -> None:
        """Send close_notify and FIN after the last bytes; what comes is still read."""
        self._filter.close(half=True)

    def abortConnection(self) -> None:
        """Close the connection at once."""
        self._filter.raw.abortConnection()

    # The socket

    def getPeer(self) -> Any:
        """The partner's address."""
        return self._filter.raw.getPeer()

    def getHost(self) -> Any:
        """Our address."""
        return self._filter.raw.getHost()

    def getHandle(self) -> Any:
        """The socket, for its options."""
        return self._filter.raw.getHandle()

    def fileno(self) -> int:
        """The number of the socket, for its options."""
        return int(self._filter.raw.fileno())

    def setTcpNoDelay(self, enabled: bool) -> None:
        """Set TCP_NODELAY."""
        self._filter.raw.setTcpNoDelay(enabled)

    def setTcpKeepAlive(self, enabled: bool) -> None:
        """Set SO_KEEPALIVE."""
        self._filter.raw.setTcpKeepAlive(enabled)
