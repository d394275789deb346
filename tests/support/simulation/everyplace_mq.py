"""MQ behind the last gateway, by the real bridge: in its process and on its store, or elsewhere, by client connections.

Messages for ``ORDERS@SATURN`` come to a queue of it; what its programs put for devices leaves it by a transmission
queue, which a listener of the bridge reads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Final

from mqbridge.bridge.agents.everyplace.defaults import define_defaults, here
from mqbridge.bridge.agents.everyplace.mq.sync_records import SyncBody, SyncRecords
from mqbridge.bridge.agents.everyplace.mq_side import transmission_queue
from mqbridge.bridge.everyplace.definitions import bridge_properties as rows
from mqbridge.bridge.everyplace.definitions.bridge_definition import BridgeDefinition, BridgePath
from mqbridge.bridge.everyplace.definitions.queue_definition import ANY
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.transfer.lane_records import FROM_MQ, IN_MQ, KEPT_FOR_MQ
from mqbridge.bridge.queue_manager import QueueManager as MqQueueManager
from mqbridge.bridge.queue_manager.calls.outcomes import Placed
from mqbridge.bridge.queue_manager.calls.requests import PutOne
from mqbridge.bridge.queue_manager.connections import ConnectOptions
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.bridge.queue_manager.session import Session
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQPMO
from mqbridge.protocol.everyplace.calls import Done
from mqbridge.protocol.everyplace.names import Address
from support.everyplace_bridge import browsed

from .clock import SimulatedClock
from .everyplace_ends import program_at
from .everyplace_network import LateNetwork
from .everyplace_node import EveryplaceNode
from .everyplace_oracle import EveryplaceOracle, WatchedStore, identity_in
from .everyplace_processes import GatewayProcess
from .node import Node

ORDERS: Final = "ORDERS"
_CHANNEL: Final = "GATE.CHANNEL"
_SYNC_QUEUE: Final = rows.SYNC_QUEUE.default
_USER: Final = "app"
_DEEP: Final = {"MAXDEPTH": 1_000_000}
"""Nobody takes what arrives before a run has ended, and an hour brings more than the 5000 of an ordinary queue."""
Definitions = list[tuple[Kind, str, dict[str, Any]]]


def _authority(kind: str, profile: str, entity: tuple[str, str], *words: str) -> tuple[Kind, str, dict[str, Any]]:
    values = {"OBJTYPE": kind, "ENTTYPE": entity[0], "ENTITY": entity[1], "AUTHLIST": words}
    return Kind.AUTHREC, profile, values


def _definitions(gateway: str, others: Sequence[str]) -> Definitions:
    """Objects of MQ for traffic with a gateway and with queue managers behind it."""
    xmitq = transmission_queue(gateway)
    aliases: Definitions = [(Kind.QREMOTE, each, {"RQMNAME": each, "XMITQ": xmitq}) for each in (gateway, *others)]
    return [
        (Kind.QLOCAL, "DLQ", _DEEP),
        (Kind.QLOCAL, ORDERS, _DEEP),
        (Kind.QLOCAL, xmitq, {"USAGE": "XMITQ", **_DEEP}),
        _authority("QUEUE", ORDERS, ("GROUP", "devices"), "PUT"),
        *aliases,
    ]


def _for_clients() -> Definitions:
    """What a queue manager elsewhere needs for the bridge, beside that."""
    user = "PRINCIPAL", _USER
    return [
        (Kind.QLOCAL, _SYNC_QUEUE, {}),
        (Kind.CHANNEL, _CHANNEL, {"CHLTYPE": "SVRCONN", "MCAUSER": _USER}),
        (Kind.AUTHINFO, "SYSTEM.DEFAULT.AUTHINFO.IDPWOS", {"AUTHTYPE": "IDPWOS", "CHCKCLNT": "OPTIONAL"}),
        _authority("QMGR", "self", user, "CONNECT"),
        _authority("QUEUE", "**", user, "BROWSE", "GET", "PUT"),
    ]


class MqPut:
    """A program that puts one message."""

    def __init__(self, manager: MqQueueManager, now: float, answered: Callable[[Done], None]) -> None:
        self._answered = answered
        self._session = Session(manager, ConnectOptions(program=self, inside=True), now)

    def put(self, to: Address, message: Message, now: float) -> None:
        given = message.raw_md, message.body, int(MQPMO.NO_SYNCPOINT), message.order, message.ccsid
        self._ended(self._session.submit(PutOne(1, to.queue, to.queue_manager, *given), now), now)

    def _ended(self, outcome: object, now: float) -> None:
        if outcome is not None:
            self._session.lost(now)
        if isinstance(outcome, Placed):
            self._answered(Done())

    def completed(self, now: float) -> None:
        for _, outcome in self._session.completions():
            self._ended(outcome, now)

    def connection_stopped(self, now: float) -> None:
        """No operator stops it."""


class SimulatedMq:
    """A queue manager of MQ and its programs. ``gateway``: the node of the bridge. ``readmitted``: who was there.
    ``restored``: a backup of that node was restored, and so its rows may be older than what MQ has. ``forgotten``: one
    of a node was that puts messages in transit there, so that nobody may confirm what it had put."""

    def __init__(self, name: str, gateway: EveryplaceNode, oracle: EveryplaceOracle, random: Random) -> None:
        self.name = name
        self.gateway = gateway
        self.oracle = oracle
        self.random = random
        self.readmitted: set[str] = set()
        self.restored = self.forgotten = False

    @property
    def alive(self) -> bool:
        """Whether its process runs."""
        return self.gateway.alive

    @property
    def process(self) -> GatewayProcess:
        """That of the gateway."""
        process = self.gateway.process
        assert isinstance(process, GatewayProcess)
        return process

    @property
    def manager(self) -> MqQueueManager:
        """Of its present life."""
        return self.process.mq

    @property
    def now(self) -> float:
        """What its rules take for the time."""
        return self.process.moment

    def call(self, action: Callable[[], None]) -> None:
        """Do something in its process."""
        self.gateway.call(action)

    def boot(self) -> None:
        """Start it, where it has a process of its own."""

    def kill(self) -> None:
        """Its process dies."""
        self.gateway.kill()

    def peace(self) -> None:
        """Its disk has no faults any more."""

    def put(self, to: Address) -> str:
        """A program puts a message. Returns its identity."""
        identity, priority, data = self.oracle.asked(self.name, str(to), self.random)
        message = Message.build(identity.encode() + data, persistence=1, priority=priority)
        answered = self.oracle.answered(identity)
        self.call(lambda: MqPut(self.manager, self.now, answered).put(to, message, self.now))
        return identity

    # Definitions

    def define(self) -> None:
        """Define what leads to it and from it at the gateway."""
        process, gateway = self.process, self.gateway
        define_defaults(process.manager, process.bridge.objects, self.name)
        gateway.write_definitions()
        self._listen(here(self.name))

    def _listen(self, connection: BridgePath) -> None:
        definition = BridgeDefinition((*connection, transmission_queue(self.gateway.name)))
        definition.set(rows.WAIT, self.random.choice((5, 20)))
        definition.set(rows.FLOWS_PER_COMMIT, self.random.choice((1, 3, 50)))
        self._create(definition)
        self.process.bridge.objects.start(definition.path)

    def _create(self, definition: BridgeDefinition) -> None:
        self.gateway.defined(lambda then: self.process.bridge.objects.create(definition, then))

    # The end

    def restless(self) -> list[str]:
        """What is not at its end yet, in words."""
        if not self.alive or not self.gateway.alive:
            return [f"{self.name} is away"]
        transmitted = self.manager.queue(transmission_queue(self.gateway.name))
        assert transmitted is not None
        left = transmitted.depth + transmitted.uncommitted
        found = [f"{left} messages are on the transmission queue"] if left else []
        settled = (FROM_MQ,) if self.restored or self.forgotten else (FROM_MQ, KEPT_FOR_MQ)
        tables = [each for each in settled if list(self.gateway.store.records(each))]
        return found + [f"{each} has rows" for each in tables]

    def arrived(self) -> list[str]:
        """Identities of what has come for it, in order."""
        return [identity_in(each.data) for each in self._browse(ORDERS)]

    def _browse(self, queue: str) -> list[Message]:
        return browsed(self.manager, queue, self.now)


class MqInProcess(SimulatedMq):
    """The queue manager in the process of the gateway."""

    def __init__(
        self, name: str, gateway: EveryplaceNode, others: Sequence[str], oracle: EveryplaceOracle, random: Random
    ) -> None:
        super().__init__(name, gateway, oracle, random)
        definitions = _definitions(gateway.name, others)
        gateway.make = lambda node: GatewayProcess(node, name, definitions, program_at)


class MqElsewhere(SimulatedMq):
    """A queue manager with a process, a disk and a server connection of its own."""

    def __init__(
        self, name: str, gateway: EveryplaceNode, others: Sequence[str], oracle: EveryplaceOracle, random: Random
    ) -> None:
        super().__init__(name, gateway, oracle, random)
        definitions = [*_definitions(gateway.name, others), *_for_clients()]
        clock: SimulatedClock = gateway.clock
        network: LateNetwork = gateway.wire
        store = WatchedStore(random).watch(name, oracle, {})
        store.crash_rate = random.choice((0.0, 0.0005, 0.002))
        store.full_rate = random.choice((0.0, 0.0, 0.02))
        self.node = Node(name, clock, network, random, definitions, gateway.note, store)
        gateway.make = lambda node: GatewayProcess(node, f"OF.{node.name}", [], program_at)

    @property
    def alive(self) -> bool:
        return self.node.alive

    @property
    def manager(self) -> MqQueueManager:
        return self.node.manager

    @property
    def now(self) -> float:
        return self.node.clock.now

    def call(self, action: Callable[[], None]) -> None:
        self.node.call(action)

    def boot(self) -> None:
        self.node.boot()

    def kill(self) -> None:
        self.node.kill()

    def peace(self) -> None:
        self.node.store.crash_rate = self.node.store.full_rate = 0.0

    def define(self) -> None:
        path: BridgePath = ("MQ", self.name, _CHANNEL)
        proxy, connection = BridgeDefinition(path[:2]), BridgeDefinition(path)
        proxy.set(rows.HOST, self.name)
        connection.set(rows.MAX_CONNECTIONS, self.random.choice((2, 16)))
        for each in (BridgeDefinition(path[:1]), proxy, connection):
            self._create(each)
        self.process.bridge.objects.start(path)
        self.gateway.define(QueueKind.MQ_BRIDGE, ANY, self.name)
        self._listen(path)

    def restless(self) -> list[str]:
        found = super().restless()
        if found:
            return found
        found += self._wrong_records()
        return found

    def _wrong_records(self) -> list[str]:
        """Each lane has one record on the sync queue. One that was put before its mark was noted here, or belongs to a
        lane that was readmitted, stays beside it until the lane is used again."""
        marks = SyncRecords(self.gateway.store, self.random)
        used = [body for body in self._records() if marks.is_current(body)]
        lanes = {(each.partner, each.queue) for each in used}
        known = len(list(self.gateway.store.records(IN_MQ)))
        if len(used) != len(lanes) or len(lanes) != known:
            return [f"{len(used)} records of {known} lanes are on the sync queue"]
        return [f"{body} is of no lane" for body in self._records() if self._lost(body, used)]

    def _lost(self, body: SyncBody, used: list[SyncBody]) -> bool:
        return body not in used and body.number > 0 and body.partner not in self.readmitted and not self.restored

    def _records(self) -> list[SyncBody]:
        return [SyncBody.read(each.data) for each in self._browse(_SYNC_QUEUE)]
