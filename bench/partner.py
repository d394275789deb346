"""Rate of a partner session beside a message channel: the packets of myopenq.md 12.2, one message a confirmation.

    python bench/partner.py            persistent messages of 500 bytes, under a minute
    python bench/partner.py --full     more and longer rounds

Three processes with stores on disk: a queue manager with receiver channels of BATCHSZ(1), one with a
sender channel, and one with a partner that follows the script of ``mq-capture``. Messages are put first; the time
measured is from START to the arrival of the last one. Rounds alternate; the first of each does not count. Either
way there is a forced write at both sides for each message.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from figures import figure, ratios
from workers import Worker

SIZE = 500
TO_REACH, GOAL = 0.3, 0.6


def rate(sender: Worker, receiver: Worker, count: int) -> tuple[float, float]:
    """Messages a second, and processor time of the sender in microseconds a message."""
    sender.ask(f"put {count} {SIZE} 1")
    before = sender.ask("memory")["cpu"]
    receiver.tell(f"wait {count}")
    began = sender.ask("start")["started"]
    arrived = receiver.read()["arrived"]
    sender.ask("stop")
    used = sender.ask("memory")["cpu"] - before
    receiver.ask("clear")
    return count / (arrived - began), used / count * 1e6


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="more and longer rounds")
    rounds, count = (9, 10_000) if parser.parse_args().full else (5, 1_000)
    workers: list[Worker] = []
    with tempfile.TemporaryDirectory(prefix="mqbridge-bench-") as name:
        folder = Path(name)
        try:
            workers.append(Worker("receive", folder / "receive", 0, 2, {"BATCHSZ": 1}))
            port = workers[0].hello["port"]
            workers.append(Worker("send", folder / "channel", port, 1, {"BATCHSZ": 1}))
            workers.append(Worker("partner", folder / "partner", port, 1, {}, "partner_worker.py"))
            receiver, channel, partner = workers
            found: dict[str, list[tuple[float, float]]] = {"channel": [], "partner": []}
            for number in range(rounds + 1):
                ways = [("channel", channel), ("partner", partner)]
                for name, sender in ways if number % 2 else reversed(ways):
                    measured = rate(sender, receiver, count if number else count // 4)
                    if number:
                        found[name].append(measured)
        finally:
            for worker in reversed(workers):
                worker.end()
    print(f"{SIZE} bytes, persistent, {rounds} rounds of {count:,}, medians")
    for name, each in (("channel, BATCHSZ(1)", found["channel"]), ("partner, mq-capture", found["partner"])):
        per_second, used = (statistics.median(values) for values in zip(*each, strict=True))
        print(f"  {name:20}{per_second:9,.0f}/s   processor us a message: sender {used:.0f}")
    ours, theirs = ([each[0] for each in found[name]] for name in ("partner", "channel"))
    figure("partner session", "a channel with BATCHSZ(1)", ratios(ours, theirs), least=TO_REACH, goal=GOAL)
    return 0


if __name__ == "__main__":
    sys.exit(main())
