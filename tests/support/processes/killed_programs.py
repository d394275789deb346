"""Clients at work at a queue manager that is killed; what each of their units of work may have become of.

Every unit puts to TARGET and gets from STOCK. A program knows what it asked for and what it was told: that decides how
its unit may be found after the restart (`queue_manager.unit_fates`).
"""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator

from mqbridge.protocol.constants import MQGMO, MQOO, MQPMO, SegmentType, TMFlags, XAReturn
from support.processes.running_service import RunningService
from support.queue_manager.unit_fates import Unit, Xid, judge
from support.wire.program import Gone, WireProgram
from support.wire.socket import SocketLine, enter

SYNC_PUT, SYNC_GET = int(MQPMO.SYNCPOINT), int(MQGMO.SYNCPOINT)
LONGEST = 200_000
STOCK_BATCH = 100
FORMAT = 4711


class Client(threading.Thread):
    """A program that works until the queue manager dies, once."""

    def __init__(self, port: int, name: str, seed: int, *, branches: bool) -> None:
        super().__init__(daemon=True)
        self.port, self.label, self.branches = port, name, branches
        self.random = random.Random(seed)
        self.units: list[Unit] = []
        self.failure: BaseException | None = None
        self.line: SocketLine
        self.program: WireProgram
        self.target = self.stock = 0

    def run(self) -> None:
        try:
            self.line, self.program = enter(self.port, shared=self.random.choice([0, 10]))
            try:
                self._work()
            finally:
                self.line.close()
        except (OSError, Gone):
            pass  # killed
        except BaseException as failure:
            self.failure = failure

    def _work(self) -> None:
        perform, program = self.line.perform, self.program
        self.target = perform(program.open("TARGET", MQOO.OUTPUT))
        self.stock = perform(program.open("STOCK", MQOO.INPUT_SHARED))
        if self.branches:
            assert perform(program.xa(SegmentType.XA_OPEN)) == XAReturn.OK
        while True:
            number = len(self.units)
            unit = Unit((FORMAT, f"{self.label} {number}".encode(), b"b") if self.branches else None)
            self.units.append(unit)
            if self.branches:
                self._branch(unit)
            else:
                self._local(unit)

    def _fill(self, unit: Unit) -> None:
        perform, program = self.line.perform, self.program
        for index in range(self.random.choice([1, 1, 2, 5])):
            if self.random.random() < 0.4:
                taken = perform(program.take(self.stock, SYNC_GET))
                unit.gets += [] if taken is None else [taken.data]
            data = f"{self.label} {len(self.units)} {index} ".encode()
            data = data.ljust(self.random.choice([0, 0, 200, 200, 20_000, LONGEST]), b".")
            unit.puts.append(data)
            perform(program.put(self.target, data, SYNC_PUT, persistence=1))

    def _local(self, unit: Unit) -> None:
        self._fill(unit)
        if self.random.random() < 0.2:
            unit.fate = "backed out"
            assert self.line.perform(self.program.backout()) == 0
        else:
            unit.fate = "committing"
            assert self.line.perform(self.program.commit()) == 0
            unit.fate = "committed"

    def _branch(self, unit: Unit) -> None:
        def xa(kind: SegmentType, flags: int = 0) -> None:
            value = self.line.perform(self.program.xa(kind, unit.xid, flags))
            assert value == XAReturn.OK, f"{kind.name}: {value}"

        xa(SegmentType.XA_START)
        self._fill(unit)
        xa(SegmentType.XA_END, int(TMFlags.SUCCESS))
        if self.random.random() < 0.1:
            unit.fate = "backed out"
            xa(SegmentType.XA_ROLLBACK)
            return
        unit.fate = "preparing"
        xa(SegmentType.XA_PREPARE)
        unit.fate = "prepared"
        choice = self.random.random()
        if choice < 0.5:
            unit.fate = "committing branch"
            xa(SegmentType.XA_COMMIT)
            unit.fate = "committed"
        elif choice < 0.7:
            unit.fate = "rolling back branch"
            xa(SegmentType.XA_ROLLBACK)
            unit.fate = "backed out"


class KilledClients:
    """A queue manager, its clients of one life after the other, and the oracle."""

    def __init__(self, service: RunningService, seed: int) -> None:
        self.service = service
        self.random = random.Random(seed)
        self.units: list[Unit] = []
        self.stocked: list[bytes] = []
        self.lives = 0

    def live_and_die(self, longest: float) -> None:
        """Clients work, and the queue manager is killed after a while of at most so many seconds; it starts again."""
        self.lives += 1
        self._restock()
        clients = [
            Client(self.service.port, f"{self.lives}.{number}", self.random.getrandbits(32), branches=number % 2 == 0)
            for number in range(4)
        ]
        for client in clients:
            client.start()
        while not all(len(client.units) > 1 for client in clients):
            assert all(client.is_alive() for client in clients), [client.failure for client in clients]
            threading.Event().wait(0.005)
        threading.Event().wait(self.random.random() * longest)
        self.service.kill()
        for client in clients:
            client.join(60)
            assert client.failure is None, client.failure
            self.units += client.units
        self.service.start()

    def _restock(self) -> None:
        def stock(line: SocketLine, program: WireProgram) -> None:
            handle = line.perform(program.open("STOCK", MQOO.OUTPUT))
            for _ in range(STOCK_BATCH):
                data = b"stock %d" % len(self.stocked)
                self.stocked.append(data)
                line.perform(program.put(handle, data, SYNC_PUT, persistence=1))
            assert line.perform(program.commit()) == 0

        self._as_client(stock)

    def _as_client(self, work: Callable[[SocketLine, WireProgram], None]) -> None:
        line, program = enter(self.service.port, shared=self.random.choice([0, 10]))
        try:
            work(line, program)
            assert line.perform(program.disconnect()) == 0
        finally:
            line.close()

    def check(self) -> list[str]:
        """What is wrong with what is there; every branch in doubt is then finished, one way or the other."""
        problems: list[str] = []

        def look(line: SocketLine, program: WireProgram) -> None:
            line.perform(program.xa(SegmentType.XA_OPEN))
            doubtful = set(line.perform(program.recover(1000)))
            target = Counter(contents(line, program, "TARGET"))
            stock = Counter(contents(line, program, "STOCK"))
            problems.extend(judge(self.units, self.stocked, target, stock, doubtful))
            for xid in sorted(doubtful):
                self._finish(line, program, xid)

        self._as_client(look)
        return problems

    def _finish(self, line: SocketLine, program: WireProgram, xid: Xid) -> None:
        unit = next(unit for unit in self.units if unit.xid == xid)
        commits = self.random.random() < 0.5
        kind = SegmentType.XA_COMMIT if commits else SegmentType.XA_ROLLBACK
        assert line.perform(program.xa(kind, xid)) == XAReturn.OK
        unit.fate = "committed" if commits else "backed out"


def contents(line: SocketLine, program: WireProgram, queue: str) -> Iterator[bytes]:
    """Data of all messages of a queue, browsed."""
    handle = line.perform(program.open(queue, MQOO.BROWSE))
    while (taken := line.perform(program.take(handle, int(MQGMO.BROWSE_NEXT)))) is not None:
        yield taken.data
    line.perform(program.close(handle))
