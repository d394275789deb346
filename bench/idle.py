"""Idle message channels: memory and processor time of two queue managers with 1,000 of them.

    python bench/idle.py            1,000 channels, watched for 40 seconds
    python bench/idle.py --full     watched for 150 seconds

One queue manager has the sender channels, the other the receivers; HBINT 30, nothing to send. Memory is RssAnon at the
end of the measured time, less that before the channels were started (but defined, with their transmission queues at the
sending end). Also shown: the memory of a channel with its definition and queue, and after it has carried messages.
Processor time is that of the process during the measured time. Heartbeats are counted where they are received.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from figures import figure
from workers import Pair, Worker, memory

CHANNELS = 1_000
HBINT = 30
SPARE = 100
"""Open files of a process besides connections."""
MEMORY_TO_REACH = 60
"""KiB a channel."""
PROCESSOR_TO_REACH = 5
"""Percent of a core."""
CARRIED, SIZE = 4, 2048
"""Messages that each channel carries at the end, and their bytes."""
START_TIMEOUT = 120.0
"""Seconds in which all channels must run."""
POLL = 0.1
SETTLED = 1.0
"""Seconds after the last message in which the last records are written."""
KIB = 1 << 10


def room_for(channels: int) -> int:
    """Raise the limit of open files for the processes to come; how many channels it allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = channels + SPARE
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return channels if soft == resource.RLIM_INFINITY else min(channels, soft - SPARE)


def rss(worker: Worker) -> int:
    return memory(worker.process.pid)["RssAnon"]


def run_all(pair: Pair, channels: int) -> float:
    """Start the channels; seconds until all run at both ends."""
    began = time.perf_counter()
    pair.sender.ask("start")
    while any(worker.ask("running")["running"] < channels for worker in (pair.sender, pair.receiver)):
        if time.perf_counter() - began > START_TIMEOUT:
            raise SystemExit(f"not all of {channels} channels run after {START_TIMEOUT:.0f} seconds")
        time.sleep(POLL)
    return time.perf_counter() - began


def carry(pair: Pair, channels: int) -> None:
    """Send messages through each channel, and clears the queue that they came to."""
    pair.receiver.tell(f"wait {channels * CARRIED}")
    pair.sender.ask(f"put {channels * CARRIED} {SIZE} 1")
    pair.receiver.read()
    pair.receiver.ask("clear")
    time.sleep(SETTLED)


def of_one() -> dict[str, int]:
    """Memory of queue managers with one running channel."""
    with Pair(1, HBINT=HBINT) as pair:
        run_all(pair, 1)
        return {"sender": rss(pair.sender), "receiver": rss(pair.receiver)}


def watch(channels: int, seconds: float) -> bool:
    """Measure and prints; whether heartbeats kept running."""
    one = of_one()
    with Pair(channels, HBINT=HBINT) as pair:
        workers = {"sender": pair.sender, "receiver": pair.receiver}
        before = {name: rss(worker) for name, worker in workers.items()}
        started = run_all(pair, channels)
        first = {name: worker.ask("count")["cpu"] for name, worker in workers.items()}
        began = time.perf_counter()
        time.sleep(seconds)
        counted = {name: worker.ask("counted") for name, worker in workers.items()}
        took = time.perf_counter() - began
        after = {name: rss(worker) for name, worker in workers.items()}
        carry(pair, channels)
        used = {name: rss(worker) for name, worker in workers.items()}
    print(f"{channels:,} idle channels, HBINT {HBINT}, {took:.0f} s; all ran {started:.1f} s after their start")
    for name, seen in counted.items():
        each, whole = ((after[name] - less[name]) / channels / KIB for less in (before, one))
        then = (used[name] - before[name]) / channels / KIB
        share = (seen["cpu"] - first[name]) / took * 100
        print(
            f"  {name}, {after[name] / KIB / KIB:.0f} MiB in all\n"
            f"      {each:5.1f} KiB a channel "
            f"(with its definition {whole:.1f}; after {CARRIED} messages of {SIZE:,} bytes on each {then:.1f})\n"
            f"      {share:5.2f} % of a core\n"
            f"      {seen['least']} to {seen['most']} heartbeats on each of {seen['running']:,} running channels"
        )
        figure(f"idle channel, {name}, memory", "", [each], least=MEMORY_TO_REACH, unit="KiB", lower=True)
        figure(f"{channels:,} idle channels, {name}", "", [share], least=PROCESSOR_TO_REACH, unit="%", lower=True)
    return all(seen["least"] > 0 and seen["running"] == channels for seen in counted.values())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="watch for longer")
    options = parser.parse_args()
    channels = room_for(CHANNELS)
    if channels < CHANNELS:
        print(f"the limit of open files allows {channels:,} channels instead of {CHANNELS:,}")
    if not watch(channels, 150 if options.full else 40):
        print("heartbeats did not keep all channels running")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
