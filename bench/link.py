"""Rate of a link to a JMS provider, each way, beside Qpid JMS at both ends of the same provider.

    python bench/link.py            persistent 2 KiB, under 40 seconds
    python bench/link.py --full     more and longer rounds

The provider is Apache Artemis with AMQP 1.0, which syncs its journal for each commit. Rounds alternate; the first two
warm up and do not count. Qpid JMS: a producer and a consumer at once, each with transactions of 50. To the provider:
messages are put on our queue first; from the start of the link to the last commit of a Qpid JMS consumer, which
receives at the same time. From the provider: from the start of a Qpid JMS producer to the arrival of the last message
on our queue; the link is connected before. Processor time is user and system time in microseconds a message, which says
more than rates when other programs share the machine. Without Java or proton nothing is measured.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import sys
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

from figures import figure, ratios
from java_side import JavaClient, NoJava, build
from rounds import collect
from servers import Artemis, NoServer
from workers import Worker

SIZE = 2048
BATCH = 50
"""Rounds that do not count."""
BETWEEN, OUT, IN = "bench.between", "bench.out", "bench.in"
TO_REACH, GOAL = 0.5, 1.0


class Measured(NamedTuple):
    """Of one round: messages a second, and processor time in microseconds a message of each process."""

    rate: float
    ours: float
    artemis: float
    java: float


class Bench:
    """Artemis, a Java client and a queue manager with a link each way, for all rounds of a run."""

    def __init__(self, stack: contextlib.ExitStack) -> None:
        self._artemis = Artemis()
        stack.callback(self._artemis.close)
        self._java = JavaClient("qpid", self._artemis.port)
        stack.callback(self._java.close)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mqbridge-bench-")))
        self._worker = Worker("link", folder / "link", self._artemis.port, 1, {}, "link_worker.py")
        stack.callback(self._worker.end)

    def between(self, count: int) -> Measured:
        """Qpid JMS, Artemis, Qpid JMS."""
        before = self._artemis.processor()
        found = self._java.round("flow", BETWEEN, count, SIZE, BATCH, 1)
        used = self._artemis.processor() - before
        return Measured(count / found["seconds"], 0.0, used / count * 1e6, found["cpu"] / count * 1e6)

    def to_provider(self, count: int) -> Measured:
        """Our queue, link, Artemis, Qpid JMS."""
        self._worker.ask(f"put {count} {SIZE} 1")
        artemis, ours = self._artemis.processor(), self._worker.ask("memory")["cpu"]
        self._java.ask("drain", OUT, count, SIZE, BATCH, 1)
        began = self._worker.ask("out")["started"]
        found = self._java.answer()
        used = self._worker.ask("memory")["cpu"] - ours, self._artemis.processor() - artemis, found["cpu"]
        self._worker.ask("stop")
        return Measured(count / (found["ended"] - began), *(each / count * 1e6 for each in used))

    def from_provider(self, count: int) -> Measured:
        """Qpid JMS, Artemis, link, our queue."""
        self._worker.ask("in")
        artemis, ours = self._artemis.processor(), self._worker.ask("memory")["cpu"]
        self._worker.tell(f"wait {count}")
        found = self._java.round("fill", IN, count, SIZE, BATCH, 1)
        arrived = self._worker.read()
        used = arrived["cpu"] - ours, self._artemis.processor() - artemis, found["cpu"]
        self._worker.ask("stop")
        self._worker.ask("clear")
        began = found["ended"] - found["seconds"]
        return Measured(count / (arrived["arrived"] - began), *(each / count * 1e6 for each in used))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="more and longer rounds")
    options = parser.parse_args()
    if find_spec("proton") is None:
        print("link: not measured, python-qpid-proton is not installed (extra amqp)")
        return 0
    try:
        build()
    except NoJava as error:
        print(f"link: not measured, {error}")
        return 0
    rounds, most, count = (9, 10, 20_000) if options.full else (3, 5, 6_000)
    with contextlib.ExitStack() as stack:
        try:
            bench = Bench(stack)
        except NoServer as error:
            print(f"link: not measured, {error}")
            return 0
        ways: dict[str, Callable[[], Measured]] = {
            "Qpid JMS, Artemis, Qpid JMS": lambda: bench.between(count),
            "our queue, link, Artemis, Qpid JMS": lambda: bench.to_provider(count),
            "Qpid JMS, Artemis, link, our queue": lambda: bench.from_provider(count),
        }
        found = collect(ways, rounds, most)
    report(found, rounds, count)
    return 0


def report(found: dict[str, list[Measured]], rounds: int, count: int) -> None:
    """Print the table."""
    print(f"{SIZE} bytes, persistent, transactions of {BATCH}, {rounds} rounds of {count:,}, medians")
    (name, between), *links = found.items()
    print(f"  {name:36}{line(between)}")
    for name, measured in links:
        print(f"  {name:36}{line(measured)}")
        rates = ([each.rate for each in rounds_of] for rounds_of in (measured, between))
        figure(name, "Qpid JMS at both ends", ratios(*rates), least=TO_REACH, goal=GOAL)


def line(rounds: list[Measured]) -> str:
    rate, ours, artemis, java = (statistics.median(values) for values in zip(*rounds, strict=True))
    return f"{rate:9,.0f}/s   processor us a message: ours {ours:4.0f}, Artemis {artemis:4.0f}, Qpid JMS {java:4.0f}"


if __name__ == "__main__":
    sys.exit(main())
