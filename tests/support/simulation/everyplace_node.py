"""A simulated process with one queue manager of Everyplace: its host, whose disk and connections fail."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from mqbridge.bridge.everyplace.definitions import queue_properties as rows
from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.definitions.queue_definition import QueueDefinition
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.effects import Effect
from mqbridge.bridge.everyplace.network.network import Network
from mqbridge.bridge.everyplace.network.outgoing import Line
from mqbridge.bridge.everyplace.network.settings import Peer
from mqbridge.bridge.everyplace.queue_manager import QueueManager
from mqbridge.bridge.everyplace.registry import Registry
from mqbridge.bridge.everyplace.transfer.lane_records import SENDING, LaneName, SendingRecord
from mqbridge.bridge.store.memory import MemoryStore
from mqbridge.protocol.everyplace.calls import Call, Done, Outcome
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.names import Address
from support.queue_manager.faulty_store import Crash

from .clock import SimulatedClock
from .everyplace_ends import LineEnd, MqEnd
from .everyplace_network import LateNetwork, LateStream
from .everyplace_oracle import Backup, EveryplaceOracle, WatchedStore
from .everyplace_processes import AloneProcess, Process
from .network import Stream

_HELD = ("is the last confirmed here", "is the last placed here", "the one that sent before")


class EveryplaceNode:
    """One queue manager. ``ahead``: seconds by which its clock is wrong. ``blocked``: alarms of its present life."""

    def __init__(
        self,
        name: str,
        clock: SimulatedClock,
        network: LateNetwork,
        random: Random,
        oracle: EveryplaceOracle,
        note: Callable[[str], None],
    ) -> None:
        self.name = name
        self.clock = clock
        self.wire = network
        self.random = random
        self.note = note
        self.ahead = 0.0
        self.latency = random.choice((0.0, 0.001, 0.02))
        self.store = WatchedStore(random).watch(name, oracle, {})
        self.perform: Callable[[Effect], None] = lambda effect: None
        self.make: Callable[[EveryplaceNode], Process] = lambda node: AloneProcess(node, node.perform)
        """Makes what runs in its process."""
        self.ends: dict[Line, LineEnd] = {}
        self.mq_ends: dict[MqEnd, None] = {}
        self.life = self.deaths = 0
        self.alive = self.peaceful = False
        self.alarms: list[str] = []
        self._gathered: list[Any] = []
        self._committing = False
        self._timeout = 0.0
        assert self.store.commit([[Registry.create(name, random.randbytes(8))]]) == [None]

    @property
    def now(self) -> float:
        return self.clock.now + self.ahead

    # Life

    def boot(self) -> None:
        """A process begins; its start may be cut short like anything else."""
        self.life += 1
        self.alive = True
        self.alarms = []
        self.ends, self.mq_ends = {}, {}
        self._gathered, self._committing, self._timeout = [], False, 0.0
        try:
            self.process = self.make(self)
            self.wire.listeners[self.name] = self._accept
            self._pump()
        except Crash:
            self._died()

    def kill(self, backup: Backup | None = None) -> None:
        """The process dies; it comes back, on the disk of a backup if one is given."""
        if self.alive:
            self._died(backup)

    def _died(self, backup: Backup | None = None) -> None:
        self.note(f"{self.name} dies" + ("" if backup is None else ", and its backup is restored"))
        self.alive = False
        self.deaths += 1
        self.life += 1
        self.wire.listeners.pop(self.name, None)
        ends = [(each.stream, each.side) for each in self.ends.values()] + [(each.stream, 0) for each in self.mq_ends]
        self.ends, self.mq_ends = {}, {}
        for stream, side in ends:
            assert isinstance(stream, LateStream)
            stream.detach(side, self.random.choice((0.0, 0.0, 3.0)))
        self.store = self.store.restart()
        if backup is not None:
            self.store.restore(backup, self.in_doubt())
        self.clock.after(0.01 if self.peaceful else self.random.expovariate(1.0), self.boot)

    def call(self, action: Callable[[], None]) -> None:
        """Do something in the process, and all that follows from it."""
        if not self.alive:
            return
        try:
            action()
            self._pump()
        except Crash:
            self._died()

    # Host

    @property
    def manager(self) -> QueueManager:
        """Of its present life, or of the last one."""
        return self.process.manager

    @property
    def network(self) -> Network:
        """Likewise."""
        return self.process.network

    def _pump(self) -> None:
        self.gather()
        self.process.go_on()
        self.gather()
        for line in self.network.lines_to_send():
            self._send(line)
        self._plan()

    def alarmed(self, text: str) -> None:
        """An alarm is given."""
        self.alarms.append(text)
        self.note(f"{self.name}: alarm: {text}")

    def _send(self, line: Line) -> None:
        end = self.ends.get(line)
        data = line.take()
        if end is None:
            return
        if data:
            end.stream.send(end.side, data)
        if line.ended:
            del self.ends[line]
            end.stream.close(end.side, abort=False)

    def open(self, definition: ConnectionDefinition) -> None:
        """Call a partner."""
        life, name = self.life, definition.name

        def made(stream: Stream) -> LineEnd | None:
            if life != self.life:
                return None
            found: list[LineEnd] = []

            def opened() -> None:
                found.append(LineEnd(self, self.network.opened(name, self.now), stream, 0))

            self.call(opened)
            return found[0] if found and life == self.life else None

        def failed() -> None:
            if life == self.life:
                error = EveryplaceError(Code.ADAPTER_EXCEPTION, "nobody answers")
                self.call(lambda: self.network.failed(name, error, self.now))

        self.wire.connect(definition.endpoint.partition(":")[0], made, failed, self.name)

    def _accept(self, stream: Stream) -> LineEnd | None:
        found: list[LineEnd] = []
        life = self.life

        def called() -> None:
            found.append(LineEnd(self, self.process.called(Peer(stream.caller)), stream, 1))

        self.call(called)
        return found[0] if found and life == self.life else None

    def _plan(self) -> None:
        when = self.process.next_timeout()
        if when is None:
            return
        at = max(when, self.clock.now + 0.001)
        if not self.clock.now < self._timeout <= at:
            self._timeout, life = at, self.life
            self.clock.at(at, lambda: self._due(life, at))

    def _due(self, life: int, at: float) -> None:
        if life == self.life and self._timeout == at:
            self._timeout = 0.0
            self.call(self.process.timeout)

    # Disk

    def gather(self) -> None:
        """Have transactions written soon."""
        self._gathered += self.process.take_commits()
        if self._gathered and not self._committing:
            self._committing, life = True, self.life
            self.clock.after(self.latency * self.random.random(), lambda: self._commit(life))

    def _commit(self, life: int) -> None:
        if life != self.life:
            return

        def commit() -> None:
            pending, self._gathered = self._gathered, []
            self._committing = False
            for each, error in zip(pending, self.store.commit([each.operations for each in pending]), strict=True):
                self.process.committed(each, error)

        self.call(commit)

    @property
    def writing(self) -> bool:
        return bool(self._gathered or self._committing)

    # Definitions and programs

    def define(self, kind: QueueKind, queue: str, owner: str = "", **values: Any) -> None:
        definition = QueueDefinition(kind, Address(queue, owner or self.name))
        for key, value in values.items():
            definition.set(getattr(rows, key), value)
        self.defined(lambda then: self.manager.define_queue(definition, then))

    def connect_to(self, to: str, *, at: str = "", via: str = "", aliases: tuple[str, ...] = ()) -> None:
        """Define a connection; ``at``: the node that it reaches, without it it leads over another one."""
        values = {"via": via} if via else {"adapter": "tcp", "endpoint": f"{at or to}:8081"}
        self.defined(
            lambda then: self.manager.define_connection(ConnectionDefinition(to, aliases=aliases, **values), then)
        )

    def defined(self, start: Callable[[Callable[[Outcome], None]], None]) -> None:
        """Have something defined at once."""
        found: list[Outcome] = []
        start(found.append)
        self.write_definitions()
        assert found == [Done()], found

    def write_definitions(self) -> None:
        """Write what has been defined."""
        for pending in self.manager.take_commits():
            (error,) = self.store.commit([pending.operations])
            self.manager.committed(pending, error)

    def change_connection(self, to: str, *, via: str, aliases: tuple[str, ...]) -> None:
        """Give a connection other aliases, while it is in use."""
        values = {"via": via} if via else {"adapter": "tcp", "endpoint": f"{to}:8081"}
        definition = ConnectionDefinition(to, aliases=aliases, **values)
        self.manager.define_connection(definition, lambda outcome: None)

    def held_by(self) -> list[str]:
        """Queue managers one of whose lanes is held here."""
        if not self.alive:
            return []
        rows = self.network.status()
        return [row.name for row in rows if any(each in text for text in row.blocks for each in _HELD)]

    def readmit(self, partner: str, then: Callable[[], None]) -> None:
        """An administrator says that a partner is to go on; ``then`` is called when it is so."""
        life = self.life

        def answered(outcome: Outcome) -> None:
            if life == self.life and isinstance(outcome, Done):
                then()

        self.call(lambda: self.network.readmit(partner, answered))

    def in_doubt(self, partner: str = "") -> list[str]:
        """Messages that a partner, or any, may have and that are still here: they go again after `readmit`."""
        found, disk = [], MemoryStore(self.store._tables)
        for key, _ in disk.records(SENDING):
            lane = LaneName(*key.decode().split("\0"))
            if partner in ("", lane.partner):
                positions = SendingRecord.read(disk, lane).in_doubt
                found += [name for (_, at), name in self.store.identities.items() if at in positions]
        return found

    def ask(self, call: Call, then: Callable[[Outcome], None]) -> None:
        """A program's call."""
        life = self.life
        self.call(
            lambda: self.manager.call(call, lambda outcome: then(outcome) if life == self.life else None, self.now)
        )
