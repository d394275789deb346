"""What one seed stands for with clients: programs in units of work, at a queue manager that dies, over bad lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator
from random import Random
from typing import Any

from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.calls.outcomes import Placed
from mqbridge.bridge.queue_manager.calls.requests import Commit, PutOne
from mqbridge.bridge.queue_manager.connections import ConnectOptions
from mqbridge.bridge.queue_manager.objects import Kind, Objects, define_supplied
from mqbridge.bridge.queue_manager.session import Session
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQGMO, MQOO, MQPMO, SegmentType, TMFlags, XAReturn
from support.queue_manager.faulty_store import FaultyStore
from support.queue_manager.unit_fates import Unit, judge
from support.wire.program import Gone, WireProgram

from .client import Behaviour, Lost, SimulatedClient, Unawaited
from .clock import SimulatedClock
from .network import Network
from .node import Node
from .recording import Life, recorded_sessions

FAULT_TIME = 8.0
"""Seconds of simulated time in which things go wrong."""
QUIET_TIME = 2_000.0
STOCK = 30
FORMAT = 7
SYNC_PUT, SYNC_GET = int(MQPMO.SYNCPOINT), int(MQGMO.SYNCPOINT)
WAIT = int(MQGMO.WAIT)

Steps = Generator[bytes | float | Unawaited, Any, None]


class ClientNode(Node):
    """A queue manager with the supplied objects, so that clients may come."""

    def define_first(self, objects: Objects, now: float) -> None:
        define_supplied(objects, now)
        super().define_first(objects, now)


class ClientScenario:
    """EARTH, its queues TARGET and STOCK, and programs that come, work and go or are lost."""

    def __init__(self, seed: int) -> None:
        self.random = random = Random(seed)
        self.clock = SimulatedClock()
        self.start = self.clock.now
        self.network = Network(self.clock, random, delay=random.choice([0.0005, 0.005, 0.05]))
        self.network.refuse_rate = random.choice([0.0, 0.3])
        self.events: list[str] = []
        self.units: list[Unit] = []
        self.stocked = [b"stock %d" % number for number in range(STOCK)]
        self.strays = 0
        self.working = 0
        self.faulty = True
        self.findings: list[str] | None = None
        self.doubts = 0
        """Branches that the auditor found in doubt."""
        self.crash_rate = random.choice([0.0, 0.001, 0.004])
        self.full_rate = random.choice([0.0, 0.0, 0.02])
        definitions: list[tuple[Kind, str, dict[str, Any]]] = [
            (Kind.QLOCAL, "DLQ", {}),
            (Kind.QLOCAL, "TARGET", {"MAXDEPTH": random.choice([40, 100_000])}),
            (Kind.QLOCAL, "STOCK", {}),
        ]
        self.node = ClientNode("EARTH", self.clock, self.network, random, definitions, self.note, FaultyStore(random))
        self.nodes = {"EARTH": self.node}

    def note(self, line: str) -> None:
        self.events.append(f"{self.clock.now - self.start:10.4f} {line}")

    @property
    def messages(self) -> int:
        """How many messages were put, whatever became of them."""
        return sum(len(unit.puts) + len(unit.fast) for unit in self.units)

    # Programs

    def comes(self, label: str) -> None:
        """A program connects; when it is over, the next one of its kind comes."""
        self.working += 1

        def over() -> None:
            self.working -= 1
            if self.faulty:
                self.clock.after(self.random.random(), lambda: self.comes(label))

        SimulatedClient(self.clock, self.behaves(label), over).connect(self.network, "EARTH")

    def behaves(self, label: str) -> Behaviour:
        random = self.random
        program = WireProgram(shared=random.choice([0, 10]))
        branches = random.random() < 0.4
        try:
            yield from program.connect()
            target = yield from program.open("TARGET", MQOO.OUTPUT)
            stock = yield from program.open("STOCK", MQOO.INPUT_SHARED)
            if branches:
                yield from program.xa(SegmentType.XA_OPEN)
            for _ in range(random.randint(1, 8)):
                if not self.faulty:
                    break
                yield random.random() * 0.5
                yield from self.unit(label, program, target, stock, branches=branches)
            if random.random() < 0.7:
                yield from program.disconnect()
                yield program.goodbye()
        except Gone as gone:
            self.note(f"{label} is told that it is over: {gone}")
        except MQError as error:
            self.note(f"{label} fails: {error}")

    def unit(self, label: str, program: WireProgram, target: int, stock: int, *, branches: bool) -> Steps:
        """One unit of work, or a message outside of one."""
        random, number = self.random, len(self.units)
        unit = Unit((FORMAT, b"%d" % number, b"") if branches else None)
        self.units.append(unit)
        self.note(f"{label} begins unit {number}")
        try:
            if branches:
                yield from self.branch(number, program, target, stock, unit)
            elif random.random() < 0.2:
                yield from self.alone(number, program, target, stock, unit)
            else:
                yield from self.local(number, program, target, stock, unit)
        except MQError as error:
            self.note(f"{label} unit {number}, {unit.fate}: {error}")
            if unit.fate == "committing":
                unit.fate = "backed out"
            elif not branches:
                yield from program.backout()
                unit.fate = "backed out"
            else:
                raise
        except Lost:
            self.note(f"{label} lost in unit {number}, {unit.fate}")
            raise
        self.note(f"{label} unit {number} is {unit.fate}")

    def fill(self, number: int, program: WireProgram, target: int, stock: int, unit: Unit) -> Steps:
        random = self.random
        for index in range(random.choice([1, 1, 2, 4])):
            persistent = not index or random.random() < 0.7
            data = f"unit {number} message {index} ".encode().ljust(random.choice([0, 0, 3000, 20_000, 90_000]), b".")
            (unit.puts if persistent else unit.fast).append(data)
            if random.random() < 0.3:
                yield Unawaited(program.posted(target, data, SYNC_PUT, persistence=int(persistent)))
            else:
                yield from program.put(target, data, SYNC_PUT, persistence=int(persistent))
            if random.random() < 0.3:
                taken = yield from program.take(stock, SYNC_GET | random.choice([0, WAIT]), wait=100)
                unit.gets += [] if taken is None else [taken.data]
            if random.random() < 0.2:
                yield random.random()

    def local(self, number: int, program: WireProgram, target: int, stock: int, unit: Unit) -> Steps:
        yield from self.fill(number, program, target, stock, unit)
        if self.random.random() < 0.2:
            yield from program.backout()
            unit.fate = "backed out"
            return
        unit.fate = "committing"
        yield from program.commit()
        unit.fate = "committed"

    def alone(self, number: int, program: WireProgram, target: int, stock: int, unit: Unit) -> Steps:
        data = f"unit {number} alone ".encode()
        unit.puts.append(data)
        unit.fate = "committing"
        yield from program.put(target, data, persistence=1)
        unit.fate = "committed"
        self.strays += 1
        taken = yield from program.take(stock)
        self.strays -= 1
        unit.gets += [] if taken is None else [taken.data]

    def branch(self, number: int, program: WireProgram, target: int, stock: int, unit: Unit) -> Steps:
        assert (yield from program.xa(SegmentType.XA_START, unit.xid)) == XAReturn.OK
        failed = False
        try:
            yield from self.fill(number, program, target, stock, unit)
        except MQError:
            failed = True
        ended = yield from program.xa(SegmentType.XA_END, unit.xid, int(TMFlags.FAIL if failed else TMFlags.SUCCESS))
        assert ended == XAReturn.OK
        if failed:
            yield from program.xa(SegmentType.XA_ROLLBACK, unit.xid)
            unit.fate = "backed out"
            return
        unit.fate = "preparing"
        prepared = yield from program.xa(SegmentType.XA_PREPARE, unit.xid)
        if prepared != XAReturn.OK:
            unit.fate = "backed out"
            return
        unit.fate = "prepared"
        commits = self.random.random() < 0.7
        if self.random.random() < 0.2:
            return  # the transaction manager forgets about it
        unit.fate = "committing branch" if commits else "rolling back branch"
        decided = yield from program.xa(SegmentType.XA_COMMIT if commits else SegmentType.XA_ROLLBACK, unit.xid)
        if decided == XAReturn.OK:
            unit.fate = "committed" if commits else "backed out"

    # Faults

    def plan_faults(self) -> None:
        random, clock = self.random, self.clock
        for _ in range(random.randint(0, 12)):
            clock.at(self.start + random.random() * FAULT_TIME, self._cut)
        for _ in range(random.randint(0, 4)):
            clock.at(self.start + random.random() * FAULT_TIME, self.node.kill)
        clock.at(self.start + FAULT_TIME, self._peace)

    def _cut(self) -> None:
        streams = self.network.open_streams()
        if streams:
            self.note("a connection is cut")
            self.random.choice(streams).cut()

    def _peace(self) -> None:
        self.note("no more faults")
        self.faulty = False
        self.network.refuse_rate = 0.0
        self._audit_later()

    def _audit_later(self) -> None:
        """When all programs are gone and the queue manager knows it, an auditor comes."""
        store = self.node.store
        store.crash_rate = store.full_rate = 0.0
        if self.working or self.node.ends or not self.node.alive:
            self.clock.after(5.0, self._audit_later)
            return
        SimulatedClient(self.clock, self.audit(), lambda: None).connect(self.network, "EARTH")

    def audit(self) -> Behaviour:
        """Looks at what is there, finishes every branch in doubt, and looks again."""
        program = WireProgram(shared=self.random.choice([0, 10]))
        yield from program.connect()
        yield from program.xa(SegmentType.XA_OPEN)
        findings: list[str] = []
        for rest in (False, True):
            doubtful = yield from program.recover(1000)
            target = yield from contents(program, "TARGET")
            stock = yield from contents(program, "STOCK")
            findings += judge(self.units, self.stocked, target, stock, set(doubtful), self.strays)
            if rest and doubtful:
                findings.append(f"still in doubt: {doubtful}")
            self.doubts += len(doubtful)
            for xid in doubtful:
                commits = self.random.random() < 0.5
                value = yield from program.xa(SegmentType.XA_COMMIT if commits else SegmentType.XA_ROLLBACK, xid)
                self.units[int(xid[1])].fate = "committed" if commits else "backed out"
                if value != XAReturn.OK:
                    findings.append(f"{xid} cannot be finished: {value}")
        self.findings = findings

    # Run

    def run_recorded(self) -> tuple[list[str], list[Life]]:
        """As `run`, and what came to the queue manager: whatever its programs did can be played again from that."""
        self.node.lives = []
        with recorded_sessions():
            return self.run(), self.node.lives

    def run(self) -> list[str]:
        """Runs the seed; faults that the oracle found, in words."""
        node, store = self.node, self.node.store
        node.boot()
        node.call(self._stock)
        self.clock.run(self.clock.now + 1.0, lambda: False)
        store.crash_rate, store.full_rate = self.crash_rate, self.full_rate
        self.start = self.clock.now
        self.plan_faults()
        for number in range(self.random.randint(1, 4)):
            self.comes(f"program {number}")
        if not self.clock.run(self.start + FAULT_TIME + QUIET_TIME, lambda: self.findings is not None):
            return [f"did not come to rest: {self.working} programs, {len(node.ends)} connections"]
        assert self.findings is not None
        return self.findings

    def _stock(self) -> None:
        session = Session(self.node.manager, ConnectOptions(inside=True), self.clock.now)
        for data in self.stocked:
            message = Message.build(data, persistence=1)
            given = message.raw_md, data, SYNC_PUT, message.order, message.ccsid
            assert isinstance(session.submit(PutOne(1, "STOCK", "", *given), self.clock.now), Placed)
        session.submit(Commit(2), self.clock.now)


def contents(program: WireProgram, queue: str) -> Generator[bytes | float, Any, Counter[bytes]]:
    """Data of all messages of a queue, browsed."""
    handle = yield from program.open(queue, MQOO.BROWSE)
    found: Counter[bytes] = Counter()
    while (taken := (yield from program.take(handle, int(MQGMO.BROWSE_NEXT)))) is not None:
        found[taken.data] += 1
    yield from program.close(handle)
    return found
