"""Connections that senders of remote queues make to other managers: performs their effects on sockets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twisted.internet import protocol
from twisted.python.failure import Failure

from mqbridge.bridge.agents.myopenq.sending.effects import CallManager, LeaveManager, ManagerCaller, SendToManager
from mqbridge.bridge.endpoints.addresses import client_endpoint, send_at_once
from mqbridge.bridge.endpoints.driver import CONNECT_TIMEOUT, Driver
from mqbridge.bridge.endpoints.tls_factories import connect_tls
from mqbridge.bridge.endpoints.tls_sessions import Session


class ManagerCalls:
    """The connections of one queue manager's senders. ``session``: makes the session of a call inside TLS with the
    manager at an address, which may raise `TlsError`; None: without TLS."""

    def __init__(self, driver: Driver, session: Callable[[str], Session] | None) -> None:
        self._driver = driver
        self._session = session
        self._calls: dict[ManagerCaller, _Call] = {}

    def perform(self, effect: CallManager | SendToManager | LeaveManager) -> None:
        """Perform an effect of a sender."""
        caller = effect.sender
        if isinstance(effect, CallManager):
            self._calls[caller] = call = _Call(self, caller)
            call.connect(self._driver.reactor, self._session)
        elif isinstance(effect, LeaveManager):
            if (left := self._calls.pop(caller, None)) is not None:
                left.abort()
        elif (found := self._calls.get(caller)) is not None:
            found.flush()

    def happened(self, call: _Call, action: Callable[[float], None]) -> None:
        """Tell a sender of something, unless it has given up the connection."""
        if self._calls.get(call.caller) is call:
            action(self._driver.now())
            self._driver.pump()

    def ended(self, call: _Call, action: Callable[[float], None]) -> None:
        """Tell a sender that there is no connection any more."""
        if self._calls.get(call.caller) is call:
            del self._calls[call.caller]
            action(self._driver.now())
            self._driver.pump()

    def stop(self) -> None:
        """Drop all connections at once."""
        calls, self._calls = self._calls, {}
        for each in calls.values():
            each.abort()


class _Call(protocol.Protocol):
    """One connection."""

    def __init__(self, calls: ManagerCalls, caller: ManagerCaller) -> None:
        self._calls = calls
        self.caller = caller
        self._connecting: Any = None

    def connect(self, reactor: Any, make_session: Callable[[str], Session] | None) -> None:
        """Connect, inside TLS if sessions are made."""
        factory = protocol.Factory.forProtocol(lambda: self)
        factory.noisy = False
        host = self.caller.address
        endpoint = client_endpoint(reactor, host, self.caller.port, timeout=CONNECT_TIMEOUT, local=None)
        if make_session is None:
            connecting = endpoint.connect(factory)
        else:
            connecting = connect_tls(reactor, endpoint, factory, lambda: make_session(host), CONNECT_TIMEOUT)
        self._connecting = connecting

        def failed(failure: Failure) -> None:
            self._connecting = None
            reason = failure.getErrorMessage()
            # It may have failed at once, and senders are not told anything while the gateway is pumped.
            reactor.callLater(0, self._calls.ended, self, lambda now: self.caller.failed(reason, now))

        connecting.addCallbacks(lambda _: None, failed)

    def connectionMade(self) -> None:
        """The connection is there."""
        self._connecting = None
        send_at_once(self.transport)
        self._calls.happened(self, self.caller.connected)

    def dataReceived(self, data: bytes) -> None:
        """Pass bytes on."""
        self._calls.happened(self, lambda now: self.caller.receive(data, now))

    def connectionLost(self, reason: Failure = protocol.connectionDone) -> None:
        """The connection has ended."""
        self._calls.ended(self, lambda now: self.caller.receive(b"", now))

    def flush(self) -> None:
        """Send what the sender has."""
        data = self.caller.take()
        if data and self.transport is not None:
            self.transport.write(data)

    def abort(self) -> None:
        """End it at once; nothing is told of it."""
        connecting, self._connecting = self._connecting, None
        if connecting is not None:
            connecting.cancel()
        if self.transport is not None:
            self.transport.abortConnection()  # type: ignore[attr-defined]
