"""The Twisted protocol of a channel's socket, joined to a conversation driver."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from twisted.internet import protocol
from twisted.internet.error import ConnectionDone
from twisted.internet.interfaces import IPullProducer
from twisted.python.failure import Failure
from zope.interface import implementer

from mqbridge.bridge.agents.gateway.conversation_driver import ConversationDriver
from mqbridge.bridge.endpoints.descriptor_guard import DescriptorGuard
from mqbridge.bridge.endpoints.stalled_partners import StalledPartners
from mqbridge.bridge.tls import TlsError

from .addresses import can, host_and_port, is_tcp, send_at_once
from .tap import ConnectionEnds, Tap
from .tls import TlsTransport
from .transports import socket_transport

WRITE_SIZE = 64 * 1024
"""Bytes taken from a conversation and written with one call."""
TURN = 4 * WRITE_SIZE
"""Bytes written before other connections have a turn."""
LINGER = 2.0
"""Seconds for which a closed connection is still read, and the bytes discarded, so that the partner gets our last
segment before a reset."""
CLOSE_TIMEOUT = 15.0
"""Seconds within which a partner must take our last bytes; then the connection is aborted."""


class ChannelDriver(Protocol):
    """What a channel's connection needs from the driver: the clock, the pump, and connection checks."""

    reactor: Any
    now: Callable[[], float]
    protocols: dict[ConversationDriver, ChannelProtocol]
    tap: Tap
    stalled: StalledPartners
    descriptor_guard: DescriptorGuard

    def pump(self, now: float | None = None) -> None:
        """Perform all pending work of the gateway."""

    def hold_back(self, protocol: ChannelProtocol) -> bool:
        """Whether the store lags: the protocol must not be read until `store_keeps_up`."""

    def tls_failed(self, connection: ConversationDriver, error: TlsError) -> None:
        """TLS has ended a connection, which is lost next."""


@implementer(IPullProducer)
class ChannelProtocol(protocol.Protocol):
    """The Twisted protocol of a connection, with back-pressure in each direction.

    ``make`` returns the conversation driver for the partner's host and port, the time, and what TLS has agreed if it
    runs inside TLS from its start; or None.
    """

    def __init__(self, driver: ChannelDriver, make: Any, *, called: bool) -> None:
        self._driver = driver
        self._called = called
        self._make = make
        self._at_once = False
        self._tls: TlsTransport | None = None
        self._writing = True
        self._reading = True
        self._held_back = False
        self._closing = False
        self._timer: Any = None
        self._next_turn: Any = None
        self.connection: ConversationDriver | None = None

    def connectionMade(self) -> None:
        """Get a conversation driver from the gateway."""
        transport: Any = self.transport
        if self._called and not self._driver.descriptor_guard.admits(transport):
            transport.abortConnection()
            return
        send_at_once(transport)
        self._at_once = can(transport, "writeSomeData")
        self._tls = tls = transport if isinstance(transport, TlsTransport) else None
        peer = transport.getPeer()
        self.connection = self._make(*host_and_port(peer), self._driver.now(), None if tls is None else tls.agreed)
        if self.connection is None:
            transport.abortConnection()
            self._driver.pump()
            return
        self._driver.protocols[self.connection] = self
        self._driver.tap.opened(self.connection, ConnectionEnds(_end(transport.getHost()), _end(peer), self._called))
        transport.registerProducer(self, False)
        self._driver.pump()

    @property
    def receives(self) -> bool:
        """Whether received bytes go to a conversation."""
        return self.connection is not None and not self._closing

    def put_inside(self, tls: TlsTransport) -> None:
        """The partner begins with TLS: put a transport below which nothing but TLS is written."""
        self.transport.unregisterProducer()  # type: ignore[union-attr]
        self.transport = self._tls = tls

    def established(self) -> ChannelProtocol:
        """The handshake of the partner is over. Returns this protocol, which gets the plain bytes."""
        tls = self._tls
        assert tls is not None
        if self.connection is not None:
            self.connection.tls = tls.agreed
            tls.registerProducer(self, False)
        return self

    def dataReceived(self, data: bytes) -> None:
        """Pass bytes to the conversation."""
        connection = self.connection
        if connection is None or self._closing or not data:  # no bytes would be the end
            return
        if self._tls is not None and connection.tls is None:
            connection.tls = self._tls.agreed  # a caller on a port for TLS alone
        driver = self._driver
        driver.tap.received(connection, data)
        now = driver.now()
        connection.conversation.receive_data(data, now)
        connection.turn_ends()
        driver.pump(now)
        self._read_or_wait()

    def connectionLost(self, reason: Failure = protocol.connectionDone) -> None:
        """The connection is closed."""
        for call in (self._timer, self._next_turn):
            if call is not None and call.active():
                call.cancel()
        self._driver.stalled.ends(self)
        connection, self.connection = self.connection, None
        if connection is not None:
            self._driver.protocols.pop(connection, None)
            self._driver.tap.gone(connection, reason.check(ConnectionDone) is not None)
            if isinstance(reason.value, TlsError):
                self._driver.tls_failed(connection, reason.value)
            connection.lost(self._driver.now())
            self._driver.pump()

    # Writing

    def flush(self, now: float) -> None:
        """Write waiting bytes as far as the socket takes them, at most `TURN`. This is done at once, not in the
        reactor's next iteration, so that the partner can work while more is prepared here."""
        transport: Any = self.transport
        turn = 0
        while self._writing and (connection := self.connection) is not None:
            if turn >= TURN:
                connection.stalls()
                if self._next_turn is None:
                    self._next_turn = self._driver.reactor.callLater(0, self._resume)
                return
            pieces = connection.data_to_send(WRITE_SIZE)
            if not pieces:
                if not self._closing:
                    connection.writable(now)
                return
            data = pieces[0] if len(pieces) == 1 else b"".join(pieces)
            turn += len(data)
            self._driver.tap.sent(connection, data)
            if self._tls is not None:
                all_taken = self._tls.write_now(data)
            else:
                taken = transport.writeSomeData(data) if self._at_once else 0
                all_taken = taken == len(data)
                if not all_taken:  # a lost connection takes nothing: the reactor finds that out when it writes
                    transport.write(data[taken:] if isinstance(taken, int) else data)
            if not all_taken:
                self._writing = False
                connection.stalls()
                self._driver.stalled.begins(self)
                self._driver.stalled.watch(self, socket_transport(transport))

    def _resume(self) -> None:
        self._next_turn = None
        self.flush(self._driver.now())
        self._finish()
        self._driver.pump()

    def resumeProducing(self) -> None:
        """The socket has taken all written bytes."""
        self._writing = True
        self._driver.stalled.ends(self)
        self._driver.stalled.leave(socket_transport(self.transport))
        if self.connection is not None:
            self.flush(self._driver.now())
            self._finish()
            self._driver.pump()
            if not self._reading:
                self.read_on()

    def stopProducing(self) -> None:
        """The transport is closed; `connectionLost` follows."""
        self._writing = False

    # Reading

    def _read_or_wait(self) -> None:
        """Stop reading while the conversation, the store or the partner does not keep up."""
        connection = self.connection
        if connection is None or self._closing or self._held_back:
            return
        if connection.paused:
            self._stop_reading()
        elif self._driver.hold_back(self):
            self._held_back = True
            self._stop_reading()
        elif not self._writing and connection.wants_to_send and not connection.reads_while_stalled:
            # The partner asks on and on without reading our answers.
            self._stop_reading()

    def _stop_reading(self) -> None:
        if self._reading and can(self.transport, "pauseProducing"):
            self._reading = False
            self.transport.pauseProducing()  # type: ignore[union-attr]

    def store_keeps_up(self) -> None:
        """The store has caught up."""
        self._held_back = False
        self.read_on()

    def read_on(self) -> None:
        """Read again, unless there is another reason to wait."""
        if self.connection is None or self._closing or self._held_back:
            return
        self._reading = True
        self._read_or_wait()
        if self._reading and can(self.transport, "resumeProducing"):
            self.transport.resumeProducing()  # type: ignore[union-attr]

    # Ending

    @property
    def peer(self) -> str:
        """The partner's address."""
        return self.connection.peer if self.connection is not None else ""

    def give_up(self) -> None:
        """Abort the connection: its partner does not read."""
        if self.connection is not None:
            self.transport.abortConnection()  # type: ignore[union-attr]

    def close(self, *, abort: bool) -> None:
        """Close the connection after the last bytes; with ``abort`` at once."""
        if self.connection is None or self._closing:
            return
        transport: Any = self.transport
        if abort:
            transport.abortConnection()
            return
        self.flush(self._driver.now())
        self._closing = True
        self._timer = self._driver.reactor.callLater(CLOSE_TIMEOUT, transport.abortConnection)
        self._finish()

    def _finish(self) -> None:
        if not self._closing or self.connection is None or self.connection.wants_to_send:
            return
        transport: Any = self.transport
        transport.unregisterProducer()
        if can(transport, "loseWriteConnection"):
            transport.resumeProducing()
            transport.loseWriteConnection()
        else:
            transport.loseConnection()
        self._driver.tap.finished(self.connection)
        if self._timer is not None and self._timer.active():
            self._timer.reset(LINGER)


def _end(address: Any) -> tuple[str, int]:
    return (address.host, address.port) if is_tcp(address) else ("", 0)
