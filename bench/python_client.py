"""Our Python client beside IBM's classes for Java: puts and gets of 2 KiB with our server.

    python bench/python_client.py            short rounds
    python bench/python_client.py --full     longer ones

Rounds alternate; the first one warms up and does not count. One connection each; the queue stays open for a round.
``alone``: single non-persistent messages. ``batches``: persistent ones, committed fifty at a time. The target is half
the rate of the Java client, the goal the same rate. Processor time of client and server is in microseconds a message.
Without Java only our own figures are shown.
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

from java_side import JavaClient, NoJava, build
from servers import Ours

import mqbridge

SIZE = 2048
BATCH = 50
CHANNEL = "DEV.APP.SVRCONN"
QUEUE = "BENCH.CLIENT"
ROWS = (("put", 0), ("get", 0), ("put", BATCH), ("get", BATCH))
TARGET = 0.5

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


def java_rounds(port: int) -> Round | None:
    """Rounds of IBM's classes for Java; None without Java."""
    try:
        build()
    except NoJava as reason:
        print(f"no Java client: {reason}")
        return None
    client = JavaClient("classes", port, CHANNEL)

    def run(what: str, count: int, batch: int) -> dict[str, Any]:
        return client.round(what, QUEUE, count, SIZE, batch)

    return run


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true")
    full = parser.parse_args().full
    count, rounds = (10_000, 5) if full else (1_500, 3)
    server = Ours(f"DEFINE QLOCAL({QUEUE}) MAXDEPTH(1000000)\n")
    try:
        peers = {"Python": python_rounds(server.port), "Java": java_rounds(server.port)}
        print(f"{count:,} messages of {SIZE:,} bytes, median of {rounds} rounds; target {TARGET} of the Java rates")
        measure(peers, server, count, rounds)
    finally:
        server.close()


def measure(peers: dict[str, Round | None], server: Ours, count: int, rounds: int) -> None:
    """Take the rounds and print all rows."""
    figures: dict[tuple[str, int, str], list[dict[str, float]]] = {}
    for number in range(rounds + 1):
        for name, run in peers.items():
            if run is None:
                continue
            for what, batch in ROWS:
                before = server.processor()
                found = run(what, count, batch)
                found["server"] = server.processor() - before
                if number:
                    figures.setdefault((what, batch, name), []).append(found)
    for what, batch in ROWS:
        rates = {}
        for name in peers:
            found = figures.get((what, batch, name))
            if found is None:
                continue
            rates[name] = statistics.median(count / each["seconds"] for each in found)
            client, used = (statistics.median(each[key] / count * 1e6 for each in found) for key in ("cpu", "server"))
            print(
                f"  {what} {'batches' if batch else 'alone':8} {name:7} {rates[name]:9,.0f}/s"
                f"   client {client:5.0f} us, server {used:5.0f} us"
            )
        if len(rates) > 1:
            print(f"  {what} {'batches' if batch else 'alone':8} ratio   {rates['Python'] / rates['Java']:9.2f}")


if __name__ == "__main__":
    main()
