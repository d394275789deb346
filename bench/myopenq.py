"""Puts of MyOpenQ beside puts of the Python client: 50 connections each, persistent messages of 200 bytes.

    python bench/myopenq.py            short rounds
    python bench/myopenq.py --full     longer ones

Both go to one queue manager with a store on disk, from one process with a thread for each connection; rounds alternate,
and the first one warms up and does not count. A put is answered when its message is on disk. ``framed``: connections
that stay, with digests, so that each put enters one in the same transaction. ``plain``: a connection for each put, as
the tools of the thesis make it. The target of ``framed`` is 0.8 of the client's rate, the goal 1.5. Processor time of
the server is in microseconds a message.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from figures import figure, ratios
from servers import Ours, processor

import mqbridge
from mqbridge.moq import Access, MoqClient, local_queue

CONNECTIONS = 50
SIZE = 200
QUEUE = "BENCH.MOQ"
CHANNEL = "DEV.APP.SVRCONN"
TARGET = 0.8
GOAL = 1.5
MQSC = f"DEFINE CHANNEL({CHANNEL}) CHLTYPE(SVRCONN)\n"
DOORS = """
[[myopenq]]
name = "framed"
mode = "framed"
endpoint = "tcp:0:interface=127.0.0.1"
md5_list = 100000

[[myopenq]]
name = "plain"
endpoint = "tcp:0:interface=127.0.0.1"
"""
Put = Callable[[bytes], object]
Caller = tuple[Put, Callable[[], None]]
"""What puts a message, and what closes the connection."""


def client_of(port: int) -> Caller:
    """A connection of the Python client."""
    manager = mqbridge.connect(f"mq://127.0.0.1:{port}/?channel={CHANNEL}")
    queue = manager.queue(QUEUE)
    return lambda body: queue.put(body, persistent=True), manager.disconnect


def caller_of(port: int, access: Access) -> Caller:
    """A caller of a door."""
    client = MoqClient("127.0.0.1", port, access)
    return lambda body: client.put(QUEUE, body), client.close


def measured(make: Callable[[], Caller], count: int) -> float:
    """Seconds that ``count`` puts take over all connections together."""
    callers = [make() for _ in range(CONNECTIONS)]
    failures: list[Exception] = []
    ready = threading.Barrier(CONNECTIONS + 1)

    def work(number: int, put: Put) -> None:
        try:
            ready.wait()
            for done in range(count // CONNECTIONS):
                put(b"%08d %08d" % (number, done) + bytes(SIZE - 17))
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number, put)) for number, (put, _) in enumerate(callers)]
    for each in threads:
        each.start()
    ready.wait()
    started = time.perf_counter()
    for each in threads:
        each.join()
    seconds = time.perf_counter() - started
    for _, close in callers:
        close()
    if failures:
        raise SystemExit(f"a put failed: {failures[0]}")
    return seconds


def main() -> None:
    """Run the rounds, and print the rates and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true")
    full = parser.parse_args().full
    count, rounds = (20_000, 7) if full else (5_000, 4)
    with tempfile.TemporaryDirectory(prefix="mqbridge-bench-") as folder:
        configuration = Path(folder) / "doors.toml"
        configuration.write_text(DOORS, encoding="utf-8")
        server = Ours(MQSC, "--config", str(configuration))
        try:
            show(server, count, rounds)
        finally:
            server.stop()


def show(server: Ours, count: int, rounds: int) -> None:
    """Measure all kinds alternately."""
    doors = {name: each["port"] for name, each in server.ready["myopenq"].items()}
    framed, plain = Access(framed=True, sign=True), Access()
    makers: dict[str, Callable[[], Caller]] = {
        "Python client": lambda: client_of(server.port),
        "framed": lambda: caller_of(doors["framed"], framed),
        "plain": lambda: caller_of(doors["plain"], plain),
    }
    with MoqClient("127.0.0.1", doors["framed"], framed) as operator:
        operator.create(local_queue(QUEUE, size=99_999, length=1024))
        rates: dict[str, list[float]] = {name: [] for name in makers}
        costs: dict[str, list[float]] = {name: [] for name in makers}
        for turn in range(rounds):
            for name, make in makers.items():
                before = processor(server.process.pid)
                seconds = measured(make, count)
                if turn:
                    rates[name].append(count / seconds)
                    costs[name].append((processor(server.process.pid) - before) / count * 1e6)
                if operator.count(QUEUE) != count:
                    raise SystemExit(f"{name}: {operator.count(QUEUE)} of {count} messages are on the queue")
                operator.purge(QUEUE)
    base = statistics.median(rates["Python client"])
    print(f"{CONNECTIONS} connections, {count:,} messages of {SIZE} bytes a round, medians of {rounds - 1} rounds")
    for name, found in rates.items():
        rate, cost = statistics.median(found), statistics.median(costs[name])
        print(f"{name:14} {rate:8,.0f}/s   {rate / base:5.2f}   server {cost:5.0f} µs a message")
    times = ratios(rates["framed"], rates["Python client"])
    figure("MyOpenQ, framed puts", "Python client", times, least=TARGET, goal=GOAL)


if __name__ == "__main__":
    main()
