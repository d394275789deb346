"""The network of a queue manager of Everyplace: partners that it calls, and callers that it serves.

Hosts (device, gateway, simulation) carry bytes::

    for definition in network.openings(now): …          # answered by opened or failed
    line = network.called(listener, peer, now)           # somebody has connected
    line.receive_data(data, now); line.cut(now)
    for line in network.lines_to_send():
        transport.write(line.take())
        if line.ended: transport.close()

and, as with a queue manager without network, they commit `QueueManager.take_commits`, then call `go_on`; perform what
`take_effects` gives; and call `timeout` when `next_timeout` says.
"""

from __future__ import annotations

import random
from math import isinf
from typing import TYPE_CHECKING

from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
from mqbridge.bridge.everyplace.effects import AskPartner, Effect, Then, Transmit, Triggered
from mqbridge.bridge.everyplace.expiry import INTERVAL
from mqbridge.bridge.everyplace.mq_units import MqBridge
from mqbridge.bridge.everyplace.onward.onward import Onward
from mqbridge.bridge.everyplace.queue_manager import QueueManager
from mqbridge.protocol.everyplace.calls import Done, Refused
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError

from .alarms import Alarms
from .callers import Callers
from .calling_line import CallingLine
from .context import Context
from .lane_table import LaneTable
from .outgoing import Line, Outgoing
from .partners import Partners
from .retry import Retry
from .settings import NOBODY, Credentials, NetworkSettings, Peer
from .sightings import Sightings
from .status import PartnerStatus, partner_rows
from .timers import Timers

if TYPE_CHECKING:
    from .called_line import CalledLine


class Network:
    """A queue manager with its connections.

    ``random``: of nonces and jitter; nobody may guess it where keys are used. ``mq``: ways to MQ, None without.
    """

    def __init__(
        self,
        manager: QueueManager,
        credentials: Credentials,
        random: random.Random,
        settings: NetworkSettings | None = None,
        mq: MqBridge | None = None,
    ) -> None:
        self.manager = manager
        self._effects: list[Effect] = []
        settings, timers = settings or NetworkSettings(), Timers()
        alarms = Alarms(self._effects.append)
        self._timers = timers
        self._alarms = alarms
        self._outgoing = Outgoing()
        self._onward = Onward(manager, timers, alarms, lambda: Retry(random, settings.retry_first, settings.retry_most))
        self._lanes = LaneTable(manager, lambda: timers.now, mq, self._onward)
        self._context = Context(
            manager,
            credentials,
            random,
            settings,
            timers,
            self._outgoing,
            alarms,
            Sightings(alarms, settings.clock_offset),
            self._lanes,
        )
        self._partners = Partners(self._context)
        self._callers = Callers(self._context)
        manager.life.activities.append(lambda: any(each.busy for each in self._partners.by_name.values()))

    # Connections

    def openings(self, now: float) -> list[ConnectionDefinition]:
        """Return the connections to be opened now; each is answered by `opened` or `failed`."""
        self._timers.now = now
        return self._partners.openings()

    def opened(self, name: str, now: float, peer: Peer = NOBODY) -> CallingLine:
        """The transport of a connection is there. Raises `EveryplaceError` AUTHENTICATE if it must not be used."""
        self._timers.now = now
        return self._partners.opened(name, peer)

    def failed(self, name: str, error: EveryplaceError, now: float) -> None:
        """A connection cannot be made; it is tried again later."""
        self._timers.now = now
        self._partners.partner(name).failed(error)

    def called(self, listener: ListenerDefinition, peer: Peer, now: float) -> CalledLine:
        """Somebody has connected. Raises `EveryplaceError` CHNL_LIMIT where a listener has as many as it may."""
        self._timers.now = now
        return self._callers.called(listener, peer)

    def disconnect(self, name: str, error: EveryplaceError) -> None:
        """End the connection of a caller, which is told why."""
        self._callers.disconnect(name, error)

    # Going on

    def trigger(self, now: float) -> None:
        """Try to send and pull everything that waits, if the rule allows it now (E-211)."""
        self._timers.now = now
        self.manager.life.begin(now)
        self.manager.transmission.trigger(now)
        self.go_on(now)

    def go_on(self, now: float) -> None:
        """Move what can move; to be called after commits, and when anything was done at the queue manager."""
        self._timers.now = now
        self.manager.life.begin(now)
        self._absorb()
        left, self._callers.left = self._callers.left, []
        self._partners.push_again(left)
        self._partners.go_on()

    def take_effects(self) -> list[Effect]:
        """Return effects that others perform: of bridge queues, alarms, listeners."""
        self._absorb()
        effects = list(self._effects)
        self._effects.clear()
        return effects

    def lines_to_send(self) -> list[Line]:
        """Return the lines that have output or have ended, each once until it has more."""
        return self._outgoing.take()

    def next_timeout(self) -> float | None:
        """When `timeout` must be called, in seconds since the epoch."""
        own, managers = self._timers.next(), self.manager.next_timeout()
        if not isinf(managers):  # it looks at its queues that often, unless the clock was set back
            managers = min(managers, self._timers.now + INTERVAL)
        return managers if own is None else min(own, managers)

    def timeout(self, now: float) -> None:
        """Do what is due: retries, polls, ends of waits, expiry."""
        self._timers.now = now
        self.manager.timeout(now)
        self._timers.run()
        self.go_on(now)

    # Operation

    @property
    def idle(self) -> bool:
        """Whether nothing can be sent, pulled or asked now, as far as this queue manager calls others.

        Nothing waits, or those for whom it waits are reached when somebody has mended what they refuse.
        """
        return all(partner.idle or partner.refused for partner in self._partners.by_name.values())

    def status(self) -> list[PartnerStatus]:
        """Return a row for each queue manager that was seen, or for which something waits."""
        return partner_rows(self._context, self._partners.by_name, self._callers.lines)

    def readmit(self, partner: str, then: Then) -> None:
        """Take a queue manager on as it is when it is heard next: an administrator has looked at the alarm.

        The outcome is NOT_FOUND if nothing has gone to it or come from it.
        """

        def written(committed: bool) -> None:
            if not committed:
                then(Refused(Code.STORE, f"{partner} is not readmitted: the store refuses it"))
                return
            anew = EveryplaceError(Code.REPLACED, f"{partner} is readmitted")
            self._callers.disconnect(partner, anew)
            if partner in self._partners.by_name:
                self._partners.by_name[partner].readmitted(anew)
            self._alarms.clear(("caller", partner))
            self._alarms.clear_all("lane", partner)
            then(Done())

        try:
            self.manager.submit(self._lanes.readmit(partner), written)
        except EveryplaceError as error:
            then(Refused(error.code, error.text))

    def _absorb(self) -> None:
        """Do what the queue manager asks of its network; keep the rest for the host."""
        effects = self.manager.take_effects()
        while effects:
            for effect in effects:
                match effect:
                    case AskPartner(connection):
                        self._partners.partner(connection).call(effect)
                    case Transmit(queue, connection, target):
                        self._callers.look(target)
                        if connection:
                            self._partners.transmit(queue, connection, target)
                    case Triggered():
                        self._partners.trigger()
                        self._onward.trigger()
                    case _:
                        self._effects.append(effect)
            effects = self.manager.take_effects()
