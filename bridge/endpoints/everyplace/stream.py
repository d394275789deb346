"""Frames over a stream, plain or inside TLS: the adapters tcp and tls (mqe.md 20.2, E-465, E-474)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twisted.internet import protocol
from twisted.internet.interfaces import IPushProducer
from twisted.python.failure import Failure
from zope.interface import implementer

from mqbridge.bridge.endpoints.addresses import host_and_port, send_at_once
from mqbridge.bridge.endpoints.arrivals import Arrivals
from mqbridge.bridge.endpoints.transports import close_behind_last_bytes, socket_transport
from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
from mqbridge.bridge.everyplace.network.outgoing import Line
from mqbridge.protocol.everyplace.errors import EveryplaceError

from .carrier import EveryplaceHost
from .peers import peer_of


@implementer(IPushProducer)
class StreamProtocol(protocol.Protocol):
    """One connection. ``make`` returns the line when the first bytes come (a caller's), or once it is connected.

    A partner that does not take what is written is not read.
    """

    def __init__(self, host: EveryplaceHost, make: Callable[[StreamProtocol], Line], arrivals: Arrivals | None) -> None:
        self._host = host
        self._make = make
        self._arrivals = arrivals
        self._line: Line | None = None
        self._closing = False
        self._paused = False
        self._held = False
        self._timer: Any = None

    @property
    def peer(self) -> str:
        """The partner's address."""
        return host_and_port(self.transport.getPeer())[0]  # type: ignore[union-attr]

    def connectionMade(self) -> None:
        """Count a caller, which has some time for its first bytes; begin a call."""
        transport: Any = self.transport
        send_at_once(transport)
        self._host.stalled.watch(self, socket_transport(transport))
        if self._arrivals is not None:
            if not self._host.descriptor_guard.admits(transport):
                transport.abortConnection()
                return
            self._arrivals.arrived(self)
        transport.registerProducer(self, True)
        if self._arrivals is None:
            self._begin()

    def dataReceived(self, data: bytes) -> None:
        """Pass bytes to the line."""
        if self._closing:
            return
        if self._line is None:
            self._begin()
        if self._line is not None and not self._closing:
            self._host.received(self._line, data)
            self._read_or_wait()

    def _begin(self) -> None:
        if self._arrivals is not None:
            self._arrivals.spoke(self)
        try:
            self._line = self._make(self)
        except EveryplaceError as error:
            self._host.refused(self.peer, error)
            self.abort()
            return
        self.flush()

    def connectionLost(self, reason: Failure = protocol.connectionDone) -> None:
        """The connection is closed."""
        self._host.stalled.ends(self)
        if self._arrivals is not None:
            self._arrivals.left(self)
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._closing = True
        line, self._line = self._line, None
        if line is not None:
            self._host.cut(line)

    # Writing

    def flush(self) -> None:
        """See `LineCarrier.flush`."""
        line, transport = self._line, self.transport
        if line is None or self._closing or transport is None:
            return
        data = line.take()
        if data:
            transport.write(data)
        if line.ended:
            self._close()

    def _close(self) -> None:
        """Close after the last bytes; what comes is read and discarded for a while."""
        self._closing = True
        self._timer = close_behind_last_bytes(self.transport, self._host.reactor)

    def abort(self) -> None:
        """See `LineCarrier.abort`."""
        self._closing = True
        if self.transport is not None:
            self.transport.abortConnection()  # type: ignore[attr-defined]

    def give_up(self) -> None:
        """Abort the connection: its partner does not read."""
        self.abort()

    # Reading

    def _read_or_wait(self) -> None:
        if not self._held and not self._closing and self._host.hold_back(self):
            self._held = True
            self._follow()

    def store_keeps_up(self) -> None:
        """Read again."""
        self._held = False
        self._follow()

    def pauseProducing(self) -> None:
        """The partner does not take what is written: stop reading."""
        self._paused = True
        self._follow()

    def resumeProducing(self) -> None:
        """The partner has taken all: read again."""
        self._paused = False
        self._host.stalled.ends(self)
        self._follow()

    def stopProducing(self) -> None:
        """The transport is closed; `connectionLost` follows."""

    def _follow(self) -> None:
        transport: Any = self.transport
        if transport is None or self._closing:
            return
        if self._held or self._paused:
            transport.pauseProducing()
        else:
            transport.resumeProducing()


def make_caller(host: EveryplaceHost, listener: ListenerDefinition, binding: bytes) -> Callable[[StreamProtocol], Line]:
    """Return what makes the lines of callers of a listener."""

    def make(carrier: StreamProtocol) -> Line:
        return host.called(listener, peer_of(carrier.transport, binding), carrier)

    return make
