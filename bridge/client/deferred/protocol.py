"""The Twisted protocol of a client connection."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from twisted.internet.defer import Deferred
from twisted.internet.protocol import Protocol

from mqbridge.bridge.client.errors import MQError, error_for
from mqbridge.protocol.constants import MQCC, MQMODE, MQRC
from mqbridge.protocol.mqi_client import Call, ClientConnection, ClientParameters, Closed, Connected, Event, Refused

if TYPE_CHECKING:
    from mqbridge.bridge.client.tls import TlsCaller
    from mqbridge.bridge.security.tls import TlsConnection


class ClientProtocol(Protocol):
    """A client connection: joins the transport to the protocol machine and queues calls. ``tls``: if it is inside
    TLS."""

    transport: Any

    def __init__(self, reactor: Any, parameters: ClientParameters, tls: TlsCaller | None = None) -> None:
        self._reactor = reactor
        self._parameters = parameters
        self._tls = tls
        self._tls_refusal: MQError | None = None
        self._waiting: deque[tuple[Callable[..., Call], tuple[Any, ...], Deferred[Call]]] = deque()
        self._current: Deferred[Call] | None = None
        self._timer: Any = None
        self._refusal = 0
        self._why = "the connection ended"
        self.machine: ClientConnection | None = None
        self.ready: Deferred[Connected] = Deferred()

    @property
    def tls(self) -> TlsConnection | None:
        """What TLS agreed; None for a plain connection."""
        return self._tls.session.agreed if self._tls is not None else None

    def connectionMade(self) -> None:
        """The transport is connected, and the handshake of TLS is over."""
        self.transport.setTcpNoDelay(True)
        if self._tls is not None:
            try:
                self._tls.check()
            except MQError as error:
                self.transport.loseConnection()
                self.ready.errback(error)
                return
        self.machine = ClientConnection(self._parameters, time.monotonic())
        self._flush()

    def dataReceived(self, data: bytes) -> None:
        """Process received bytes."""
        if self.machine is None:  # a partner that was not accepted
            return
        self._take(self.machine.link.receive_data(data, time.monotonic()))

    def connectionLost(self, reason: Any = None) -> None:
        """The transport is closed."""
        if self.machine is not None:
            if self._tls is not None and not self.ready.called:  # TLS 1.3 refuses certificates after the handshake
                self._tls_refusal = self._tls.refusal(reason.value)
            why = reason.getErrorMessage() if reason is not None else "closed"
            self._take(self.machine.link.receive_eof(time.monotonic(), why))

    async def do(self, method: Callable[..., Call], *arguments: Any) -> Call:
        """Make a call after the queued ones, ``method(calls, *arguments, now)``; returns it when it has completed.

        Raises `MQError` if the connection has ended. A call cancelled before its turn is not made; cancelling a waiting
        get ends it; other calls are not affected.
        """
        turn: Deferred[Call] = Deferred(self._cancel)
        self._waiting.append((method, arguments, turn))
        self._next()
        call = await turn
        if call.comp_code == MQCC.FAILED and self.machine is not None and self.machine.ended:
            raise self.gone()
        return call

    def _cancel(self, turn: Deferred[Call]) -> None:
        if turn is not self._current:
            self._waiting = deque(each for each in self._waiting if each[2] is not turn)
        elif self.machine is not None and not self.machine.link.closed:
            self.machine.calls.stop_waiting(time.monotonic())
            self._flush()

    def _next(self) -> None:
        machine = self.machine
        assert machine is not None
        while self._current is None and self._waiting:
            method, arguments, turn = self._waiting.popleft()
            if machine.link.closed:
                turn.errback(self.gone())
                continue
            self._current = turn
            try:
                call = method(machine.calls, *arguments, time.monotonic())
            except Exception as error:
                self._current = None
                turn.errback(error)
                continue
            if call.done and self._current is turn:
                self._take(machine.link.receive_data(b"", time.monotonic()))
                if self._current is turn:  # a put without reply: no event tells of it
                    self._current = None
                    turn.callback(call)
            self._flush()

    def _take(self, events: list[Event]) -> None:
        self._why = next((event.reason for event in events if isinstance(event, Closed)), self._why)
        for event in events:
            if isinstance(event, Call):
                turn, self._current = self._current, None
                if turn is not None and not turn.called:  # else it was cancelled
                    turn.callback(event)
            elif isinstance(event, Connected):
                self.ready.callback(event)
            elif isinstance(event, Refused):
                self._refusal = event.reason
            elif isinstance(event, Closed):
                self._flush()
                self.transport.loseConnection()
                if not self.ready.called:
                    self.ready.errback(self.gone())
        self._next()
        self._flush()

    def gone(self) -> MQError:
        """The error for a connection that has ended."""
        if self._tls_refusal is not None:
            return self._tls_refusal
        machine = self.machine
        reason = self._refusal or (machine.ended if machine is not None else 0) or MQRC.CONNECTION_BROKEN
        return error_for(int(reason), self._why)

    def _flush(self) -> None:
        machine = self.machine
        assert machine is not None
        while pieces := machine.link.wire.take():
            self.transport.writeSequence(pieces)
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        due = machine.link.next_timeout()
        self._timer = None
        if due is not None:
            self._timer = self._reactor.callLater(max(0.0, due - time.monotonic()), self._due)

    def _due(self) -> None:
        assert self.machine is not None
        self._take(self.machine.link.timeout(time.monotonic()))

    def abort(self) -> None:
        """Close the connection without MQDISC."""
        if self.machine is not None and not self.machine.link.closed:
            self._take(self.machine.link.close(MQMODE.FORCE, time.monotonic()))
