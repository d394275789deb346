"""A node: store, queue manager and agents of one process, which may die and be started again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from mqbridge.bridge.agents.gateway.channel_manager import ChannelLimits
from mqbridge.bridge.agents.gateway.control import Control
from mqbridge.bridge.agents.gateway.conversation_driver import ConversationDriver
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
    LeaveManager,
    Log,
    Resume,
    Send,
    SendToManager,
    SendToProvider,
)
from mqbridge.bridge.agents.gateway.gateway import Gateway
from mqbridge.bridge.agents.gateway.listener_protocols import PROTOCOLS, ListenerProtocol
from mqbridge.bridge.agents.routing.step_calls import StepAnswer
from mqbridge.bridge.endpoints.tls_sessions import TlsSessions
from mqbridge.bridge.queue_manager.objects import Kind, Objects, define_channel_user
from mqbridge.bridge.security.tls import TlsConnection, TlsFault, TlsOffer
from mqbridge.bridge.store.errors import StoreDamaged
from mqbridge.mappings.transformations import CallPython
from support.queue_manager.direct import DirectQueueManager
from support.queue_manager.faulty_store import Crash, FaultyStore

from .clock import SimulatedClock
from .network import CALLER, Endpoint, Network, Stream
from .recording import Life, RecordedQueueManager
from .secured import SecuredSide, answers_secured, calls_secured


class NodeEnd:
    """A node's side of a stream."""

    def __init__(self, node: Node, stream: Stream | SecuredSide, side: int, connection: ConversationDriver) -> None:
        self.node, self.stream, self.side, self.connection = node, stream, side, connection
        self.waiting = bytearray()

    def received(self, data: bytes) -> None:
        if self.connection.paused:
            self.waiting += data
            return
        self.node.call(lambda: self._takes(data))

    def _takes(self, data: bytes) -> None:
        if not data:
            return
        self.connection.conversation.receive_data(data, self.node.clock.now)
        self.connection.turn_ends()

    def read_on(self) -> None:
        data, self.waiting = bytes(self.waiting), bytearray()
        if data:
            self.node.clock.after(0, lambda: self._again(data))

    def _again(self, data: bytes) -> None:
        if self.node.ends.get(self.connection) is self:
            self.received(data)

    def lost(self) -> None:
        self.node.ends.pop(self.connection, None)
        self.node.call(lambda: self.connection.lost(self.node.clock.now))


class Node:
    """One queue manager by name; ``definitions`` are made when its store is new."""

    def __init__(
        self,
        name: str,
        clock: SimulatedClock,
        network: Network,
        random: Random,
        definitions: list[tuple[Kind, str, dict[str, Any]]],
        log: Callable[[str], None],
        store: FaultyStore,
    ) -> None:
        self.name = name
        self.clock, self.network, self.random = clock, network, random
        self.store = store
        self.definitions = definitions
        self.log = log
        self.alive = False
        self.deaths = 0
        self.starts = 0
        self.restart_delay = 1.0
        self.limits = ChannelLimits()
        self.protocols: Sequence[ListenerProtocol] = PROTOCOLS
        self.address = CALLER
        self.tls: TlsSessions | None = None
        """Makes the sessions of connections inside TLS; without it `agrees` plays their handshakes."""
        self.manager: DirectQueueManager
        self.lives: list[Life] | None = None
        """What came to each queue manager of this name; None where it is not recorded."""
        self.gateway: Gateway
        self.control: Control
        self.ends: dict[ConversationDriver, NodeEnd] = {}
        self.calls_step: Callable[[CallPython], tuple[float, StepAnswer]] | None = None
        """Seconds until a Python step of a route is answered, and its answer."""
        self.on_boot: list[Callable[[], None]] = []
        self.join: Callable[[Node], None] = lambda _: None
        """Joins carriers to a gateway that was made, before any program comes."""
        self.provide: Callable[[ConnectToProvider | AbandonProvider | SendToProvider], None] = lambda _: None
        """Performs what links want of their provider."""
        self.call_host: Callable[[CallHost | AbandonCall], None] = lambda _: None
        """Performs what partners want of their hosts."""
        self.call_manager: Callable[[CallManager | SendToManager | LeaveManager], None] = lambda _: None
        """Performs what senders of MyOpenQ want."""
        self.repaired: Callable[[list[bytes]], None] = lambda _: None
        """Told what a repair of the store has said to be lost."""
        self._repairing = False
        self._committing = False
        self._gathered: list[Any] = []
        self._timer_due: float | None = None
        self._generation = 0

    # Life

    def boot(self) -> None:
        self._generation += 1
        self.starts += 1
        now = self.clock.now
        self.ends, self._gathered, self._committing, self._timer_due = {}, [], False, None
        self.alive = True
        try:
            objects = Objects(self.name, now)
            if not objects.load(self.store.records("objects")):
                self.define_first(objects, now)
                self.store.commit([objects.operations()])
            if self.lives is None:
                self.manager = DirectQueueManager(self.name, self.store, objects, now)
            else:
                self.manager = RecordedQueueManager(self.name, self.store, objects, now)
                self.lives.append(self.manager.life)
            self.gateway = Gateway(
                self.manager, self.store, self.limits, now, salt=self.starts, protocols=self.protocols
            )
            self.control = Control(self.gateway.channel_manager)
            self.join(self)
            self.network.listeners[self.name] = self.accept
            self.gateway.channel_manager.restart(now)
            self.log(f"{self.name} started, run {self.starts}")
            self._pump()
        except Crash as crash:
            self._died(str(crash))
            return
        except StoreDamaged as damage:
            self.log(f"{self.name} does not start: {damage}")
            self.alive = False
            self._repair()
            self.clock.after(self.restart_delay, self.boot)
            return
        for action in self.on_boot:
            action()

    def define_first(self, objects: Objects, now: float) -> None:
        """Makes the definitions of a new queue manager."""
        for kind, name, attributes in self.definitions:
            objects.define(kind, name, attributes, now, supplied=True)
        define_channel_user(objects, now)
        objects.alter(Kind.QMGR, self.name, {"DEADQ": "DLQ"}, now)

    def kill(self, why: str = "killed") -> None:
        if self.alive:
            self.store.crash()
            self._died(why)

    def _died(self, why: str) -> None:
        self.log(f"{self.name} died: {why}")
        self.alive = False
        self.deaths += 1
        self._generation += 1
        self.network.listeners.pop(self.name, None)
        ends, self.ends = self.ends, {}
        for end in ends.values():
            end.stream.drop_side(end.side)
        self.store = self.store.restart()
        self.clock.after(self.random.random() * self.restart_delay, self.boot)

    def repair_soon(self) -> None:
        """The operator has read of damage: ends the queue manager, has the store repaired, and starts it again."""
        if not self._repairing:
            self._repairing = True
            self.clock.after(5.0, self._end_and_repair)

    def _end_and_repair(self) -> None:
        self.kill("to be repaired")
        self._repair()

    def _repair(self) -> None:
        self._repairing = False
        lost = self.store.repair()
        self.log(f"{self.name} is repaired, {len(lost)} messages are lost")
        self.repaired(lost)

    def call(self, action: Callable[[], object]) -> None:
        """Does something inside the process, which may die of it."""
        if not self.alive:
            return
        try:
            action()
            self._pump()
        except Crash as crash:
            if self.alive:
                self._died(str(crash))

    # The driver

    def _pump(self) -> None:
        gateway = self.gateway
        for _ in range(10_000):
            gateway.settle(self.clock.now)
            self._gathered.extend(self.manager.take_commits())
            effects = gateway.take_effects()
            for effect in effects:
                self._perform(effect)
            if not effects:
                break
        else:
            raise AssertionError("the pump does not come to rest")
        self._commit_soon()
        self._set_timer()

    def _commit_soon(self) -> None:
        if self._committing or not self._gathered:
            return
        self._committing = True
        generation = self._generation
        self.clock.after(self.random.expovariate(1 / 0.001), lambda: self._commit(generation))

    def _commit(self, generation: int) -> None:
        if generation != self._generation:
            return

        def commit() -> None:
            units, self._gathered = self._gathered, []
            errors = self.store.commit([unit.operations for unit in units])
            self._committing = False
            if isinstance(self.manager, RecordedQueueManager):
                self.manager.wrote(errors)
            for unit, error in zip(units, errors, strict=True):
                self.gateway.committed(unit, error, self.clock.now)

        self.call(commit)

    def _set_timer(self) -> None:
        due = self.gateway.next_timeout()
        if due is None or (self._timer_due is not None and self._timer_due <= due and self._timer_due > self.clock.now):
            return
        self._timer_due = due
        generation = self._generation
        self.clock.at(due, lambda: self._time_out(generation, due))

    def _time_out(self, generation: int, due: float) -> None:
        if generation == self._generation:
            if self._timer_due == due:
                self._timer_due = None
            self.call(lambda: self.gateway.timeout(self.clock.now))

    def _perform(self, effect: object) -> None:
        match effect:
            case Send():
                end = self.ends.get(effect.connection)
                if end is not None:
                    while pieces := effect.connection.data_to_send(65536):
                        end.stream.send(end.side, b"".join(pieces))
                    effect.connection.writable(self.clock.now)
            case CloseConnection():
                end = self.ends.get(effect.connection)
                if end is not None:
                    if not effect.abort:
                        while pieces := effect.connection.data_to_send(65536):
                            end.stream.send(end.side, b"".join(pieces))
                    self.clock.after(0, lambda: end.stream.close(end.side, effect.abort))
            case Resume():
                end = self.ends.get(effect.connection)
                if end is not None:
                    end.read_on()
            case ConnectToPartner():
                self._connect(effect)
            case Log():
                self.log(f"{self.name} {effect.amq} {' '.join(map(str, effect.inserts))}")
                if effect.amq == "AMQ7472":
                    self.repair_soon()
            case AbandonConnect():
                pass
            case ConnectToProvider() | AbandonProvider() | SendToProvider():
                self.provide(effect)
            case CallHost() | AbandonCall():
                self.call_host(effect)
            case CallManager() | SendToManager() | LeaveManager():
                self.call_manager(effect)
            case CheckPassword():
                generation = self._generation
                self.clock.after(0.3, lambda: self._check(effect, generation))
            case CallStep():
                assert self.calls_step is not None
                seconds, answer = self.calls_step(effect.call)
                generation = self._generation
                self.clock.after(seconds, lambda: self._answer(effect, answer, generation))
            case _:
                raise AssertionError(effect)

    def _answer(self, effect: CallStep, answer: StepAnswer, generation: int) -> None:
        if generation == self._generation:
            self.call(lambda: effect.then(answer, self.clock.now))

    def _check(self, effect: CheckPassword, generation: int) -> None:
        if generation == self._generation:
            self.call(lambda: effect.then(effect.attempt.matches(), self.clock.now))

    # Connections

    def _connect(self, effect: ConnectToPartner) -> None:
        generation = self._generation
        connections, attempt, host = self.gateway.connections, effect.attempt, effect.host

        def made(stream: Stream) -> Endpoint | None:
            if generation != self._generation:
                return None
            if effect.tls is not None and self.tls is not None:
                return calls_secured(self, stream, effect, lambda: generation == self._generation)
            outcome = self.agrees(effect.tls, stream)
            if isinstance(outcome, TlsFault):
                self.call(lambda: connections.connect_failed(attempt, "handshake", self.clock.now, outcome))
                return None
            return self.end(stream, 0, lambda: connections.connected(attempt, host, 1414, self.clock.now, outcome))

        def failed() -> None:
            if generation == self._generation:
                self.call(lambda: connections.connect_failed(attempt, "refused", self.clock.now))

        self.network.connect(host, made, failed, self.address)

    def agrees(self, offer: TlsOffer | None, stream: Stream) -> TlsConnection | TlsFault | None:
        """What a caller and the other end of its stream agree on, before a byte is sent."""
        assert offer is None, "no TLS here"
        return None

    def accept(self, stream: Stream) -> Endpoint | None:
        connections = self.gateway.connections
        end = self.end(stream, 1, lambda: connections.inbound(stream.caller, 5000, self.clock.now))
        return end if end is None or self.tls is None else answers_secured(self, stream, end)

    def end(
        self,
        stream: Stream,
        side: int,
        make: Callable[[], ConversationDriver | None],
        secured: SecuredSide | None = None,
    ) -> NodeEnd | None:
        """The node's end of a stream; None where the connection is not wanted."""
        found: list[NodeEnd] = []

        def join() -> None:
            connection = make()
            if connection is not None:
                end = NodeEnd(self, secured or stream, side, connection)
                self.ends[connection] = end
                stream.ends[side] = secured or end
                found.append(end)

        self.call(join)
        return found[0] if found else None
