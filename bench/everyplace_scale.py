"""Ten thousand devices of Everyplace and their gateway in one process, for a simulated hour.

    python bench/everyplace_scale.py                  10,000 devices
    python bench/everyplace_scale.py --devices 1000   fewer

Each device comes up every 15 minutes, puts 5 messages to the gateway, sends them, pulls the 5 that wait for it, and
goes away; while it is away it is a pickle. A hundred are up at once. One visit in a hundred is cut at a byte and made
again. The gateway keeps its messages in LMDB, as it does at work; one commit takes what all who are up need.
Every message has a number, so that those that are lost, doubled or out of order are counted. Memory is RssAnon of the
process with an entry and 5 messages waiting for each device, before the first one comes up, without what it was before.
"""

from __future__ import annotations

import argparse
import pickle
import random
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from mqbridge.bridge.everyplace.creation import create
from mqbridge.bridge.everyplace.definitions import queue_properties as rows
from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
from mqbridge.bridge.everyplace.definitions.queue_definition import QueueDefinition
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.network.network import Network
from mqbridge.bridge.everyplace.network.outgoing import Line
from mqbridge.bridge.everyplace.network.settings import NetworkSettings, Peer, Trusting
from mqbridge.bridge.everyplace.queue_manager import QueueManager
from mqbridge.bridge.store.interface import Store
from mqbridge.bridge.store.lmdb import LmdbStore
from mqbridge.bridge.store.memory import MemoryStore, MemoryTables
from mqbridge.protocol.everyplace.calls import Done, Get, Got, Outcome, Put
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address

DEVICES: Final = 10_000
VISITS: Final = 4
INTERVAL: Final = 900.0
MESSAGES: Final = 5
AT_ONCE: Final = 100
CUT: Final = 0.01
START: Final = 1_795_251_600.0
GATEWAY: Final = "EARTH"
INBOX: Final = Address("INBOX", GATEWAY)
MAP: Final = 4 << 30
LISTENER: Final = ListenerDefinition("LISTENER")
MOST_KIB: Final = 6.0
MOST_MINUTES, GOAL_MINUTES = 10.0, 5.0


def anonymous_kib() -> int:
    """Memory of this process that is its own."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon"):
            return int(line.split()[1])
    raise RuntimeError("there is no RssAnon")


class Host:
    """A queue manager with its network, over a store."""

    def __init__(self, name: str, store: Store, source: random.Random) -> None:
        self.name, self.store = name, store
        new = store.record("everyplace-registry", b"manager") is None
        if new:
            answers = store.commit([create(store, name, source.randbytes(8))])
            assert answers == [None]
        self.manager = QueueManager(store, source)
        self.network = Network(self.manager, Trusting(), source, NetworkSettings(pull_wait=0.0))
        self.new = new

    def define(self, kind: QueueKind, queue: str, owner: str, **values: Any) -> None:
        definition = QueueDefinition(kind, Address(queue, owner))
        for key, value in values.items():
            definition.set(getattr(rows, key), value)
        self._done(lambda then: self.manager.define_queue(definition, then))

    def connection(self, to: str) -> None:
        definition = ConnectionDefinition(to, adapter="tcp", endpoint=f"{to}:8081")
        self._done(lambda then: self.manager.define_connection(definition, then))

    def _done(self, start: Callable[[Callable[[Outcome], None]], None]) -> None:
        found: list[Outcome] = []
        start(found.append)
        self.write()
        assert found == [Done()], found

    def put(self, address: Address, number: int, answers: list[Outcome], now: float) -> None:
        message = Message()
        message["n"] = number
        message["data"] = bytes(100)
        self.manager.call(Put(address, message), answers.append, now)

    def drain(self, address: Address, now: float) -> Iterator[Message]:
        """Get all messages of a queue."""
        while True:
            found: list[Outcome] = []
            self.manager.call(Get(address, Fields()), found.append, now)
            self.write()
            if not isinstance(found[0], Got):
                return
            yield found[0].message

    def write(self) -> bool:
        """Commit what is to be committed, in one transaction."""
        pending = self.manager.take_commits()
        answers = self.store.commit([each.operations for each in pending]) if pending else []
        for each, error in zip(pending, answers, strict=True):
            self.manager.committed(each, error)
        return bool(pending)


class Visit:
    """A device that is up, and its connection to the gateway. ``cut_at``: bytes after which it is lost, 0 for never."""

    def __init__(self, world: World, number: int, tables: MemoryTables, cut_at: int) -> None:
        self.world, self.number, self.tables, self.cut_at = world, number, tables, cut_at
        name = f"D{number}"
        self.device = Host(name, MemoryStore(tables), world.random)
        if self.device.new:
            self.device.connection(GATEWAY)
            self.device.define(QueueKind.LOCAL, "REPLIES", name)
            self.device.define(QueueKind.REMOTE, "INBOX", GATEWAY, MODE=rows.ASYNCHRONOUS, CLOSE_IDLE=True)
            self.device.define(QueueKind.HOME_SERVER, "HOME", GATEWAY, CLOSE_IDLE=True)
        self.ends: tuple[Line, Line] | None = None
        self.carried = 0
        self.over = False

    def put(self) -> None:
        """Put this visit's messages."""
        world = self.world
        answers: list[Outcome] = []
        for _ in range(MESSAGES):
            world.put_up[self.number] += 1
            self.device.put(INBOX, world.put_up[self.number], answers, world.now)
        self.device.write()
        assert answers == [Done()] * MESSAGES

    def step(self) -> None:
        """Do what can be done; the gateway's commits come in between."""
        device, world = self.device, self.world
        device.network.go_on(world.now)
        device.write()
        device.network.go_on(world.now)
        if self.ends is None:
            for definition in device.network.openings(world.now):
                called = world.gateway.network.called(LISTENER, Peer(device.name), world.now)
                self.ends = device.network.opened(definition.name, world.now), called
            if self.ends is None:
                self.over = True
                return
        device.network.lines_to_send()
        own, other = self.ends
        self._carry(own, other)
        self._carry(other, own)
        if self.ends is not None and (own.ended or other.ended):
            self._close()

    def _carry(self, source: Line, target: Line) -> None:
        data = source.take()
        self.carried += len(data)
        if data and self.ends is not None:
            if self.cut_at and self.carried > self.cut_at:
                target.receive_data(data[: max(0, len(data) - (self.carried - self.cut_at))], self.world.now)
                self._close()
            else:
                target.receive_data(data, self.world.now)

    def _close(self) -> None:
        assert self.ends is not None
        own, other = self.ends
        self.ends, self.over = None, True
        own.cut(self.world.now)
        other.cut(self.world.now)


class World:
    """The gateway, and the devices as bytes. ``put_up``, ``put_down``, ``got_up``, ``got_down``: last numbers."""

    def __init__(self, devices: int, folder: Path) -> None:
        self.random = random.Random(1)
        self.now = START
        self.devices = devices
        self.gateway = Host(GATEWAY, LmdbStore(folder, map_size=MAP), self.random)
        self.state: dict[int, bytes] = {}
        self.put_up: Counter[int] = Counter()
        self.put_down: Counter[int] = Counter()
        self.got_up: Counter[int] = Counter()
        self.got_down: Counter[int] = Counter()
        self.wrong = self.cuts = 0

    def define(self) -> None:
        """The gateway's queues, with an entry for each device."""
        self.gateway.define(QueueKind.LOCAL, "INBOX", GATEWAY)
        entries = [f"D{number}" for number in range(self.devices)]
        self.gateway.define(QueueKind.STORE_AND_FORWARD, "HELD", GATEWAY, ENTRIES=entries)

    def reply(self, numbers: range) -> None:
        """A program puts messages for devices that are away."""
        for first in range(numbers.start, numbers.stop, AT_ONCE):
            some = range(first, min(first + AT_ONCE, numbers.stop))
            answers: list[Outcome] = []
            for number in some:
                for _ in range(MESSAGES):
                    self.put_down[number] += 1
                    self.gateway.put(Address("REPLIES", f"D{number}"), self.put_down[number], answers, self.now)
            self.gateway.write()
            self._settle()
            assert len(answers) == MESSAGES * len(some)
            assert set(answers) == {Done()}

    def visits(self, numbers: range) -> None:
        """Devices come up, a hundred at once."""
        waiting = deque(numbers)
        up: list[Visit] = []
        while waiting or up:
            while waiting and len(up) < AT_ONCE:
                up.append(self._come(waiting.popleft(), first=True))
            for visit in up:
                visit.step()
            self.gateway.write()
            self._settle()
            up = [visit if not visit.over else again for visit in up if (again := self._left(visit)) is not None]
            self._inbox()
        self.now += INTERVAL * len(numbers) / self.devices
        self.gateway.network.timeout(self.now)

    def _settle(self) -> None:
        self.gateway.network.go_on(self.now)
        self.gateway.network.lines_to_send()
        self.gateway.network.take_effects()

    def _come(self, number: int, *, first: bool) -> Visit:
        data = self.state.pop(number, None)
        tables = MemoryTables() if data is None else pickle.loads(data)
        cut_at = self.random.randrange(1, 3000) if first and self.random.random() < CUT else 0
        self.cuts += bool(cut_at)
        visit = Visit(self, number, tables, cut_at)
        if first:
            visit.put()
        return visit

    def _left(self, visit: Visit) -> Visit | None:
        """A device that goes on is itself; one that was cut comes again; None: it has left."""
        if not visit.over:
            return visit
        visit.device.write()
        replies = Address("REPLIES", visit.device.name)
        for message in visit.device.drain(replies, self.now):
            self._count(self.got_down, visit.number, message["n"])
        self.state[visit.number] = pickle.dumps(visit.tables)
        return self._come(visit.number, first=False) if visit.cut_at else None

    def _inbox(self) -> None:
        for message in self.gateway.drain(INBOX, self.now):
            uid = message.uid
            assert uid is not None
            self._count(self.got_up, int(uid.origin[1:]), message["n"])

    def _count(self, got: Counter[int], device: int, number: int) -> None:
        if number != got[device] + 1:
            self.wrong += 1
        got[device] = max(got[device], number)


def run(devices: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        before = anonymous_kib()
        world = World(devices, Path(folder))
        world.define()
        part = max(devices // 20, 1)
        slices = [range(at, min(at + part, devices)) for at in range(0, devices, part)]
        for numbers in slices:
            world.reply(numbers)
        away = (anonymous_kib() - before) / devices
        began, used = time.perf_counter(), time.process_time()
        for visit in range(VISITS):
            for numbers in slices:
                world.visits(numbers)
                if visit < VISITS - 1:
                    world.reply(numbers)
        minutes = (time.perf_counter() - began) / 60
        processor = (time.process_time() - used) / 60
        world.gateway.store.close()
    expected = VISITS * MESSAGES * devices
    lost = 2 * expected - sum(world.got_up.values()) - sum(world.got_down.values())
    print(f"{devices:,} devices, {VISITS} visits each, {2 * expected:,} messages, {world.cuts} visits cut")
    print(f"  lost {lost}, doubled or out of order {world.wrong}        to reach: 0, 0")
    print(f"  KiB a device away      {away:8.2f}      to reach: {MOST_KIB:g}")
    print(f"  minutes                {minutes:8.2f}      to reach: {MOST_MINUTES:g}, goal {GOAL_MINUTES:g}")
    print(f"  of the processor       {processor:8.2f}")
    return 0 if not lost and not world.wrong and away <= MOST_KIB and minutes <= MOST_MINUTES else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--devices", type=int, default=DEVICES)
    return run(parser.parse_args().devices)


if __name__ == "__main__":
    sys.exit(main())
