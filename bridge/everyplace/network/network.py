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
from collections import Counter
from functools import partial

from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.effects import AskPartner, Effect, Then, Transmit
from mqbridge.bridge.everyplace.mq_units import MqBridge
from mqbridge.bridge.everyplace.queue_manager import QueueManager
from mqbridge.bridge.everyplace.queues.queue import Queue
from mqbridge.bridge.everyplace.queues.stored_messages import StoredMessages
from mqbridge.bridge.everyplace.transfer.called import CalledEnd
from mqbridge.bridge.everyplace.transfer.sending_lane import SendingLane
from mqbridge.protocol.everyplace.authenticators import NONCE
from mqbridge.protocol.everyplace.calls import Done, Refused
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.handshakes import Hello
from mqbridge.protocol.everyplace.initiator import Identity, Initiator
from mqbridge.protocol.everyplace.responder import Responder

from .alarms import Alarms
from .called_line import CalledLine
from .calling_line import CallingLine
from .lane_table import LaneTable, lane_of
from .outgoing import Line, Outgoing
from .partner import Contact, Partner
from .retry import Retry
from .settings import NOBODY, Credentials, NetworkSettings, Peer
from .status import PartnerStatus, Sightings
from .timers import Timers


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
        self._credentials = credentials
        self._random = random
        self._settings = settings or NetworkSettings()
        self._timers = Timers()
        self._outgoing = Outgoing()
        self._effects: list[Effect] = []
        self._alarms = Alarms(self._effects.append)
        self._sightings = Sightings(self._alarms, self._settings.clock_offset)
        self._lanes = LaneTable(manager, lambda: self._timers.now, mq)
        self._partners: dict[str, Partner] = {}
        self._callers: dict[str, CalledLine] = {}
        self._open: Counter[str] = Counter()
        self._seen = -1

    # Connections that this queue manager opens

    def openings(self, now: float) -> list[ConnectionDefinition]:
        """Return the connections to be opened now; each is answered by `opened` or `failed`."""
        self._timers.now = now
        found = []
        for partner in self._partners.values():
            if partner.wants_connection():
                definition = self.manager.connections.get(partner.name)
                if definition is None or not definition.adapter:
                    partner.failed(EveryplaceError(Code.CON_UNKNOWN, f"there is no connection {partner.name}"))
                    continue
                partner.contact = Contact.OPENING
                found.append(definition)
        return found

    def opened(self, name: str, now: float, peer: Peer = NOBODY) -> CallingLine:
        """The transport of a connection is there. Raises `EveryplaceError` AUTHENTICATE if it must not be used."""
        self._timers.now = now
        partner = self._partners[name]
        definition = self.manager.connections[name]
        try:
            authenticators = self._credentials.for_calling(definition, peer)
        except EveryplaceError as error:
            partner.failed(error)
            raise
        offers = (definition.compressor,) if definition.compressor else self._settings.compressors
        initiator = Initiator(self._identity(offers), name, authenticators)
        line = CallingLine(partner, initiator, self._timers, self._outgoing, self._settings)
        partner.opened(line)
        return line

    def failed(self, name: str, error: EveryplaceError, now: float) -> None:
        """A connection cannot be made; it is tried again later."""
        self._timers.now = now
        self._partners[name].failed(error)

    # Connections that others open

    def called(self, listener: ListenerDefinition, peer: Peer, now: float) -> CalledLine:
        """Somebody has connected. Raises `EveryplaceError` CHNL_LIMIT where a listener has as many as it may."""
        self._timers.now = now
        if listener.max_channels and self._open[listener.name] >= listener.max_channels:
            text = f"listener {listener.name} has its {listener.max_channels} connections"
            self._alarms.raise_for(("limit", listener.name), listener.name, text)
            raise EveryplaceError(Code.CHNL_LIMIT, text)
        self._open[listener.name] += 1
        responder = Responder(self._identity(self._settings.compressors), listener.timeout)
        return CalledLine(self, responder, self.manager, self._timers, self._outgoing, self._settings, listener, peer)

    def greeted(self, line: CalledLine, hello: Hello) -> None:
        """A caller says who it is. Raises `EveryplaceError`."""
        if line.responder.admit(self._credentials.for_called(hello.name, line.listener, line.peer)):
            line.welcome()

    def welcomed(self, line: CalledLine, hello: Hello) -> CalledEnd:
        """A caller has proved its name: its older connection ends before anything else of that is looked at."""
        name = hello.name
        self._credentials.proved(name, hello.incarnation)
        older = self._callers.get(name)
        if older is not None:
            older.fail(EveryplaceError(Code.REPLACED, f"{name} has connected anew"))
        self._callers[name] = line
        self._alarms.clear(("caller", name))
        self._sightings.heard(name, hello.time, self._timers.now)
        return CalledEnd(
            hello.incarnation,
            self.manager,
            partial(self._lanes.receiving, name),
            partial(self._handed_out, name),
            partial(self._caller_trouble, name),
        )

    def line_ended(self, line: CalledLine, error: EveryplaceError | None) -> None:
        """A connection of a caller is over."""
        self._open[line.listener.name] -= 1
        self._alarms.clear(("limit", line.listener.name))
        if self._callers.get(line.partner) is line:
            del self._callers[line.partner]
            self._sightings.left(line.partner, line.heard)
        if error is not None and error.code not in (Code.REPLACED, Code.CLOSED):
            who = line.partner or line.peer.address
            self._alarms.raise_for(("caller", who), who, f"a connection of {who} has ended: {error.text}")

    def refused(self, line: CalledLine, error: EveryplaceError) -> None:
        """A request of a caller is refused, and its connection goes on."""
        self._caller_trouble(line.partner, error)

    # Going on

    def trigger(self, now: float) -> None:
        """Try to send and pull everything that waits (E-211)."""
        self._timers.now = now
        self._look_at_definitions()
        for partner in self._partners.values():
            partner.trigger()
        self.go_on(now)

    def go_on(self, now: float) -> None:
        """Move what can move; to be called after commits, and when anything was done at the queue manager."""
        self._timers.now = now
        if self._seen != self.manager.queues.changes:
            self._look_at_definitions()
        self._absorb()
        for partner in self._partners.values():
            partner.go_on()

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
        return managers if own is None else min(own, managers)

    def timeout(self, now: float) -> None:
        """Do what is due: retries, polls, ends of waits, expiry."""
        self._timers.now = now
        self.manager.timeout(now)
        self._timers.run()
        self.go_on(now)

    # Operation

    def disconnect(self, name: str, error: EveryplaceError) -> None:
        """End the connection of a caller, which is told why."""
        caller = self._callers.get(name)
        if caller is not None:
            caller.fail(error)

    def status(self) -> list[PartnerStatus]:
        """Return a row for each queue manager that was seen, or for which something waits."""
        return self._sightings.rows(self.manager, self._partners, self._callers)

    def readmit(self, partner: str, then: Then) -> None:
        """Take a queue manager on as it is when it is heard next: an administrator has looked at the alarm.

        The outcome is NOT_FOUND if nothing has gone to it or come from it.
        """

        def written(committed: bool) -> None:
            if not committed:
                then(Refused(Code.STORE, f"{partner} is not readmitted: the store refuses it"))
                return
            anew = EveryplaceError(Code.REPLACED, f"{partner} is readmitted")
            if partner in self._callers:
                self._callers[partner].fail(anew)
            if partner in self._partners:
                self._partners[partner].readmitted(anew)
            self._alarms.clear(("caller", partner))
            then(Done())

        try:
            self.manager.submit(self._lanes.readmit(partner), written)
        except EveryplaceError as error:
            then(Refused(error.code, error.text))

    # Parts

    def _identity(self, compressors: tuple[str, ...]) -> Identity:
        manager = self.manager
        nonce = self._random.randbytes(NONCE)
        return Identity(manager.name, manager.incarnation, int(self._timers.now * 1000), nonce, compressors)

    def _absorb(self) -> None:
        """Do what the queue manager asks of its network; keep the rest for the host."""
        effects = self.manager.take_effects()
        while effects:
            for effect in effects:
                match effect:
                    case AskPartner(connection):
                        self._partner(connection).call(effect)
                    case Transmit(queue, connection, target):
                        self._transmit(queue, connection, target)
                    case _:
                        self._effects.append(effect)
            effects = self.manager.take_effects()

    def _transmit(self, queue: Queue, connection: str, target: str) -> None:
        caller = self._callers.get(target)
        if caller is not None:
            caller.go_on()
        if connection:
            for each in _targets(queue, target):
                self._partner(connection).push(queue, each)

    def _partner(self, connection: str) -> Partner:
        found = self._partners.get(connection)
        if found is None:
            found = self._partners[connection] = Partner(
                connection,
                self.manager,
                self._lanes,
                self._timers,
                self._alarms,
                partial(Retry, self._random, self._settings.retry_first, self._settings.retry_most),
                self._settings,
                lambda name, ready: self._sightings.heard(name, ready.time, self._timers.now),
            )
        return found

    def _look_at_definitions(self) -> None:
        """Find the queues that push or pull; those that are new are looked at."""
        self._seen = self.manager.queues.changes
        lanes: dict[str, set[str]] = {}
        homes: dict[str, set[str]] = {}
        for queue in self.manager.queues:
            if queue.owner == self.manager.name:
                continue
            connection = self._hop(queue)
            if connection is None:
                continue
            if queue.kind is QueueKind.HOME_SERVER:
                homes.setdefault(connection, set()).add(str(queue))
                if str(queue) not in self._partner(connection).homes:
                    self._partner(connection).add_home(queue)
            elif queue.messages is not None:
                for target in _targets(queue, ""):
                    lanes.setdefault(connection, set()).add(lane_of(queue, target))
                    if lane_of(queue, target) not in self._partner(connection).pushes:
                        self._partner(connection).push(queue, target)
        for name, partner in self._partners.items():
            for lane in partner.pushes.keys() - lanes.get(name, set()):
                partner.drop(lane)
            for home in partner.homes.keys() - homes.get(name, set()):
                del partner.homes[home]

    def _hop(self, queue: Queue) -> str | None:
        """Return the connection of a queue; None, with an alarm if it needs one, where there is none."""
        try:
            return self.manager.routes.hop(queue.owner)
        except EveryplaceError as error:
            if queue.kind is QueueKind.HOME_SERVER or (queue.messages is not None and len(queue.messages)):
                self._alarms.raise_for(("route", str(queue)), str(queue), error.text)
            return None

    def _handed_out(self, name: str) -> tuple[SendingLane, StoredMessages] | None:
        """Return the lane of the messages that wait for a caller (E-131)."""
        for queue in self.manager.queues:
            if queue.kind is QueueKind.STORE_AND_FORWARD and name in queue.entries and queue.messages is not None:
                return self._lanes.sending(name, queue, name), queue.messages
        return None

    def _caller_trouble(self, name: str, error: EveryplaceError | None) -> None:
        if error is None:
            self._alarms.clear(("caller", name))
        elif error.code is not Code.Q_UNKNOWN:
            self._alarms.raise_for(("caller", name), name, error.text)


def _targets(queue: Queue, target: str) -> list[str]:
    """Return the lanes of a queue: one for each entry of a store-and-forward queue, else one without target."""
    if queue.kind is not QueueKind.STORE_AND_FORWARD:
        return [""]
    return [target] if target else list(queue.entries)
