"""A device's messages into a queue manager elsewhere, while gateway, connections and MQ come and go: each once."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from mqbridge.bridge.agents.everyplace.mq.program import DONE, MqProgram, PutOutcome
from mqbridge.bridge.agents.everyplace.mq.sync_records import LaneRecord
from mqbridge.bridge.agents.everyplace.mq.sync_records import _message as message_of
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.transfer.lane_records import KEPT_FOR_MQ
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.bridge.store.interface import Store
from mqbridge.protocol.everyplace.calls import ConfirmPut, Done, Outcome, Put, Refused
from mqbridge.protocol.everyplace.errors import Code
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.mq_style import DATA, MQ_STYLE
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.uid import MessageUid
from support.everyplace import Station, World
from support.everyplace_bridge import SYNC_QUEUE, FarQueueManager, Gateway
from support.queue_manager.faulty_store import Crash, FaultyStore

pytestmark = pytest.mark.spec("E-193", "E-401", "E-402", "E-406", "E-407", "E-420")
ORDERS = Address("ORDERS", "SATURN")
MESSAGES = 40


class Course:
    """MOON sends to SATURN over EARTH, whose store fails at a step or whose connections to MQ break."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.world = World(seed)
        self.store: FaultyStore | None = None
        self.earth = Gateway.add(self.world, "EARTH", mq="OWN", make_store=self.open_store)
        self.saturn = FarQueueManager("SATURN", self.world.now, self.dice)
        self.saturn.node.define(Kind.QLOCAL, "ORDERS")
        self.earth.bridge_to(self.saturn, MAX_CONNECTIONS=2)
        self.earth.define(QueueKind.MQ_BRIDGE, "ORDERS", "SATURN")
        self.moon: Station = self.world.queue_manager("MOON")
        self.moon.connection("EARTH")
        self.moon.connection("SATURN", via="EARTH")
        self.moon.remote("ORDERS", "SATURN")

    def open_store(self) -> Store:
        self.store = FaultyStore(self.dice) if self.store is None else self.store.restart()
        return self.store

    def arm(self) -> None:
        assert self.store is not None
        if self.dice.random() < 0.5:
            self.store.crash_at = {self.store.steps + self.dice.randint(1, 8)}
        else:
            self.saturn.crash_in = self.dice.randint(1, 30)

    def disarm(self) -> None:
        assert self.store is not None
        self.store.crash_at = ()
        self.saturn.crash_in = None

    def survive(self, what: Callable[[], object]) -> bool:
        """Do something during which the gateway may die; it is started again then."""
        try:
            what()
        except Crash:
            self.disarm()
            self.earth.kill()
            return False
        self.disarm()
        return True

    def bodies(self) -> list[int]:
        return [int(each) for each in self.saturn.node.bodies("ORDERS")]


def order(number: int) -> Message:
    message = Message(MQ_STYLE)
    message.put(DATA, b"%d" % number, FieldType.BYTE_ARRAY)
    return message


def send(course: Course) -> None:
    course.saturn.lose = 0.01
    for number in range(MESSAGES):
        course.moon.put("ORDERS@SATURN", order(number))
        if course.dice.random() < 0.4:
            course.arm()
            if course.dice.random() < 0.2:
                course.saturn.shut_down()
            course.survive(lambda: course.world.run(course.dice.choice((0.0, 0.5, 3.0))))
            course.saturn.down = False
    course.saturn.lose = 0.0
    for _ in range(20):
        course.moon.network.trigger(course.moon.now)
        course.world.run(60)


@pytest.mark.parametrize("first", range(0, 16, 4))
def test_batches_are_in_mq_once_and_in_order(first: int) -> None:
    for seed in range(first, first + 4):
        course = Course(seed)
        try:
            send(course)
            assert course.bodies() == list(range(MESSAGES))
            assert len(course.moon.stored("ORDERS@SATURN")) == 0
            assert len(course.saturn.node.bodies(SYNC_QUEUE)) == 1
        except BaseException as error:
            error.add_note(f"seed {seed}")
            raise


def test_a_sync_record_outside_its_unit_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the test above would see if the record of a batch did not go with its messages."""

    def lost(self: LaneRecord, program: MqProgram, number: int, then: Callable[[PutOutcome], None]) -> None:
        self._body = self._body._replace(number=self.number)
        program.put(self._queue, "", message_of(self._key, self._body), lambda _: then(DONE))

    monkeypatch.setattr(LaneRecord, "replace", lost)
    faults = 0
    for seed in range(6):
        course = Course(seed)
        send(course)
        faults += course.bodies() != list(range(MESSAGES))
    assert faults


def ask(course: Course, call: Put | ConfirmPut) -> Outcome | None:
    """Make a call that may get no answer because the gateway dies."""
    found: list[Outcome] = []

    def call_it() -> None:
        course.earth.manager.call(call, found.append, course.earth.now)
        course.world.run(5)

    course.survive(call_it)
    return found[0] if found else None


@pytest.mark.parametrize("seed", range(6))
def test_an_assured_put_is_in_mq_once_however_often_it_is_repeated(seed: int) -> None:
    """The program follows E-198: put again with resend, confirm again, and take NOT_FOUND of a repeated one as done."""
    course = Course(seed)
    course.saturn.lose = 0.03
    for number in range(12):
        message = order(number)
        message.identify(MessageUid("EARTH", number + 1))
        assert message.uid is not None
        outcome: Outcome | None = None
        while outcome != Done():
            if course.dice.random() < 0.5:
                course.arm()
            outcome = ask(course, Put(ORDERS, message, 7))
            message.resend = True
        assert number not in course.bodies()
        repeated = False
        while True:
            if course.dice.random() < 0.5:
                course.arm()
            outcome = ask(course, ConfirmPut(ORDERS, message.uid))
            if outcome == Done() or (repeated and isinstance(outcome, Refused) and outcome.code is Code.NOT_FOUND):
                break
            repeated = True
    assert course.bodies() == list(range(12))
    assert list(course.earth.store.records(KEPT_FOR_MQ)) == []
