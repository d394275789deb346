"""Rate of message channels between two queue managers in two processes, over TCP, with stores on disk.

    python bench/channel.py            one pair, persistent and fast; eight pairs
    python bench/channel.py --full     more and longer rounds

Messages of 2 KiB are put first; the time measured is from START CHANNEL to the arrival of the last one; BATCHSZ 50.
Baselines in alternating rounds: (a) an append-only log with one fdatasync a commit of 50: put, read and delete; (b) the
same frames over bare sockets, with 28 bytes in reply to each 50.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import bare_sockets
from append_log import AppendLog
from figures import figure, ratios
from workers import Pair

SIZE = 2048
BATCH = 50
LOG = "append-only log"


def log_rate(count: int) -> float:
    """(a): put, get and delete a second."""
    body = bytes(SIZE)
    with tempfile.TemporaryDirectory(prefix="mqbridge-bench-") as folder:
        log = AppendLog(Path(folder) / "append.log")
        began = time.perf_counter()
        for first in range(0, count, BATCH):
            log.put((position, body) for position in range(first, first + BATCH))
            for position in range(first, first + BATCH):
                log.get(position)
            log.delete(range(first, first + BATCH))
        took = time.perf_counter() - began
        log.close()
    return count / took


def channel_rate(pair: Pair, count: int, persistence: int) -> tuple[float, float, float]:
    """Messages a second, and processor time of sender and receiver in microseconds a message."""
    pair.sender.ask(f"put {count} {SIZE} {persistence}")
    before = pair.sender.ask("memory")["cpu"], pair.receiver.ask("memory")["cpu"]
    pair.receiver.tell(f"wait {count}")
    began = pair.sender.ask("start")["started"]
    arrived = pair.receiver.read()
    used = pair.sender.ask("memory")["cpu"] - before[0], arrived["cpu"] - before[1]
    pair.receiver.ask("clear")
    return count / (arrived["arrived"] - began), used[0] / count * 1e6, used[1] / count * 1e6


def measured(pairs: int, count: int, persistence: int) -> tuple[float, float, float]:
    """One round on new queue managers."""
    with Pair(pairs) as pair:
        channel_rate(pair, min(count, 2_000), persistence)
        pair.sender.ask("stop")
        return channel_rate(pair, count, persistence)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="more and longer rounds")
    options = parser.parse_args()
    rounds, count = (7, 60_000) if options.full else (5, 10_000)
    logs, wires, persistent, fast, many = [], [], [], [], []
    for _ in range(rounds):
        logs.append(log_rate(count))
        wires.append(bare_sockets.rate(count, SIZE, BATCH))
        persistent.append(measured(1, count, 1))
        fast.append(measured(1, count, 0))
        many.append(measured(8, count, 1))
    log, wire = statistics.median(logs), statistics.median(wires)
    print(f"{SIZE} bytes, batches of {BATCH}, {rounds} rounds of {count:,}, medians")
    print(f"  (a) append-only log       {log:9,.0f}/s")
    print(f"  (b) bare sockets          {wire:9,.0f}/s")
    line("one pair, persistent", persistent, log, wire)
    line("one pair, fast", fast, log, wire)
    line("8 pairs, persistent", many, log, wire)
    one, quick, eight = ([rate for rate, _, _ in each] for each in (persistent, fast, many))
    figure("channel, persistent 2 KiB", LOG, ratios(one, logs), least=0.35, goal=0.5)
    figure("channel, persistent 2 KiB", "", one, least=30_000, unit="/s")
    figure("channel, fast", "", quick, least=44_000, goal=80_000, unit="/s")
    figure("channel, fast", "channel, persistent", ratios(quick, one), least=1.5)
    figure("channel, 8 pairs", "one pair", ratios(eight, one))
    return 0


def line(name: str, rates: list[tuple[float, float, float]], log: float, wire: float) -> None:
    rate, sender, receiver = (statistics.median(values) for values in zip(*rates, strict=True))
    print(
        f"  {name:22}    {rate:9,.0f}/s  {rate / log:.2f} of (a)  {rate / wire:.2f} of (b)   "
        f"processor us a message: sender {sender:.0f}, receiver {receiver:.0f}"
    )


if __name__ == "__main__":
    sys.exit(main())
