"""MQ behind the last gateway: in its process, with one transaction for both, or foreign, with a sync record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from random import Random

from mqbridge.bridge.everyplace.changes import Change
from mqbridge.bridge.everyplace.mq_units import MqTarget
from mqbridge.bridge.everyplace.queues.queue import Queue
from mqbridge.bridge.everyplace.transfer.lane_records import LaneName
from mqbridge.bridge.store.interface import AddMessage, Operation
from mqbridge.protocol.everyplace.calls import Refused
from mqbridge.protocol.everyplace.dump import dump, restore
from mqbridge.protocol.everyplace.errors import Code
from mqbridge.protocol.everyplace.message import Message

from .clock import SimulatedClock
from .everyplace_node import EveryplaceNode
from .everyplace_oracle import IDENTITY, EveryplaceOracle

QUEUE = 7
"""Number of MQ's queue in the store of a gateway that has MQ in its process."""
Committed = Callable[[int | Refused | None], None]


class SimulatedMq:
    """One queue of MQ, and who puts to it: the bridge of a node's present life."""

    def __init__(
        self,
        node: EveryplaceNode,
        oracle: EveryplaceOracle,
        random: Random,
        clock: SimulatedClock,
        note: Callable[[str], None],
    ) -> None:
        self.node = node
        self.oracle = oracle
        self.random = random
        self.clock = clock
        self.note = note
        self.peaceful = False

    @property
    def busy(self) -> bool:
        """Whether something is on its way."""
        return False

    def shares(self, node: EveryplaceNode) -> bool:
        """Whether a backup of this node would be one of half of what its lanes need."""
        return node is self.node

    def later(self, action: Callable[[], None]) -> None:
        """Answer after a while, if the process still runs."""
        life = self.node.life

        def answer() -> None:
            if life == self.node.life:
                self.node.call(action)

        self.clock.after(self.random.expovariate(1 / 0.005), answer)


class LocalMq(SimulatedMq):
    """MQ in the process of the gateway: its rows are in the same store."""

    def bridge(self, node: EveryplaceNode) -> LocalMq:
        return self

    def begin(self, lane: LaneName) -> LocalUnit:
        return LocalUnit(self)

    def way(self, queue: Queue) -> str:
        return "here"

    def committed(self, lane: LaneName, then: Committed) -> None:
        then(None)

    def arrived(self) -> dict[str, list[str]]:
        store = self.node.store
        return {"MQ": [restore(store.read(QUEUE, position)).get(IDENTITY) for position, _, _ in store.scan(QUEUE)]}


class LocalUnit:
    """A unit of work of MQ in the process."""

    def __init__(self, mq: LocalMq) -> None:
        self._mq = mq
        self._messages: list[Message] = []

    def put(self, target: MqTarget, message: Message, then: Callable[[Refused | None], None]) -> None:
        self._messages.append(message)
        then(None)

    def commit(self, number: int, rows: Sequence[Operation], then: Callable[[bool], None]) -> None:
        store = self._mq.node.store
        first = max((position for position, _, _ in store.scan(QUEUE)), default=0) + 1
        puts = [AddMessage(QUEUE, first + at, b"", dump(each)) for at, each in enumerate(self._messages)]
        self._mq.node.manager.submit(Change(None, [*puts, *rows]), then)

    def back_out(self) -> None:
        self._messages.clear()


class ForeignMq(SimulatedMq):
    """Another queue manager: its messages, and its sync record of each lane, are committed together there."""

    def __init__(
        self,
        node: EveryplaceNode,
        oracle: EveryplaceOracle,
        random: Random,
        clock: SimulatedClock,
        note: Callable[[str], None],
    ) -> None:
        super().__init__(node, oracle, random, clock, note)
        self.messages: list[str] = []
        self.records: dict[LaneName, int] = {}
        self.fault_rate = random.choice([0.0, 0.05, 0.3])
        self.on_the_way = 0

    @property
    def busy(self) -> bool:
        return bool(self.on_the_way)

    @property
    def fails(self) -> bool:
        """Whether it cannot be reached now."""
        return not self.peaceful and self.random.random() < self.fault_rate

    def bridge(self, node: EveryplaceNode) -> ForeignMq:
        return self

    def begin(self, lane: LaneName) -> ForeignUnit:
        return ForeignUnit(self, lane)

    def way(self, queue: Queue) -> str:
        return "there"

    def committed(self, lane: LaneName, then: Committed) -> None:
        found = Refused(Code.BRIDGE_MQ_UNAVAILABLE, "MQ is away") if self.fails else self.records.get(lane)
        self.later(partial(then, found))

    def arrived(self) -> dict[str, list[str]]:
        return {"MQ": list(self.messages)}

    def commit_there(self, lane: LaneName, number: int, messages: Sequence[str], lost: bool) -> None:
        """The unit of work is on MQ's disk; ``lost``: nobody will know."""
        self.messages += messages
        self.records[lane] = number
        for each in messages:
            self.oracle.written(each)


class ForeignUnit:
    """A unit of work over a connection."""

    def __init__(self, mq: ForeignMq, lane: LaneName) -> None:
        self._mq = mq
        self._lane = lane
        self._messages: list[str] = []
        self._ended = self._refuses = False

    def put(self, target: MqTarget, message: Message, then: Callable[[Refused | None], None]) -> None:
        # None overtakes one that was refused for now.
        self._refuses = self._refuses or self._mq.fails
        if self._refuses:
            self._answer(lambda: then(Refused(Code.BRIDGE_MQ_UNAVAILABLE, "MQ is away")))
            return
        self._messages.append(message[IDENTITY])
        self._answer(lambda: then(None))

    def _answer(self, answer: Callable[[], None]) -> None:
        self._mq.later(lambda: None if self._ended else answer())

    def commit(self, number: int, rows: Sequence[Operation], then: Callable[[bool], None]) -> None:
        """The request is on its way; what becomes of it does not depend on who waits for the answer."""
        mq = self._mq
        lost_before, lost_after = mq.fails, mq.fails
        mq.on_the_way += 1

        def arrive() -> None:
            mq.on_the_way -= 1
            if not lost_before:
                mq.note(f"MQ commits batch {number} of {self._lane}")
                mq.commit_there(self._lane, number, self._messages, lost_after)
            if lost_before or lost_after:
                mq.later(lambda: then(False))
            else:
                mq.later(lambda: mq.node.manager.submit(Change(None, list(rows)), then))

        mq.clock.after(mq.random.expovariate(1 / 0.005), arrive)

    def back_out(self) -> None:
        self._ended = True
