"""Client connections of the bridge to queue managers elsewhere, on a reactor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from twisted.internet.endpoints import HostnameEndpoint, connectProtocol
from twisted.internet.protocol import Protocol
from twisted.python.failure import Failure

from mqbridge.bridge.agents.everyplace.mq.client_program import ClientProgram
from mqbridge.bridge.agents.everyplace.mq.parameters import parameters_of
from mqbridge.bridge.everyplace.definitions import bridge_properties as rows
from mqbridge.bridge.everyplace.definitions.bridge_definition import BridgeDefinition

CONNECT_TIMEOUT: Final = 20.0
"""Seconds until the transport must be there."""


class MqConnection(Protocol):
    """The transport of one program. ``settle``: called after each turn of it, to perform what has followed."""

    transport: Any

    def __init__(self, reactor: Any, program: ClientProgram, settle: Callable[[], None]) -> None:
        self._reactor = reactor
        self._program = program
        self._settle = settle
        self._timer: Any = None
        self._set_for = 0.0

    def connectionMade(self) -> None:
        """The transport is there."""
        self.transport.setTcpNoDelay(True)
        self._program.connected(self)
        self._turn()

    def dataReceived(self, data: bytes) -> None:
        """Bytes have come."""
        self._program.receive_data(data)
        self._turn()

    def connectionLost(self, reason: Failure | None = None) -> None:  # type: ignore[override]
        """The transport is gone."""
        self._cancel()
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
    reactor: Any, clock: Callable[[], float], nonce: Callable[[], bytes], settle: Callable[[], None]
) -> Callable[[BridgeDefinition, BridgeDefinition], ClientProgram]:
    """Return what makes programs at queue managers elsewhere, of a proxy and a client connection.

    ``clock``: gives the steady time. ``nonce``: makes 12 random bytes.
    """

    def make(proxy: BridgeDefinition, connection: BridgeDefinition) -> ClientProgram:
        program = ClientProgram(parameters_of(proxy, connection, nonce()), clock)
        host, port = proxy.value(rows.HOST), connection.value(rows.PORT)

        def failed(failure: Failure) -> None:
            program.lost(f"{host}({port}): {failure.getErrorMessage()}")
            settle()

        endpoint: Any = HostnameEndpoint(reactor, host, port, CONNECT_TIMEOUT)
        made = connectProtocol(endpoint, MqConnection(reactor, program, settle))  # type: ignore[no-untyped-call]
        made.addErrback(failed)
        return program

    return make
