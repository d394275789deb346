"""A device and its gateway over a line that is cut, with both killed at any moment: all messages once and in order."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from typing import Any, Final

import pytest

from mqbridge.bridge.everyplace.definitions import queue_properties as rows
from mqbridge.bridge.everyplace.definitions.queue_definition import QueueDefinition
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.queue_manager import Pending, QueueManager
from mqbridge.bridge.everyplace.queues.stored_messages import StoredMessages
from mqbridge.bridge.everyplace.registry import Registry
from mqbridge.bridge.everyplace.transfer.called import CalledEnd
from mqbridge.bridge.everyplace.transfer.lane_records import LaneName
from mqbridge.bridge.everyplace.transfer.pulling import Pulling
from mqbridge.bridge.everyplace.transfer.pushing import Pushing
from mqbridge.bridge.everyplace.transfer.receiving_lane import ReceivingLane
from mqbridge.bridge.everyplace.transfer.sending_lane import SendingLane
from mqbridge.bridge.store.memory import MemoryStore, MemoryTables
from mqbridge.protocol.everyplace.calls import Browse, Browsed, Done, Outcome, Put
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.frames import Frame, Kind
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address

pytestmark = pytest.mark.spec("E-131", "E-135", "E-189", "E-190", "E-191", "E-325", "E-461")
NOW: Final = 1000.0
SEEDS: Final = 150


class End:
    """A queue manager that is killed and started, and whose commits take their time."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.store = MemoryStore(MemoryTables())
        self.store.commit([[Registry.create(name, name.encode().ljust(8))]])
        self.commits: deque[Pending] = deque()
        self.manager = QueueManager(self.store, random.Random(1))

    def define(self, kind: QueueKind, queue: str, owner: str, **values: Any) -> None:
        definition = QueueDefinition(kind, Address(queue, owner))
        for key, value in values.items():
            definition.set(getattr(rows, key), value)
        self.manager.define_queue(definition, lambda outcome: None)
        self.write_all()

    def kill(self) -> None:
        self.commits.clear()
        self.manager = QueueManager(self.store, random.Random(1))

    def take(self) -> None:
        self.commits += self.manager.take_commits()

    def write(self) -> None:
        pending = self.commits.popleft()
        (error,) = self.store.commit([pending.operations])
        self.manager.committed(pending, error)
        self.take()

    def write_all(self) -> None:
        self.take()
        while self.commits:
            self.write()

    def messages(self, queue: str, owner: str) -> StoredMessages:
        found = self.manager.queues.named(Address(queue, owner))
        assert found is not None
        assert found.messages is not None
        return found.messages

    def put(self, address: Address, number: int, priority: int) -> None:
        message = Message()
        message["number"] = number
        message.priority = priority
        found: list[Outcome] = []
        self.manager.call(Put(address, message), found.append, NOW)
        self.write_all()
        assert found == [Done()]

    def numbers(self, queue: str) -> list[tuple[int | None, int]]:
        found: list[Outcome] = []
        self.manager.call(Browse(Address(queue, self.name), Fields()), found.append, NOW)
        assert isinstance(found[0], Browsed)
        return [(each.priority, each["number"]) for each in found[0].messages]


class Course:
    """MOON calls EARTH: ORDERS goes up, REPLIES comes down."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.moon, self.earth = End("MOON"), End("EARTH")
        self.moon.define(QueueKind.REMOTE, "ORDERS", "EARTH", MODE=rows.ASYNCHRONOUS)
        self.moon.define(QueueKind.LOCAL, "REPLIES", "MOON")
        self.earth.define(QueueKind.LOCAL, "ORDERS", "EARTH")
        self.earth.define(QueueKind.STORE_AND_FORWARD, "SAF", "EARTH", ENTRIES=["MOON"])
        self.wire: deque[Callable[[], None]] = deque()
        self.called: CalledEnd | None = None
        self.up = self.down = 0
        self.start_moon()
        self.start_earth()

    def start_moon(self) -> None:
        messages = self.moon.messages("ORDERS", "EARTH")
        lane = SendingLane(LaneName("EARTH", "ORDERS"), self.moon.store, messages)
        self.pushing = Pushing(lane, messages, self.moon.manager, "ORDERS")
        back = ReceivingLane(
            LaneName("EARTH", "MOON"), self.moon.store, lambda *values: self.moon.manager.place(*values, NOW)
        )
        self.pulling = Pulling(back, "MOON", self.moon.manager)

    def start_earth(self) -> None:
        messages = self.earth.messages("SAF", "EARTH")
        self.taking = ReceivingLane(
            LaneName("MOON", "ORDERS"), self.earth.store, lambda *values: self.earth.manager.place(*values, NOW)
        )
        self.handed_out = SendingLane(LaneName("MOON", "SAF"), self.earth.store, messages, "MOON"), messages

    # The line: MOON's side of it

    partner, incarnation = "EARTH", b"EARTH   "

    def ask(self, kind: Kind, body: bytes, then: Callable[[Frame], None]) -> None:
        """A request travels, and its answer comes back."""

        def reply(answer: Kind, data: bytes) -> None:
            self.wire.append(lambda: then(Frame(answer, 1, data)))

        def arrive() -> None:
            assert self.called is not None
            self.called.receive(Frame(kind, 1, body), reply, int(NOW * 1000))

        self.wire.append(arrive)

    def connect(self) -> None:
        self.called = CalledEnd(b"MOON    ", self.earth.manager, lambda _: self.taking, lambda: self.handed_out)
        self.pushing.connected(self)
        self.pulling.connected(self)

    def cut(self) -> None:
        self.wire.clear()
        if self.called is not None:
            self.called.cut()
            self.called = None
        self.pushing.cut()
        self.pulling.cut()

    def kill(self, end: End) -> None:
        self.cut()
        end.kill()
        if end is self.moon:
            self.start_moon()
        else:
            self.start_earth()

    def step(self) -> None:
        """One thing that can happen without a fault."""
        self.moon.take()
        self.earth.take()
        choices: list[Callable[[], None]] = []
        if self.wire:
            choices.append(lambda: self.wire.popleft()())
        choices += [end.write for end in (self.moon, self.earth) if end.commits]
        if self.called is None:
            choices.append(self.connect)
        if choices:
            self.dice.choice(choices)()
        else:
            self.pushing.go_on(int(NOW * 1000))
            self.pulling.pull(0)

    def put(self) -> None:
        if self.dice.random() < 0.5:
            self.up += 1
            self.moon.put(Address("ORDERS", "EARTH"), self.up, self.dice.choice((3, 4)))
        else:
            self.down += 1
            self.earth.put(Address("REPLIES", "MOON"), self.down, self.dice.choice((3, 4)))

    def run(self) -> None:
        for _ in range(120):
            chance = self.dice.random()
            if chance < 0.12:
                self.put()
            elif chance < 0.15:
                self.cut()
            elif chance < 0.18:
                self.kill(self.dice.choice((self.moon, self.earth)))
            else:
                self.step()
        for _ in range(400):
            self.step()

    def judge(self) -> None:
        for end, queue, count in ((self.earth, "ORDERS", self.up), (self.moon, "REPLIES", self.down)):
            found = end.numbers(queue)
            assert sorted(number for _, number in found) == list(range(1, count + 1))
            for priority in (3, 4):
                numbers = [number for own, number in found if own == priority]
                assert numbers == sorted(numbers)
        assert len(self.moon.messages("ORDERS", "EARTH")) == 0
        assert len(self.earth.messages("SAF", "EARTH")) == 0


@pytest.mark.parametrize("first", range(0, SEEDS, 25))
def test_all_messages_arrive_once_and_in_order(first: int) -> None:
    for seed in range(first, first + 25):
        course = Course(seed)
        try:
            course.run()
            course.judge()
        except BaseException as error:
            error.add_note(f"seed {seed}")
            raise
