"""Memory of a server through which many small messages go: it must not grow.

    python bench/resident.py            100,000 messages
    python bench/resident.py --full     a million

One client puts and gets persistent messages of 200 bytes, fifty in a transaction, so that the queue is never deep.
RssAnon of the server is read after each twentieth of them, and goes up and down by some MiB as data go from the
journal to the store. The ratio is that of the last quarter to the second one, each the median of its readings.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from compiled import BUILD
from figures import figure
from programs import BATCH, CHANNEL
from servers import Ours
from workers import memory

import mqbridge

QUEUE = "BENCH.RESIDENT"
SIZE = 200
READINGS = 20
MIB = 1 << 20
LEAST = 1.05


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true")
    count = 1_000_000 if parser.parse_args().full else 100_000
    server = Ours(f"DEFINE QLOCAL({QUEUE})\n")
    try:
        print(f"{count:,} persistent messages of {SIZE} bytes through a server, {BUILD}")
        resident, seconds = run(server, count)
    finally:
        server.close()
    first, last = statistics.median(resident[5:10]), statistics.median(resident[-5:])
    print("  RssAnon in MiB:", " ".join(f"{each / MIB:.1f}" for each in resident))
    print(f"  {count / seconds:,.0f} messages/s, each put and got")
    figure("memory after many messages", "its second quarter", [last / first], least=LEAST, lower=True)


def run(server: Ours, count: int) -> tuple[list[int], float]:
    """Put and get ``count`` messages; memory of the server after each part, in bytes, and seconds for all."""
    manager = mqbridge.connect(f"mq://127.0.0.1:{server.port}/?channel={CHANNEL}")
    resident, body, began = [], bytes(SIZE), time.perf_counter()
    with manager.queue(QUEUE) as queue:
        for _ in range(READINGS):
            for _ in range(count // READINGS // BATCH):
                for _ in range(BATCH):
                    queue.put(body, persistent=True, syncpoint=True)
                manager.commit()
                for _ in range(BATCH):
                    assert queue.get(syncpoint=True) is not None
                manager.commit()
            resident.append(memory(server.process.pid)["RssAnon"])
    return resident, time.perf_counter() - began


if __name__ == "__main__":
    main()
