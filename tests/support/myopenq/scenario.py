"""What one seed of MyOpenQ stands for: remote queues at EARTH, a door at MARS, traffic, and faults."""

from __future__ import annotations

from random import Random
from typing import Any

from mqbridge.bridge.agents.myopenq.digest_lists import TABLE as DIGESTS
from mqbridge.bridge.agents.myopenq.sending.stamps_on_disk import TABLE as STAMPS
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.calls.requests import Backout, Commit, PutOne
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQMODE, MQPMO
from mqbridge.protocol.myopenq import Create, QueueType
from support.queue_manager.faulty_store import FaultyStore
from support.simulation.clock import SimulatedClock
from support.simulation.network import Network
from support.simulation.node import Node
from support.simulation.oracle import Oracle, drain
from support.simulation.program import Program

from .pair import Called, Calling

FAULT_TIME = 10.0
QUIET_TIME = 20_000.0
SOURCES = {"ORDERS": "TARGET", "ALIKE": "EQUALS"}
"""Remote queues, and where they lead."""
EQUAL = b"the same text"


def _ignore(_: MQError | None) -> None:
    """The commit tells."""


class MyOpenQScenario:
    """One seed. ``seconds``: of simulated time in which things go wrong."""

    def __init__(self, seed: int, seconds: float = FAULT_TIME) -> None:
        self.seconds = seconds
        self.seed = seed
        self.random = random = Random(seed)
        self.clock = SimulatedClock()
        self.start = self.clock.now
        self.events: list[str] = []
        self.faulty = True
        self.oracle = Oracle()
        self.equal = {"committed": 0, "unknown": 0}
        self.md5list = random.choice([2, 8, 60, 1000])
        self.depth = random.choice([6, 100_000])
        self.units = int(random.randint(2, 8) * seconds / FAULT_TIME)
        self.crash_rate = random.choice([0.0, 0.003, 0.02])
        self.full_rate = random.choice([0.0, 0.0, 0.03])
        self.cuts = int(random.choice([0, 5, 30]) * seconds / FAULT_TIME)
        self.kills = int(random.choice([0, 2, 6]) * seconds / FAULT_TIME)
        network = self.network = Network(self.clock, random, delay=random.choice([0.002, 0.05]))
        network.refuse_rate = random.choice([0.0, 0.3])
        deep = {"MAXDEPTH": 100_000, "MSGDLVSQ": "FIFO"}
        here: list[tuple[Kind, str, dict[str, Any]]] = [(Kind.QLOCAL, each, deep) for each in (*SOURCES, "DLQ")]
        there: list[tuple[Kind, str, dict[str, Any]]] = [
            (Kind.QLOCAL, each, {**deep, "MAXDEPTH": self.depth}) for each in SOURCES.values()
        ]
        self.earth = Node("EARTH", self.clock, network, random, here, self.note, FaultyStore(random))
        self.mars = Node(
            "MARS", self.clock, network, random, [*there, (Kind.QLOCAL, "DLQ", deep)], self.note, FaultyStore(random)
        )
        self.nodes = {"EARTH": self.earth, "MARS": self.mars}
        queues = [
            Create(here, 99_999, 99_999, QueueType.REMOTE, "10.0.0.2", 9803, remote_name=there)
            for here, there in SOURCES.items()
        ]
        self.calling = Calling(self.earth, self.mars, queues, self.md5list)
        self.called = Called(self.mars, self.md5list)

    @property
    def messages(self) -> int:
        """How many messages were put, whatever became of them."""
        return len(self.oracle.fate) + sum(self.equal.values())

    def note(self, line: str) -> None:
        self.events.append(f"{self.clock.now - self.start:10.4f} {line}")

    # Traffic

    def _put_some(self, number: int) -> None:
        random, oracle, now = self.random, self.oracle, self.clock.now
        program = Program(self.earth.manager, now)
        put: list[bytes] = []
        equal = random.choice([0, 0, 3, 12])
        for index in range(random.choice([1, 1, 3, 24])):
            body = oracle.body("ORDERS", number, index, True, ordered=True, length=random.choice([10, 100, 3000]))
            oracle.asked(body)
            try:
                self._put(program, "ORDERS", body, now)
                put.append(body)
            except MQError:
                oracle.refused(body)
        for _ in range(equal):
            self._put(program, "ALIKE", EQUAL, now)
        if random.random() < 0.1:
            program.ask(Backout(9999), now, _ignore)
            for body in put:
                oracle.refused(body)
            return
        self.equal["unknown"] += equal
        answered = oracle.answered(put)

        def told(error: MQError | None) -> None:
            answered(error)
            self.equal["unknown"] -= equal
            self.equal["committed"] += 0 if error is not None else equal

        program.ask(Commit(9999), now, told)

    def _put(self, program: Program, queue: str, body: bytes, now: float) -> None:
        message = Message.build(body, format="MQSTR", persistence=1)
        request = PutOne(0, queue, "", message.raw_md, body, int(MQPMO.SYNCPOINT), message.order, message.ccsid)
        program.ask(request, now, _ignore)

    def _program(self, number: int) -> None:
        if self.earth.alive:
            self.earth.call(lambda: self._put_some(number))
        else:
            self.clock.after(0.5, lambda: self._program(number))

    # Faults and operators

    def _plan(self) -> None:
        random, clock = self.random, self.clock

        def sometime(action: Any, number: int) -> None:
            for _ in range(number):
                clock.at(self.start + random.random() * self.seconds, action)

        for number in range(self.units):
            clock.at(
                self.start + random.random() * self.seconds * 0.9,
                lambda number=number: self._program(number),  # type: ignore[misc]
            )
        sometime(self._cut, random.randint(0, self.cuts))
        for node in self.nodes.values():
            node.store.crash_rate, node.store.full_rate = self.crash_rate, self.full_rate
            sometime(node.kill, random.randint(0, self.kills))
        if self.md5list == 1000:  # what a stopped sender has in doubt holds up nobody
            sometime(self._stop, random.randint(0, 4))
        clock.at(self.start + self.seconds, self._peace)

    def _cut(self) -> None:
        streams = self.network.open_streams()
        if streams:
            self.random.choice(streams).cut()

    def _stop(self) -> None:
        name, mode = self.random.choice(list(SOURCES)), self.random.choice([MQMODE.QUIESCE, MQMODE.FORCE])
        self._act(name, lambda carrier: carrier.stop(mode, self.clock.now))
        self.clock.after(self.random.random() * 3, lambda: self._begin(name))

    def _begin(self, name: str) -> None:
        self._act(name, lambda carrier: carrier.start(self.clock.now))

    def _act(self, name: str, action: Any) -> None:
        self.earth.call(lambda: [action(each) for each in self.earth.gateway.carriers.named(name)])

    def _peace(self) -> None:
        self.note("no more faults")
        self.faulty = False
        self.network.refuse_rate = 0.0
        for node in self.nodes.values():
            node.store.crash_rate = node.store.full_rate = 0.0
        if not self.mars.alive:
            self.clock.after(0.5, self._peace)
            return
        self.mars.call(self._make_room)
        for name in SOURCES:
            self._begin(name)
        if not self.at_rest():
            self.clock.after(60.0, self._peace)

    def _make_room(self) -> None:
        manager = self.mars.manager
        for name in SOURCES.values():
            manager.submit(manager.objects.alter(Kind.QLOCAL, name, {"MAXDEPTH": 100_000}, self.clock.now).operations)

    def at_rest(self) -> bool:
        """Whether both run, and every message has left."""
        if self.faulty or any(not each.alive or each._committing or each._gathered for each in self.nodes.values()):
            return False
        queues = [self.earth.manager.queue(each) for each in SOURCES]
        return not any(each is None or each.depth or each.uncommitted for each in queues)

    def run(self) -> list[str]:
        """Runs the seed; faults that were found, in words."""
        for node in self.nodes.values():
            node.boot()
        self._plan()
        if not self.clock.run(self.start + self.seconds + QUIET_TIME, self.at_rest):
            states = [str(each.status(self.clock.now)) for each in self.earth.gateway.carriers]
            return ["did not come to rest: " + "; ".join(states)]
        return [*self.oracle.check({"MARS": self.mars}), *self._check_equal(), *self._check_rows()]

    def _check_equal(self) -> list[str]:
        arrived, equal = len(drain(self.mars, "EQUALS")), self.equal
        least, most = equal["committed"], sum(equal.values())
        return [] if least <= arrived <= most else [f"{arrived} equal texts arrived, not {least} to {most}"]

    def _check_rows(self) -> list[str]:
        rows = [key for key, _ in self.earth.store.records(STAMPS) if key]
        problems = [f"the sender of {key!r} has left its row" for key in rows]
        digests = max(self.called.fullest, sum(1 for _ in self.mars.store.records(DIGESTS)))
        if digests > self.md5list:
            problems.append(f"{digests} digests on a list of {self.md5list}")
        return problems
