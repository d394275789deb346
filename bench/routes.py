"""Rate of routes beside that of a channel pair, in alternating rounds of one run.

    python bench/routes.py            persistent 2 KiB: a channel pair, a route without steps, one with a property
    python bench/routes.py --full     more and longer rounds

Messages are put first; the time measured is from the start of channel or route to the arrival of the last one on its
target. The channel pair is that of `channel.py`: two processes. A route runs in one. Then the channel pair alone and
beside idle routes and links, which must cost it nothing (`idle_carriers.py`).
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from channel import SIZE, channel_rate
from idle_carriers import measure
from workers import Pair, Worker

TO_REACH, GOAL = 0.7, 1.0
STEP_TO_REACH, STEP_GOAL = 0.5, 0.8


def pair_rate(count: int) -> float:
    """Messages a second of a channel pair."""
    with Pair() as pair:
        channel_rate(pair, min(count, 2_000), 1)
        pair.sender.ask("stop")
        return channel_rate(pair, count, 1)[0]


def route_rates(count: int) -> list[tuple[float, float]]:
    """Messages a second, and processor time in microseconds a message: of a route without steps, of one with messages
    with a property, and of one that reads a property of these and sets another."""
    rates = []
    with tempfile.TemporaryDirectory(prefix="mqbridge-bench-") as folder:
        worker = Worker("route", Path(folder) / "route", 0, 1, {}, "route_worker.py")
        try:
            for has_property, route in ((0, 0), (1, 0), (1, 1)):
                worker.ask(f"property {has_property}")
                for number in (min(count, 2_000), count):
                    worker.ask(f"put {number} {SIZE} 1")
                    before = worker.ask("memory")["cpu"]
                    began = worker.ask(f"route {route}")["started"]
                    arrived = worker.ask(f"wait {number}")
                    worker.ask("stop")
                    worker.ask("clear")
                rates.append((count / (arrived["arrived"] - began), (arrived["cpu"] - before) / count * 1e6))
        finally:
            worker.end()
    return rates


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="more and longer rounds")
    options = parser.parse_args()
    rounds, count = (7, 40_000) if options.full else (3, 10_000)
    pairs, routes = [], []
    for _ in range(rounds):
        pairs.append(pair_rate(count))
        routes.append(route_rates(count))
    pair = statistics.median(pairs)
    print(f"{SIZE} bytes, persistent, {rounds} rounds of {count:,}, medians")
    print(f"  channel pair                        {pair:9,.0f}/s")
    columns = list(zip(*routes, strict=True))
    names = ("route without steps", "the same, messages with MQRFH2", "property read, property set")
    rates = []
    for name, column in zip(names, columns, strict=True):
        rate, used = (statistics.median(values) for values in zip(*column, strict=True))
        rates.append(rate)
        print(f"  {name:34}  {rate:9,.0f}/s  {rate / pair:.2f} of the pair  processor us a message: {used:.0f}")
    print(f"      without steps: to reach {TO_REACH} of the pair; goal {GOAL}")
    print(f"      with a step: {rates[2] / rates[1]:.2f} of without; to reach {STEP_TO_REACH}, goal {STEP_GOAL}")
    print(measure(5, 10, 10_000) if options.full else measure(2, 6, 3_000))
    return 0


if __name__ == "__main__":
    sys.exit(main())
