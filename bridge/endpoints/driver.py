"""The driver of a gateway: commits go to the writer, effects to sockets, deadlines to the reactor's clock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from twisted.internet.protocol import Factory
from twisted.logger import Logger
from twisted.python.failure import Failure

from mqbridge.bridge.agents.gateway.conversation_driver import ConversationDriver
from mqbridge.bridge.agents.gateway.driver_interface import PendingCommit, Store, StoreError, StoreFailed
from mqbridge.bridge.agents.gateway.effects import (
    AbandonCall,
    AbandonConnect,
    AbandonProvider,
    CallHost,
    CallManager,
    CallStep,
    CheckPassword,
    CloseConnection,
    ConnectToPartner,
    ConnectToProvider,
    Effect,
    LeaveManager,
    Log,
    Resume,
    Send,
    SendToManager,
    SendToProvider,
    ServeEveryplace,
)
from mqbridge.bridge.agents.gateway.gateway import Gateway
from mqbridge.bridge.agents.message_channel.connection_attempts import ConnectionAttempt
from mqbridge.bridge.endpoints.descriptor_guard import DescriptorGuard
from mqbridge.bridge.endpoints.stalled_partners import StalledPartner, StalledPartners
from mqbridge.bridge.security.tls import TlsConnection
from mqbridge.bridge.tls import TlsError

from .addresses import client_endpoint, local_address
from .channel_protocol import ChannelProtocol
from .clock import SteadyClock
from .lean_reactor import LeanReactor
from .password_thread import PasswordThread
from .tap import NullTap, Tap
from .tls_factories import connect_tls
from .tls_sessions import NoTls, TlsSessions
from .writer import StoreWriter

CONNECT_TIMEOUT = 30
"""Seconds within which a connection must be established."""
LONGEST_TIMER = 60.0
"""Seconds after which deadlines are checked at the latest: the clock may have been set, which brings dates closer."""
MAX_UNSTORED = 2000
"""Number of units being written above which connections are not read until half of them are written."""
MAX_UNSTORED_BYTES = 256 << 20
"""The same for bytes of message data that these units hold in memory."""
_log = Logger()


class HeldBack(Protocol):
    """A protocol that is not read while the store lags."""

    def store_keeps_up(self) -> None:
        """The store has caught up."""
        ...


class Driver:
    """The driver of a gateway on a reactor.

    ``log``: called with the id and inserts of each operator message. After calling the queue manager or the gateway
    from outside, call `pump`.
    """

    def __init__(
        self,
        reactor: Any,
        gateway: Gateway,
        store: Store,
        log: Callable[[str, tuple[str | int, ...]], None],
        clock: Callable[[], float] | None = None,
    ) -> None:
        self.reactor = reactor
        self.gateway = gateway
        self.now = clock or SteadyClock()
        self.protocols: dict[ConversationDriver, ChannelProtocol] = {}
        self.idle_waiters: list[Callable[[], None]] = []
        self.tap: Tap = NullTap()
        self.tls: TlsSessions | None = None
        """Makes the TLS sessions of channels; None: no TLS is configured."""
        self.store_failed: Callable[[StoreError], None] = lambda _: None
        """Called once when the store has failed permanently."""
        self.call_step: Callable[[CallStep], None] | None = None
        """Performs the effect `CallStep`; None: there are no routes with Python steps."""
        self.provider_effect: Callable[[ConnectToProvider | AbandonProvider | SendToProvider], None] | None = None
        """Performs effects of links; None: there are none."""
        self.host_effect: Callable[[CallHost | AbandonCall], None] | None = None
        """Performs effects of partners; None: there are none."""
        self.manager_effect: Callable[[CallManager | SendToManager | LeaveManager], None] | None = None
        """Performs effects of senders of MyOpenQ; None: there are none."""
        self.serve_everyplace: Callable[[ServeEveryplace], None] | None = None
        """Performs the effect of a gateway of Everyplace; None: there is none."""
        self.log = log
        self._writer = StoreWriter(store, reactor.callFromThread, self._committed)
        self._passwords = PasswordThread(reactor.callFromThread, self._checked)
        self._attempts: dict[ConnectionAttempt, Any] = {}
        self._timer: Any = None
        self._due: float | None = None
        self._asks_before_sleep = isinstance(reactor, LeanReactor)
        self._moved = False
        self._pumping = False
        self._stopped = False
        self._held_back: list[HeldBack] = []
        self.stalled = StalledPartners(reactor, self._stalls)
        self.descriptor_guard = DescriptorGuard(reactor, log)

    def start(self) -> None:
        """Start the writer and perform what is pending."""
        self._writer.start()
        if self._asks_before_sleep:
            self.reactor.before_sleep.append(self._before_sleep)
            self.reactor.at_work.append(self._stores)
        self.pump()

    def stop(self) -> None:
        """End the writer after the submitted units; nothing may be called afterwards."""
        self._stopped = True
        if self._asks_before_sleep and self._before_sleep in self.reactor.before_sleep:
            self.reactor.before_sleep.remove(self._before_sleep)
            self.reactor.at_work.remove(self._stores)
        self._writer.stop()
        self._passwords.stop()
        self.stalled.stop()
        self.descriptor_guard.stop()
        if self._timer is not None and self._timer.active():
            self._timer.cancel()

    @property
    def quiet(self) -> bool:
        """Whether no connection is open, no unit is being written, and all carriers are stopped."""
        idle = not self.protocols and not self._writer.outstanding and not self._attempts
        return idle and self.gateway.carriers.quiet

    @property
    def unstored(self) -> int:
        """Number of units of work being written."""
        return self._writer.outstanding

    def _stores(self) -> bool:
        """Whether the writer is at work."""
        return self.unstored > 0

    def hold_back(self, protocol: HeldBack) -> bool:
        """Whether the store lags: the protocol must not be read, and is called when it may be."""
        if self.unstored < MAX_UNSTORED and self._writer.outstanding_bytes < MAX_UNSTORED_BYTES:
            return False
        self._held_back.append(protocol)
        return True

    def _stalls(self, reader: StalledPartner, seconds: float) -> float:
        """Abort a connection whose partner has taken nothing for too long; messages it has not taken go back. Returns
        the seconds until then."""
        patience = self.gateway.connections.patience()
        if seconds >= patience:
            self.log("AMQ9206", (reader.peer, f"nothing was taken for {seconds:.0f} seconds"))
            reader.give_up()
        return patience - seconds

    # The pump

    def pump(self, now: float | None = None) -> None:
        """Perform all pending work of the gateway. May be called at any time, also from inside.

        ``now``: the current time, if the caller has just read it.
        """
        if self._pumping or self._stopped:
            return
        self._pumping = True
        try:
            gateway, manager = self.gateway, self.gateway.manager
            while True:
                if now is None:
                    now = self.now()
                gateway.settle(now)
                commits = manager.take_commits()
                if commits:
                    self._writer.submit(commits)
                effects = gateway.take_effects()
                for effect in effects:
                    if type(effect) is not Send:
                        self._perform(effect)
                    elif (found := self.protocols.get(effect.connection)) is not None:
                        found.flush(now)
                if not gateway.has_more:
                    break
                now = None
        finally:
            self._pumping = False
        if self._asks_before_sleep:
            self._moved = True
        else:
            self._set_timer()
        if self.idle_waiters and self.quiet:
            waiters, self.idle_waiters = self.idle_waiters, []
            for waiter in waiters:
                waiter()

    def _committed(self, units: list[PendingCommit], errors: list[StoreError | None]) -> None:
        self._writer.answered(units)
        if self._stopped:
            return
        now = self.now()
        for unit, error in zip(units, errors, strict=True):
            try:
                self.gateway.committed(unit, error, now)
            except Exception:  # those of the other units wait for their answers
                _log.failure("what follows a commit failed")
        self.pump()
        failure = next((error for error in errors if isinstance(error, StoreFailed)), None)
        if failure is not None:
            on_failure, self.store_failed = self.store_failed, lambda _: None
            on_failure(failure)
        keeps_up = self.unstored <= MAX_UNSTORED // 2 and self._writer.outstanding_bytes <= MAX_UNSTORED_BYTES // 2
        if self._held_back and keeps_up:
            held, self._held_back = self._held_back, []
            for protocol in held:
                protocol.store_keeps_up()

    def _perform(self, effect: Effect) -> None:
        match effect:
            case CloseConnection():
                if (found := self.protocols.get(effect.connection)) is not None:
                    found.close(abort=effect.abort)
            case Resume():
                if (found := self.protocols.get(effect.connection)) is not None:
                    found.read_on()
            case Log():
                self.log(effect.amq, effect.inserts)
            case ConnectToPartner():
                self._connect(effect)
            case AbandonConnect():
                if (connecting := self._attempts.pop(effect.attempt, None)) is not None:
                    connecting.cancel()
            case CheckPassword():
                self._passwords.check(effect)
            case CallStep():
                if self.call_step is not None:
                    self.call_step(effect)
            case ConnectToProvider() | AbandonProvider() | SendToProvider():
                if self.provider_effect is not None:
                    self.provider_effect(effect)
            case CallHost() | AbandonCall():
                if self.host_effect is not None:
                    self.host_effect(effect)
            case CallManager() | SendToManager() | LeaveManager():
                if self.manager_effect is not None:
                    self.manager_effect(effect)
            case ServeEveryplace():
                if self.serve_everyplace is not None:
                    self.serve_everyplace(effect)

    def _checked(self, effect: CheckPassword, matched: bool) -> None:
        if not self._stopped:
            effect.then(matched, self.now())
            self.pump()

    # Time

    def _before_sleep(self) -> None:
        """Ask for deadlines once for all that has happened since."""
        if self._moved:
            self._moved = False
            self._set_timer()

    def _set_timer(self) -> None:
        """Schedule the next deadline. A deadline put off keeps its timer, which then finds nothing due: each segment
        received puts one off."""
        due = self.gateway.next_timeout()
        if due is None or (self._timer is not None and self._due is not None and self._due <= due):
            return
        wait = min(max(due - self.now(), 0), LONGEST_TIMER)
        self._due = due
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.reactor.callLater(wait, self._time_out)

    def _time_out(self) -> None:
        self._timer = None
        self.gateway.timeout(self.now())
        self.pump()

    # Connecting

    def tls_failed(self, connection: ConversationDriver, error: TlsError) -> None:
        """TLS has ended a connection, which is lost next."""
        self.gateway.connections.tls_failed(connection, error.fault, self.now())

    def _connect(self, effect: ConnectToPartner) -> None:
        attempt = effect.attempt
        connections = self.gateway.connections

        def make(address: str, port: int, now: float, tls: TlsConnection | None) -> ConversationDriver | None:
            return connections.connected(attempt, address, port, now, tls)

        def failed(failure: Failure) -> None:
            if self._attempts.get(attempt) is connecting:
                del self._attempts[attempt]
                fault = failure.value.fault if isinstance(failure.value, TlsError) else None
                connections.connect_failed(attempt, failure.getErrorMessage(), self.now(), fault)
                self.pump()

        def made(_: Any) -> None:
            if self._attempts.get(attempt) is connecting:  # and not the next address already
                del self._attempts[attempt]
            self.pump()

        local = local_address(effect.local_address)
        endpoint = client_endpoint(self.reactor, effect.host, effect.port, timeout=CONNECT_TIMEOUT, local=local)
        factory = Factory.forProtocol(lambda: ChannelProtocol(self, make, called=False))
        offer = effect.tls
        if offer is None:
            connecting = endpoint.connect(factory)
        else:
            sessions = self.tls or NoTls()
            connecting = connect_tls(self.reactor, endpoint, factory, lambda: sessions.call(offer), CONNECT_TIMEOUT)
        self._attempts[attempt] = connecting
        connecting.addCallbacks(made, failed)
