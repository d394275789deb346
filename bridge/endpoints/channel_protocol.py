"""A TCP connection of a channel: Twisted's transport on one side, an agent's connection on the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from twisted.internet import protocol
from twisted.internet.interfaces import IPushProducer
from twisted.python.failure import Failure
from zope.interface import implementer

from bridge.agents.connection import Connection
from bridge.agents.sending import SendingEnd

if TYPE_CHECKING:
    from .driver import Driver

WRITE_SIZE = 64 * 1024
"""Bytes asked of an agent and written at once."""
LINGER = 2.0
"""Seconds that a connection which we have ended may still be read and thrown away, so that the partner gets our last
segment before a reset."""
CLOSE_TIMEOUT = 15.0
"""Seconds in which a partner must have taken our last bytes; then the connection is cut."""


@implementer(IPushProducer)
class ChannelProtocol(protocol.Protocol):
    """Carries bytes both ways, with back-pressure both ways."""

    def __init__(self, driver: Driver, make: Any) -> None:
        self._driver = driver
        self._make = make
        self._writing = True
        self._flushing = False
        self._reading = True
        self._held_back = False
        self._closing = False
        self._timer: Any = None
        self.connection: Connection | None = None

    def connectionMade(self) -> None:
        """Asks the agents for their end."""
        transport: Any = self.transport
        transport.setTcpNoDelay(True)
        transport.setTcpKeepAlive(True)
        peer = transport.getPeer()
        self.connection = self._make(peer.host, peer.port, self._driver.now())
        if self.connection is None:
            transport.abortConnection()
            self._driver.pump()
            return
        self._driver.protocols[self.connection] = self
        transport.registerProducer(self, True)
        self._driver.pump()

    def dataReceived(self, data: bytes) -> None:
        """Bytes for the agent."""
        connection = self.connection
        if connection is None or self._closing:
            return
        self._driver.received(connection, data)
        connection.receive_data(data, self._driver.now())
        self._driver.pump()
        self._read_or_wait()

    def connectionLost(self, reason: Failure = protocol.connectionDone) -> None:
        """The connection is gone."""
        del reason
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        connection, self.connection = self.connection, None
        if connection is not None:
            self._driver.protocols.pop(connection, None)
            self._driver.gone(connection)
            connection.lost(self._driver.now())
            self._driver.pump()

    # Writing

    def flush(self) -> None:
        """Writes what the agent has, as far as the transport takes it."""
        connection = self.connection
        if connection is None or self._flushing:
            return
        self._flushing = at_once = True
        try:
            while self._writing:
                pieces = connection.data_to_send(WRITE_SIZE)
                if not pieces:
                    if not self._closing:
                        connection.writable(self._driver.now())
                    break
                data = pieces[0] if len(pieces) == 1 else b"".join(pieces)
                self._driver.sent(connection, data)
                transport: Any = self.transport
                transport.write(data)
                if at_once:
                    # Not only when the reactor is idle: the partner is to be at work meanwhile. What comes behind
                    # waits for the reactor, so that a long message does not keep the other connections waiting.
                    at_once = False
                    transport.doWrite()
        finally:
            self._flushing = False

    def pauseProducing(self) -> None:
        """The transport's buffer is full."""
        self._writing = False

    def resumeProducing(self) -> None:
        """The transport takes more."""
        self._writing = True
        if self.connection is not None and not self._flushing:
            self.flush()
            self._finish()
            self._driver.pump()
            if not self._reading:
                self.read_on()

    def stopProducing(self) -> None:
        """The transport is gone; `connectionLost` follows."""
        self._writing = False

    # Reading

    def _read_or_wait(self) -> None:
        """Leaves further bytes in the socket while the agent, the store or the partner itself does not keep up."""
        connection = self.connection
        if connection is None or self._closing or self._held_back:
            return
        if connection.paused:
            self._stop_reading()
        elif self._driver.hold_back(self):
            self._held_back = True
            self._stop_reading()
        elif not self._writing and connection.end.machine.wants_to_send and not isinstance(connection.end, SendingEnd):
            # The partner asks on and on without reading our answers. (A sending end must always hear its partner.)
            self._stop_reading()

    def _stop_reading(self) -> None:
        if self._reading:
            self._reading = False
            self.transport.pauseProducing()  # type: ignore[union-attr]

    def store_keeps_up(self) -> None:
        """The store has caught up."""
        self._held_back = False
        self.read_on()

    def read_on(self) -> None:
        """Reads again, unless there is another reason to wait."""
        if self.connection is None or self._closing or self._held_back:
            return
        self._reading = True
        self._read_or_wait()
        if self._reading:
            self.transport.resumeProducing()  # type: ignore[union-attr]

    # Ending

    def close(self, *, abort: bool) -> None:
        """Ends the connection: at once, or after the last bytes."""
        if self.connection is None or self._closing:
            return
        transport: Any = self.transport
        if abort:
            transport.abortConnection()
            return
        self.flush()
        self._closing = True
        self._timer = self._driver.reactor.callLater(CLOSE_TIMEOUT, transport.abortConnection)
        self._finish()

    def _finish(self) -> None:
        if not self._closing or self.connection is None or self.connection.end.machine.wants_to_send:
            return
        transport: Any = self.transport
        transport.unregisterProducer()
        transport.resumeProducing()
        transport.loseWriteConnection()
        if self._timer is not None and self._timer.active():
            self._timer.reset(LINGER)
