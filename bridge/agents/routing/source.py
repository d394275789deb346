"""The open source of routes: a queue, or the queue of a durable subscription."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mqbridge.bridge.agents.gateway.carriers import CarrierHost
from mqbridge.bridge.agents.message_channel.channel_program import ChannelProgram
from mqbridge.bridge.queue_manager import Application, MQError
from mqbridge.bridge.queue_manager.calls.agent_requests import OpenSource
from mqbridge.bridge.queue_manager.calls.outcomes import Failed, Opened, Outcome, Subscribed
from mqbridge.bridge.queue_manager.calls.requests import Close, Subscribe
from mqbridge.bridge.queue_manager.connections import ConnectOptions
from mqbridge.bridge.queue_manager.pubsub import SubscriptionRequest
from mqbridge.bridge.queue_manager.session import Session
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQCO, MQSO

from .definitions import Source, SourceKind

SUBSCRIPTION_PREFIX: Final = "mqbridge route: "
"""SubName of the durable subscription of a topic, before the topic string."""
_OPTIONS: Final = int(MQSO.CREATE | MQSO.RESUME | MQSO.DURABLE | MQSO.MANAGED | MQSO.FAIL_IF_QUIESCING)

OnOpened = Callable[[MQError | None], None]


class OpenedSource:
    """A source, open while ``hobj`` is not None. ``queue_name``: that it gets from.

    ``selection``: what its gets from a queue select by, once `select` was called; before, and of a topic, all messages
    are got.
    """

    __slots__ = (
        "_application", "_host", "_program", "_selection", "_selects", "_source", "_subscribing", "hobj", "queue_name",
    )  # fmt: skip

    def __init__(
        self, host: CarrierHost, program: ChannelProgram, application: Application, source: Source, selection: str
    ) -> None:
        self._host = host
        self._program = program
        self._application = application
        self._source = source
        self._selection = selection
        self._selects = False
        self._subscribing: _Subscribing | None = None
        self.hobj: int | None = None
        self.queue_name = source.name if source.kind is SourceKind.QUEUE else ""

    def open(self, then: OnOpened, now: Time) -> None:
        """Open it; ``then`` is called with the error or None, at once or when the subscription is on disk."""
        if self._source.kind is SourceKind.QUEUE:
            then(self._open(self._selection if self._selects else "", checked=True, now=now))
            return

        def subscribed(outcome: Outcome) -> None:
            if isinstance(outcome, Failed):
                self.close(self._host.now)
                then(outcome.error())
                return
            assert isinstance(outcome, Subscribed)
            self.queue_name = outcome.queue_name or ""
            self._end_subscribing(self._host.now)
            then(self._open("", checked=False, now=self._host.now))

        try:
            self._subscribing = _Subscribing(self._host, self._application, subscribed, now)
            self._subscribing.subscribe(self._source.name, now)
        except MQError as error:
            then(error)

    def select(self, now: Time) -> MQError | None:
        """Get by the selection from now on, so that other messages stay on the queue. Returns why that fails."""
        self._selects = True
        self.close(now)
        return self._open(self._selection, checked=True, now=now)

    def _open(self, selection: str, *, checked: bool, now: Time) -> MQError | None:
        try:
            outcome = self._program.do(OpenSource(0, self.queue_name, selection, checked), now)
        except MQError as error:
            self.close(now)
            return error
        assert isinstance(outcome, Opened)
        self.hobj = outcome.hobj
        return None

    def close(self, now: Time) -> None:
        """Close it, if it is open; a durable subscription remains."""
        hobj, self.hobj = self.hobj, None
        if hobj is not None:
            self._program.session.submit(Close(0, hobj, MQCO.NONE), now)
        self._end_subscribing(now)

    def _end_subscribing(self, now: Time) -> None:
        subscribing, self._subscribing = self._subscribing, None
        if subscribing is not None:
            subscribing.end(now)


class _Subscribing:
    """The program that subscribes. It ends before the queue of the subscription is opened, which may not be shareable;
    the subscription is durable."""

    __slots__ = ("_opened", "_session", "_then")

    def __init__(self, host: CarrierHost, application: Application, then: Callable[[Outcome], None], now: Time) -> None:
        self._then: Callable[[Outcome], None] | None = then
        self._opened: tuple[int, ...] = ()
        options = ConnectOptions(application=application, program=self, inside=True, checked=bool(application.user))
        self._session = Session(host.manager, options, now)

    def subscribe(self, topic: str, now: Time) -> None:
        """Create or resume the subscription of a topic string."""
        request = SubscriptionRequest(options=_OPTIONS, object_string=topic, name=SUBSCRIPTION_PREFIX + topic)
        outcome = self._session.submit(Subscribe(1, 0, request), now)
        if outcome is not None:
            self._end_wait(outcome)

    def completed(self, now: Time) -> None:
        """The subscription is on disk, or was refused."""
        for _, outcome in self._session.completions():
            self._end_wait(outcome)

    def connection_stopped(self, now: Time) -> None:
        """Do nothing: no operator sees this session."""

    def end(self, now: Time) -> None:
        """Close the handles of the subscription, which remains."""
        self._then = None
        for handle in self._opened:
            self._session.submit(Close(0, handle, MQCO.NONE), now)
        self._session.lost(now)

    def _end_wait(self, outcome: Outcome) -> None:
        if isinstance(outcome, Subscribed):
            self._opened = outcome.hobj, outcome.hsub
        then, self._then = self._then, None
        if then is not None:
            then(outcome)
