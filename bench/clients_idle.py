"""A thousand connected clients, a hundred of them active: memory of a connection, and latency of calls.

    python bench/clients_idle.py            a few seconds of each load
    python bench/clients_idle.py --full     longer

Nine hundred clients have a queue open and wait in a get without a time limit, as listeners do. A hundred put a
persistent message of 2 KiB and get it again, each on a queue of its own: first as fast as they can, then at half that
rate on a schedule. The latency of a put counts from its scheduled time. Memory is RssAnon of the server, less that
without clients. Clients and server share the machine.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from figures import figure
from idle import room_for
from many_clients import Client, Crowd, Program, now
from servers import Ours
from workers import memory

from mqbridge.protocol.constants import MQGMO, MQOO, MQPMO
from mqbridge.protocol.mqi_client import GetParameters, ObjectName, opened
from mqbridge.protocol.structures.md import MD1

CONNECTED, ACTIVE = 1_000, 100
SIZE = 2048
WAITED_AT = 30
"""Queues at which the idle ones wait, together."""
MEMORY_TO_REACH = 100
"""KiB a connection."""
P99_TO_REACH = 50
"""Milliseconds."""
LIMIT = 120.0
SETTLED = 1.0
KIB = 1 << 10
OBJECTS = "".join(f"DEFINE QLOCAL(WAITED.{number})\n" for number in range(WAITED_AT)) + "".join(
    f"DEFINE QLOCAL(WORK.{number})\n" for number in range(ACTIVE)
)


class Work:
    """Durations of the puts and gets of the active clients, in seconds."""

    def __init__(self) -> None:
        self.puts: list[float] = []
        self.gets: list[float] = []
        self.ready = 0
        self.working = 0
        self.end = 0.0
        self.interval = 0.0
        """Seconds between two turns of a client; 0: as fast as it can."""

    def program(self, client: Client, number: int) -> Program:
        """One working client, until ``end``; it waits for its turns when there is an interval."""
        machine, name = client.machine, ObjectName(name=f"WORK.{number}")
        call = yield machine.calls.open(name, int(MQOO.INPUT_SHARED | MQOO.OUTPUT), time.time())
        handle = opened(call).handle
        self.ready += 1
        connected = client.connected
        assert connected is not None
        descriptor = MD1.codec(connected.order)(version=1, persistence=1).build()
        body = bytes(SIZE)
        while True:
            while now() >= self.end:
                yield now() + 0.05
            self.working += 1
            turn = now() + self.interval * number / ACTIVE
            while turn < self.end:
                if self.interval:
                    yield turn
                else:
                    turn = now()
                yield machine.calls.put(handle, descriptor, body, int(MQPMO.NO_SYNCPOINT), time.time())
                self.puts.append(now() - turn)
                began = now()
                yield machine.calls.get(handle, GetParameters(), time.time())
                self.gets.append(now() - began)
                turn += self.interval
            self.working -= 1

    def load(self, crowd: Crowd, seconds: float, interval: float) -> float:
        """Let all active clients work for a time. Returns puts and gets a second."""
        self.puts, self.gets, self.interval = [], [], interval
        began = now()
        self.end = began + seconds
        crowd.run_until(lambda: now() >= self.end and not self.working, seconds + LIMIT)
        return len(self.gets) / (now() - began)


def waiting(client: Client, number: int, counted: list[int]) -> Program:
    """An idle client: waits for a message that never comes."""
    name = ObjectName(name=f"WAITED.{number % WAITED_AT}")
    call = yield client.machine.calls.open(name, int(MQOO.INPUT_SHARED), time.time())
    counted.append(number)
    yield client.machine.calls.get(opened(call).handle, GetParameters(options=int(MQGMO.WAIT), wait=None), time.time())


def rss(server: Ours) -> int:
    return memory(server.process.pid)["RssAnon"]


def p99(durations: list[float]) -> float:
    """The 99th percentile, milliseconds."""
    return sorted(durations)[int(len(durations) * 0.99)] * 1e3


def shown(name: str, durations: list[float]) -> str:
    """Median and 99th percentile, milliseconds."""
    return f"{name} p50 {statistics.median(durations) * 1e3:5.1f} ms, p99 {p99(durations):5.1f} ms"


def measure(connected: int, seconds: float) -> None:
    server, crowd, work = Ours(OBJECTS), Crowd(), Work()
    try:
        before = rss(server)
        began = now()
        clients = [crowd.join(server.port) for _ in range(connected)]
        crowd.run_until(lambda: all(client.connected for client in clients), LIMIT)
        took = now() - began
        idle: list[int] = []
        for number, client in enumerate(clients):
            if number < ACTIVE:
                client.run(work.program(client, number))
            else:
                client.run(waiting(client, number, idle))
        crowd.run_until(lambda: work.ready == ACTIVE and len(idle) == connected - ACTIVE, LIMIT)
        time.sleep(SETTLED)
        each = (rss(server) - before) / connected / KIB
        used = server.processor()
        time.sleep(SETTLED)
        at_rest = server.processor() - used
        used = server.processor()
        most = work.load(crowd, seconds, 0.0)
        turns = len(work.gets)
        cost = (server.processor() - used) / turns * 1e6
        work.load(crowd, seconds, 2 * ACTIVE / most)
        after = (rss(server) - before) / connected / KIB
    finally:
        crowd.close()
        server.close()
    print(f"{connected:,} clients connected in {took:.1f} s, {connected - ACTIVE:,} wait in a get, {ACTIVE} work")
    print(f"  {each:5.1f} KiB a connection (after the work {after:.1f})")
    print(f"  {at_rest / SETTLED * 100:5.1f} % of a core while nobody works")
    print(f"  {most:7,.0f} puts and gets a second at the most, processor us of the server for both: {cost:.0f}")
    print(f"  at half of that: {shown('put', work.puts)}; {shown('get', work.gets)}")
    figure("an idle client, memory", "", [each], least=MEMORY_TO_REACH, unit="KiB", lower=True)
    for what, taken in (("put", work.puts), ("get", work.gets)):
        name = f"{what} among {connected:,} clients, half load, p99"
        figure(name, "", [p99(taken)], least=P99_TO_REACH, unit="ms", lower=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="work for longer")
    options = parser.parse_args()
    connected = room_for(CONNECTED)
    if connected < CONNECTED:
        print(f"the limit of open files allows {connected:,} clients instead of {CONNECTED:,}")
    measure(connected, 30.0 if options.full else 6.0)
    return 0


if __name__ == "__main__":
    sys.exit(main())
