"""Batches for MQ with a crash, a cut or an outage between any two steps: each once, and in order in its queue."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final

import pytest

from mqbridge.bridge.everyplace.definitions import queue_properties as rows
from mqbridge.bridge.everyplace.definitions.queue_definition import QueueDefinition
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.elsewhere import TargetElsewhere
from mqbridge.bridge.everyplace.onward.ways import Ways
from mqbridge.bridge.everyplace.queue_manager import Pending, QueueManager
from mqbridge.bridge.everyplace.queues.queue import Queue
from mqbridge.bridge.everyplace.registry import Registry
from mqbridge.bridge.everyplace.transfer.called import CalledEnd
from mqbridge.bridge.everyplace.transfer.lane_records import LaneName
from mqbridge.bridge.everyplace.transfer.parts_in import PartsIn
from mqbridge.bridge.everyplace.transfer.pushing import Pushing
from mqbridge.bridge.everyplace.transfer.receiving_lane import ReceivingLane
from mqbridge.bridge.everyplace.transfer.sending_lane import SendingLane
from mqbridge.bridge.store.interface import Operation
from mqbridge.bridge.store.memory import MemoryStore, MemoryTables
from mqbridge.protocol.everyplace.calls import Browse, Browsed, Done, Outcome, Put, Refused
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.frames import Frame, Kind
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address

pytestmark = pytest.mark.spec("E-193", "E-194", "E-407", "E-420")
NOW: Final = 1000.0
SEEDS: Final = 60
TARGETS: Final = (Address("ORDERS", "SATURN"), Address("BILLS", "SATURN"), Address("HERE", "EARTH"))


class Mq:
    """SATURN: what is committed there, with the record of each lane. It outlives EARTH. ``down``: it is away."""

    def __init__(self, *, foreign: bool) -> None:
        self.foreign = foreign
        self.queues: dict[str, list[int]] = {"ORDERS": [], "BILLS": []}
        self.records: dict[bytes, int] = {}
        self.down = False
        self.sync_record_in_the_unit = True


class FakeUnit:
    """A unit of work whose steps take their turn."""

    def __init__(self, bridge: FakeBridge, lane: LaneName) -> None:
        self.bridge = bridge
        self.lane = lane
        self.messages: list[tuple[str, int]] = []
        self.over = self.refused = False

    def put(self, target: TargetElsewhere, message: Message, then: Callable[[Refused | None], None]) -> None:
        def arrives() -> None:
            if self.over:
                return
            if self.bridge.mq.down or self.refused:
                self.refused = True
                then(Refused(Code.BRIDGE_MQ_UNAVAILABLE, "SATURN is away"))
            else:
                self.messages.append((target.address.queue, message["number"]))
                then(None)

        self.bridge.steps.append(arrives)

    def commit(self, number: int, rows: Sequence[Operation], then: Callable[[bool], None]) -> None:
        bridge, mq = self.bridge, self.bridge.mq

        def place() -> None:
            for queue, each in self.messages:
                mq.queues[queue].append(each)

        def unit_is_committed() -> None:
            if mq.down:
                bridge.steps.append(lambda: then(False))
                return
            place()
            if mq.sync_record_in_the_unit:
                mq.records[self.lane.key] = number
            if bridge.answers_get_lost():
                bridge.steps.append(lambda: then(False))
            else:
                bridge.steps.append(rows_are_written)

        def rows_are_written() -> None:
            assert bridge.store.commit([list(rows)]) == [None]
            bridge.steps.append(lambda: then(True))

        def all_in_one() -> None:
            place()
            rows_are_written()

        bridge.steps.append(unit_is_committed if mq.foreign else all_in_one)

    def back_out(self) -> None:
        self.over = True


class FakeBridge:
    """The bridge of one life of EARTH. ``steps``: what is to happen next, one after the other."""

    def __init__(self, mq: Mq, store: MemoryStore, steps: deque[Callable[[], None]], dice: random.Random) -> None:
        self.mq = mq
        self.store = store
        self.steps = steps
        self.dice = dice

    def answers_get_lost(self) -> bool:
        return self.dice.random() < 0.1

    def begin(self, lane: LaneName) -> FakeUnit:
        return FakeUnit(self, lane)

    def way(self, queue: Queue) -> str:
        return queue.owner

    def committed(self, lane: LaneName, then: Callable[[int | Refused | None], None]) -> None:
        def asked() -> None:
            if self.mq.down:
                then(Refused(Code.BRIDGE_MQ_UNAVAILABLE, "SATURN is away"))
            else:
                then(self.mq.records.get(lane.key))

        self.steps.append(asked)


class End:
    """A queue manager that is killed and started."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.store = MemoryStore(MemoryTables())
        self.store.commit([[Registry.create(name, name.encode().ljust(8))]])
        self.commits: deque[Pending] = deque()
        self.manager = QueueManager(self.store, random.Random(1))

    def define(self, kind: QueueKind, address: Address, **values: Any) -> None:
        definition = QueueDefinition(kind, address)
        for key, value in values.items():
            definition.set(getattr(rows, key), value)
        self.manager.define_queue(definition, lambda outcome: None)
        self.write_all()

    def kill(self) -> None:
        self.commits.clear()
        self.manager = QueueManager(self.store, random.Random(1))

    def write(self) -> None:
        pending = self.commits.popleft()
        (error,) = self.store.commit([pending.operations])
        self.manager.committed(pending, error)
        self.commits += self.manager.take_commits()

    def write_all(self) -> None:
        self.commits += self.manager.take_commits()
        while self.commits:
            self.write()


class Course:
    """MOON keeps what goes to SATURN and EARTH on one store-and-forward queue, and pushes it to EARTH."""

    partner, incarnation = "EARTH", b"EARTH   "

    def __init__(self, seed: int, *, foreign: bool) -> None:
        self.dice = random.Random(seed)
        self.mq = Mq(foreign=foreign)
        self.moon, self.earth = End("MOON"), End("EARTH")
        self.moon.define(QueueKind.STORE_AND_FORWARD, Address("UP", "EARTH"), ENTRIES=["SATURN", "EARTH"])
        self.earth.define(QueueKind.LOCAL, TARGETS[2])
        self.earth.define(QueueKind.MQ_BRIDGE, Address("*", "SATURN"))
        self.wire: deque[Callable[[], None]] = deque()
        self.called: CalledEnd | None = None
        self.put_so_far: dict[str, list[int]] = {each.queue: [] for each in TARGETS}
        self.count = 0
        self.start_moon()
        self.start_earth()

    def start_moon(self) -> None:
        queue = self.moon.manager.queues.named(Address("UP", "EARTH"))
        assert queue is not None
        assert queue.messages is not None
        self.waiting = queue.messages
        lane = SendingLane(LaneName("EARTH", "UP"), self.moon.store, queue.messages)
        self.pushing = Pushing(lane, queue.messages, self.moon.manager, "UP")

    def start_earth(self) -> None:
        self.steps: deque[Callable[[], None]] = deque()
        bridge = FakeBridge(self.mq, self.earth.store, self.steps, self.dice)
        manager = self.earth.manager
        self.taking = ReceivingLane(
            LaneName("MOON", "UP"),
            self.earth.store,
            lambda *values: manager.place(*values, NOW),
            Ways(lambda message, address: manager.elsewhere.target(message, address, "MOON"), bridge),
        )

    def ask(self, kind: Kind, body: bytes, then: Callable[[Frame], None]) -> None:
        called = self.called

        def reply(answer: Kind, data: bytes) -> None:
            if called is self.called:
                self.wire.append(lambda: self.answered(answer, data, then))

        def arrive() -> None:
            assert called is not None
            try:
                called.receive(Frame(kind, 1, body), reply, int(NOW * 1000))
            except EveryplaceError as error:
                if error.code not in (Code.BRIDGE_MQ_UNAVAILABLE, Code.DATA):
                    raise
                self.cut()

        self.wire.append(arrive)

    def answered(self, kind: Kind, data: bytes, then: Callable[[Frame], None]) -> None:
        if kind is Kind.ERROR:
            self.cut()
        else:
            then(Frame(kind, 1, data))

    def connect(self) -> None:
        parts = PartsIn(self.earth.store, self.earth.manager, lambda: 0)
        self.called = CalledEnd(b"MOON    ", self.earth.manager, lambda _: self.taking, lambda: None, parts)
        self.pushing.connected(self)

    def cut(self) -> None:
        self.wire.clear()
        if self.called is not None:
            self.called.cut()
            self.called = None
        self.pushing.cut()

    def kill(self, end: End) -> None:
        self.cut()
        end.kill()
        if end is self.moon:
            self.start_moon()
        else:
            self.start_earth()

    def step(self) -> None:
        """One thing that can happen without a fault."""
        choices: list[Callable[[], None]] = []
        for end in (self.moon, self.earth):
            end.commits += end.manager.take_commits()
            if end.commits:
                choices.append(end.write)
        choices += [lambda line=line: line.popleft()() for line in (self.wire, self.steps) if line]  # type: ignore[misc]
        if self.called is None:
            choices.append(self.connect)
        if choices:
            self.dice.choice(choices)()
        elif self.dice.random() < 0.1:  # an answer that never came: the commit failed
            self.cut()
        else:
            self.pushing.go_on(int(NOW * 1000))

    def put(self) -> None:
        self.count += 1
        address = self.dice.choice(TARGETS)
        message = Message()
        message["number"] = self.count
        found: list[Outcome] = []
        self.moon.manager.call(Put(address, message), found.append, NOW)
        self.moon.write_all()
        assert found == [Done()]
        self.put_so_far[address.queue].append(self.count)

    def run(self) -> None:
        for _ in range(150):
            chance = self.dice.random()
            if chance < 0.12:
                self.put()
            elif chance < 0.15:
                self.cut()
            elif chance < 0.19:
                self.kill(self.dice.choice((self.moon, self.earth)))
            elif chance < 0.21:
                self.mq.down = self.mq.foreign and not self.mq.down
            else:
                self.step()
        self.mq.down = False
        for _ in range(600):
            self.step()

    def judge(self) -> None:
        found: list[Outcome] = []
        self.earth.manager.call(Browse(TARGETS[2], Fields()), found.append, NOW)
        assert isinstance(found[0], Browsed)
        here = [each["number"] for each in found[0].messages]
        assert {"HERE": here, **self.mq.queues} == self.put_so_far
        assert len(self.waiting) == 0


@pytest.mark.parametrize("foreign", [False, True])
def test_all_messages_are_in_mq_once_and_in_order(foreign: bool) -> None:
    for seed in range(SEEDS):
        course = Course(seed, foreign=foreign)
        try:
            course.run()
            course.judge()
        except BaseException as error:
            error.add_note(f"seed {seed}")
            raise


def test_a_sync_record_outside_its_unit_is_noticed() -> None:
    """The test above sees it when the record of a batch is not committed with its messages."""
    faults = 0
    for seed in range(SEEDS):
        course = Course(seed, foreign=True)
        course.mq.sync_record_in_the_unit = False
        course.run()
        try:
            course.judge()
        except AssertionError:
            faults += 1
    assert faults > 0
