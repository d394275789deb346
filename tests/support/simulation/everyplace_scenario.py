"""What one seed stands for: devices, a chain of gateways, MQ or a queue manager at its end, traffic and faults."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from mqbridge.bridge.everyplace.definitions import queue_properties as rows
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.onward.onward_lane import TABLE as ONWARD
from mqbridge.bridge.everyplace.states import State
from mqbridge.bridge.everyplace.transfer.lane_records import KEPT_FOR_MQ, SENDING, LaneName, SendingRecord
from mqbridge.protocol.everyplace.calls import Put
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address

from .clock import SimulatedClock
from .everyplace_definitions import END, MOVED, define_all
from .everyplace_mq import MqElsewhere, MqInProcess, SimulatedMq
from .everyplace_network import LateNetwork, LateStream
from .everyplace_node import EveryplaceNode
from .everyplace_oracle import Backup, EveryplaceOracle, identity_in, identity_of
from .everyplace_programs import AssuredProgram

QUIET_TIME = 6000.0
MOST_STEPS = 2_000_000
STEPS_A_SECOND = 5
"""Of each node, at most, where that is more: there are three when 200 devices poll for an hour."""
PASSING = (QueueKind.REMOTE, QueueKind.STORE_AND_FORWARD)


class Endurance(NamedTuple):
    """A long run. ``seconds``: in which things go wrong."""

    devices: int
    seconds: float


class EveryplaceScenario:
    """Devices D1 … put to ``ORDERS@SATURN``, to ``INBOX`` of a gateway whose alias moves, and to each other; what is
    for them waits at their gateways. ``impatient``: lines are slow, and ends give them up all the time.
    ``endurance``: with programs that use confirm ids, too. ``kind``: of SATURN, one of Everyplace (``node``) or of MQ,
    ``in process`` of the last gateway or ``elsewhere``; empty for any. ``patience``: seconds without faults in which
    everything must come to rest. ``onward``: there are several gateways, and none but the last keeps what
    is in transit.
    """

    def __init__(
        self,
        seed: int,
        *,
        impatient: bool = False,
        endurance: Endurance | None = None,
        patience: float = QUIET_TIME,
        kind: str = "",
        onward: bool = False,
    ) -> None:
        self.seed = seed
        self.endurance = endurance
        self.impatient = impatient
        self.patience = patience
        self.random = random = Random(seed)
        self.clock = SimulatedClock(1_795_251_600.0)
        self.start = self.clock.now
        self.events: list[str] = []
        self.oracle = EveryplaceOracle()
        self.faulty, self.done = True, False
        self.fault_time = random.choice([5.0, 15.0, 40.0])
        self.wire = LateNetwork(self.clock, random, delay=random.choice([0.002, 0.002, 0.05, 0.4, 0.6]))
        self.gateways = [f"G{at}" for at in range(1, random.choice([1, 1, 1, 2, 2, 3]) + 1)]
        if onward:
            self.gateways = ["G1", "G2"]
        count = random.choice([1, 1, 1, 2, 2, 3, 3, 5]) if random.random() < 0.97 else random.randint(8, 20)
        if endurance is not None:
            count, self.fault_time, self.gateways = endurance.devices, endurance.seconds, ["G1"]
        self.home = {f"D{at}": random.choice(self.gateways) for at in range(1, count + 1)}
        self.units = random.randint(2, 12) + count
        self.cuts = random.choice([0, 2, 5, 15, 40])
        self.kills = random.choice([0, 1, 3, 8])
        self.clock_steps = random.choice([0, 0, 3])
        self.polls: Sequence[int] = (800, 3000, 6000)
        if endurance is not None:
            hours = endurance.seconds / 3600
            self.units, self.cuts = int(30 * count * hours), int(20 * count * hours)
            self.kills, self.clock_steps, self.polls = int(2 * count * hours), int(50 * hours) + 1, (20_000, 60_000)
        self.programs: list[AssuredProgram] = []
        if impatient:
            self.wire.delay, self.cuts, self.fault_time = 0.5, 25, 60.0
        self.mq: SimulatedMq | None = None
        self.kind = random.choice(["node", "in process", "elsewhere"])
        self.kind = kind or self.kind
        names = [*self.home, *self.gateways, *([END] if self.kind == "node" else [])]
        self.nodes = {
            name: EveryplaceNode(name, self.clock, self.wire, random, self.oracle, self.note) for name in names
        }
        if self.kind != "node":
            last = self.nodes[self.gateways[-1]]
            others = [*self.home, *self.gateways[:-1]]
            make_mq = MqInProcess if self.kind == "in process" else MqElsewhere
            self.mq = make_mq(END, last, others, self.oracle, random)
        self.in_transit = random.choice((None, None, rows.ASYNCHRONOUS, rows.SYNCHRONOUS))
        """Mode of the queues that gateways have for what is in transit; None without them."""
        if onward:
            self.in_transit = rows.SYNCHRONOUS
        if endurance is not None:
            self.in_transit = None
        self.readmits = endurance is None and random.random() < 0.2
        """Whether a backup is restored."""
        self.restored = False

    def note(self, line: str) -> None:
        self.events.append(f"{self.clock.now - self.start:10.4f} {line}")

    @property
    def messages(self) -> int:
        """How many messages were put, whatever became of them."""
        return len(self.oracle.fates)

    # Traffic

    def _program(self) -> None:
        """A program puts some messages, one behind the other."""
        random = self.random
        name = random.choice([*self.home, *self.home, *([END] if self.mq is None else [END, self.gateways[-1]])])
        source = self.nodes[name] if self.mq is None or name != END else self.mq
        if name in self.home:
            others = [each for each in self.home if each != name]
            to = random.choice([f"ORDERS@{END}", f"ORDERS@{END}", f"INBOX@{MOVED}"])
            if others and random.random() < 0.2:
                to = f"REPLIES@{random.choice(others)}"
        else:
            to = f"REPLIES@{random.choice([*self.home])}"
        left = random.choice([1, 1, 2, 5, 20])

        def put() -> None:
            nonlocal left
            if not source.alive:
                self.clock.after(0.5, put)
                return
            left -= 1
            if isinstance(source, SimulatedMq):
                self.note(f"a program of {END} puts {source.put(Address.parse(to))} to {to}")
            else:
                self._put(source, to, self.oracle.message(source.name, to, random))
            if left:
                self.clock.after(random.choice((0.0, 0.001, 0.3)), put)

        put()

    def _offer(self) -> None:
        """A program at the gateway puts a message that one on a device gets."""
        gateway = self.nodes[self.gateways[0]]
        to = f"TAKEN@{gateway.name}"
        if gateway.alive:
            self._put(gateway, to, self.oracle.message(gateway.name, to, self.random))

    def _put(self, source: EveryplaceNode, to: str, message: Message) -> None:
        identity = identity_of(message)
        self.note(f"{source.name} puts {identity} to {to}")
        source.ask(Put(Address.parse(to), message), self.oracle.answered(identity))

    # Faults and operators

    def _plan(self) -> None:
        random, clock = self.random, self.clock
        for _ in range(self.units):
            clock.at(self._some_time(), self._program)
        for program in self.programs:
            for _ in range(int(self.fault_time / 300) + 1):
                clock.at(self._some_time(), self._offer)
                clock.at(self._some_time(), program.put)
                clock.at(self._some_time(), program.get)
        for _ in range(self.cuts):
            clock.at(self._some_time(), self._cut)
        for _ in range(self.kills):
            clock.at(self._some_time(), self._kill)
        for _ in range(self.clock_steps):
            clock.at(self._some_time(), self._step_clock)
        for _ in range(random.choice([0, 0, 4])):
            clock.at(self._some_time(), self._move_alias)
        for _ in range(random.choice([0, 2])):
            clock.at(self._some_time(), lambda: self._trigger(self._some_node()))
        if self.readmits:
            clock.at(self._some_time(), self._back_up)
        rate = random.choice([0.0, 0.0, 0.0005, 0.003, 0.01])
        for node in self.nodes.values():
            node.store.crash_rate = rate
            node.store.full_rate = random.choice([0.0, 0.0, 0.0, 0.02])
        clock.at(self.start + self.fault_time, self._peace)

    def _some_time(self) -> float:
        return self.start + self.random.random() * self.fault_time * 0.9

    def _some_node(self) -> EveryplaceNode:
        return self.nodes[self.random.choice([*self.nodes])]

    def _kill(self) -> None:
        victims: list[EveryplaceNode | SimulatedMq] = [*self.nodes.values()]
        if self.mq is not None:
            victims.append(self.mq)
        self.random.choice(victims).kill()

    def _cut(self) -> None:
        streams = self.wire.open_streams()
        if not streams:
            return
        stream = self.random.choice(streams)
        assert isinstance(stream, LateStream)
        if not self.impatient and self.random.random() < 0.5:
            self.note("a line is cut")
            stream.cut()
        else:
            side = 0 if self.impatient else self.random.randint(0, 1)
            self.note("one end gives a line up")
            stream.detach(side, self.random.choice([0.0, self.random.uniform(0.5, 6.0), 40.0]))

    def _step_clock(self) -> None:
        node = self._some_node()
        step = self.random.choice([-3600.0, -1.0, 1.0, 600.0])
        # The UIDs of a queue manager whose backup is restored come from its clock alone.
        node.ahead += abs(step) if self.readmits else step
        self.note(f"the clock of {node.name} is {node.ahead:g} seconds ahead")

    def _move_alias(self) -> None:
        node = self.nodes[self.random.choice([*self.home])]
        home, other = self.home[node.name], self.random.choice(self.gateways)
        if not node.alive or node.writing:
            return
        self.note(f"{MOVED} is {other} for {node.name}")

        def move() -> None:
            for name in self.gateways:
                aliases = (MOVED,) if name == other else ()
                node.change_connection(name, via="" if name == home else home, aliases=aliases)

        node.call(move)

    def _trigger(self, node: EveryplaceNode) -> None:
        node.call(lambda: node.network.trigger(node.now))

    def _back_up(self) -> None:
        node = self._some_node()
        if node.store.crashed:
            return
        backup = node.store.backup()
        self.note(f"a backup of {node.name} is made")
        self.clock.after(self.random.random() * self.fault_time, lambda: self._restore(node, backup))

    def _restore(self, node: EveryplaceNode, backup: Backup) -> None:
        if node.alive:
            # What others do not know that it had, they send again.
            for other in self.nodes.values():
                self.oracle.may_double.update(other.in_doubt(node.name))
            node.kill(backup)
            self.restored = True
            if self.mq is not None and node is self.mq.gateway:
                self.mq.restored = True
            elif self.mq is not None and self.in_transit == rows.SYNCHRONOUS:
                self.mq.forgotten = True

    # Peace

    def _peace(self) -> None:
        self.note("no more faults")
        self.faulty = False
        for node in self.nodes.values():
            node.peaceful = True
        self._look()

    def _look(self) -> None:
        for node in self.nodes.values():
            node.store.crash_rate = node.store.full_rate = 0.0
        if self.mq is not None:
            self.mq.peace()
        if self.at_rest():
            self.done = True
            return
        if self.readmits:
            self._readmit()
        if self.random.random() < 0.1:
            for node in self.nodes.values():
                self._trigger(node)
        self.clock.after(2.0, self._look)

    def _readmit(self) -> None:
        """An administrator answers alarms of lanes that are held."""
        for node in self.nodes.values():
            for partner in node.held_by():
                self.note(f"{node.name} readmits {partner}")
                # What is in doubt at either end goes again.
                self.oracle.may_double.update(node.in_doubt(partner))
                if partner in self.nodes:
                    self.oracle.may_double.update(self.nodes[partner].in_doubt(node.name))
                node.readmit(partner, lambda: None)
                if self.mq is not None and node is self.mq.gateway:
                    self.mq.readmitted.add(partner)

    def at_rest(self) -> bool:
        """Whether every process runs and nothing is on its way, in doubt or being written."""
        if self.faulty or any(each.busy for each in self.programs):
            return False
        if any(not node.alive or node.writing or self._passes_on(node) for node in self.nodes.values()):
            return False
        return self.mq is None or not self.mq.restless()

    def _passes_on(self, node: EveryplaceNode) -> bool:
        for queue in node.manager.queues:
            if queue.kind in PASSING and queue.messages is not None and len(queue.messages):
                return True
        if list(node.store.records(ONWARD)):
            return True
        lanes = [LaneName(*key.decode().split("\0")) for key, _ in node.store.records(SENDING)]
        return any(SendingRecord.read(node.store, lane).in_doubt for lane in lanes)

    def run(self) -> list[str]:
        """Runs the seed; faults that the oracle found, in words."""
        if self.mq is not None:
            self.mq.boot()
        for node in self.nodes.values():
            node.boot()
        define_all(self)
        self._plan()
        problems = self.oracle.problems
        until = self.start + self.fault_time + self.patience
        steps = max(MOST_STEPS, int(STEPS_A_SECOND * len(self.nodes) * self.fault_time))
        if not self.clock.run(until, lambda: self.done or bool(problems), steps):
            return ["did not come to rest: " + "; ".join(self._restless())]
        return problems[:10] or self.oracle.check(self._arrived())

    def _restless(self) -> list[str]:
        found = [] if self.mq is None else self.mq.restless()
        for node in self.nodes.values():
            if not node.alive or node.writing or self._passes_on(node):
                waiting = [
                    f"{queue} {len(queue.messages)}"
                    for queue in node.manager.queues
                    if queue.messages is not None and queue.kind in PASSING and len(queue.messages)
                ]
                found.append(f"{node.name} {waiting} {node.alarms[-2:]}")
        return found

    def _arrived(self) -> dict[str, list[str]]:
        """What lies on the last queues, in order; messages in any state but U are no end."""
        found = {} if self.mq is None else {END: self.mq.arrived()}
        if self.mq is not None and self.mq.forgotten:
            self.oracle.may_lose.update(identity_in(row) for _, row in self.mq.gateway.store.records(KEPT_FOR_MQ))
        for node in self.nodes.values():
            for queue in node.manager.queues:
                if queue.kind is not QueueKind.LOCAL or queue.messages is None:
                    continue
                entries = list(queue.messages.held.list)
                if self.restored and self.in_transit == rows.SYNCHRONOUS:
                    # Nobody confirms any more what was put before the backup of one end, or of the other.
                    hidden = [entry for entry in entries if entry.state is State.PUT_UNCONFIRMED]
                    self.oracle.may_lose.update(identity_of(queue.messages.held.read(entry)) for entry in hidden)
                    entries = [entry for entry in entries if entry not in hidden]
                odd = [str(entry.uid) for entry in entries if entry.state is not State.UNLOCKED or entry.reserved]
                if odd:
                    self.oracle.problems.append(f"{queue}: {odd} is in another state than U")
                found[str(queue)] = [identity_of(queue.messages.held.read(entry)) for entry in entries]
        return found
