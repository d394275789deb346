"""What one seed stands for: definitions, traffic, faults and operators' commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from mqbridge.bridge.endpoints.tls_sessions import TlsSessions
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.calls.requests import Backout, Commit, PutOne
from mqbridge.bridge.queue_manager.control import ControlError
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQPMO
from support.queue_manager.faulty_store import FaultyStore
from support.tls.refusals import TLS_1_2, TLS_1_3

from .clock import SimulatedClock
from .network import Network
from .node import Node
from .oracle import Oracle
from .program import Program

NAMES = ("EARTH", "SATURN")
FAULT_TIME = 60.0
"""Seconds of simulated time in which things go wrong."""
QUIET_TIME = 20_000.0
"""Seconds after that in which everything must have come to rest."""


def _ignore(_: MQError | None) -> None:
    """The end of the unit of work tells."""


def channel_name(source: str, target: str) -> str:
    return f"{source}.{target}"


class Scenario:
    """Two queue managers, a channel each way, programs that put on both sides.

    ``damage_rate``: how often the disk of one that died has lost or damaged a block when it starts again. ``tls``: by
    name, what makes the sessions of a queue manager, for channels inside TLS.
    """

    def __init__(self, seed: int, damage_rate: float = 0.0, tls: Mapping[str, TlsSessions] | None = None) -> None:
        self.seed = seed
        self.random = random = Random(seed)
        self.clock = SimulatedClock()
        self.start = self.clock.now
        self.network = Network(self.clock, random, delay=random.choice([0.0005, 0.005, 0.05]))
        self.network.refuse_rate = random.choice([0.0, 0.1, 0.5])
        self.events: list[str] = []
        self.oracle = Oracle()
        self.faulty = True
        self.batch_size = random.choice([1, 2, 7, 50])
        self.batch_limit = random.choice([0, 1, 5000])
        self.burst = random.choice([3, 3, 60])
        self.sequence_wrap = random.choice([100, 100, 999_999_999])
        self.fast = random.choice(["FAST", "NORMAL"])
        self.batch_interval = random.choice([0, 0, 20])
        self.max_message_length = random.choice([4_194_304, 60_000])
        self.trouble = random.choice(["none", "full", "unknown", "both"])
        self.use_reset = random.random() < 0.3
        self.use_stop = random.random() < 0.5
        self.units = random.randint(30, 160)
        self.cipher = random.choice(["ANY_TLS12_OR_HIGHER", TLS_1_2, TLS_1_3]) if tls else ""
        crash_rate = random.choice([0.0, 0.001, 0.004])
        full_rate = random.choice([0.0, 0.0, 0.02])
        self.nodes = {
            name: Node(
                name,
                self.clock,
                self.network,
                random,
                self.definitions(name, other),
                self.note,
                FaultyStore(random, crash_rate=crash_rate, full_rate=full_rate, damage_rate=damage_rate),
            )
            for name, other in (NAMES, NAMES[::-1])
        }
        for name, node in self.nodes.items():
            node.repaired = self.oracle.repaired
            node.tls = tls[name] if tls else None

    def note(self, line: str) -> None:
        self.events.append(f"{self.clock.now - self.start:10.4f} {line}")

    def definitions(self, name: str, other: str) -> list[tuple[Kind, str, dict[str, Any]]]:
        sending, receiving = channel_name(name, other), channel_name(other, name)
        common = {
            "BATCHSZ": self.batch_size,
            "SEQWRAP": self.sequence_wrap,
            "NPMSPEED": self.fast,
            "MAXMSGL": self.max_message_length,
            "HBINT": 10,
            "SSLCIPH": self.cipher,
        }
        sender = {
            "CHLTYPE": "SDR",
            "XMITQ": other,
            "CONNAME": other,
            "SHORTTMR": 1,
            "SHORTRTY": 999_999,
            "DISCINT": self.random.choice([0, 3]),
            "BATCHINT": self.batch_interval,
            "BATCHLIM": self.batch_limit,
            "BATCHHB": self.random.choice([0, 100]),
            **common,
        }
        depth = 20 if self.trouble in ("full", "both") else 100_000
        trigger = {"TRIGGER": True, "TRIGTYPE": "FIRST", "INITQ": "SYSTEM.CHANNEL.INITQ", "TRIGDATA": sending}
        return [
            (Kind.QLOCAL, "SYSTEM.CHANNEL.INITQ", {}),
            (Kind.QLOCAL, "DLQ", {"MAXDEPTH": 100_000}),
            (Kind.QLOCAL, "TARGET", {"MAXDEPTH": depth}),
            (Kind.QLOCAL, other, {"USAGE": "XMITQ", "MAXDEPTH": 100_000, **trigger}),
            (Kind.QREMOTE, "REMOTE", {"RNAME": "TARGET", "RQMNAME": other, "XMITQ": other}),
            (Kind.QREMOTE, "NOWHERE", {"RNAME": "NO.SUCH.QUEUE", "RQMNAME": other, "XMITQ": other}),
            (Kind.CHANNEL, sending, sender),
            (Kind.CHANNEL, receiving, {"CHLTYPE": "RCVR", "MRRTY": 2, "MRTMR": 100, **common}),
        ]

    @property
    def messages(self) -> int:
        """How many messages were put, whatever became of them."""
        return len(self.oracle.fate)

    # Programs

    def put_some(self, node: Node, number: int) -> None:
        """One unit of work of a program, or a message outside of one."""
        random, oracle, now = self.random, self.oracle, self.clock.now
        source, program = node.name, Program(node.manager, now)
        together = random.choice([1, 1, 1, 3, 3, self.burst])
        alone = together == 1 and random.random() >= 0.5
        put: list[bytes] = []
        for index in range(together):
            persistent = random.random() < 0.75
            lost_target = self.trouble in ("unknown", "both") and random.random() < 0.1
            length = random.choice([10, 10, 100, 3000, 40_000, 90_000])
            body = oracle.body(source, number, index, persistent, ordered=not lost_target, length=length)
            message = Message.build(body, format="MQSTR", persistence=int(persistent), expiry=-1)
            try:
                name = "NOWHERE" if lost_target else "REMOTE"
                bits = int(MQPMO.NO_SYNCPOINT if alone else MQPMO.SYNCPOINT)
                request = PutOne(index, name, "", message.raw_md, body, bits, message.order, message.ccsid)
                oracle.asked(body)
                program.ask(request, now, oracle.answered([body]) if alone else _ignore)
                put.append(body)
            except MQError as error:
                oracle.refused(body)
                self.note(f"{source} put refused: {error}")
        if alone:
            return
        if random.random() < 0.1:
            program.ask(Backout(together), now, _ignore)
            for body in put:
                oracle.refused(body)
        else:
            program.ask(Commit(together), now, oracle.answered(put))

    def plan_traffic(self) -> None:
        for number in range(self.units):
            node = self.nodes[self.random.choice(NAMES)]
            when = self.start + self.random.random() * FAULT_TIME * 0.9
            self.clock.at(when, lambda node=node, number=number: self._program(node, number))  # type: ignore[misc]

    def _program(self, node: Node, number: int) -> None:
        if node.alive:
            node.call(lambda: self.put_some(node, number))
        else:
            self.clock.after(0.5, lambda: self._program(node, number))

    # Faults and operators

    def plan_faults(self) -> None:
        random, clock = self.random, self.clock
        for _ in range(random.randint(0, 12)):
            clock.at(self.start + random.random() * FAULT_TIME, self._cut)
        for _ in range(random.randint(0, 4)):
            clock.at(self.start + random.random() * FAULT_TIME, self._kill)
        for _ in range(random.randint(1, 6) if self.use_stop else 0):
            clock.at(self.start + random.random() * FAULT_TIME, self._stop)
        for _ in range(2 if self.use_reset else 0):
            clock.at(self.start + random.random() * FAULT_TIME, self._reset)
        clock.at(self.start + FAULT_TIME, self._peace)

    def _cut(self) -> None:
        streams = self.network.open_streams()
        if streams:
            self.note("a connection is cut")
            self.random.choice(streams).cut()

    def _kill(self) -> None:
        self.nodes[self.random.choice(NAMES)].kill()

    def _command(self, what: str, node: Node, action: Callable[[], None]) -> None:
        def attempt() -> None:
            try:
                action()
                self.note(f"{node.name} {what}")
            except ControlError as error:
                self.note(f"{node.name} {what}: {error}")

        node.call(attempt)

    def _stop(self) -> None:
        random = self.random
        node = self.nodes[random.choice(NAMES)]
        other = NAMES[1 - NAMES.index(node.name)]
        name = channel_name(*random.choice([(node.name, other), (other, node.name)]))
        mode = random.choice(["QUIESCE", "FORCE", "TERMINATE"])
        status = random.choice(["STOPPED", "INACTIVE"])
        if node.alive:
            channel = node.manager.objects.channel(name)
            assert channel is not None
            stop = lambda: node.control.stop(channel, mode, status, "", "", self.clock.now)  # noqa: E731
            self._command(f"STOP CHANNEL({name}) MODE({mode}) STATUS({status})", node, stop)
        self.clock.after(random.random() * 5, lambda: self._start(node, name))

    def _start(self, node: Node, name: str) -> None:
        if not node.alive:
            self.clock.after(0.5, lambda: self._start(node, name))
            return
        channel = node.manager.objects.channel(name)
        assert channel is not None
        self._command(f"START CHANNEL({name})", node, lambda: node.control.start(channel, self.clock.now))

    def _reset(self) -> None:
        node = self.nodes[self.random.choice(NAMES)]
        if not node.alive:
            return
        name = channel_name(node.name, NAMES[1 - NAMES.index(node.name)])
        channel = node.manager.objects.channel(name)
        assert channel is not None
        number = self.random.randint(1, 100)

        def told(error: ControlError | None) -> None:
            self.note(f"{node.name} RESET CHANNEL({name}) SEQNUM({number}): {error or 'done'}")

        def stop_first() -> None:
            node.control.stop(channel, "FORCE", "STOPPED", "", "", self.clock.now)

        def reset() -> None:
            if node.alive:
                self._command("RESET", node, lambda: node.control.reset(channel, number, self.clock.now, told))
            self._start(node, name)

        self._command(f"STOP CHANNEL({name}) before RESET", node, stop_first)
        self.clock.after(2.0, reset)

    def _peace(self) -> None:
        """No more faults; every queue manager runs, every channel may."""
        self.note("no more faults")
        self.faulty = False
        self.network.refuse_rate = 0.0
        for node in self.nodes.values():
            node.store.crash_rate = node.store.full_rate = node.store.damage_rate = 0.0
        self.clock.after(10.0, self._wake_up)

    def _wake_up(self) -> None:
        for name, node in self.nodes.items():
            node.store.crash_rate = node.store.full_rate = node.store.damage_rate = 0.0
            if node.store.damaged:
                node.repair_soon()  # as `store check` would tell
            other = NAMES[1 - NAMES.index(name)]
            for channel in (channel_name(name, other), channel_name(other, name)):
                if node.alive and self._to_be_started(node, channel):
                    self._start(node, channel)
        if not self.at_rest():
            self.clock.after(10.0, self._wake_up)

    def _to_be_started(self, node: Node, name: str) -> bool:
        """Stopped, or ended with STATUS(INACTIVE) while messages were left: new ones would start it."""
        channel = node.gateway.channel_manager.channels.named(name)
        queue = node.manager.queue(NAMES[1 - NAMES.index(node.name)])
        left = queue is not None and queue.depth and not channel.active and not channel.retrying
        return channel.status.stopped or (name.startswith(node.name) and bool(left))

    # Run

    def at_rest(self) -> bool:
        """All queue managers run, nothing is left to travel, nothing is in doubt."""
        if self.faulty:
            return False
        for name, node in self.nodes.items():
            if not node.alive or node._committing or node._gathered or node.store.damaged:
                return False
            queue = node.manager.queue(NAMES[1 - NAMES.index(name)])
            channel = node.gateway.channel_manager.channels.named(channel_name(name, NAMES[1 - NAMES.index(name)]))
            if queue is None or queue.depth or channel.held is not None or channel.sender.state.in_doubt is not None:
                return False
            if channel.sending is not None and channel.sending.machine.batches.open:
                return False
        return True

    def run(self) -> list[str]:
        """Runs the seed; faults that the oracle found, in words."""
        for node in self.nodes.values():
            node.boot()
        self.plan_traffic()
        self.plan_faults()
        rested = self.clock.run(self.start + FAULT_TIME + QUIET_TIME, self.at_rest)
        if not rested:
            return ["did not come to rest: " + self.describe()]
        return self.oracle.check(self.nodes)

    def describe(self) -> str:
        """Where things stand, for a failing seed."""
        parts = []
        for name, node in self.nodes.items():
            if not node.alive:
                parts.append(f"{name} is dead")
                continue
            for channel in node.gateway.channel_manager.channels:
                state = channel.sender.state
                parts.append(
                    f"{name} {channel.name}: stopped={channel.status.stopped} active={channel.active} "
                    f"retrying={channel.retrying} in_doubt={state.in_doubt} held={channel.held is not None} "
                    f"settling={channel.settling}"
                )
            queue = node.manager.queue(NAMES[1 - NAMES.index(name)])
            parts.append(f"{name} transmission queue depth {queue.depth if queue else None}")
        return "; ".join(parts)
