"""What one seed of links stands for: a queue manager, a link to a scripted provider, programs at both, and faults."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

from mqbridge.bridge.agents.gateway.carriers import CarrierState
from mqbridge.bridge.agents.gateway.effects import AbandonProvider, ConnectToProvider, SendToProvider
from mqbridge.bridge.agents.linking.link import Link
from mqbridge.bridge.agents.linking.provider import (
    DeliveryState,
    Lost,
    Modified,
    ProviderEvent,
    Refused,
    Rejected,
    Released,
)
from mqbridge.bridge.agents.linking.settings import Duplicates, LinkSettings, ReceiveEnd, SendEnd
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.calls.requests import Commit, PutOne
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.mappings.amqp import AmqpMessage, AmqpProperties, BodyKind
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQMODE, MQPMO
from support.queue_manager.faulty_store import FaultyStore
from support.simulation.clock import SimulatedClock
from support.simulation.network import Network
from support.simulation.node import Node
from support.simulation.oracle import Oracle, drain
from support.simulation.program import Program

from .broker import Broker
from .broker_connection import BrokerConnection
from .link_requests import ASKED_HERE, ASKED_THERE, LinkRequests, text_of
from .mapping import UNMAPPABLE, PlainMapping

FAULT_TIME = 5.0
QUIET_TIME = 20_000.0
SOURCE, SINK = "TO.STOCK", "FROM.STOCK"
STOCK_IN, STOCK_OUT = "stock.in", "stock.out"
SETTLEMENT_LAG = 1.0
"""Seconds within which a broker that dies may lose a settlement."""


def _ignore(_: MQError | None) -> None:
    """The commit tells."""


class LinkScenario:
    """One seed. ``duplicates``: as the link is configured; None: by the seed."""

    def __init__(self, seed: int, duplicates: Duplicates | None = None) -> None:
        self.seed = seed
        self.random = random = Random(seed)
        self.clock = SimulatedClock()
        self.start = self.clock.now
        self.events: list[str] = []
        self.oracle = Oracle()
        self.faulty = True
        self.produced: dict[bytes, bool] = {}
        """Bodies put at the provider, and whether they are durable."""
        self.duplicates = duplicates or random.choice([Duplicates.ARTEMIS, Duplicates.ARTEMIS, Duplicates.NONE])
        self.refuse_rate = random.choice([0.0, 0.1, 0.4])
        self.refusing = random.choice([0.0, 0.0, 0.05])
        self.depth = random.choice([8, 100_000])
        self.delay = random.choice([0.005, 0.05, 0.2])
        self.window = random.choice([1, 10, 100])
        self.units = random.randint(5, 40)
        unanswered = random.choice([1, 7, 100])
        self.requests = LinkRequests(self) if random.random() < 0.5 else None
        asked = (ReceiveEnd(ASKED_THERE, ASKED_HERE),) if self.requests else ()
        self.settings = LinkSettings(
            name="warehouse",
            send=(SendEnd(SOURCE, STOCK_IN),),
            receive=(ReceiveEnd(STOCK_OUT, SINK), *asked),
            duplicates=self.duplicates,
            window=unanswered,
            id_cache=101,
            batch=random.choice([1, min(5, unanswered), unanswered]),
            credit=random.choice([1, 5, 50]),
            retry_interval=0.05,
            longest_retry=1.0,
            **(self.requests.settings if self.requests else {}),
        )
        self.broker = Broker(random, id_cache=101, knows_ids=self.duplicates is Duplicates.ARTEMIS)
        self.broker.outcome = self._outcome
        store = FaultyStore(
            random, crash_rate=random.choice([0.0, 0.001, 0.004]), full_rate=random.choice([0.0, 0.0, 0.02])
        )
        self.node = Node("EARTH", self.clock, Network(self.clock, random), random, self.definitions(), self.note, store)
        self.node.join = self._join
        self.node.provide = self._provide
        self.nodes = {"EARTH": self.node}
        self.link: Link | None = None
        self.connection: BrokerConnection | None = None
        self._attempt, self.stopped = 0, False
        self.taken: list[bytes] = []
        """Data of messages that a program here has got."""

    @property
    def repeated(self) -> int:
        """How many deliveries the link has known again since its last start."""
        return 0 if self.link is None else self.link.counts.repeated

    @property
    def messages(self) -> int:
        """How many messages were put, at either side."""
        return len(self.oracle.fate) + len(self.produced)

    def definitions(self) -> list[tuple[Kind, str, dict[str, Any]]]:
        return [
            (Kind.QLOCAL, "DLQ", {"MAXDEPTH": 100_000}),
            (Kind.QLOCAL, SOURCE, {"MAXDEPTH": 100_000, "BOTHRESH": self.random.choice([0, 2])}),
            (Kind.QLOCAL, SINK, {"MAXDEPTH": self.depth}),
            *(LinkRequests.definitions() if self.requests else ()),
        ]

    def note(self, line: str) -> None:
        self.events.append(f"{self.clock.now - self.start:10.4f} {line}")

    # The link and its provider

    def _join(self, node: Node) -> None:
        self._attempt += 1
        self._break_off()
        link = self.link = Link(self.settings, node.gateway.channel_manager, PlainMapping(), self.random)
        node.gateway.carriers.add(link)
        if not self.stopped:
            link.start(self.clock.now)

    def _provide(self, effect: ConnectToProvider | AbandonProvider | SendToProvider) -> None:
        link = effect.link
        assert isinstance(link, Link)
        if isinstance(effect, SendToProvider):
            assert isinstance(effect.connection, BrokerConnection)
            effect.connection.flush()
        elif isinstance(effect, AbandonProvider):
            self._attempt += 1
            self._break_off()
        else:
            self._attempt += 1
            attempt = self._attempt
            self.clock.after(self.random.random() * self.delay, lambda: self._connect(link, attempt))

    def _connect(self, link: Link, attempt: int) -> None:
        if attempt != self._attempt:
            return

        def deliver(events: list[ProviderEvent]) -> None:
            if attempt == self._attempt:
                self.node.call(lambda: link.receive(events, self.clock.now))

        if self.random.random() < self.refuse_rate:
            deliver([Lost("refused")])
            return
        connection = BrokerConnection(
            self.broker, self.clock, self.random, deliver, delay=self.delay, window=self.window, refuses=self._refuses
        )
        connection.closed = lambda: self._cut(connection)
        self.connection = connection
        self.node.call(lambda: link.connected(connection, self.clock.now))
        connection.open()

    def _refuses(self, address: str) -> Refused | None:
        if self.random.random() < self.refuse_rate:
            return Refused(0, "amqp:not-found", address, permanent=self.random.random() < 0.3)
        return None

    def _outcome(self, message: AmqpMessage) -> DeliveryState | None:
        if self.requests and self.requests.is_gone(message):
            return Rejected("amqp:not-found", "gone")
        if not self.faulty or self.random.random() >= self.refusing:
            return None
        return self.random.choice(
            [Released(), Modified(), Modified(True), Modified(True, True), Rejected("amqp:invalid-field", "no")]
        )

    def _break_off(self) -> None:
        connection, self.connection = self.connection, None
        if connection is not None:
            connection.break_off()

    def _cut(self, connection: BrokerConnection | None) -> None:
        """The connection breaks; the link learns of it later."""
        if connection is None or connection is not self.connection:
            return
        self.note("the connection is cut")
        attempt, link = self._attempt, self.link
        self._break_off()

        def lost() -> None:
            if attempt == self._attempt and link is self.link and link is not None:
                self.node.call(lambda: link.receive([Lost("cut")], self.clock.now))

        self.clock.after(self.random.random() * self.random.choice([0.1, 5.0]), lost)

    # Programs

    def _put(self, number: int) -> None:
        node, random, oracle, now = self.node, self.random, self.oracle, self.clock.now
        if not node.alive:
            self.clock.after(0.5, lambda: self._put(number))
            return

        def put() -> None:
            program, bodies = Program(node.manager, now), []
            for index in range(random.choice([1, 1, 3, 20])):
                persistent = random.random() < 0.8
                body = oracle.body("EARTH", number, index, persistent, ordered=False, length=60)
                message = Message.build(body, format="MQSTR", persistence=int(persistent), expiry=-1)
                request = PutOne(
                    index, SOURCE, "", message.raw_md, body, int(MQPMO.SYNCPOINT), message.order, message.ccsid
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

    def _produce(self, number: int) -> None:
        """A program of the provider puts messages, some of them with the ids of others, or with none."""
        random = self.random
        for index in range(random.choice([1, 1, 3, 20])):
            durable = random.random() < 0.8
            strange = random.random() < 0.02
            body = (UNMAPPABLE if strange else b"") + f"STOCK {number:05d} {index}".encode()
            identifier = random.choice([f"ID:{number}-{index}", f"ID:{number}-{index}", "ID:always-the-same", None])
            self.produced[body] = durable
            properties = AmqpProperties(message_id=identifier)
            self.broker.put_here(STOCK_OUT, AmqpMessage(BodyKind.DATA, body, properties, durable=durable))

    # Faults

    def plan(self) -> None:
        random, clock = self.random, self.clock
        actions: list[Callable[[], None]] = []
        actions += [lambda: self._cut(self.connection)] * random.randint(0, 12)
        actions += [lambda: self.node.kill()] * random.randint(0, 4)
        actions += [self._kill_broker] * random.randint(0, 3)
        actions += [self._stop] * random.randint(0, 3)
        for action in actions:
            clock.at(self.start + random.random() * FAULT_TIME, action)
        programs = [self._put, self._produce]
        if self.requests is not None:
            programs += [self.requests.ask_here, self.requests.ask_there]
            self.requests.work()
        for number in range(self.units):
            what = random.choice(programs)
            clock.at(self.start + random.random() * FAULT_TIME * 0.9, lambda what=what, number=number: what(number))  # type: ignore[misc]
        clock.at(self.start + FAULT_TIME, self._peace)

    def _kill_broker(self) -> None:
        self.note("the provider is killed")
        self._cut(self.connection)
        self.broker.died(self.clock.now, SETTLEMENT_LAG)

    def _stop(self) -> None:
        mode = self.random.choice([MQMODE.QUIESCE, MQMODE.FORCE])
        self.note(f"the link is stopped, {mode}")
        self.stopped = True
        if self.node.alive and self.link is not None:
            self.node.call(lambda: self._operate(lambda link: link.stop(mode, self.clock.now)))
        self.clock.after(self.random.random() * 5, self._start)

    def _start(self) -> None:
        self.stopped = False
        self.node.call(lambda: self._operate(lambda link: link.start(self.clock.now)))

    def _operate(self, action: Callable[[Link], None]) -> None:
        assert self.link is not None
        action(self.link)

    def _peace(self) -> None:
        self.note("no more faults")
        self.faulty = False
        self.refuse_rate = 0.0
        self._quieten()

    def _quieten(self) -> None:
        self.node.store.crash_rate = self.node.store.full_rate = 0.0
        if self.node.alive and self.link is not None and not self.at_rest():
            self._take()
            if self.link.status(self.clock.now).state is CarrierState.STOPPED:
                self._start()
        if not self.at_rest():
            self.clock.after(5.0, self._quieten)

    def _take(self) -> None:
        """A program here gets what has come, so that there is room."""
        self.taken += [message.data for message in drain(self.node, SINK)]
        self.node.call(lambda: None)

    # Run

    def at_rest(self) -> bool:
        node, link = self.node, self.link
        if self.faulty or not node.alive or node._committing or node._gathered or link is None:
            return False
        source = node.manager.queue(SOURCE)
        assert source is not None
        stock = self.broker.queue(STOCK_OUT)
        under_way = self.connection is not None and self.connection.unsettled
        if source.depth or source.uncommitted_gets or stock.messages or under_way:
            return False
        return self.requests is None or self.requests.at_rest()

    def run(self) -> list[str]:
        """Runs the seed; faults that were found, in words."""
        self.node.boot()
        self.plan()
        if not self.clock.run(self.start + FAULT_TIME + QUIET_TIME, self.at_rest):
            assert self.link is not None
            return [f"did not come to rest: {self.link.status(self.clock.now)}"]
        return self.check()

    def check(self) -> list[str]:
        problems: list[str] = []
        once = self.duplicates is Duplicates.ARTEMIS
        dead = [message.data for message in drain(self.node, "DLQ")]
        sent = Counter(text_of(each.body) for each in self.broker.queue(STOCK_IN).messages)
        for body, fate in self.oracle.fate.items():
            arrived, buried = sent.pop(body, 0), sum(body in each for each in dead)
            count = max(arrived, buried) if self.refusing else arrived + buried  # rejected while it was in doubt
            name, persistent = body[:40], b"persistent" in body
            if count > 1 and (once or not persistent):
                problems.append(f"{name!r} arrived {count} times at the provider")
            if fate == "refused" and count:
                problems.append(f"{name!r} was refused, and arrived")
            if fate == "committed" and persistent and not count:
                problems.append(f"{name!r} was committed, and lost")
        problems += [f"{body!r} came from nowhere" for body in sent]
        here = Counter([*self.taken, *(message.data for message in drain(self.node, SINK))])
        here.update(each.body for each in self.broker.dead if isinstance(each.body, bytes))
        for body, durable in self.produced.items():
            count = here.pop(body, 0)
            if count > 1:
                problems.append(f"{body!r} arrived {count} times here")
            if durable and not count:
                problems.append(f"{body!r} was lost on its way here")
        problems += [f"{body!r} came from nowhere" for body in here]
        return problems + (self.requests.check(dead, once=once) if self.requests else [])
