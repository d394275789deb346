"""A partner and its host under a fake clock: the line is cut at any byte, the queue manager dies at any store step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

from mqbridge.bridge.agents.gateway.carriers import CarrierState
from mqbridge.bridge.agents.gateway.effects import AbandonCall, CallHost
from mqbridge.bridge.agents.partner.partner import Partner
from mqbridge.bridge.agents.partner.settings import PartnerSettings
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.calls.requests import Commit, PutOne
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQMODE, MQPMO
from support.queue_manager.faulty_store import FaultyStore
from support.simulation.clock import SimulatedClock
from support.simulation.network import Endpoint, Network, Stream
from support.simulation.node import Node
from support.simulation.oracle import Oracle, drain
from support.simulation.program import Program

from .old_host import Connection, OldHost
from .stand import ANSWERS, AT_LEAST_ONCE, INPUT, REQUESTS, host_protocol

HOST = "HOST"
FAULT_TIME = 5.0
QUIET_TIME = 5000.0


def _ignore(_: MQError | None) -> None:
    """The commit tells."""


class HostEnd:
    """The host's side of a stream."""

    def __init__(self, scenario: PartnerScenario, stream: Stream) -> None:
        self._scenario = scenario
        self._stream = stream
        self._connection = Connection(scenario.host)

    def received(self, data: bytes) -> None:
        self.say(self._connection.receive(data))
        if self._connection.closed:
            self._stream.close(1, abort=False)

    def notices(self) -> None:
        """Say what was not taken yet."""
        if self._connection.ready and self._stream.ends[1] is self:
            self.say(self._connection.notices())

    def say(self, data: bytes) -> None:
        if data:
            self._stream.send(1, data)

    def lost(self) -> None:
        """Nothing of the host is lost with it."""


class WatchedHost(OldHost):
    """Notes what is wrong at the moment when it happens."""

    def __init__(self, scenario: PartnerScenario, *, forgets: bool) -> None:
        super().__init__(forgets=forgets)
        self._scenario = scenario

    def order(self, content: bytes) -> bytes:
        if self._scenario.once and not self._scenario.on_disk("partner-sending", content):
            self.faults.append(f"a packet went out that is not on disk: {content[27:60].hex()}")
        return super().order(content)


class PartnerScenario:
    """One seed. ``once``: whether packets have ids; by the seed if it is None."""

    def __init__(self, seed: int, once: bool | None = None) -> None:
        self.random = random = Random(seed)
        self.clock = SimulatedClock()
        self.start = self.clock.now
        self.events: list[str] = []
        self.oracle = Oracle()
        self.once = random.random() < 0.6 if once is None else once
        self.host = WatchedHost(self, forgets=not self.once)
        self.protocol = host_protocol(*([] if self.once else [AT_LEAST_ONCE]))
        self.settings = PartnerSettings(
            name="host",
            send=REQUESTS,
            receive=INPUT,
            values={"user": "EARTH", "action": "ORDER"},
            retry_interval=0.05,
            longest_retry=1.0,
            stop_wait=1.0,
        )
        self.depth = random.choice([3, 100_000])
        store = FaultyStore(
            random, crash_rate=random.choice([0.0, 0.002, 0.008]), full_rate=random.choice([0.0, 0.0, 0.05])
        )
        self.network = Network(self.clock, random, random.choice([0.002, 0.05]))
        self.network.listeners[HOST] = self._accept
        self.network.refuse_rate = random.choice([0.0, 0.3])
        self.node = Node("EARTH", self.clock, self.network, random, self._definitions(), self.note, store)
        self.node.join = self._join
        self.node.call_host = self._call
        self.partner: Partner | None = None
        self.ends: list[HostEnd] = []
        self.noticed: list[str] = []
        self.taken: list[bytes] = []
        self.faulty = True
        self._attempt = 0

    def _definitions(self) -> list[tuple[Kind, str, dict[str, Any]]]:
        deep = {"MAXDEPTH": 100_000}
        return [
            (Kind.QLOCAL, "DLQ", deep),
            (Kind.QLOCAL, REQUESTS, deep),
            (Kind.QLOCAL, ANSWERS, deep),
            (Kind.QLOCAL, INPUT, {"MAXDEPTH": self.depth}),
        ]

    def note(self, line: str) -> None:
        self.events.append(f"{self.clock.now - self.start:10.4f} {line}")

    def on_disk(self, table: str, content: bytes) -> bool:
        """Whether a row of a table has these bytes."""
        rows = self.node.store._tables.records.get(table, {})
        return any(content in value for value in rows.values())

    # Connections

    def _join(self, node: Node) -> None:
        self._attempt += 1
        self.partner = Partner(self.settings, self.protocol, node.gateway.channel_manager, self.random)
        node.gateway.carriers.add(self.partner)
        self.partner.start(self.clock.now)

    def _call(self, effect: CallHost | AbandonCall) -> None:
        self._attempt += 1
        if isinstance(effect, AbandonCall):
            return
        attempt, node, partner = self._attempt, self.node, effect.partner

        def made(stream: Stream) -> Endpoint | None:
            if attempt != self._attempt:
                return None
            connections = node.gateway.connections
            return node.end(stream, 0, lambda: connections.called(partner.joined, HOST, 7000, self.clock.now))

        def failed() -> None:
            if attempt == self._attempt:
                node.call(lambda: partner.failed("refused", self.clock.now))

        self.network.connect(HOST, made, failed)

    def _accept(self, stream: Stream) -> Endpoint:
        end = HostEnd(self, stream)
        self.ends.append(end)
        return end

    # Programs and faults

    def _put(self, number: int) -> None:
        node, oracle, now = self.node, self.oracle, self.clock.now
        if not node.alive:
            self.clock.after(0.5, lambda: self._put(number))
            return

        def put() -> None:
            program, bodies = Program(node.manager, now), []
            for index in range(self.random.choice([1, 1, 3, 8])):
                body = oracle.body("EARTH", number, index, True, ordered=False, length=60)
                message = Message.build(body, format="MQSTR", coded_char_set_id=1208, persistence=1, reply_to_q=ANSWERS)
                request = PutOne(
                    index, REQUESTS, "", message.raw_md, body, int(MQPMO.SYNCPOINT), message.order, message.ccsid
                )
                oracle.asked(body)
                try:
                    program.ask(request, now, _ignore)
                except MQError:
                    oracle.refused(body)
                    continue
                bodies.append(body)
            program.ask(Commit(1000), now, oracle.answered(bodies))

        node.call(put)

    def _notice(self, number: int) -> None:
        text = f"NOTICE {number:05d}"
        self.noticed.append(text)
        self.host.notices[number + 1] = text
        for end in self.ends[-1:]:
            end.notices()

    def _cut(self) -> None:
        for stream in self.network.open_streams():
            stream.cut()

    def _stop(self) -> None:
        mode = self.random.choice([MQMODE.QUIESCE, MQMODE.FORCE])
        partner = self.partner
        if self.node.alive and partner is not None:
            self.node.call(lambda: partner.stop(mode, self.clock.now))
        self.clock.after(self.random.random() * 2, self._again)

    def _again(self) -> None:
        partner = self.partner
        if self.node.alive and partner is not None:
            self.node.call(lambda: partner.start(self.clock.now))

    def plan(self) -> None:
        random, clock = self.random, self.clock
        actions: list[Callable[[], None]] = []
        actions += [self._cut] * random.randint(0, 15)
        actions += [lambda: self.node.kill()] * random.randint(0, 5)
        actions += [self._stop] * random.randint(0, 3)
        for action in actions:
            clock.at(self.start + random.random() * FAULT_TIME, action)
        for number in range(random.randint(3, 15)):
            what = random.choice([self._put, self._put, self._notice])
            clock.at(self.start + random.random() * FAULT_TIME * 0.9, lambda what=what, number=number: what(number))  # type: ignore[misc]
        clock.at(self.start + FAULT_TIME, self._peace)

    def _peace(self) -> None:
        self.faulty = False
        self.network.refuse_rate = 0.0
        self.node.store.crash_rate = self.node.store.full_rate = 0.0
        self._quieten()

    def _quieten(self) -> None:
        self.node.store.crash_rate = self.node.store.full_rate = 0.0
        if self.node.alive and self.partner is not None and not self.at_rest():
            self.taken += [message.data for message in drain(self.node, INPUT)]
            self.node.call(lambda: None)
            if self.partner.status(0.0).state is CarrierState.STOPPED:
                self._again()
            for end in self.ends[-1:]:
                end.notices()
        if not self.at_rest():
            self.clock.after(5.0, self._quieten)

    # Run

    def at_rest(self) -> bool:
        node = self.node
        if self.faulty or not node.alive or node._committing or node._gathered or self.partner is None:
            return False
        source = node.manager.queue(REQUESTS)
        assert source is not None
        return not (source.depth or source.uncommitted_gets or self.host.notices)

    def run(self) -> list[str]:
        """Runs the seed; faults that were found, in words."""
        self.node.boot()
        self.plan()
        if not self.clock.run(self.start + FAULT_TIME + QUIET_TIME, self.at_rest):
            assert self.partner is not None
            return [f"did not come to rest: {self.partner.status(self.clock.now)}"]
        return self.check()

    def check(self) -> list[str]:
        problems = list(self.host.faults)
        taken = Counter(text for _, _, text in self.host.orders)
        answers = Counter(message.data.partition(b"done ")[2] for message in drain(self.node, ANSWERS))
        for body, fate in self.oracle.fate.items():
            count, answered = taken.pop(body.decode(), 0), answers.pop(body, 0)
            if fate == "refused" and count:
                problems.append(f"{body[:20]!r} was refused, and taken")
            if fate == "committed" and not count:
                problems.append(f"{body[:20]!r} was lost")
            if self.once and count > 1:
                problems.append(f"{body[:20]!r} was taken {count} times")
            if answered != bool(count):
                problems.append(f"{body[:20]!r} was answered {answered} times and taken {count} times")
        problems += [f"{each!r} came from nowhere" for each in (*taken, *answers)]
        arrived = Counter(
            (data.partition(b"NOTICE ")[1] + data.partition(b"NOTICE ")[2]).decode()
            for data in (*self.taken, *(message.data for message in drain(self.node, INPUT)))
        )
        for text in self.noticed:
            count = arrived.pop(text, 0)
            if not count or (count > 1 and self.once):
                problems.append(f"{text} arrived {count} times")
        problems += [f"{text} came from nowhere" for text in arrived]
        dead = drain(self.node, "DLQ")
        problems += [f"{len(dead)} dead letters"] * bool(dead)
        return problems
