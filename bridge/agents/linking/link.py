"""A live link: queues joined to addresses of a JMS provider over one connection."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from mqbridge.bridge.agents.gateway.carriers import CarrierHost, CarrierState, CarrierStatus
from mqbridge.bridge.agents.linking.addressing import FixedAddress, ReplyAddresses
from mqbridge.bridge.agents.linking.context import LinkContext, LinkCounts
from mqbridge.bridge.agents.linking.effects import AbandonProvider, ConnectToProvider, SendToProvider
from mqbridge.bridge.agents.linking.ends import LinkEnd
from mqbridge.bridge.agents.linking.in_doubt import load_in_doubt
from mqbridge.bridge.agents.linking.mapping import MessageMapping
from mqbridge.bridge.agents.linking.provider import (
    Attached,
    Lost,
    Opened,
    ProviderConnection,
    ProviderEvent,
    Refused,
)
from mqbridge.bridge.agents.linking.receiving import LinkReceiver
from mqbridge.bridge.agents.linking.sending import LinkSender
from mqbridge.bridge.agents.linking.settings import LinkSettings
from mqbridge.bridge.agents.linking.tidying import RequestTidier
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQMODE


class Link:
    """A carrier whose other end is a JMS provider; see `provider`.

    ``random``: for ids and waits, of an unpredictable seed except in tests. It must be made before any program can get
    messages, since it holds those in doubt at once. Raises ``StoreDamaged``.
    """

    __slots__ = (
        "_again", "_back_off", "_by_handle", "_context", "_detail", "_ends", "_host", "_in_turn", "_receivers",
        "_retry_at", "_senders", "_since", "_state", "_stop_at", "_tidier",
    )  # fmt: skip

    def __init__(self, settings: LinkSettings, host: CarrierHost, mapping: MessageMapping, random: Random) -> None:
        self._host = host
        self._context = context = LinkContext(settings, host, mapping, random)
        self._in_turn = self._again = False
        in_doubt = load_in_doubt(host.manager.store, settings.name)

        def sender(queue: str, addressing: FixedAddress | ReplyAddresses) -> LinkSender:
            return LinkSender(context, queue, addressing, in_doubt.pop(queue, ()), self._wake)

        requesters = context.requesters
        self._senders = [
            sender(end.queue, FixedAddress(end.address, settings.reply_address, requesters)) for end in settings.send
        ]
        if settings.reply_queue:
            self._senders.append(sender(settings.reply_queue, ReplyAddresses(requesters)))
        self._receivers = [LinkReceiver(context, end.address, end.queue, self._wake) for end in settings.receive]
        if settings.reply_address:
            self._receivers.append(LinkReceiver(context, settings.reply_address, "", self._wake))
        for queue in in_doubt:
            context.log("AMQ5067", queue)
        parts: list[LinkSender | LinkReceiver] = [*self._senders, *self._receivers]
        self._by_handle: dict[int, LinkEnd] = {}
        self._ends = [LinkEnd(context, part, self._by_handle) for part in parts]
        self._back_off = context.back_off()
        self._tidier = RequestTidier(context)
        self._state = CarrierState.STOPPED
        self._since = host.now
        self._detail = ""
        self._retry_at: float | None = None
        self._stop_at: float | None = None

    # What the registry calls

    @property
    def name(self) -> str:
        """Its name in the configuration."""
        return self._context.settings.name

    @property
    def kind(self) -> str:
        """``link``."""
        return "link"

    @property
    def counts(self) -> LinkCounts:
        """Messages since the start."""
        return self._context.counts

    @property
    def quiet(self) -> bool:
        """Whether it is stopped, with nothing being written."""
        return self._state is CarrierState.STOPPED and self._is_settled

    @property
    def _is_settled(self) -> bool:
        return all(each.part.quiet for each in self._ends)

    def status(self, _now: Time) -> CarrierStatus:
        """Its state and counts."""
        settings, counts = self._context.settings, self._context.counts
        problems = (each.refusal or each.part.problem for each in self._ends)
        return CarrierStatus(
            name=settings.name,
            kind="link",
            state=self._state,
            source=", ".join([*(each.queue for each in settings.send), *(each.address for each in settings.receive)]),
            target=", ".join([*(each.address for each in settings.send), *(each.queue for each in settings.receive)]),
            carried=counts.sent + counts.received,
            dropped=counts.lost,
            failed=counts.failed,
            since=self._since,
            detail=self._detail or next(filter(None, problems), ""),
            user=settings.mcauser,
        )

    def start(self, now: Time) -> None:
        """Connect, if it is stopped; a link that is being stopped goes on."""
        if self._state is CarrierState.STOPPED:
            self._connect(now)
        elif self._state is CarrierState.STOPPING and self._context.opened:
            self._context.stopping = False
            self._stop_at = None
            self._become(CarrierState.RUNNING, now)
            self._turn(now)

    def stop(self, mode: MQMODE, now: Time) -> None:
        """Stop: MQMODE.QUIESCE awaits outcomes for ``stop_wait`` seconds, FORCE cuts the connection. What is in doubt
        stays hidden on its queue, and goes out with the same ids when the link starts again."""
        if self._state is CarrierState.STOPPED:
            return
        self._context.stopping = True
        if mode == MQMODE.QUIESCE and self._context.opened:
            if self._state is not CarrierState.STOPPING:
                self._stop_at = now + self._context.settings.stop_wait
                self._become(CarrierState.STOPPING, now)
            for each in self._senders:
                each.stop_getting(now)
            self._turn(now)
            return
        self._host.emit(AbandonProvider(self))
        self._disconnected(now)
        self._stopped(now)

    def timeout(self, now: Time) -> None:
        """Do what is due."""
        if self._retry_at is not None and now >= self._retry_at:
            self._connect(now)
        if self._stop_at is not None and now >= self._stop_at:
            self.stop(MQMODE.FORCE, now)
        self._tidier.turn(now)
        self._turn(now)

    # What the endpoint calls

    def connected(self, connection: ProviderConnection, _now: Time) -> None:
        """The transport is made."""
        self._context.connection = connection

    def receive(self, events: Sequence[ProviderEvent], now: Time) -> None:
        """Take events of the connection."""
        self._in_turn = True
        try:
            for event in events:
                if self._state is CarrierState.STOPPED or self._retry_at is not None:
                    break  # left from a connection that was given up
                self._take(event, now)
        finally:
            self._in_turn = False
        self._turn(now)

    def _take(self, event: ProviderEvent, now: Time) -> None:
        if isinstance(event, Opened):
            self._opened(event, now)
        elif isinstance(event, Lost):
            self._lose(event.reason, now, permanent=event.permanent)
        elif isinstance(event, Refused) and event.handle is None:
            self._host.emit(AbandonProvider(self))
            self._lose(f"{event.condition} {event.text}".rstrip(), now, permanent=event.permanent)
        else:
            if isinstance(event, Attached):
                self._back_off.reset()
            end = self._by_handle.get(event.handle or 0)
            if end is not None:
                end.take(event, now)

    def _opened(self, event: Opened, now: Time) -> None:
        self._context.opened = True
        self._context.anonymous_relay = event.anonymous_relay
        self._detail = ""
        self._context.log("AMQ5060", event.product or event.container)
        if self._state is not CarrierState.STOPPING:
            self._become(CarrierState.RUNNING, now)

    # Connection

    def _connect(self, now: Time) -> None:
        self._retry_at = None
        self._context.stopping = False
        self._become(CarrierState.STARTING, now)
        self._host.emit(ConnectToProvider(self))

    def _lose(self, reason: str, now: Time, *, permanent: bool = False) -> None:
        """The connection is gone: try again later, or be stopped if that was wanted. A reason that does not pass by
        itself is logged once."""
        self._disconnected(now)
        if self._context.stopping:
            self._stopped(now)
            return
        wait = self._back_off.wait(longest=permanent)
        self._retry_at = now + wait
        if not permanent or reason != self._detail:
            self._context.log("AMQ5061", reason, round(wait))
        self._detail = reason
        self._become(CarrierState.RETRYING, now)

    def _disconnected(self, now: Time) -> None:
        context = self._context
        context.connection, context.opened, context.touched = None, False, False
        for each in self._ends:
            each.lost(now)

    def _stopped(self, now: Time) -> None:
        self._retry_at = self._stop_at = None
        self._detail = ""
        for each in self._senders:
            each.stop_getting(now)
        self._become(CarrierState.STOPPED, now)
        self._host.timers.set(self, None)
        self._context.log("AMQ5065")

    def _become(self, state: CarrierState, now: Time) -> None:
        if state is not self._state:
            self._state, self._since = state, now

    # Turns

    def _wake(self) -> None:
        """An outcome has come from the queue manager."""
        if self._in_turn:
            self._again = True
        else:
            self._turn(self._host.now)

    def _turn(self, now: Time) -> None:
        """Let all ends do what they can, and ask for what is to be sent."""
        self._in_turn = self._again = True
        try:
            while self._again:
                self._again = False
                for each in self._ends:
                    each.turn(now)
        finally:
            self._in_turn = False
        context = self._context
        if self._state is CarrierState.STOPPING and context.connection is not None and self._is_settled:
            self._stop_at = None
            context.provider().close()
            self._stop_at = now + context.settings.stop_wait
        if context.touched and context.connection is not None:
            context.touched = False
            self._host.emit(SendToProvider(self, context.connection))
        self._set_timer()

    def _set_timer(self) -> None:
        if self._state is CarrierState.STOPPED:
            return
        times = [self._retry_at, self._stop_at, self._tidier.due, *(each.next_timeout for each in self._ends)]
        self._host.timers.set(self, min(time for time in times if time is not None))
