"""One connection of a caller: bytes to packets, answers to bytes, one packet at a time (M-002, M-019, M-036)."""

from __future__ import annotations

from typing import Any, Protocol

from twisted.internet import protocol
from twisted.internet.interfaces import IHalfCloseableProtocol, IPushProducer
from twisted.python.failure import Failure
from zope.interface import implementer

from mqbridge.bridge.agents.myopenq.asking import Asking, OnAnswer, Written
from mqbridge.bridge.endpoints.addresses import can, host_and_port, send_at_once
from mqbridge.bridge.endpoints.arrivals import Arrivals
from mqbridge.bridge.endpoints.descriptor_guard import DescriptorGuard
from mqbridge.bridge.endpoints.stalled_partners import StalledPartners
from mqbridge.bridge.endpoints.tls import TlsTransport
from mqbridge.bridge.endpoints.transports import close_behind_last_bytes, pause_until_taken, socket_transport
from mqbridge.protocol.myopenq import Answer, Asked, Command, Ended, Misread, Packet, Responder
from mqbridge.protocol.myopenq.transitions import Called


class DoorHost(Protocol):
    """The endpoint, as its connections see it. ``connections``: those that are open."""

    reactor: Any
    stalled: StalledPartners
    descriptor_guard: DescriptorGuard
    arrivals: Arrivals
    connections: set[DoorConnection]

    @property
    def running(self) -> bool:
        """Whether callers are served."""
        ...

    def now(self) -> float:
        """Seconds since the epoch."""
        ...

    def responder(self) -> Responder:
        """The machine of a new connection."""
        ...

    def admits(self, transport: TlsTransport) -> bool:
        """Whether the caller has shown the certificate that it needs; logged if not."""
        ...

    def ask(self, packet: Packet, address: str, then: OnAnswer) -> Asking:
        """Have the door do what a packet asks."""
        ...

    def settle(self) -> None:
        """Have done what answers and their ends have caused."""
        ...


@implementer(IHalfCloseableProtocol, IPushProducer)
class DoorConnection(protocol.Protocol):
    """The protocol of one connection."""

    def __init__(self, host: DoorHost) -> None:
        self._host = host
        self._responder: Responder | None = None
        self._asking: Asking | None = None
        self._written: Written | None = None
        self._timer: Any = None
        self._turning = False
        self._closing = False
        self._paused = False
        self._read_ended = False
        self._unchecked = False

    @property
    def peer(self) -> str:
        """The caller's address."""
        return host_and_port(self.transport.getPeer())[0]  # type: ignore[union-attr]

    def connectionMade(self) -> None:
        """Count the connection."""
        transport: Any = self.transport
        if not self._host.running or not self._host.descriptor_guard.admits(transport):
            self._closing = True
            transport.abortConnection()
            return
        send_at_once(transport)
        self._host.stalled.watch(self, socket_transport(transport))
        self._responder = self._host.responder()
        self._unchecked = isinstance(transport, TlsTransport)
        self._host.connections.add(self)
        self._host.arrivals.arrived(self)
        if self._closing:
            return
        transport.registerProducer(self, True)
        self._set_timer()

    def dataReceived(self, data: bytes) -> None:
        """Pass bytes on."""
        responder, transport = self._responder, self.transport
        if responder is None or self._closing:
            return
        self._host.arrivals.spoke(self)
        if self._unchecked:
            assert isinstance(transport, TlsTransport)
            if not self._host.admits(transport):
                self.abort()
                return
            self._unchecked = False
        if not responder.wants_data and can(transport, "pauseProducing"):
            transport.pauseProducing()  # type: ignore[union-attr]
        responder.receive_data(data, self._host.now())
        self._turn()

    def readConnectionLost(self) -> None:
        """The caller sends no more. An answer that is under way still goes out, but not the message of a GET: a caller
        that has gone altogether looks the same."""
        self._read_ended = True
        if self._closing:
            self.transport.loseConnection()  # type: ignore[union-attr]
        elif self._asking is not None and self._asking.packet.command is Command.GET:
            self.abort()
        else:
            self._turn()

    def writeConnectionLost(self) -> None:
        """We have sent all."""

    def connectionLost(self, reason: Failure = protocol.connectionDone) -> None:
        """The connection is closed."""
        self._closing = True
        self._host.stalled.ends(self)
        self._host.arrivals.left(self)
        self._host.connections.discard(self)
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        asking, self._asking = self._asking, None
        if asking is not None:
            asking.gone()
        self._tell_written(whole=False)
        self._host.settle()

    # Turns

    def _turn(self) -> None:
        """Take packets until one waits for its answer, or nothing is left."""
        responder = self._responder
        if responder is None or self._turning or self._closing:
            self._host.settle()
            return
        self._turning = True
        try:
            while self._written is None:
                if self._read_ended and responder.wants_data:
                    responder.receive_data(b"", self._host.now())
                event = responder.next_event()
                if event is None:
                    break
                if isinstance(event, Ended):
                    self._close()
                    break
                if isinstance(event, Misread):
                    self._send(Answer.refusal(event.error))
                elif isinstance(event, Asked):
                    self._ask(event.packet)
                if self._closing:
                    break
        finally:
            self._turning = False
        self._set_timer()
        self._host.settle()

    def _ask(self, packet: Packet) -> None:
        answered = False

        def then(answer: Answer, written: Written | None) -> None:
            nonlocal answered
            answered = True
            self._asking = None
            if self._closing:
                if written is not None:
                    written(False)
                return
            self._written = written
            self._send(answer)
            self._turn()

        asking = self._host.ask(packet, self.peer, then)
        if not answered:
            self._asking = asking

    def _send(self, answer: Answer) -> None:
        responder, transport = self._responder, self.transport
        assert responder is not None
        assert transport is not None
        responder.answer(answer, self._host.now())
        self._write(responder.take())
        if self._written is not None:
            pause_until_taken(transport)
            if self._paused:
                return
            self._tell_written(whole=True)
        self._go_on()

    def _write(self, data: bytes) -> None:
        """Write at once what the socket takes, not in the reactor's next iteration."""
        transport: Any = self.transport
        if not self._paused:
            if isinstance(transport, TlsTransport):
                if not transport.write_now(data):
                    pause_until_taken(transport)
                return
            if can(transport, "writeSomeData"):
                taken = transport.writeSomeData(data)
                data = data[taken:] if isinstance(taken, int) else data
        if data:
            transport.write(data)
            pause_until_taken(transport)

    def _go_on(self) -> None:
        """An answer is out: close, or read on."""
        responder, transport = self._responder, self.transport
        assert responder is not None
        if self._asking is None and (responder.state is Called.ENDED or not self._host.running):
            self._close()
        elif can(transport, "resumeProducing") and not self._paused:
            transport.resumeProducing()  # type: ignore[attr-defined]

    def _tell_written(self, *, whole: bool) -> None:
        written, self._written = self._written, None
        if written is not None:
            written(whole)

    def _set_timer(self) -> None:
        due = None if self._responder is None or self._closing else self._responder.next_timeout
        if due is not None and self._timer is None:
            self._timer = self._host.reactor.callLater(max(due - self._host.now(), 0.0), self._time_out)

    def _time_out(self) -> None:
        self._timer = None
        if self._responder is not None and not self._closing:
            self._responder.timeout(self._host.now())
            self._turn()

    # Writing

    def pauseProducing(self) -> None:
        """The caller does not take what is written."""
        self._paused = True
        if self.transport is not None and not self._closing:
            self.transport.pauseProducing()  # type: ignore[attr-defined]

    def resumeProducing(self) -> None:
        """The kernel has taken all."""
        self._paused = False
        self._host.stalled.ends(self)
        if self._closing:
            return
        self._tell_written(whole=True)
        self._go_on()
        self._turn()

    def stopProducing(self) -> None:
        """The transport is closed; `connectionLost` follows."""

    # Ending

    def end(self) -> None:
        """Close the connection, behind the answer to a packet that is under way."""
        if self._asking is None and self._written is None:
            self._close()

    def _close(self) -> None:
        """Close behind the last bytes; what comes is read and discarded for a while."""
        if self._closing:
            return
        self._closing = True
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer = close_behind_last_bytes(self.transport, self._host.reactor, read_on=not self._read_ended)

    def abort(self) -> None:
        """Close at once."""
        self._closing = True
        if self.transport is not None:
            self.transport.abortConnection()  # type: ignore[attr-defined]

    def give_up(self) -> None:
        """Abort the connection: the caller does not read."""
        self.abort()
