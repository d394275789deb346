"""Our Python client beside IBM's classes for Java: puts and gets of 2 KiB with our server.

    python bench/python_client.py            short rounds
    python bench/python_client.py --full     longer ones

Each client is warmed up until three rounds differ by under 5 % (or some rounds are over); then seven rounds count, in
which they alternate. One connection each; the queue stays open for a round. ``alone``: single non-persistent messages.
``batches``: persistent ones, committed fifty at a time. Processor time of client and server is in microseconds a
message. Without Java only our own figures are shown.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from figures import figure, ratios, skipped
from java_side import JavaClient, NoJava, build
from programs import BATCH, CHANNEL, SIZE
from rounds import alternating, warm
from servers import Ours

import mqbridge

QUEUE = "BENCH.CLIENT"
BOTH = ("put", "get")
JAVA = "IBM's Java client"
ROUNDS = 7
LEAST, GOAL = 1.0, 1.2

Round = Callable[[str, int, int], dict[str, Any]]


def python_rounds(port: int) -> Round:
    """Rounds of our client, on one connection."""
    manager = mqbridge.connect(f"mq://127.0.0.1:{port}/?channel={CHANNEL}")
    body = bytes(SIZE)

    def put(queue: mqbridge.Queue, count: int, batch: int) -> None:
        for done in range(1, count + 1):
            queue.put(body, persistent=batch > 0, syncpoint=batch > 0)
            if batch and done % batch == 0:
                manager.commit()

    def get(queue: mqbridge.Queue, count: int, batch: int) -> None:
        for done in range(1, count + 1):
            message = queue.get(syncpoint=batch > 0)
            assert message is not None
            assert len(message.stored) == SIZE
            if batch and done % batch == 0:
                manager.commit()

    def run(what: str, count: int, batch: int) -> dict[str, Any]:
        with manager.queue(QUEUE) as queue:
            queue.inquire("CURDEPTH")
            began, used = time.perf_counter(), time.process_time()
            (put if what == "put" else get)(queue, count, batch)
            return {"seconds": time.perf_counter() - began, "cpu": time.process_time() - used}

    return run


def java_rounds(port: int) -> Round:
    """Rounds of IBM's classes for Java. Raises `NoJava`."""
    build()
    client = JavaClient("classes", port, CHANNEL)

    def run(what: str, count: int, batch: int) -> dict[str, Any]:
        return client.round(what, QUEUE, count, SIZE, batch)

    return run


class Client:
    """One client, which puts messages and gets them. ``batch``: messages of a transaction, 0 for none.

    ``measured``: of each round, by what was done, the rate and processor microseconds of client and server.
    """

    def __init__(self, name: str, run: Round, server: Ours, batch: int, count: int) -> None:
        self.name = name
        self._run, self._server = run, server
        self._batch, self._count = batch, count
        self._steady = False
        self.measured: dict[str, list[dict[str, float]]] = {what: [] for what in BOTH}

    def round(self) -> float:
        """Put and get; the rate of both together."""
        return self._count / sum(self._one(what) for what in BOTH)

    def _one(self, what: str) -> float:
        before = self._server.processor()
        found = self._run(what, self._count, self._batch)
        used = {"client": found["cpu"], "server": self._server.processor() - before}
        each = {key: seconds / self._count * 1e6 for key, seconds in used.items()}
        self.measured[what].append({"rate": self._count / found["seconds"], **each})
        return float(found["seconds"])

    def warm(self, most: int) -> None:
        """Run rounds that do not count until they are steady."""
        self._steady = warm(self.round, most)
        for found in self.measured.values():
            found.clear()

    def rates(self, what: str) -> list[float]:
        """Messages a second in each round."""
        return [each["rate"] for each in self.measured[what]]

    def line(self, what: str) -> str:
        """The medians, as text."""
        middle = {key: statistics.median(each[key] for each in self.measured[what]) for key in self.measured[what][0]}
        return (
            f"  {what} {'batches' if self._batch else 'alone':8} {self.name:7} {middle['rate']:9,.0f}/s"
            f"   client {middle['client']:5.0f} us, server {middle['server']:5.0f} us"
            f"{'' if self._steady else '   not steady'}"
        )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true")
    full = parser.parse_args().full
    count, most = (10_000, 8) if full else (1_000, 6)
    server = Ours(f"DEFINE QLOCAL({QUEUE}) MAXDEPTH(1000000)\n")
    try:
        peers = {"Python": python_rounds(server.port)}
        try:
            peers["Java"] = java_rounds(server.port)
        except NoJava as reason:
            skipped("Python client, put and get", JAVA, str(reason), least=LEAST, goal=GOAL)
        print(f"{count:,} messages of {SIZE:,} bytes, {ROUNDS} rounds, medians")
        for batch in (0, BATCH):
            measure([Client(name, run, server, batch, count) for name, run in peers.items()], batch, most)
    finally:
        server.close()


def measure(clients: list[Client], batch: int, most: int) -> None:
    """Take the rounds, and print the rows."""
    for client in clients:
        client.warm(most)
    for client in alternating(clients, ROUNDS):
        client.round()
    for what in BOTH:
        print(*(client.line(what) for client in clients), sep="\n", flush=True)
        if len(clients) > 1:
            ours, java = (client.rates(what) for client in clients)
            name = f"Python client, {what}, {'batches' if batch else 'alone'}"
            figure(name, JAVA, ratios(ours, java), least=LEAST, goal=GOAL)


if __name__ == "__main__":
    main()
