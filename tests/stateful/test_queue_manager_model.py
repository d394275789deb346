"""The queue manager against plain lists: any run of puts, gets, units of work, expiry, failures and restarts.

The same programs are played on the queue manager itself and by the bytes of clients, one for each unit of work.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from mqbridge.bridge.queue_manager import MQError, UnitOfWork
from mqbridge.bridge.store.interface import StoreFull
from mqbridge.mappings.mq import unwrap
from support.queue_manager.host import Host
from support.wire.queues import WireQueues

QUEUES = ("P", "F", "X")
"""By priority, first in first out, and a transmission queue (messages to SATURN)."""
DEPTH = 12
NO_ORDER = (0, 0)


@dataclass(slots=True, eq=False)
class Entry:
    """A message of the model. ``order`` decides its place: band, then when it was committed, or when a get of its own
    unit of work first looked at its queue."""

    data: bytes
    band: int
    persistent: bool
    correl: bytes
    expires: float | None
    order: tuple[int, int] = NO_ORDER
    backouts: int = 0
    unhardened: int = 0


@dataclass(slots=True, eq=False)
class ModelUnit:
    unit: UnitOfWork
    puts: list[tuple[str, Entry]] = field(default_factory=list)
    gets: list[tuple[str, Entry]] = field(default_factory=list)
    own: list[str] = field(default_factory=list)
    """The queue of each message that the unit has both put and got."""


class QueueManagerMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.host = self.make_host()
        self.host.local("P", MAXDEPTH=DEPTH)
        self.host.local("F", MAXDEPTH=DEPTH, MSGDLVSQ="FIFO")
        self.host.transmission("X", MAXDEPTH=DEPTH)
        self.queues: dict[str, list[Entry]] = {name: [] for name in QUEUES}
        self.open: dict[int, ModelUnit] = {}
        self.count = 0

    def make_host(self) -> Host:
        return Host()

    names = st.sampled_from(QUEUES)
    slots = st.sampled_from([0, 0, 1, 2])
    choices = st.sampled_from([None, 0, 0, 1, 2])

    # The model

    def chosen(self, choice: int | None) -> ModelUnit | None:
        """The unit of work of a slot, begun if there is none; None for no unit."""
        if choice is None:
            return None
        if choice not in self.open:
            self.open[choice] = ModelUnit(self.host.begin())
        return self.open[choice]

    def live(self, name: str) -> list[Entry]:
        return [entry for entry in self.queues[name] if entry.expires is None or entry.expires > self.host.now]

    def depth(self, name: str) -> int:
        uncommitted = sum(queue == name for unit in self.open.values() for queue, _ in unit.puts)
        return len(self.queues[name]) + uncommitted

    def place(self, entry: Entry) -> None:
        if entry.order == NO_ORDER:
            self.count += 1
            entry.order = (entry.band, self.count)

    def add(self, name: str, entry: Entry) -> None:
        self.place(entry)
        self.queues[name].append(entry)
        self.queues[name].sort(key=lambda each: each.order)

    def give_back(self, unit: ModelUnit) -> None:
        for name, entry in unit.gets:
            entry.backouts += 1
            entry.unhardened = 0
            self.queues[name].append(entry)
            self.queues[name].sort(key=lambda each: each.order)

    def drop_expired(self, name: str, until: Entry | None, correl: bytes) -> None:
        """A get discards the expired messages that it meets before the one it takes."""
        for entry in list(self.queues[name]):
            if until is not None and entry.order >= until.order:
                return
            expired = entry.expires is not None and entry.expires <= self.host.now
            if expired and (not correl or entry.correl == correl):
                self.queues[name].remove(entry)

    # The rules

    @rule(
        name=names,
        choice=choices,
        priority=st.integers(0, 9),
        persistent=st.booleans(),
        correl=st.sampled_from([b"", b"a", b"b"]),
        seconds=st.one_of(st.none(), st.integers(1, 30)),
        full=st.sampled_from([False, False, False, True]),
        count=st.integers(1, 3),
    )
    def put(
        self,
        count: int,
        name: str,
        choice: int | None,
        priority: int,
        persistent: bool,
        correl: bytes,
        seconds: int | None,
        full: bool,
    ) -> None:
        for _ in range(count):
            self.put_one(name, choice, priority, persistent, correl, seconds, full)

    def put_one(
        self,
        name: str,
        choice: int | None,
        priority: int,
        persistent: bool,
        correl: bytes,
        seconds: int | None,
        full: bool,
    ) -> None:
        unit = self.chosen(choice)
        data = b"message %d" % self.host.queue_manager._core.ids.unique()
        entry = Entry(data, 0 if name == "F" else 9 - priority, persistent, correl, None)
        if seconds is not None:
            entry.expires = self.host.now + seconds
        fields: dict[str, Any] = {
            "priority": priority,
            "persistence": int(persistent),
            "expiry": -1 if seconds is None else seconds * 10,
        }
        fields |= {"msg_id" if name == "X" else "correl_id": correl}
        to = {"queue_manager": "X"} if name == "X" else {}
        if self.depth(name) >= DEPTH:
            with pytest.raises(MQError):
                self.host.put(name, data, unit and unit.unit, **to, **fields)
            return
        if full and unit is None and persistent:
            self.host.store.failure = StoreFull("no room")
            self.host.put(name, data, **to, **fields)
            self.host.store.failure = None
            return
        self.host.put(name, data, unit and unit.unit, **to, **fields)
        if unit is None:
            self.add(name, entry)
        else:
            unit.puts.append((name, entry))

    @rule(name=names, choice=choices, correl=st.sampled_from([b"", b"", b"a", b"b"]), count=st.integers(1, 4))
    def get(self, name: str, choice: int | None, correl: bytes, count: int) -> None:
        for _ in range(count):
            self.take(name, choice, correl)

    def take(self, name: str, choice: int | None, correl: bytes) -> None:
        unit = self.chosen(choice)
        if name == "X" and correl:
            correl = b""
        options = {"match": 2, "correl_id": correl.ljust(24, b"\0")} if correl else {}
        own = [put for put in unit.puts if put[0] == name] if unit is not None else []
        for _, entry in own:
            self.place(entry)
        live = [entry for _, entry in own if entry.expires is None or entry.expires > self.host.now]
        meant = [entry for entry in [*self.live(name), *live] if not correl or entry.correl == correl]
        wanted = min(meant, key=lambda entry: entry.order, default=None)
        got = self.host.get(name, unit and unit.unit, **options)
        if wanted is None:
            assert got is None
        else:
            assert got is not None
            message = unwrap(got.message).message if name == "X" else got.message
            assert message.data == wanted.data
            assert got.message.md.backout_count == wanted.backouts
            assert got.message.md.persistence == int(wanted.persistent)
        self.drop_expired(name, wanted, correl)
        if unit is not None and (name, wanted) in own:
            unit.puts.remove((name, wanted))
            unit.own.append(name)
        elif wanted is not None:
            self.queues[name].remove(wanted)
            if unit is not None:
                unit.gets.append((name, wanted))

    @rule(slot=slots, fails=st.booleans())
    def commit(self, slot: int, fails: bool) -> None:
        unit = self.open.pop(slot, None)
        if unit is None:
            return
        if fails:
            self.host.store.failure = StoreFull("no room")
        self.host.commit(unit.unit)
        self.host.store.failure = None
        outcome = self.host.outcomes.pop()
        durable = any(entry.persistent for _, entry in [*unit.puts, *unit.gets])
        assert (outcome is not None) is (fails and durable)
        if outcome is None:
            for name, entry in unit.puts:
                self.add(name, entry)
        else:
            self.give_back(unit)
            for _, entry in unit.gets:
                entry.unhardened += entry.persistent

    @rule(slot=slots)
    def backout(self, slot: int) -> None:
        unit = self.open.pop(slot, None)
        if unit is None:
            return
        self.host.backout(unit.unit)
        self.give_back(unit)

    @rule(seconds=st.integers(1, 10), scan=st.booleans())
    def time_passes(self, seconds: int, scan: bool) -> None:
        self.host.now += seconds
        if scan:
            self.host.queue_manager.timeout(self.host.now)
            self.host.pump()
            for name in QUEUES:
                self.queues[name] = self.live(name)

    @rule()
    def restart(self) -> None:
        for unit in self.open.values():
            for name, entry in unit.gets:
                self.queues[name].append(entry)
        self.open = {}
        self.host.restart(after=0)
        for name in QUEUES:
            self.queues[name] = sorted((e for e in self.queues[name] if e.persistent), key=lambda e: e.order)
            for entry in self.queues[name]:
                entry.backouts -= entry.unhardened
                entry.unhardened = 0

    # The truth

    @invariant()
    def queues_hold_what_the_lists_hold(self) -> None:
        for name in QUEUES:
            queue = self.host.queue_manager.queue(name)
            assert queue is not None
            rows = list(queue.rows())
            assert len(rows) == queue.visible == len(self.queues[name])
            assert queue.depth == self.depth(name)
            gets = [got for unit in self.open.values() for got in [*(name for name, _ in unit.gets), *unit.own]]
            assert queue.uncommitted_gets == gets.count(name)

    def teardown(self) -> None:
        self.restart()
        for name in QUEUES:
            found = self.host.contents(name)
            data = [each[428:] for each in found] if name == "X" else found
            assert data == [entry.data for entry in self.live(name)]


class ClientMachine(QueueManagerMachine):
    def make_host(self) -> Host:
        return WireQueues()


class SharingClientMachine(QueueManagerMachine):
    def make_host(self) -> Host:
        return WireQueues(shared=10)


TestQueueManager = pytest.mark.spec("mqi.md 4.2")(QueueManagerMachine.TestCase)
TestQueueManager.settings = settings(max_examples=100, stateful_step_count=60, deadline=None)
TestClients = pytest.mark.spec("mqi.md 4.2", "mqi.md 4.4")(ClientMachine.TestCase)
TestClients.settings = settings(max_examples=30, stateful_step_count=60, deadline=None)
TestSharingClients = pytest.mark.spec("mqi.md 4.2", "mqi.md 4.4")(SharingClientMachine.TestCase)
TestSharingClients.settings = settings(max_examples=30, stateful_step_count=60, deadline=None)
