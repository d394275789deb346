"""A partner that speaks the protocol of a template: its connections, and the queues behind them (myopenq.md 12.3)."""

from __future__ import annotations

from random import Random

from mqbridge.bridge.agents.conversation import Conversation, PartnerConnection
from mqbridge.bridge.agents.gateway.carriers import CarrierHost, CarrierState, CarrierStatus
from mqbridge.bridge.agents.partner.context import PartnerContext, PartnerCounts
from mqbridge.bridge.agents.partner.conversation import PartnerConversation
from mqbridge.bridge.agents.partner.effects import AbandonCall, CallHost
from mqbridge.bridge.agents.partner.guarantees import check_script, guarantees
from mqbridge.bridge.agents.partner.receiving import PartnerReceiver
from mqbridge.bridge.agents.partner.sending import PartnerSender
from mqbridge.bridge.agents.partner.settings import PartnerSettings
from mqbridge.mappings.moment import Time
from mqbridge.mappings.templates import Protocol
from mqbridge.protocol.constants import MQMODE

_NOBODY = "the partner has not called"


class Partner:
    """A carrier whose other end is a host with a protocol of its own.

    An initiator has one connection, and makes it again with growing waits; a responder takes those that come.
    ``random``: for ids and waits, of an unpredictable seed except in tests. It must be made before any program can get
    messages, since it holds those in doubt at once. Raises `PartnerSettingsError` and ``StoreDamaged``.
    """

    __slots__ = (
        "_back_off", "_context", "_detail", "_host", "_receiver", "_retry_at", "_sender", "_sessions", "_since",
        "_state", "_stop_at", "_told",
    )  # fmt: skip

    def __init__(self, settings: PartnerSettings, protocol: Protocol, host: CarrierHost, random: Random) -> None:
        check_script(protocol, settings)
        self._host = host
        self._context = context = PartnerContext(settings, protocol, host, random)
        context.units.room = self._wake
        self._sender = PartnerSender(context, self._wake)
        self._receiver = PartnerReceiver(context)
        self._sessions: list[PartnerConversation] = []
        self._back_off = context.back_off()
        self._state = CarrierState.STOPPED
        self._since = host.now
        self._detail = ""
        self._retry_at: float | None = None
        self._stop_at: float | None = None
        self._told: list[str] = []
        context.units.commit(host.now)

    # What the registry calls

    @property
    def name(self) -> str:
        """Its name in the configuration."""
        return self._context.settings.name

    @property
    def kind(self) -> str:
        """``partner``."""
        return "partner"

    @property
    def protocol(self) -> Protocol:
        """The protocol of the next session."""
        return self._context.protocol

    @property
    def counts(self) -> PartnerCounts:
        """Messages since the start."""
        return self._context.counts

    @property
    def sessions(self) -> tuple[PartnerConversation, ...]:
        """The sessions that have not ended."""
        return tuple(self._sessions)

    @property
    def quiet(self) -> bool:
        """Whether it is stopped, with nothing being written."""
        return self._state is CarrierState.STOPPED and not self._sessions and not self._context.units.pending

    def status(self, _now: Time) -> CarrierStatus:
        """Its state and counts."""
        settings, counts = self._context.settings, self._context.counts
        running = self._state is CarrierState.RUNNING and not self._sessions
        return CarrierStatus(
            name=settings.name,
            kind="partner",
            state=self._state,
            source=settings.send or self._context.protocol.name,
            target=settings.receive or self._context.protocol.name,
            carried=counts.sent + counts.received,
            failed=counts.failed,
            since=self._since,
            detail=self._detail or self._sender.problem or (_NOBODY if running else ""),
            user=settings.mcauser,
        )

    def use(self, protocol: Protocol) -> None:
        """Let sessions that begin from now on follow another description. Raises `PartnerSettingsError`."""
        check_script(protocol, self._context.settings)
        self._context.protocol = protocol

    def warn(self, amq: str, *inserts: str | int) -> None:
        """Log an operator message about it."""
        self._context.log(amq, *inserts)

    def start(self, now: Time) -> None:
        """Connect, or take connections; one that is being stopped goes on."""
        if self._state is CarrierState.STOPPED:
            self._context.stopping = False
            told = guarantees(self._context.protocol, self._context.settings)
            for line in told if told != self._told else ():
                self._context.log("AMQ5080", line)
            self._told = told
            self._begin(now)
        elif self._state is CarrierState.STOPPING:
            self._context.stopping = False
            self._stop_at = None
            self._begin(now)
            self._wake()
        self.turned(now)

    def stop(self, mode: MQMODE, now: Time) -> None:
        """Stop: MQMODE.QUIESCE awaits what is under way for ``stop_wait`` seconds, FORCE cuts the connections. What is
        in doubt stays hidden on its queue, or returns to it, and goes out again when the partner starts."""
        if self._state is CarrierState.STOPPED:
            return
        self._context.stopping = True
        self._sender.stop(now)
        self._retry_at = None
        self._host.emit(AbandonCall(self))
        if self._state is not CarrierState.STOPPING:
            self._stop_at = now + self._context.settings.stop_wait
            self._become(CarrierState.STOPPING, now)
        for each in self.sessions:
            each.stop(now, force=mode != MQMODE.QUIESCE)
        self._stopped_if_idle(now)
        self.turned(now)

    def timeout(self, now: Time) -> None:
        """Do what is due."""
        if self._retry_at is not None and now >= self._retry_at:
            self._retry_at = None
            self._begin(now)
        if self._stop_at is not None and now >= self._stop_at:
            self._stop_at = None
            self.stop(MQMODE.FORCE, now)
        if self._sender.turn(now):
            self._wake()
        self.turned(now)

    # What the endpoint calls

    def joined(self, connection: PartnerConnection, now: Time) -> Conversation | None:
        """See `HostUser.joined`."""
        settings = self._context.settings
        initiator = settings.role == "initiator"
        wanted = self._state is (CarrierState.STARTING if initiator else CarrierState.RUNNING)
        if not wanted or len(self._sessions) >= settings.sessions:
            return None
        session = PartnerConversation(self._context, self._sender, self._receiver, connection, self)
        self._sessions.append(session)
        self._detail = ""
        self._become(CarrierState.RUNNING, now)
        self._context.log("AMQ5081", connection.peer)
        session.begin(now)
        connection.wake()
        return session

    def failed(self, reason: str, now: Time) -> None:
        """See `HostUser.failed`."""
        if self._state is CarrierState.STARTING:
            self._try_later(reason, now)

    # What sessions call

    def progressed(self) -> None:
        """See `SessionOwner.progressed`."""
        self._back_off.reset()

    def ended(self, session: PartnerConversation, reason: str, now: Time) -> None:
        """See `SessionOwner.ended`."""
        if session in self._sessions:
            self._sessions.remove(session)
        if not self._sessions:
            self._sender.stop(now)
        if self._state is CarrierState.STOPPING:
            self._stopped_if_idle(now)
        elif self._context.settings.role == "initiator":
            self._try_later(reason, now)
        else:
            self._context.log("AMQ5086", session.peer, reason)
            self._wake()

    def turned(self, now: Time) -> None:
        """See `SessionOwner.turned`."""
        times = [each for each in (self._retry_at, self._stop_at, self._sender.next_timeout) if each is not None]
        self._host.timers.set(self, min(times, default=None))

    # Its life

    def _begin(self, now: Time) -> None:
        initiator = self._context.settings.role == "initiator"
        if not initiator or self._sessions:
            self._become(CarrierState.RUNNING, now)
            return
        self._become(CarrierState.STARTING, now)
        self._host.emit(CallHost(self))

    def _try_later(self, reason: str, now: Time) -> None:
        wait = self._back_off.wait()
        self._retry_at = now + wait
        self._context.log("AMQ5082", reason, round(wait))
        self._detail = reason
        self._become(CarrierState.RETRYING, now)
        self.turned(now)

    def _stopped_if_idle(self, now: Time) -> None:
        if self._sessions or self._state is not CarrierState.STOPPING:
            return
        self._stop_at = None
        self._detail = ""
        self._become(CarrierState.STOPPED, now)
        self._context.log("AMQ5088")

    def _become(self, state: CarrierState, now: Time) -> None:
        if state is not self._state:
            self._state, self._since = state, now

    def _wake(self) -> None:
        """There may be a message, or room for one: let sessions that can send take a turn."""
        for each in self._sessions:
            if each.takes_messages:
                each.request_turn()
