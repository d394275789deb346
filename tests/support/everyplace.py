"""A world of queue managers of Everyplace: lines in memory, a clock that stands until it is moved, one seed.

::

    world = World()
    moon, earth = world.queue_manager("MOON"), world.queue_manager("EARTH")
    earth.local("ORDERS")
    moon.connection("EARTH")
    moon.remote("ORDERS", "EARTH")
    moon.put("ORDERS@EARTH", "two apples")
    world.run()
    assert earth.texts("ORDERS") == ["two apples"]

Each queue manager has a store that survives `kill`, and listens under its name unless it is `away`.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from mqbridge.bridge.everyplace.commits import Pending
from mqbridge.bridge.everyplace.definitions import queue_properties as rows
from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
from mqbridge.bridge.everyplace.definitions.queue_definition import QueueDefinition
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.effects import Alarm, Effect
from mqbridge.bridge.everyplace.network.network import Network
from mqbridge.bridge.everyplace.network.outgoing import Line
from mqbridge.bridge.everyplace.network.settings import Credentials, NetworkSettings, Peer, Trusting
from mqbridge.bridge.everyplace.queue_manager import QueueManager
from mqbridge.bridge.everyplace.queues.stored_messages import StoredMessages
from mqbridge.bridge.everyplace.registry import Registry
from mqbridge.bridge.everyplace.rules.plug_ins import PlugIns
from mqbridge.bridge.everyplace.security.security import Security
from mqbridge.bridge.store.interface import Store
from mqbridge.bridge.store.memory import MemoryStore, MemoryTables
from mqbridge.protocol.everyplace.calls import Browse, Browsed, Call, Done, Get, Got, Outcome, Put, Refused
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address

START: Final = 1_795_251_600.0
TEXT: Final = "text"
_MOST_STEPS: Final = 200_000


@dataclass(eq=False)
class Wire:
    """A connection: the lines at its ends, and bytes on their way to each. ``carried``: bytes that have arrived."""

    caller: Station
    called: Station
    ends: tuple[Line, Line]
    on_the_way: tuple[deque[bytes], deque[bytes]]
    carried: int = 0
    closing: int | None = None
    """The end that has closed it, once what it sent has arrived."""


class Station:
    """One queue manager of a world. ``manager``, ``network``: of this life. ``effects``: those that nobody here
    performs. ``security``: from its next life on. ``away``: it does not answer calls. ``tables``: what its store in
    memory keeps."""

    def __init__(
        self, world: World, name: str, make_store: Callable[[], Store] | None, credentials: Credentials
    ) -> None:
        self.world = world
        self.name = name
        self.credentials = credentials
        self.away = False
        self.effects: list[Effect] = []
        self.pending: deque[Pending] = deque()
        self.listener = ListenerDefinition("LISTENER", endpoint=f"{name}:8081")
        self.clock_ahead = 0.0
        self.security: Security | None = None
        self.tables = MemoryTables()
        self._make_store = make_store or (lambda: MemoryStore(self.tables))
        self.start()

    # Life

    def start(self) -> None:
        self.store = self._make_store()
        if Registry(self.store).manager() is None:
            incarnation = self.world.random.randbytes(8)
            assert self.store.commit([[Registry.create(self.name, incarnation)]]) == [None]
        self.manager = QueueManager(self.store, self.world.random, self.world.plug_ins, security=self.security)
        self.network = Network(
            self.manager, self.credentials, self.world.random, self.world.settings, self.world.mq.get(self.name)
        )

    def kill(self) -> None:
        """Lose everything but the store; it starts again at once."""
        for wire in self.world.wires_of(self.name):
            self.world.cut(wire)
        self.pending.clear()
        self.start()

    def restore(self, tables: MemoryTables) -> None:
        """Put what a store in memory had earlier in its place."""
        self.tables = tables
        self.kill()

    @property
    def now(self) -> float:
        return self.world.now + self.clock_ahead

    # Definitions

    def define(self, kind: QueueKind, queue: str, owner: str = "", **values: Any) -> None:
        definition = QueueDefinition(kind, Address(queue, owner or self.name))
        for key, value in values.items():
            definition.set(getattr(rows, key), value)
        self.expect_done(lambda then: self.manager.define_queue(definition, then))

    def local(self, queue: str, **values: Any) -> None:
        self.define(QueueKind.LOCAL, queue, **values)

    def remote(self, queue: str, owner: str, *, synchronous: bool = False, **values: Any) -> None:
        mode = rows.SYNCHRONOUS if synchronous else rows.ASYNCHRONOUS
        self.define(QueueKind.REMOTE, queue, owner, MODE=mode, **values)

    def store_and_forward(self, queue: str, entries: Sequence[str], forward: str = "", **values: Any) -> None:
        self.define(QueueKind.STORE_AND_FORWARD, queue, forward, ENTRIES=entries, **values)

    def home_server(self, server: str, queue: str = "HOME", **values: Any) -> None:
        self.define(QueueKind.HOME_SERVER, queue, server, **values)

    def connection(self, to: str, *, via: str = "", at: str = "", **values: Any) -> None:
        """``at``: the queue manager whose listener is meant, if it is another one than ``to``."""
        if not via:
            values = {"adapter": "tcp", "endpoint": f"{at or to}:8081"} | values
        definition = ConnectionDefinition(to, via=via, **values)
        self.expect_done(lambda then: self.manager.define_connection(definition, then))

    def alias(self, name: str) -> None:
        """Let a name stand for this queue manager."""
        definition = ConnectionDefinition(name)
        self.expect_done(lambda then: self.manager.define_connection(definition, then))

    # Programs

    def expect_done(self, start: Callable[[Callable[[Outcome], None]], None]) -> None:
        found: list[Outcome] = []
        start(found.append)
        self.write()
        assert found == [Done()], found

    def call(self, call: Call, peer: str = "") -> list[Outcome]:
        """Make a call, perhaps of another queue manager; the list gets its outcome."""
        found: list[Outcome] = []
        self.manager.call(call, found.append, self.now, peer)
        self.write()
        return found

    def ask(self, call: Call) -> Outcome:
        """Make a call and let the world run until its outcome is there."""
        found = self.call(call)
        self.world.run_until(lambda: bool(found))
        return found[0]

    def put(self, address: str, what: str | Message, confirm: int = 0) -> Outcome:
        message = what if isinstance(what, Message) else text_message(what)
        return self.ask(Put(Address.parse(address, self.name), message, confirm))

    def get(self, address: str, wanted: Fields | None = None, confirm: int = 0) -> Message:
        """Get a message. Raises what the queue manager refuses."""
        outcome = self.ask(Get(Address.parse(address, self.name), wanted or Fields(), confirm))
        if isinstance(outcome, Refused):
            raise outcome.error()
        assert isinstance(outcome, Got)
        return outcome.message

    def browse(self, address: str) -> list[Message]:
        outcome = self.ask(Browse(Address.parse(address, self.name), Fields()))
        assert isinstance(outcome, Browsed), outcome
        return list(outcome.messages)

    def texts(self, address: str) -> list[str]:
        """Return the texts of the messages on a queue, in order."""
        return [each[TEXT] for each in self.browse(address)]

    def stored(self, address: str) -> StoredMessages:
        """Return what a queue keeps, whosever it is."""
        queue = self.manager.queues.named(Address.parse(address, self.name))
        assert queue is not None
        assert queue.messages is not None
        return queue.messages

    @property
    def alarms(self) -> list[str]:
        return [each.text for each in self.effects if isinstance(each, Alarm)]

    # Host

    def write(self) -> bool:
        """Commit what is to be committed."""
        moved = False
        while self.write_one():
            moved = True
        return moved

    def write_one(self) -> bool:
        """Commit the oldest change."""
        self.pending += self.manager.take_commits()
        if not self.pending:
            return False
        each = self.pending.popleft()
        (error,) = self.store.commit([each.operations])
        self.manager.committed(each, error)
        return True

    def go_on(self) -> bool:
        """Do what a host does after anything; returns whether there was anything."""
        moved = self.write()
        moved = self.go_on_without_writing() or moved
        return self.write() or moved

    def go_on_without_writing(self) -> bool:
        """The same, but that nothing is committed."""
        moved = False
        self.network.go_on(self.now)
        for definition in self.network.openings(self.now):
            self.world.open(self, definition)
            moved = True
        self.effects += self.network.take_effects()
        return self.world.collect(self) or moved


class World:
    """``settings``: of each network made from now on. ``mq``: ways to MQ, by queue manager. ``plug_ins``: rules
    of queue managers that start from now on."""

    def __init__(self, seed: int = 1, settings: NetworkSettings | None = None) -> None:
        self.random = random.Random(seed)
        self.settings = settings or NetworkSettings()
        self.now = START
        self.stations: dict[str, Station] = {}
        self.wires: list[Wire] = []
        self.mq: dict[str, Any] = {}
        self.plug_ins: PlugIns | None = None
        self.carried = 0

    def queue_manager(
        self,
        name: str,
        make_store: Callable[[], Store] | None = None,
        credentials: Credentials | None = None,
    ) -> Station:
        """Create one. ``make_store``: opens its store, again after each kill; in memory without."""
        station = Station(self, name, make_store, credentials or Trusting())
        self.stations[name] = station
        return station

    # Connections

    def open(self, caller: Station, definition: ConnectionDefinition) -> None:
        """Make the transport of a connection, or say that nobody answers."""
        called = self.stations.get(definition.endpoint.rpartition(":")[0])
        network = caller.network
        if called is None or called.away or caller.away:
            network.failed(definition.name, EveryplaceError(Code.ADAPTER_EXCEPTION, "nobody answers"), caller.now)
            return
        secure = definition.adapter in ("tls", "https")
        try:
            answering = called.network.called(called.listener, Peer(caller.name, secure=secure), called.now)
        except EveryplaceError as error:
            network.failed(definition.name, EveryplaceError(Code.ADAPTER_EXCEPTION, error.text), caller.now)
            return
        try:
            asking = network.opened(definition.name, caller.now, Peer(called.name, secure=secure))
        except EveryplaceError:
            answering.cut(called.now)
            return
        self.wires.append(Wire(caller, called, (asking, answering), (deque(), deque())))

    def wires_of(self, *names: str) -> list[Wire]:
        """Return the connections in which all of these take part."""
        return [each for each in self.wires if {each.caller.name, each.called.name} >= set(names)]

    def cut(self, wire: Wire) -> None:
        """Lose a connection, with what is on its way."""
        if wire in self.wires:
            self.wires.remove(wire)
            wire.ends[0].cut(wire.caller.now)
            wire.ends[1].cut(wire.called.now)

    def cut_all(self, *names: str) -> None:
        """Lose the connections between queue managers."""
        for wire in self.wires_of(*names):
            self.cut(wire)

    def collect(self, station: Station) -> bool:
        """Take what the lines of a queue manager have to send."""
        found = False
        for line in station.network.lines_to_send():
            for wire in self.wires:
                if line in wire.ends:
                    end = wire.ends.index(line)
                    data = line.take()
                    if data:
                        wire.on_the_way[1 - end].append(data)
                    if line.ended and wire.closing is None:
                        wire.closing = end
                    found = True
        return found

    # Time

    def step(self) -> bool:
        """Everybody does what there is to do, and bytes arrive; returns whether anything was done."""
        moved = False
        for station in list(self.stations.values()):
            moved = station.go_on() or moved
        for wire in list(self.wires):
            for end in (0, 1):
                while wire.on_the_way[end] and wire in self.wires:
                    self.deliver(wire, end, len(wire.on_the_way[end][0]))
                    moved = True
            moved = self.close(wire) or moved
        return moved

    def deliver(self, wire: Wire, end: int, count: int) -> None:
        """Let so many bytes of the oldest chunk arrive at an end, 0 for the caller's."""
        chunks = wire.on_the_way[end]
        data, rest = chunks[0][:count], chunks[0][count:]
        if rest:
            chunks[0] = rest
        else:
            chunks.popleft()
        wire.carried += len(data)
        self.carried += len(data)
        station = wire.called if end else wire.caller
        wire.ends[end].receive_data(data, station.now)

    def close(self, wire: Wire) -> bool:
        """Close a connection that an end has closed, when what it sent has arrived."""
        if wire.closing is None or wire.on_the_way[1 - wire.closing]:
            return False
        self.cut(wire)
        return True

    def settle(self) -> None:
        """Let everything happen that happens without time passing."""
        for _ in range(_MOST_STEPS):
            if not self.step():
                return
        raise AssertionError("the world does not come to rest")

    def run(self, seconds: float = 0.0) -> None:
        """Let everything happen within so many seconds."""
        until = self.now + seconds
        self.settle()
        while True:
            due = [
                when - station.clock_ahead
                for station in self.stations.values()
                if (when := station.network.next_timeout()) is not None
            ]
            if not due or min(due) > until:
                self.now = until
                self._timeouts()
                return
            self.now = max(self.now, min(due))
            self._timeouts()

    def run_until(self, done: Callable[[], bool], seconds: float = 600.0) -> None:
        """Let time pass until something is so."""
        until = self.now + seconds
        self.settle()
        while not done():
            assert self.now < until, "it did not come to pass"
            self.run(0.25)

    def tick(self, seconds: float) -> None:
        """Let time pass, and what is due then begin."""
        self.now += seconds
        for station in self.stations.values():
            station.network.timeout(station.now)

    def _timeouts(self) -> None:
        self.tick(0)
        self.settle()


def text_message(text: str) -> Message:
    """Return a message with a text."""
    found = Message()
    found[TEXT] = text
    return found
