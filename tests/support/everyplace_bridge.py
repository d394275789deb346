"""A gateway of a world, with a queue manager of MQ on the same store and the bridge between the two.

::

    world = World()
    earth = Gateway.add(world, "EARTH", mq="SATURN")
    earth.mq_queue("ORDERS")
    earth.bridge_to_here()
    earth.define(QueueKind.MQ_BRIDGE, "ORDERS", "SATURN")
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Final, cast

from mqbridge.bridge.agents.everyplace.bridge import Bridge
from mqbridge.bridge.agents.everyplace.mq.program import MqProgram
from mqbridge.bridge.everyplace.definitions import bridge_properties
from mqbridge.bridge.everyplace.definitions.bridge_definition import BridgeDefinition, BridgePath
from mqbridge.bridge.everyplace.effects import AskMq, Effect
from mqbridge.bridge.everyplace.network.network import Network
from mqbridge.bridge.everyplace.network.settings import Trusting
from mqbridge.bridge.everyplace.queue_manager import QueueManager
from mqbridge.bridge.everyplace.registry import Registry
from mqbridge.bridge.everyplace.rules.plug_ins import PlugIns
from mqbridge.bridge.everyplace.rules.supplied import supplied
from mqbridge.bridge.queue_manager import QueueManager as MqQueueManager
from mqbridge.bridge.queue_manager.calls import requests
from mqbridge.bridge.queue_manager.calls.outcomes import Failed, Opened, Placed
from mqbridge.bridge.queue_manager.connections import ConnectOptions
from mqbridge.bridge.queue_manager.effects import Completed, Wake
from mqbridge.bridge.queue_manager.mqsc import CommandReply, Commands
from mqbridge.bridge.queue_manager.objects import TABLE, Kind, Objects
from mqbridge.bridge.queue_manager.session import Session
from mqbridge.bridge.store.interface import Store
from mqbridge.mappings.message import Message as MqMessage
from mqbridge.protocol.constants import MQGMO, MQOO, MQPMO
from support.everyplace import Station, World

BRIDGE: Final = ("BRIDGE",)
SYNC_QUEUE: Final = bridge_properties.SYNC_QUEUE.default


class MqNode:
    """A queue manager of MQ on a store, which somebody else commits to. ``now``: set by who drives it."""

    def __init__(self, name: str, store: Store, now: float) -> None:
        self.name = name
        self.store = store
        self.now = now
        objects = Objects(name, now)
        if next(iter(store.records(TABLE)), None) is None:
            assert store.commit([objects.operations()]) == [None]
        else:
            objects.load(store.records(TABLE))
        self.manager = MqQueueManager(name, store, objects, now)

    def write(self) -> bool:
        """Commit what is to be committed, and tell programs what has been done."""
        moved = False
        while True:
            if self.manager.turns.next_timeout() is not None:
                self.manager.turns.timeout(self.now)
            pending = self.manager.take_commits()
            for each in pending:
                (error,) = self.store.commit([each.operations])
                self.manager.committed(each, error, self.now)
            effects = self.manager.take_effects()
            for effect in effects:
                if isinstance(effect, Completed):
                    effect.program.completed(self.now)
                elif isinstance(effect, Wake):
                    effect.waiter.owner.woken(effect.waiter, effect.reason, self.now)
            if not pending and not effects:
                return moved
            moved = True

    def timeout(self) -> None:
        due = self.manager.next_timeout()
        if due is not None and due <= self.now:
            self.manager.timeout(self.now)

    def define(self, kind: Kind, name: str, **attributes: Any) -> None:
        change = self.manager.objects.define(kind, name, attributes, self.now)
        self.manager.objects_changed(self.now)
        self.manager.submit(change.operations)
        self.write()

    def alter(self, kind: Kind, name: str, **attributes: Any) -> None:
        change = self.manager.objects.alter(kind, name, attributes, self.now)
        self.manager.objects_changed(self.now)
        self.manager.submit(change.operations)
        self.write()

    def alter_queue(self, name: str, **attributes: Any) -> None:
        self.alter(Kind.QLOCAL, name, **attributes)

    def alter_manager(self, **attributes: Any) -> None:
        self.alter(Kind.QMGR, self.name, **attributes)

    def authorize(self, queue: str, authority: str, *, group: str = "", principal: str = "") -> None:
        """SET AUTHREC."""
        kind, name = ("GROUP", group) if group else ("PRINCIPAL", principal)
        self.script(f"SET AUTHREC PROFILE({queue}) OBJTYPE(QUEUE) {kind}('{name}') AUTHADD({authority})")

    def script(self, text: str) -> None:
        """Make an MQSC command that concerns no channel."""
        replies: list[CommandReply] = []
        Commands(self.manager, cast("Any", None), self.now).execute(text, self.now, replies.append)
        self.write()
        assert [each.ok for each in replies] == [True], replies

    def session(self) -> Session:
        return Session(self.manager, ConnectOptions(inside=True), self.now)

    def put(self, queue: str, body: bytes, queue_manager: str = "", **fields: Any) -> None:
        message = MqMessage.build(body, **({"persistence": 1} | fields))
        request = requests.PutOne(
            1, queue, queue_manager, message.raw_md, body, int(MQPMO.NO_SYNCPOINT), message.order, message.ccsid
        )
        session = self.session()
        outcome = session.submit(request, self.now)
        self.write()
        if outcome is None:
            ((_, outcome),) = session.completions()
        assert isinstance(outcome, Placed), outcome
        session.lost(self.now)

    def messages(self, queue: str) -> list[MqMessage]:
        """Return the messages on a queue, in order."""
        session = self.session()
        opened = session.submit(requests.Open(1, queue, "", int(MQOO.BROWSE)), self.now)
        assert isinstance(opened, Opened), opened
        found = []
        while True:
            wanted = requests.Wanted(int(MQGMO.BROWSE_NEXT))
            outcome = session.submit(requests.Get(1, opened.hobj, wanted), self.now)
            if isinstance(outcome, Failed):
                session.lost(self.now)
                return found
            message = outcome.message  # type: ignore[union-attr]
            found.append(message.copy(message.data))

    def bodies(self, queue: str) -> list[bytes]:
        return [each.data for each in self.messages(queue)]


class Gateway(Station):
    """A queue manager of Everyplace with a bridge. ``node``: the queue manager of MQ of this life."""

    mq_name = "SATURN"
    bridge: Bridge

    @classmethod
    def add(
        cls, world: World, name: str, *, mq: str = "SATURN", make_store: Callable[[], Store] | None = None
    ) -> Gateway:
        """Create one in a world."""
        cls = type(cls.__name__, (cls,), {"mq_name": mq})
        station = cls(world, name, make_store, Trusting())
        world.stations[name] = station
        return station

    def start(self) -> None:
        self.store = self._make_store()
        if Registry(self.store).manager() is None:
            assert self.store.commit([[Registry.create(self.name, self.world.random.randbytes(8))]]) == [None]
        self.node = MqNode(self.mq_name, self.store, self.world.now)
        self.manager = QueueManager(self.store, self.world.random)
        self.plug_ins: PlugIns = supplied()
        self.bridge = Bridge(
            self.manager, self, self.store, self.plug_ins, random.Random(self.world.random.getrandbits(64))
        )
        self.network = Network(self.manager, self.credentials, self.world.random, self.world.settings, self.bridge)
        self.bridge.start(self.world.now)

    # What the bridge asks of its gateway

    @property
    def mq(self) -> MqQueueManager:
        return self.node.manager

    def moved(self) -> None:
        """`go_on` follows in any case."""

    def foreign_program(self, proxy: BridgeDefinition, connection: BridgeDefinition) -> MqProgram:
        raise AssertionError("this gateway has MQ in its own process")

    # Host

    def write(self) -> bool:
        self.node.now = self.now
        self.node.timeout()
        due = self.bridge.next_timeout()
        if due is not None and due <= self.now:
            self.bridge.timeout(self.now)
        moved = False
        while self.node.write() | super().write() | self._ask():
            moved = True
        return moved

    def _ask(self) -> bool:
        found = [each for each in self.manager.take_effects() if self._take(each)]
        return bool(found)

    def _take(self, effect: Effect) -> bool:
        if isinstance(effect, AskMq):
            self.bridge.ask(effect, self.now)
            return True
        self.effects.append(effect)
        return False

    # Definitions

    def mq_queue(self, name: str, **attributes: Any) -> None:
        self.node.define(Kind.QLOCAL, name, **attributes)

    def bridge_object(self, path: BridgePath, **values: Any) -> None:
        definition = BridgeDefinition(path)
        for key, value in values.items():
            definition.set(getattr(bridge_properties, key), value)
        self.expect_done(lambda then: self.bridge.objects.create(definition, then))

    def update(self, path: BridgePath, **values: Any) -> None:
        found = {getattr(bridge_properties, key): value for key, value in values.items()}
        self.expect_done(lambda then: self.bridge.objects.update(path, found, then))

    def bridge_to_here(self, *, start: bool = True) -> BridgePath:
        """Define a bridge, a proxy of the queue manager in the process, and a client connection."""
        path: BridgePath = (*BRIDGE, self.mq_name, "GATE.CHANNEL")
        for end in (1, 2, 3):
            self.bridge_object(path[:end])
        if start:
            self.bridge.objects.start(path)
        return path

    def listen(self, connection: BridgePath, queue: str, **values: Any) -> BridgePath:
        """Define a listener on a transmission queue, and start it."""
        path = (*connection, queue)
        self.bridge_object(path, **values)
        self.bridge.objects.start(path)
        self.write()
        return path
