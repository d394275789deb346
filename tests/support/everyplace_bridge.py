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
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, cast

from mqbridge.bridge.agents.everyplace.bridge import Bridge
from mqbridge.bridge.agents.everyplace.mq.calling import Calling
from mqbridge.bridge.agents.everyplace.mq.local_program import LocalProgram
from mqbridge.bridge.agents.everyplace.mq.program import (
    DONE,
    GetOutcome,
    MqFailure,
    MqProgram,
    MqPut,
    PutOutcome,
    Wanted,
)
from mqbridge.bridge.everyplace.definitions import bridge_properties
from mqbridge.bridge.everyplace.definitions.bridge_definition import BridgeDefinition, BridgePath
from mqbridge.bridge.everyplace.effects import AskMq, Effect
from mqbridge.bridge.everyplace.mq_units import UnitElsewhere
from mqbridge.bridge.everyplace.network.settings import Trusting
from mqbridge.bridge.everyplace.queues.queue import Queue
from mqbridge.bridge.everyplace.rules.plug_ins import PlugIns
from mqbridge.bridge.everyplace.rules.supplied import supplied
from mqbridge.bridge.everyplace.transfer.lane_records import LaneName
from mqbridge.bridge.queue_manager import Application
from mqbridge.bridge.queue_manager import QueueManager as MqQueueManager
from mqbridge.bridge.queue_manager.calls import requests
from mqbridge.bridge.queue_manager.calls.outcomes import Failed, Opened, Placed
from mqbridge.bridge.queue_manager.connections import ConnectOptions
from mqbridge.bridge.queue_manager.effects import Completed, Wake
from mqbridge.bridge.queue_manager.mqsc import CommandReply, Commands
from mqbridge.bridge.queue_manager.objects import TABLE, Kind, Objects
from mqbridge.bridge.queue_manager.session import Session
from mqbridge.bridge.store.interface import Operation, Store
from mqbridge.bridge.store.memory import MemoryStore, MemoryTables
from mqbridge.mappings.message import Message as MqMessage
from mqbridge.protocol.constants import MQGMO, MQOO, MQPMO
from mqbridge.protocol.everyplace.calls import Refused
from support.everyplace import Station, World
from support.queue_manager.faulty_store import Crash

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

    def session(self, user: str = "") -> Session:
        return Session(self.manager, ConnectOptions(application=Application(user=user), inside=True), self.now)

    def put(self, queue: str, body: bytes, queue_manager: str = "", *, user: str = "", **fields: Any) -> None:
        message = MqMessage.build(body, **({"persistence": 1} | fields))
        request = requests.PutOne(
            1, queue, queue_manager, message.raw_md, body, int(MQPMO.NO_SYNCPOINT), message.order, message.ccsid
        )
        session = self.session(user)
        outcome = session.submit(request, self.now)
        self.write()
        if outcome is None:
            ((_, outcome),) = session.completions()
        assert isinstance(outcome, Placed), outcome
        session.lost(self.now)

    def messages(self, queue: str) -> list[MqMessage]:
        """Return the messages on a queue, in order."""
        return browsed(self.manager, queue, self.now)

    def bodies(self, queue: str) -> list[bytes]:
        return [each.data for each in self.messages(queue)]


def browsed(manager: MqQueueManager, queue: str, now: float) -> list[MqMessage]:
    """Return the messages that a program finds on a queue, in order."""
    session = Session(manager, ConnectOptions(inside=True), now)
    opened = session.submit(requests.Open(1, queue, "", int(MQOO.BROWSE)), now)
    assert isinstance(opened, Opened), opened
    found = []
    while True:
        outcome = session.submit(requests.Get(1, opened.hobj, requests.Wanted(int(MQGMO.BROWSE_NEXT))), now)
        if isinstance(outcome, Failed):
            session.lost(now)
            return found
        message = outcome.message  # type: ignore[union-attr]
        found.append(message.copy(message.data))


class FarQueueManager:
    """A queue manager of MQ in another process: calls and answers travel as ``steps``, one after the other.

    ``down``: it is away. ``crash_in``: after so many steps the gateway dies, by `Crash`. ``lose``: chance that a
    connection breaks at a step. ``ahead``: it counts puts that are not answered; ``ahead_puts``: how often it has.
    """

    def __init__(self, name: str, now: float, dice: random.Random | None = None) -> None:
        self.now = now
        self.store = MemoryStore(MemoryTables())
        self.node = MqNode(name, self.store, now)
        self.node.define(Kind.QLOCAL, SYNC_QUEUE)
        self.dice = dice or random.Random(1)
        self.steps: deque[Callable[[], None]] = deque()
        self.programs: list[FarProgram] = []
        self.down = False
        self.crash_in: int | None = None
        self.lose = 0.0
        self.opened = 0
        self.ahead = True
        self.ahead_puts = 0

    @property
    def mq(self) -> MqQueueManager:
        return self.node.manager

    def moved(self) -> None:
        """`step` follows in any case."""

    def program(self) -> MqProgram:
        self.opened += 1
        found = FarProgram(self)
        self.programs.append(found)
        if self.down:
            found.cut(2538)
        return found

    def step(self, now: float) -> bool:
        self.now = self.node.now = now
        self.node.timeout()
        moved = self.node.write()
        if not self.steps:
            return moved
        if self.crash_in is not None:
            self.crash_in -= 1
            if self.crash_in < 0:
                self.crash_in = None
                raise Crash
        if self.programs and self.dice.random() < self.lose:
            self.dice.choice(self.programs).cut()
        else:
            self.steps.popleft()()
        self.node.write()
        return True

    def forsaken(self) -> None:
        """The gateway has died: what it has sent still arrives, and then its connections end."""
        for each in list(self.programs):
            each.forget()

    def shut_down(self) -> None:
        """End immediately: all programs are sent away."""
        self.down = True
        for each in list(self.programs):
            each.cut(2162)


class FarAhead:
    """Puts of such a program ahead of their answers."""

    def __init__(self, program: FarProgram) -> None:
        self._program = program

    def put(self, puts: Sequence[MqPut], then: Callable[[PutOutcome], None]) -> None:
        """See `AheadPuts`."""
        self._program.put_ahead(puts, then)


class FarProgram:
    """A program of it, as the gateway has it."""

    takes_rows = False

    def __init__(self, far: FarQueueManager) -> None:
        self._far = far
        self._inner = LocalProgram(far, "")
        self._waiting: dict[int, Callable[[Any], None]] = {}
        self._count = 0
        self._doomed = 0
        self.ahead = FarAhead(self) if far.ahead else None
        self.broken = False
        self._why = 0

    def _ask(self, call: Callable[..., None], *values: Any, then: Callable[[Any], None]) -> None:
        if self.broken:
            self._far.steps.append(lambda: then(MqFailure(self._why)))
            return
        self._count += 1
        number = self._count
        self._waiting[number] = then
        self._far.steps.append(lambda: call(*values, lambda outcome: self._answer(number, outcome)))

    def _answer(self, number: int, outcome: Any) -> None:
        def arrives() -> None:
            then = self._waiting.pop(number, None)
            if then is not None:
                then(outcome)

        self._far.steps.append(arrives)

    def put(self, queue: str, queue_manager: str, message: MqMessage, then: Callable[[PutOutcome], None]) -> None:
        self._ask(self._inner.put, queue, queue_manager, message, then=then)

    def put_ahead(self, puts: Sequence[MqPut], then: Callable[[PutOutcome], None]) -> None:
        """All puts arrive together; after one that has failed the unit of work can only be backed out."""

        def arrived(then: Callable[[PutOutcome], None]) -> None:
            found: list[PutOutcome] = []
            for each in puts:
                self._inner.put(*each, found.append)
            failed = [each for each in found if isinstance(each, MqFailure)]
            self._doomed = failed[0].reason if failed else self._doomed
            then(failed[0] if failed else DONE)

        self._far.ahead_puts += 1
        self._ask(arrived, then=then)

    def dispose(
        self,
        message: MqMessage,
        reason: int,
        destination: tuple[str, str],
        dead_letter_queue: str,
        then: Callable[[PutOutcome], None],
    ) -> None:
        self._ask(self._inner.dispose, message, reason, destination, dead_letter_queue, then=then)

    def get(self, wanted: Wanted, then: Callable[[GetOutcome], None]) -> None:
        self._ask(self._inner.get, wanted, then=then)

    def stop_waiting(self) -> None:
        self._far.steps.append(self._inner.stop_waiting)

    def commit(self, rows: Sequence[Operation], then: Callable[[PutOutcome], None]) -> None:
        assert not rows
        assert not self._doomed, "it can only be backed out"
        self._ask(self._inner.commit, (), then=then)

    def back_out(self, then: Callable[[PutOutcome], None]) -> None:
        self._doomed = 0
        self._ask(self._inner.back_out, then=then)

    def end(self) -> None:
        self._waiting.clear()
        self.cut()

    def cut(self, why: int = 2009) -> None:
        """The connection breaks: what was sent arrives, what is answered does not."""
        if self.broken:
            return
        waiting = list(self._waiting.values())
        self._why = why
        self.forget()
        for then in waiting:
            self._far.steps.append(partial(then, MqFailure(why)))

    def forget(self) -> None:
        """Nobody listens any more."""
        if not self.broken:
            self.broken = True
            self._waiting.clear()
            self._far.programs.remove(self)
            self._far.steps.append(self._inner.end)


class Gateway(Station):
    """A queue manager of Everyplace with a bridge. ``node``: the queue manager of MQ of this life."""

    mq_name = "SATURN"
    bridge: Bridge
    far: FarQueueManager | None = None

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
        self.world.mq[self.name] = self
        super().start()
        self.node = MqNode(self.mq_name, self.store, self.world.now)
        self.plug_ins: PlugIns = supplied()
        self.bridge = Bridge(
            self.manager, self, self.store, self.plug_ins, random.Random(self.world.random.getrandbits(64))
        )
        self.bridge.start(self.world.now)

    # What its network asks of the bridge, which is made after it

    def begin(self, lane: LaneName) -> UnitElsewhere:
        return self.bridge.begin(lane)

    def way(self, queue: Queue) -> str:
        return self.bridge.way(queue)

    def committed(self, lane: LaneName, then: Callable[[int | Refused | None], None]) -> None:
        self.bridge.committed(lane, then)

    # What the bridge asks of its gateway

    @property
    def mq(self) -> MqQueueManager:
        return self.node.manager

    def moved(self) -> None:
        """`go_on` follows in any case."""

    def foreign_program(self, proxy: BridgeDefinition, connection: BridgeDefinition, calling: Calling) -> MqProgram:
        assert self.far is not None, "there is no queue manager elsewhere"
        return self.far.program()

    # Host

    def write(self) -> bool:
        self.node.now = self.now
        self.node.timeout()
        due = self.bridge.next_timeout()
        if due is not None and due <= self.now:
            self.bridge.timeout(self.now)
        moved = False
        while self.node.write() | super().write() | self._ask() | (self.far is not None and self.far.step(self.now)):
            moved = True
        return moved

    def kill(self) -> None:
        if self.far is not None:
            self.far.forsaken()
        super().kill()

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

    def bridge_to(self, far: FarQueueManager, *, start: bool = True, **values: Any) -> BridgePath:
        """Define a bridge, a proxy and a client connection to a queue manager elsewhere."""
        self.far = far
        path: BridgePath = (*BRIDGE, far.node.name, "GATE.CHANNEL")
        self.bridge_object(path[:1])
        self.bridge_object(path[:2], HOST="saturn.example")
        self.bridge_object(path, **values)
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
