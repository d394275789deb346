"""What one seed stands for: routes at one queue manager, traffic, faults of store and steps, and commands."""

from __future__ import annotations

from random import Random
from typing import Any

from mqbridge.bridge.agents.routing.reading import read_routes
from mqbridge.bridge.agents.routing.registering import add_routes
from mqbridge.bridge.agents.routing.step_calls import StepAnswer
from mqbridge.bridge.config import RouteSettings
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.calls.requests import Backout, Commit, PutOne
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.mappings.message import Message
from mqbridge.mappings.transformations import CallPython
from mqbridge.protocol.constants import MQMODE, MQPMO, MQRC
from support.queue_manager.faulty_store import FaultyStore

from .clock import SimulatedClock
from .network import Network
from .node import Node
from .oracle import Oracle
from .program import Program
from .transport import Transport

PREPARED = 1.0
"""Seconds of simulated time until the subscription of a route is on disk; what is published before is for nobody."""
FAULT_TIME = 60.0
"""Seconds of simulated time in which things go wrong."""
QUIET_TIME = 20_000.0
"""Seconds after that in which everything must have come to rest."""
DETOUR = bytes(range(24))
"""CorrelId of messages that take the long way."""
ENDS = frozenset(("TARGET", "DLQ"))
ROUTES: tuple[dict[str, Any], ...] = (
    {"name": "detour", "source": "IN", "when": f"JMSCorrelationID = 'ID:{DETOUR.hex()}'", "to": "MIDDLE"},
    {"name": "direct", "source": "IN", "to": "TARGET"},
    {"name": "publishing", "source": "MIDDLE", "steps": [{"python": "a:step"}], "to": "topic://out/all"},
    {"name": "subscribing", "topic": "out/#", "to": "queue:///TARGET"},
    {"name": "input", "input": {"kind": "played"}, "steps": [{"python": "a:step"}], "to": "MIDDLE"},
)


def _ignore(_: MQError | None) -> None:
    """The end of the unit of work tells."""


class RouteOracle(Oracle):
    """``ordered``: nothing happens that may change the order."""

    ordered = True

    def original(self, dead: bytes) -> bytes:
        """A publication has the properties of its subscription in front."""
        data = super().original(dead)
        return data[int.from_bytes(data[8:12], "little") :] if data.startswith(b"RFH ") else data

    def _disorder(self, target: str, bodies: list[bytes]) -> list[str]:
        return super()._disorder(target, bodies) if self.ordered else []


class RouteScenario:
    """One queue manager whose routes take messages from IN to TARGET: directly, or by a queue, a step that may fail,
    and a topic; and messages of another transport."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random = random = Random(seed)
        self.clock = SimulatedClock()
        self.start = self.clock.now
        self.events: list[str] = []
        self.faulty = True
        self.threshold = random.choice([0, 1, 3])
        self.full = random.random() < 0.3
        self.step_faults = random.choice([0.0, 0.0, 0.1, 0.5])
        self.units = random.randint(30, 160)
        self.burst = random.choice([3, 3, 120])
        self.crash_rate = random.choice([0.0, 0.001, 0.004, 0.02])
        self.full_rate = random.choice([0.0, 0.0, 0.02])
        self.oracle = RouteOracle()
        self.oracle.ordered = not self.full and not self.full_rate and not self.step_faults
        network = Network(self.clock, random, delay=0.005)
        node = self.node = Node(
            "EARTH", self.clock, network, random, self._definitions(), self.note, FaultyStore(random)
        )
        node.calls_step = self._step
        node.on_boot.append(self._add_routes)
        self.nodes = {"EARTH": node}
        self.transport = Transport(node, self.oracle, Random(f"{seed} transport"))

    def note(self, line: str) -> None:
        self.events.append(f"{self.clock.now - self.start:10.4f} {line}")

    @property
    def messages(self) -> int:
        """How many messages were put, whatever became of them."""
        return len(self.oracle.fate)

    def _definitions(self) -> list[tuple[Kind, str, dict[str, Any]]]:
        deep = {"MAXDEPTH": 100_000, "MSGDLVSQ": "FIFO"}
        return [
            (Kind.QLOCAL, "DLQ", deep),
            (Kind.QLOCAL, "TARGET", {**deep, "MAXDEPTH": 20} if self.full else deep),
            (Kind.QLOCAL, "IN", {**deep, "BOTHRESH": self.threshold}),
            (Kind.QLOCAL, "MIDDLE", {**deep, "BOTHRESH": self.threshold}),
            (Kind.QMODEL, "SYSTEM.DURABLE.MODEL.QUEUE", {"DEFTYPE": "PERMDYN", **deep}),
        ]

    def _add_routes(self) -> None:
        def add() -> None:
            gateway = self.node.gateway
            settings = [RouteSettings(**each) for each in ROUTES]
            (intake,) = add_routes(gateway.carriers, gateway.channel_manager, read_routes(settings)).values()
            gateway.carriers.start_all(self.clock.now)
            self.transport.attach(intake)

        self.node.call(add)

    def _step(self, call: CallPython) -> tuple[float, StepAnswer]:
        seconds = self.random.expovariate(1 / 0.01)
        if self.random.random() < self.step_faults:
            return seconds, StepAnswer(reason=int(MQRC.API_EXIT_ERROR), text="it failed")
        return seconds, StepAnswer((call.message,))

    # Traffic

    def _put_some(self, number: int) -> None:
        random, oracle, node, now = self.random, self.oracle, self.node, self.clock.now
        program = Program(node.manager, now)
        put: list[bytes] = []
        for index in range(random.choice([1, 1, 3, self.burst])):
            persistent, detour = random.random() < 0.75, random.random() < 0.3
            length = random.choice([10, 100, 3000, 40_000, 90_000])
            body = oracle.body("DETOUR" if detour else "DIRECT", number, index, persistent, ordered=True, length=length)
            correl_id = DETOUR if detour else bytes(24)
            message = Message.build(body, format="MQSTR", persistence=int(persistent), correl_id=correl_id)
            request = PutOne(index, "IN", "", message.raw_md, body, int(MQPMO.SYNCPOINT), message.order, message.ccsid)
            oracle.asked(body)
            try:
                program.ask(request, now, _ignore)
                put.append(body)
            except MQError as error:
                oracle.refused(body)
                self.note(f"put refused: {error}")
        if random.random() < 0.1:
            program.ask(Backout(9999), now, _ignore)
            for body in put:
                oracle.refused(body)
        else:
            program.ask(Commit(9999), now, oracle.answered(put))

    def _program(self, number: int) -> None:
        if self.node.alive:
            self.node.call(lambda: self._put_some(number))
        else:
            self.clock.after(0.5, lambda: self._program(number))

    # Faults and operators

    def _plan(self) -> None:
        random, clock = self.random, self.clock
        clock.at(self.start + PREPARED, self._begin_faults)
        for number in range(self.units):
            when = self.start + PREPARED + random.random() * FAULT_TIME * 0.9
            clock.at(when, lambda number=number: self._program(number))  # type: ignore[misc]
        for number in range(self.units // 8):
            when = self.start + PREPARED + random.random() * FAULT_TIME * 0.9
            clock.at(when, lambda number=number: self.transport.arrive(number))  # type: ignore[misc]
        clock.at(self.start + PREPARED, self.transport.look)
        for _ in range(random.randint(0, 6)):
            clock.at(self.start + PREPARED + random.random() * FAULT_TIME, self.node.kill)
        for _ in range(random.randint(0, 6)):
            clock.at(self.start + PREPARED + random.random() * FAULT_TIME, self._stop)
        clock.at(self.start + PREPARED + FAULT_TIME, self._peace)

    def _begin_faults(self) -> None:
        self.node.store.crash_rate, self.node.store.full_rate = self.crash_rate, self.full_rate

    def _stop(self) -> None:
        name = self.random.choice(ROUTES)["name"]
        mode = self.random.choice([MQMODE.QUIESCE, MQMODE.FORCE])
        self._act(name, "stopped", lambda carrier: carrier.stop(mode, self.clock.now))
        self.clock.after(self.random.random() * 5, lambda: self._begin(name))

    def _begin(self, name: str) -> None:
        self._act(name, "started", lambda carrier: carrier.start(self.clock.now))

    def _act(self, name: str, what: str, action: Any) -> None:
        def act() -> None:
            for carrier in self.node.gateway.carriers.named(name):
                action(carrier)
            self.note(f"route {name} is {what}")

        self.node.call(act)

    def _peace(self) -> None:
        self.note("no more faults")
        self.faulty = False
        self.step_faults = 0.0
        self._wake_up()

    def _wake_up(self) -> None:
        self.node.store.crash_rate = self.node.store.full_rate = 0.0
        for route in ROUTES:
            self._begin(route["name"])
        if not self.at_rest():
            self.clock.after(10.0, self._wake_up)

    def at_rest(self) -> bool:
        """Whether the queue manager runs, and every message has come to its end."""
        node = self.node
        if self.faulty or not node.alive or node._committing or node._gathered or self.transport.waiting:
            return False
        queues = node.manager.connections.core.queues.values()
        return not any(queue.depth or queue.uncommitted for queue in queues if queue.name not in ENDS)

    def run(self) -> list[str]:
        """Runs the seed; faults that the oracle found, in words."""
        self.node.boot()
        self._plan()
        if not self.clock.run(self.start + FAULT_TIME + QUIET_TIME, self.at_rest):
            states = [str(each.status(self.clock.now)) for each in self.node.gateway.carriers]
            return ["did not come to rest: " + "; ".join(states)]
        return self.oracle.check(self.nodes)
