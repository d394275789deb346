"""The agent of a gateway: the queue manager of Everyplace and its connections, joined to the queue manager of MQ.

Calls from outside (bytes of a connection, a request of an operator, the answer of a commit) end with `wake`; the effect
`ServeEveryplace` then gives the agent its `turn`, in which commits go to the store's writer, in order and in between
those of MQ, and effects are performed. The endpoint opens and feeds connections.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from math import isinf
from typing import Any, Final

from mqbridge.bridge.agents.gateway.carriers import CarrierHost, CarrierState, CarrierStatus
from mqbridge.bridge.agents.gateway.effects import ServeEveryplace
from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
from mqbridge.bridge.everyplace.effects import (
    Alarm,
    AskMq,
    Audit,
    Effect,
    MessageArrived,
    Notice,
    StartListener,
    StopListener,
)
from mqbridge.bridge.everyplace.life_cycle import Phase
from mqbridge.bridge.everyplace.network.network import Network
from mqbridge.bridge.everyplace.network.outgoing import Line
from mqbridge.bridge.everyplace.network.settings import Peer
from mqbridge.bridge.everyplace.queue_manager import Pending, QueueManager
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.store.interface import StoreError
from mqbridge.mappings.moment import Time, date_of
from mqbridge.protocol.constants import MQMODE
from mqbridge.protocol.everyplace.calls import Call, Outcome, Refused
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError

from .log_limit import LogLimit
from .mq_side import MqSide

_MAX_ROUNDS: Final = 10_000
_ALARMS: Final = 20
"""Alarms about one name that are logged in a minute; all are counted."""
_QUIESCE: Final = 5000
"""Milliseconds within which what is under way to other queue managers may end."""


class EveryplaceAgent:
    """A gateway, which is a `Carrier`. ``make``: makes its network, which may tell it what callers prove. ``mq``: its
    bridge; None without one. ``events``: how many of each kind there were since the start.

    Times of Everyplace are dates: expiry and UIDs have them, and a partner's clock is compared with ours.
    """

    kind = "everyplace"

    def __init__(
        self,
        host: CarrierHost,
        manager: QueueManager,
        make: Callable[[EveryplaceAgent], Network],
        mq: MqSide | None = None,
    ) -> None:
        self._host = host
        self.manager = manager
        self.mq = mq
        self.first_proof: Callable[[str, bytes], None] = lambda *_: None
        """Is told who has proved its name; may raise `EveryplaceError` AUTHENTICATE."""
        self.events: Counter[str] = Counter()
        self._state = CarrierState.STOPPED
        self._since = 0.0
        self._listening: list[StartListener | StopListener] = []
        self._uncommitted = 0
        self._asked = False
        self._alarms, self._turned_away = LogLimit(_ALARMS), LogLimit(1)
        self.desk: Any = None
        """What operators do here (`Desk`), once there is one."""
        self.network = make(self)

    # As a carrier

    @property
    def name(self) -> str:
        """See `Carrier.name`."""
        return self.manager.name

    @property
    def quiet(self) -> bool:
        """See `Carrier.quiet`."""
        stopped = self._state is CarrierState.STOPPED and not self._uncommitted
        return stopped and (self.mq is None or self.mq.quiet)

    @property
    def running(self) -> bool:
        """Whether connections are accepted."""
        return self._state is CarrierState.RUNNING

    @property
    def sending(self) -> bool:
        """Whether connections are made: while it stops, for what is under way to other queue managers."""
        return self._state in (CarrierState.RUNNING, CarrierState.STOPPING)

    def status(self, now: Time) -> CarrierStatus:
        """See `Carrier.status`."""
        return CarrierStatus(
            name=self.name,
            kind=self.kind,
            state=self._state,
            source="devices",
            target=self.name,
            failed=self.events["alarm"],
            since=self._since,
        )

    def start(self, now: Time) -> None:
        """See `Carrier.start`."""
        if self._state is not CarrierState.STOPPED:
            return
        self._state, self._since = CarrierState.RUNNING, now
        self._host.log("AMQ5100", "Everyplace", self.name, "devices", self._host.manager.name)
        if self.manager.life.phase is Phase.CLOSED:
            self.manager.life.start(date_of(now))
            self._listening += [StartListener(each) for each in self.manager.listeners.values() if each.started]
        if self.mq is not None:
            self.mq.start(now)
        self.wake()

    def stop(self, mode: MQMODE, now: Time) -> None:
        """See `Carrier.stop`. The endpoint cuts the connections of callers at once, the others when this has ended
        (E-234 to E-236)."""
        if self.mq is not None:
            self.mq.stop(mode, now)
        if self._state is CarrierState.STOPPED:
            return
        if mode is not MQMODE.QUIESCE:
            self.manager.life.close_immediate(date_of(now))
        elif self._state is CarrierState.RUNNING:
            self.manager.life.close_quiesce(_QUIESCE, date_of(now))
        if self._state is CarrierState.RUNNING:
            self._state, self._since = CarrierState.STOPPING, now
        self.wake()

    def timeout(self, now: Time) -> None:
        """See `Carrier.timeout`."""
        self.network.timeout(date_of(now))
        if self.mq is not None:
            due = self.mq.next_timeout()
            if due is not None and due <= now:
                self.mq.timeout(now)
        self.wake()

    # Turns

    def wake(self) -> None:
        """Ask for a turn."""
        if not self._asked:
            self._asked = True
            self._host.emit(ServeEveryplace(self))

    def turn(self, now: Time) -> None:
        """Submit commits and perform effects until nothing is left; see `ServeEveryplace`."""
        self._asked = False
        for _ in range(_MAX_ROUNDS):
            if self.sending:
                self.network.go_on(date_of(now))
            commits = self.manager.take_commits()
            for pending in commits:
                self._uncommitted += 1
                self._host.manager.submit(pending.operations, partial(self._committed, pending))
            effects = self.network.take_effects()
            for effect in effects:
                self._perform(effect, now)
            if not commits and not effects:
                break
        if self._state is CarrierState.STOPPING and self.manager.life.phase is Phase.CLOSED:
            self._state, self._since = CarrierState.STOPPED, now
            self._host.log("AMQ5101", "Everyplace", self.name)
        self._set_timer(now)

    def _set_timer(self, now: Time) -> None:
        """Set the next deadline; the queue manager has some of its own while no connections are made."""
        date = self.network.next_timeout()
        due = None if date is None or isinf(date) else now + max(date - date_of(now), 0.0)
        bridges = None if self.mq is None else self.mq.next_timeout()
        self._host.timers.set(self, bridges if due is None else due if bridges is None else min(due, bridges))

    def _committed(self, pending: Pending, error: MQError | None) -> None:
        self._uncommitted -= 1
        self.manager.committed(pending, None if error is None else StoreError(str(error)))
        self.wake()

    def _perform(self, effect: Effect, now: Time) -> None:
        match effect:
            case Alarm():
                self.events["alarm"] += 1
                if self._alarms.admits(effect.name, now):
                    self._host.log("AMQ5120", self.name, effect.name, effect.text)
            case AskMq():
                if self.mq is None:
                    text = f"{self.name} has no bridge to the queue manager of {effect.queue}"
                    effect.then(Refused(Code.BRIDGE_NOT_RUNNING, text))
                else:
                    self.mq.ask(effect, now)
            case Audit():
                self.events["administration"] += 1
                who = effect.peer or effect.origin or self.name
                outcome = f"{effect.code}{f', {effect.reason}' if effect.reason else ''}"
                self._host.log("AMQ5123", self.name, effect.request, who, outcome)
            case Notice():
                self._host.log("AMQ5124", self.name, effect.topic.value, effect.level.value, effect.name, effect.text)
            case MessageArrived():
                effect.listener(effect.event)
            case StartListener() | StopListener():
                self._listening.append(effect)
            case _:
                raise AssertionError(f"{effect} is the network's")

    def take_listener_changes(self) -> list[StartListener | StopListener]:
        """Return what listeners are to be opened and closed since the last call, in order."""
        changes, self._listening = self._listening, []
        return changes

    # Callers

    def called(self, listener: ListenerDefinition, peer: Peer, now: Time) -> Line:
        """Make the line of a caller. Raises `EveryplaceError` if there are too many, or the gateway is stopped."""
        if not self.running:
            raise EveryplaceError(Code.STOPPED, f"{self.name} is stopped")
        self.events["connection"] += 1
        return self.network.called(listener, peer, date_of(now))

    def refused(self, peer: str, error: EveryplaceError) -> None:
        """A caller gets no line."""
        self.turned_away(peer, error)

    def turned_away(self, name: str, error: EveryplaceError) -> None:
        """A caller may not connect: it is logged, but not each time that it tries."""
        self.events["refused"] += 1
        if self._turned_away.admits(name, self._host.now):
            self._host.log("AMQ5121", self.name, name, error.text)

    def proved(self, name: str, incarnation: bytes) -> None:
        """A caller has proved its name. Raises `EveryplaceError` AUTHENTICATE."""
        self.first_proof(name, incarnation)

    # Operators and programs

    def call(self, call: Call, then: Callable[[Outcome], None], now: Time) -> None:
        """Make a call as a program of this queue manager; ``then`` gets its outcome."""
        self.manager.call(call, then, date_of(now))
        self.wake()
