"""What runs in a simulated process: a queue manager of Everyplace alone, or as the agent of one of MQ, with its bridge.

Both have commits for one store, and connections that their node makes and carries.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any, Final, Protocol

from mqbridge.bridge.agents.everyplace.agent import EveryplaceAgent
from mqbridge.bridge.agents.everyplace.bridge import Bridge
from mqbridge.bridge.agents.everyplace.mq.calling import Calling
from mqbridge.bridge.agents.everyplace.mq.program import MqProgram
from mqbridge.bridge.agents.everyplace.owner import Owner
from mqbridge.bridge.agents.gateway.channel_manager import ChannelLimits
from mqbridge.bridge.agents.gateway.effects import Log, ServeEveryplace
from mqbridge.bridge.agents.gateway.gateway import Gateway
from mqbridge.bridge.everyplace.definitions.bridge_definition import BridgeDefinition
from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
from mqbridge.bridge.everyplace.effects import Alarm, Effect
from mqbridge.bridge.everyplace.network.network import Network
from mqbridge.bridge.everyplace.network.outgoing import Line
from mqbridge.bridge.everyplace.network.settings import NetworkSettings, Peer, Trusting
from mqbridge.bridge.everyplace.queue_manager import QueueManager
from mqbridge.bridge.everyplace.rules.supplied import supplied
from mqbridge.bridge.queue_manager import QueueManager as MqQueueManager
from mqbridge.bridge.queue_manager.objects import TABLE, Kind, Objects
from mqbridge.bridge.store.interface import StoreError
from mqbridge.mappings.moment import Moment
from mqbridge.protocol.everyplace.handshakes import LOWEST, VERSION

if TYPE_CHECKING:
    from .everyplace_node import EveryplaceNode

_SETTINGS: Final = NetworkSettings(answer=20.0, retry_most=20.0, pull_wait=5.0)
_VERSIONS: Final = range(LOWEST, VERSION + 1)
"""Of the protocol; a process may start again as an older or a newer release."""
_LISTENER: Final = ListenerDefinition("LISTENER")
_MAX_ROUNDS: Final = 10_000
Foreign = Callable[["EveryplaceNode", BridgeDefinition, BridgeDefinition, Calling], MqProgram]


def _settings(random: Random) -> NetworkSettings:
    return replace(_SETTINGS, version=random.choice(_VERSIONS))


class Process(Protocol):
    """One life of a node."""

    manager: QueueManager
    network: Network

    def go_on(self) -> None:
        """Do what follows from what has happened."""

    def called(self, peer: Peer) -> Line:
        """Make the line of a caller."""

    def take_commits(self) -> list[Any]:
        """Transactions for the store."""

    def committed(self, pending: Any, error: StoreError | None) -> None:
        """One has ended."""

    def next_timeout(self) -> float | None:
        """When `timeout` is due, by the simulated clock."""

    def timeout(self) -> None:
        """Do what is due."""


class AloneProcess:
    """A queue manager of Everyplace. ``perform``: does effects that are not alarms."""

    def __init__(self, node: EveryplaceNode, perform: Callable[[Effect], None]) -> None:
        self._node = node
        self._perform = perform
        self.manager = QueueManager(node.store, node.random)
        self.network = Network(self.manager, Trusting(), node.random, _settings(node.random))

    def go_on(self) -> None:
        node, network = self._node, self.network
        network.go_on(node.now)
        for definition in network.openings(node.now):
            node.open(definition)
        for effect in network.take_effects():
            if isinstance(effect, Alarm):
                node.alarmed(effect.text)
            else:
                self._perform(effect)

    def called(self, peer: Peer) -> Line:
        return self.network.called(_LISTENER, peer, self._node.now)

    def take_commits(self) -> list[Any]:
        return self.manager.take_commits()

    def committed(self, pending: Any, error: StoreError | None) -> None:
        self.manager.committed(pending, error)

    def next_timeout(self) -> float | None:
        due = self.network.next_timeout()
        return None if due is None else due - self._node.ahead

    def timeout(self) -> None:
        self.network.timeout(self._node.now)


class GatewayProcess:
    """A queue manager of MQ with a gateway of Everyplace and its bridge, on one store.

    ``mq_name``: its name. ``definitions``: its objects, when the store is new. ``foreign``: makes programs at a queue
    manager elsewhere.
    """

    def __init__(
        self, node: EveryplaceNode, mq_name: str, definitions: list[tuple[Kind, str, dict[str, Any]]], foreign: Foreign
    ) -> None:
        self._node = node
        now, store = self.moment, node.store
        objects = Objects(mq_name, now)
        if not objects.load(store.records(TABLE)):
            for kind, name, attributes in definitions:
                objects.define(kind, name, attributes, now, supplied=True)
            assert store.commit([objects.operations()]) == [None]
        self.mq = MqQueueManager(mq_name, store, objects, now)
        self._gateway = Gateway(self.mq, store, ChannelLimits(), now, salt=node.life)
        host = self._gateway.channel_manager
        owner = Owner(host, partial(foreign, node))
        self.manager = QueueManager(store, node.random, supplied())
        self.bridge = Bridge(self.manager, owner, store, supplied(), node.random)
        self.agent = EveryplaceAgent(host, self.manager, self._network, self.bridge)
        owner.wake = self.agent.wake
        self.network = self.agent.network
        self._gateway.carriers.add(self.agent)
        self._gateway.carriers.start_all(now)

    def _network(self, agent: EveryplaceAgent) -> Network:
        return Network(self.manager, Trusting(), self._node.random, _settings(self._node.random), self.bridge)

    @property
    def moment(self) -> float:
        """The time, by a clock that may have been set."""
        clock, ahead = self._node.clock.now, self._node.ahead
        return Moment(clock, clock + ahead) if ahead else clock

    def go_on(self) -> None:
        gateway, node, now = self._gateway, self._node, self.moment
        self.agent.wake()
        for _ in range(_MAX_ROUNDS):
            gateway.settle(now)
            node.gather()
            for effect in gateway.take_effects():
                match effect:
                    case ServeEveryplace():
                        self.agent.turn(now)
                        for definition in self.network.openings(node.now):
                            node.open(definition)
                    case Log(amq="AMQ5120"):
                        node.alarmed(str(effect.inserts[-1]))
                    case Log():
                        node.note(f"{node.name} {effect.amq} {' '.join(map(str, effect.inserts))}")
                    case _:
                        raise AssertionError(effect)
            if not gateway.has_more:
                return
        raise AssertionError("the process does not come to rest")

    def called(self, peer: Peer) -> Line:
        return self.agent.called(_LISTENER, peer, self.moment)

    def take_commits(self) -> list[Any]:
        return self.mq.take_commits()

    def committed(self, pending: Any, error: StoreError | None) -> None:
        self._gateway.committed(pending, error, self.moment)

    def next_timeout(self) -> float | None:
        return self._gateway.next_timeout()

    def timeout(self) -> None:
        self._gateway.timeout(self.moment)
