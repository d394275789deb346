"""Rate of routes beside that of a channel pair, in alternating rounds of one run.

    python bench/routes.py            persistent 2 KiB: a channel pair, a route without steps, one with a property
    python bench/routes.py --full     more and longer rounds
    python bench/routes.py --steps    routes with and without steps alone

Messages are put first; the time measured is from the start of channel or route to the arrival of the last one on its
target. The channel pair is that of `channel.py`: two processes. A route runs in one, and its variants in many short
rounds of one process, whose order changes. Then the channel pair alone and beside idle routes and links, which must
cost it nothing (`idle_carriers.py`).
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from channel import SIZE, channel_rate
from figures import figure, ratios
from workers import Pair, Worker

TO_REACH, GOAL = 0.7, 1.0
STEP_TO_REACH, STEP_GOAL = 0.5, 0.8
SHORT = 3_000
"""Messages of a round of a route."""
VARIANTS = (
    ("route without steps", 0, 0),
    ("the same, messages with MQRFH2", 1, 0),
    ("property read, property set", 1, 1),
    ("Python step", 0, 2),
)
"""Name, whether messages have a property, and the row of the worker's ROUTES."""


def pair_rate(count: int) -> float:
    """Messages a second of a channel pair."""
    with Pair() as pair:
        channel_rate(pair, min(count, 2_000), 1)
        pair.sender.ask("stop")
        return channel_rate(pair, count, 1)[0]


def route_rates(rounds: int, count: int) -> list[list[tuple[float, float]]]:
    """Messages a second, and processor time in microseconds a message, of each round of each variant: a route without
    steps, the same with messages with a property, one that reads a property of these and sets another."""
    found: list[list[tuple[float, float]]] = [[] for _ in VARIANTS]
    with tempfile.TemporaryDirectory(prefix="mqbridge-bench-") as folder:
        worker = Worker("route", Path(folder) / "route", 0, 1, {}, "route_worker.py")
        try:
            for number in range(-1, rounds):  # the first round is not counted
                for place in order_of_round(number):
                    measured = route_round(worker, place, count)
                    if number >= 0:
                        found[place].append(measured)
        finally:
            worker.end()
    return found


def order_of_round(number: int) -> list[int]:
    """Variants forwards in one round and backwards in the next, so that each is as often behind any other."""
    places = list(range(len(VARIANTS)))
    return places[::-1] if number % 2 else places


def route_round(worker: Worker, place: int, count: int) -> tuple[float, float]:
    """Rate and processor time of one round of a variant."""
    _, has_property, route = VARIANTS[place]
    worker.ask(f"property {has_property}")
    worker.ask(f"put {count} {SIZE} 1")
    before = worker.ask("memory")["cpu"]
    began = worker.ask(f"route {route}")["started"]
    arrived = worker.ask(f"wait {count}")
    worker.ask("stop")
    worker.ask("clear")
    return count / (arrived["arrived"] - began), (arrived["cpu"] - before) / count * 1e6


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="more and longer rounds")
    parser.add_argument("--steps", action="store_true", help="routes with and without steps alone, no channels")
    options = parser.parse_args()
    rounds, count = (7, 40_000) if options.full else (3, 10_000)
    pairs = [] if options.steps else [pair_rate(count) for _ in range(rounds)]
    route_rounds = 25 if options.full else 11
    measured = route_rates(route_rounds, SHORT)
    pair = statistics.median(pairs) if pairs else 0.0
    print(f"{SIZE} bytes, persistent, medians of {rounds} rounds of {count:,}, of routes {route_rounds} of {SHORT:,}")
    if pairs:
        print(f"  channel pair                        {pair:9,.0f}/s")
    rates, times = ([[each[part] for each in column] for column in measured] for part in (0, 1))
    for (name, _, _), column, used in zip(VARIANTS, rates, times, strict=True):
        rate = statistics.median(column)
        of_pair = f"{rate / pair:.2f} of the pair  " if pair else ""
        print(f"  {name:34}  {rate:9,.0f}/s  {of_pair}processor us a message: {statistics.median(used):.1f}")
    if pairs:
        times_of_pair = [rate / pair for rate in rates[0]]
        figure("route without steps", "channel pair", times_of_pair, least=TO_REACH, goal=GOAL)
    peer = "one without"
    figure("route with a step", peer, ratios(rates[2], rates[1]), least=STEP_TO_REACH, goal=STEP_GOAL)
    figure(
        "route with a step, by processor time", peer, ratios(times[1], times[2]), least=STEP_TO_REACH, goal=STEP_GOAL
    )
    if options.steps:
        return 0
    from idle_carriers import measure  # needs the extra amqp

    measure(*((5, 10, 10_000) if options.full else (2, 6, 3_000)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
