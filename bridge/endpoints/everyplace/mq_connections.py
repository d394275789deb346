"""Client connections of the bridge to queue managers elsewhere, on a reactor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from twisted.internet.endpoints import HostnameEndpoint
from twisted.internet.protocol import Factory, Protocol
from twisted.python.failure import Failure

from mqbridge.bridge.agents.everyplace.mq.calling import Calling
from mqbridge.bridge.agents.everyplace.mq.client_program import ClientProgram
from mqbridge.bridge.agents.everyplace.mq.parameters import parameters_of
from mqbridge.bridge.agents.everyplace.mq.program import MqFailure
from mqbridge.bridge.endpoints.tls_factories import connect_tls
from mqbridge.bridge.endpoints.tls_sessions import TlsSessions
from mqbridge.bridge.everyplace.definitions import bridge_properties as rows
from mqbridge.bridge.everyplace.definitions.bridge_definition import BridgeDefinition
from mqbridge.bridge.security.tls import TlsConnection
from mqbridge.bridge.tls import TlsError

CONNECT_TIMEOUT: Final = 20.0
"""Seconds until the transport must be there, with its TLS handshake."""
Refusal = Callable[[TlsConnection | None], MqFailure | None]


def _accepts_all(_agreed: TlsConnection | None) -> MqFailure | None:
    return None


class MqConnection(Protocol):
    """The transport of one program. ``settle``: called after each turn of it, to perform what has followed.
    ``refusal``: says why the transport must not be used, whatever was agreed."""

    transport: Any

    def __init__(
        self, reactor: Any, program: ClientProgram, settle: Callable[[], None], refusal: Refusal = _accepts_all
    ) -> None:
        self._reactor = reactor
        self._refusal = refusal
        self._program = program
        self._settle = settle
        self._timer: Any = None
        self._set_for = 0.0

    def connectionMade(self) -> None:
        """The transport is there."""
        self.transport.setTcpNoDelay(True)
        refused = self._refusal(getattr(self.transport, "agreed", None))
        if refused is not None:
            self._program.failed(refused)
            self.transport.loseConnection()
        else:
            self._program.connected(self)
        self._turn()

    def dataReceived(self, data: bytes) -> None:
        """Bytes have come."""
        self._program.receive_data(data)
        self._turn()

    def connectionLost(self, reason: Failure | None = None) -> None:  # type: ignore[override]
        """The transport is gone."""
        self._cancel()
        error = None if reason is None else reason.value
        if isinstance(error, TlsError):
            self._program.failed(MqFailure(int(error.reason), str(error)))
        else:
            self._program.lost(reason.getErrorMessage() if reason is not None else "closed")
        self._settle()

    # What the program calls

    def write(self, data: bytes) -> None:
        """Send bytes."""
        self.transport.write(data)
        self._set_timer()

    def close(self) -> None:
        """End the transport when all is sent."""
        self._cancel()
        self.transport.loseConnection()

    # Time

    def _turn(self) -> None:
        self._set_timer()
        self._settle()

    def _cancel(self) -> None:
        timer, self._timer = self._timer, None
        if timer is not None and timer.active():
            timer.cancel()

    def _set_timer(self) -> None:
        """Set the timer, unless it is set for a time before: then it is set again when it has run out."""
        due = self._program.next_timeout()
        if due is not None and self._timer is not None and self._set_for <= due:
            return
        self._cancel()
        if due is not None:
            self._set_for = due
            self._timer = self._reactor.callLater(max(0.0, due - self._program.now), self._due)

    def _due(self) -> None:
        self._timer = None
        self._program.timeout()
        self._turn()


def foreign_programs(
    reactor: Any,
    clock: Callable[[], float],
    nonce: Callable[[], bytes],
    settle: Callable[[], None],
    sessions: TlsSessions,
    outbound_sni: str,
) -> Callable[[BridgeDefinition, BridgeDefinition, Calling], ClientProgram]:
    """Return what makes programs at queue managers elsewhere, of a proxy and a client connection.

    ``clock``: gives the steady time. ``nonce``: makes 12 random bytes. ``sessions``: makes sessions of TLS.
    ``outbound_sni``: which server name is sent.
    """

    def make(proxy: BridgeDefinition, connection: BridgeDefinition, calling: Calling) -> ClientProgram:
        offer = calling.offer(outbound_sni)
        parameters = parameters_of(proxy, connection, nonce(), secured=offer is not None)
        program = ClientProgram(parameters, clock, calling.told)
        host, port = proxy.value(rows.HOST), connection.value(rows.PORT)

        def failed(failure: Failure) -> None:
            text = f"{host}({port}): {failure.getErrorMessage()}"
            if isinstance(failure.value, TlsError):
                program.failed(MqFailure(int(failure.value.reason), text))
            else:
                program.lost(text)
            settle()

        factory = Factory.forProtocol(lambda: MqConnection(reactor, program, settle, calling.refusal))
        factory.noisy = False
        endpoint: Any = HostnameEndpoint(reactor, host, port, CONNECT_TIMEOUT)
        if offer is None:
            made = endpoint.connect(factory)
        else:
            made = connect_tls(reactor, endpoint, factory, lambda: sessions.call(offer), CONNECT_TIMEOUT)
        made.addErrback(failed)
        return program

    return make
