"""Lanes of Everyplace against a model: whatever is cut, lost and crashes, each message arrives once and in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from hypothesis.strategies import booleans, integers

from mqbridge.bridge.everyplace.changes import Change, Unsettled
from mqbridge.bridge.everyplace.queues.held_messages import Limits
from mqbridge.bridge.everyplace.queues.stored_messages import StoredMessages
from mqbridge.bridge.everyplace.transfer.lane_records import LaneName
from mqbridge.bridge.everyplace.transfer.parts_in import LONG
from mqbridge.bridge.everyplace.transfer.receiving_lane import ReceivingLane
from mqbridge.bridge.everyplace.transfer.sending_lane import Batch, LaneState, SendingLane
from mqbridge.bridge.store.memory import MemoryStore, MemoryTables
from mqbridge.protocol.everyplace.batches import RefusedMessage
from mqbridge.protocol.everyplace.calls import Refused
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.filters import Filter
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.uid import MessageUid

pytestmark = pytest.mark.spec("E-189", "E-190", "E-191", "E-204")
NUMBER = 2**31
MOON, EARTH = b"moon....", b"earth..."
ADDRESS = Address("ORDERS", "EARTH")


class End:
    """One queue manager: its store, and the changes that are not on disk yet. ``full``: the disk takes nothing."""

    def __init__(self) -> None:
        self.tables = MemoryTables()
        self.open: list[tuple[Change[Any], Callable[[bool], None] | None]] = []
        self.full = False
        self.restart()

    def restart(self) -> None:
        """Forget everything but the store."""
        self.open.clear()
        self.store = MemoryStore(self.tables)
        self.messages = StoredMessages(NUMBER, "ORDERS@EARTH", self.store, Limits())

    def submit(self, change: Change[Any] | None, then: Callable[[bool], None] | None = None) -> None:
        if change is not None:
            self.open.append((change, then))

    def commit(self) -> None:
        """Put the oldest open change on disk, or refuse it."""
        change, then = self.open.pop(0)
        if not self.full:
            assert self.store.commit([change.operations]) == [None]
        change.ended(committed=not self.full)
        if then is not None:
            then(not self.full)


class Lanes(RuleBasedStateMachine):
    """MOON sends ORDERS to EARTH. What is on its way stands in ``wire``, by its kind and the turn of MOON's question:
    what comes in answer to an older one does not count. ``life``: of the connection."""

    @initialize()
    def begin(self) -> None:
        self.moon, self.earth = End(), End()
        self.wire: list[tuple[Any, ...]] = []
        self.connected = False
        self.put_so_far = self.turn = self.life = 0
        self.make_sender()
        self.make_receiver()

    def make_sender(self) -> None:
        self.sender = SendingLane(LaneName("EARTH", "ORDERS"), self.moon.store, self.moon.messages)

    def make_receiver(self) -> None:
        def place(message: Message, address: Address) -> Change[Any]:
            return self.earth.messages.put(message, 0, 0, address)

        self.receiver = ReceivingLane(LaneName("MOON", "ORDERS"), self.earth.store, place)

    @rule(count=integers(1, 4))
    def put(self, count: int) -> None:
        for _ in range(count):
            self.put_so_far += 1
            message = Message()
            message.identify(MessageUid("MOON", self.put_so_far))
            change = self.moon.messages.put(message, 0, 0, ADDRESS)
            assert self.moon.store.commit([change.operations]) == [None]
            change.ended(committed=True)

    @precondition(lambda self: not self.connected)
    @rule()
    def connect(self) -> None:
        """The ends settle; one that is still writing lets the other wait."""
        try:
            numbers: list[int | Refused] = []
            self.receiver.settle(MOON, self.earth, numbers.append)
            (number,) = numbers
            assert isinstance(number, int)
            self.sender.settle(EARTH, number, self.receiver.mark)
        except Unsettled:
            return
        self.connected = True

    @rule(steps=integers(1, 14), count=integers(1, 3), quick=booleans())
    def go_on(self, steps: int, count: int, quick: bool) -> None:
        """Connect, and take so many steps of frames and commits; whatever interrupts comes in between.

        ``quick``: frames are quicker than EARTH's disk.
        """
        if not self.connected:
            self.connect()
        for _ in range(steps):
            self.step(count, quick=quick)

    def step(self, count: int, *, quick: bool = False) -> None:
        self.count = count
        if self.moon.open:
            self.moon_writes()
        elif self.wire and (quick or not self.earth.open):
            self.deliver()
        elif self.earth.open:
            self.earth_writes()
        elif self.connected:
            self.push(self.sender.next_batch(count, 0))

    def push(self, batch: Batch | None) -> None:
        if batch is not None:
            messages = [self.moon.messages.read(each) for each in batch.entries]
            self.wire.append(("push", self.turn, batch.number, messages))

    def deliver(self) -> None:
        """The oldest frame arrives."""
        kind, turn, *values = self.wire.pop(0)
        if kind in ("push", "confirm", "state"):
            self.asked(kind, turn, *values)
        elif turn == self.turn:
            self.answered(kind, *values)

    def asked(self, kind: str, turn: int, *values: Any) -> None:
        """EARTH serves a question, now or when it has committed what it concerns."""
        life = self.life
        try:
            self.serve(kind, turn, *values)
        except Unsettled as unsettled:
            unsettled.change.afterwards(lambda: self.asked(kind, turn, *values) if life == self.life else None)
        except EveryplaceError as refused:
            self.refuse(kind, turn, refused.code)

    def refuse(self, kind: str, turn: int, code: Code) -> None:
        """Nothing is refused but a batch behind one that the disk has not taken, which MOON knows or hears before."""
        assert (kind, code) == ("push", Code.STORE)
        assert turn < self.turn or ("failed", turn) in [each[:2] for each in self.wire]
        self.wire.append(("failed", turn))

    def serve(self, kind: str, turn: int, *values: Any) -> None:
        life = self.life

        def answer(kind: str, *values: Any) -> None:
            if life == self.life:
                self.wire.append((kind, turn, *values))

        if kind == "push":
            number, messages = values
            pairs = [(message, ADDRESS) for message in messages]
            refused: list[list[RefusedMessage]] = []
            self.receiver.push(MOON, number, pairs, refused.append)
            assert refused == [[]]
            answer("taken", number, [])
        elif kind == "confirm":
            number, mark = values

            def placed(committed: bool) -> None:
                answer("confirmed" if committed else "failed", *([number] if committed else []))

            self.receiver.confirm(MOON, number, self.earth, placed, mark)
        else:
            self.receiver.settle(MOON, self.earth, lambda found: answer("numbers", found, self.receiver.mark))

    def answered(self, kind: str, *values: Any) -> None:
        """MOON goes on."""
        if kind == "taken":
            number, refused = values
            life = self.life
            self.moon.submit(
                self.sender.taken(number, refused), lambda committed: self.in_doubt(life, number, committed)
            )
        elif kind == "confirmed":
            self.sender.confirmed(*values)
        elif kind == "failed":
            self.settle_again()
        else:
            try:
                self.sender.settle(EARTH, *values)
            except Unsettled:
                self.wire.append(("numbers", self.turn, *values))

    def in_doubt(self, life: int, number: int, committed: bool) -> None:
        """The record is on disk: CONFIRM goes out, and behind it the next batch."""
        if life != self.life:
            return
        if not committed:
            self.settle_again()
            return
        assert self.sender.state is LaneState.IN_DOUBT
        self.wire.append(("confirm", self.turn, number, self.sender.mark))
        self.push(self.sender.batch_behind(self.count, 0, below=LONG))

    def settle_again(self) -> None:
        self.turn += 1
        self.sender.cut()
        self.wire.append(("state", self.turn))

    @precondition(lambda self: self.moon.open and not self.connected)
    @rule()
    def moon_writes(self) -> None:
        self.moon.commit()

    @precondition(lambda self: self.earth.open and not self.connected)
    @rule()
    def earth_writes(self) -> None:
        self.earth.commit()

    @rule(full=booleans(), there=booleans())
    def disk(self, full: bool, there: bool) -> None:
        """A disk fills up, or has room again."""
        (self.earth if there else self.moon).full = full

    @precondition(lambda self: self.sender.waiting)
    @rule()
    def moon_deletes(self) -> None:
        self.moon.submit(self.sender.deletes())

    @precondition(lambda self: self.connected)
    @rule()
    def cut(self) -> None:
        self.connected = False
        self.turn += 1
        self.life += 1
        self.wire.clear()
        self.sender.cut()
        self.receiver.cut()

    @rule()
    def moon_is_killed(self) -> None:
        self.cut()
        self.moon.restart()
        self.make_sender()

    @rule()
    def earth_is_killed(self) -> None:
        self.cut()
        self.earth.restart()
        self.make_receiver()

    @invariant()
    def each_arrives_once_and_in_order(self) -> None:
        arrived = [uid.time for uid in self.earth.messages.browse_uids(Filter(), 0)]
        assert arrived == list(range(1, len(arrived) + 1))
        here = [uid.time for uid in self.moon.messages.browse_uids(Filter(), 0)]
        assert {*arrived, *here} == set(range(1, self.put_so_far + 1))

    def teardown(self) -> None:
        """In the end all are there, and nothing is left."""
        if not hasattr(self, "moon"):
            return
        self.cut()
        self.moon.full = self.earth.full = False
        while self.moon.open:
            self.moon.commit()
        while self.earth.open:
            self.earth.commit()
        self.connect()
        for _ in range(3 * self.put_so_far + 3):
            self.push(self.sender.next_batch(2, 0))
            while self.wire or self.moon.open or self.earth.open:
                self.step(2)
        self.moon.submit(self.sender.deletes())
        while self.moon.open:
            self.moon.commit()
        assert not self.moon.messages.browse_uids(Filter(), 0)
        assert len(self.earth.messages) == self.put_so_far
        self.moon.restart()
        assert not len(self.moon.messages)


TestLanes = Lanes.TestCase
TestLanes.settings = settings(stateful_step_count=40, max_examples=60)


@pytest.mark.spec("E-198", "E-204")
def test_a_confirm_of_a_batch_that_is_not_there_is_never_done() -> None:
    """A receiver that has lost the batch says so, and one that another end has used holds the lane."""
    earth = End()
    receiver = ReceivingLane(LaneName("MOON", "ORDERS"), earth.store, lambda *_: Change(None))
    with pytest.raises(EveryplaceError, match="not here"):
        receiver.confirm(MOON, 1, earth, lambda committed: None)
    message = Message()
    message.identify(MessageUid("MOON", 1))
    refused: list[list[RefusedMessage]] = []
    receiver.push(MOON, 1, [(message, ADDRESS)], refused.append)
    assert refused == [[]]
    receiver.cut()
    with pytest.raises(EveryplaceError, match="not here"):
        receiver.confirm(MOON, 1, earth, lambda committed: None)


def test_numbers_that_no_crash_explains_hold_the_lane_until_it_is_readmitted() -> None:
    moon = End()
    lane = SendingLane(LaneName("EARTH", "ORDERS"), moon.store, moon.messages)
    with pytest.raises(EveryplaceError, match="LANE_HELD"):
        lane.settle(EARTH, 7)
    assert lane.state is LaneState.HELD
    assert "batch 0 is the last confirmed here" in lane.alarm
    assert lane.next_batch(1, 0) is None
    moon.submit(lane.readmit(EARTH, 7))
    moon.commit()
    lane.settle(EARTH, 7)
    assert lane.state is LaneState.READY
    moon.submit(lane.readmit(EARTH, 7))
    moon.commit()
    with pytest.raises(EveryplaceError, match="another EARTH"):
        lane.settle(b"another.", 7)


def test_a_refused_message_stays_and_the_others_go() -> None:
    moon = End()
    for number in (1, 2):
        message = Message()
        message.identify(MessageUid("MOON", number))
        moon.submit(moon.messages.put(message, 0, 0, ADDRESS))
        moon.commit()
    lane = SendingLane(LaneName("EARTH", "ORDERS"), moon.store, moon.messages)
    lane.settle(EARTH, 0)
    assert lane.next_batch(5, 0) is not None
    moon.submit(lane.taken(1, [RefusedMessage(MessageUid("MOON", 1), 201, "Q is full")]))
    moon.commit()
    lane.confirmed(1)
    moon.submit(lane.deletes())
    moon.commit()
    assert moon.messages.browse_uids(Filter(), 0) == [MessageUid("MOON", 1)]
    assert "MOON+1 is refused: Q is full" in lane.alarm
