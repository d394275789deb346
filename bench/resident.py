"""Memory of a server through which many small messages go: it must not grow.

    python bench/resident.py            100,000 messages
    python bench/resident.py --full     a million

Eight producers and eight consumers in one Java program with IBM's JMS client, persistent messages of 200 bytes, fifty
in a transaction. RssAnon of the server is read after each twentieth of them. The ratio is that of the last quarter to
the second one, each the median of its readings. Without Java nothing is measured.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from compiled import BUILD
from figures import figure, skipped
from java_side import JavaClient, NoJava, build
from programs import ASYNC, BATCH, CHANNEL, OBJECTS
from servers import Ours
from workers import memory

SIZE = 200
PAIRS = 8
READINGS = 20
MIB = 1 << 20
NAME, PEER, LEAST = "memory after many messages", "its second quarter", 1.05


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true")
    count = 1_000_000 if parser.parse_args().full else 100_000
    try:
        build()
    except NoJava as reason:
        skipped(NAME, PEER, str(reason), least=LEAST)
        return
    server = Ours(OBJECTS)
    client = JavaClient("ibm", server.port, CHANNEL)
    try:
        print(f"{count:,} persistent messages of {SIZE} bytes through a server, {BUILD}")
        resident, began = [], time.perf_counter()
        for _ in range(READINGS):
            client.round("flow", ASYNC, count // READINGS, SIZE, BATCH, PAIRS)
            resident.append(memory(server.process.pid)["RssAnon"])
        seconds = time.perf_counter() - began
    finally:
        client.close()
        server.close()
    first, last = statistics.median(resident[5:10]), statistics.median(resident[-5:])
    print("  RssAnon in MiB:", " ".join(f"{each / MIB:.1f}" for each in resident))
    print(f"  {count / seconds:,.0f} messages/s, each put and got")
    figure(NAME, PEER, [last / first], least=LEAST, lower=True)


if __name__ == "__main__":
    main()
