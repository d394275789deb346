"""Large messages through a channel: memory of both queue managers, and time.

    python bench/large.py            one message of 100 MiB, persistent and fast; a batch of 50 messages of 20 MiB
    python bench/large.py --full     a batch of 50 messages of 100 MiB too, where the disk has 15 GiB free

RssAnon (private memory of a process) is sampled every few milliseconds from START CHANNEL to the arrival of the last
message; VmHWM, also shown, includes pages of mapped files and earlier use. A batch is one unit of work at both ends: 50
messages, confirmed once.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from figures import figure
from workers import MemoryWatch, Pair

MIB = 1 << 20
LARGE = 100
TO_REACH = 5
BATCH = 50
NEEDED = 15 << 30
"""Bytes of disk for the long form: the batch at both ends, at one of them partly twice."""


def transfer(count: int, size: int, persistence: int) -> tuple[float, MemoryWatch]:
    """Transfer ``count`` messages of ``size`` bytes. Returns seconds and memory."""
    with Pair(BATCHSZ=BATCH) as pair:
        pair.sender.ask(f"put {count} {size} {persistence}")
        with MemoryWatch(sender=pair.sender.process.pid, receiver=pair.receiver.process.pid) as watch:
            pair.receiver.tell(f"wait {count}")
            began = pair.sender.ask("start")["started"]
            arrived = pair.receiver.read()["arrived"]
        return arrived - began, watch


def show(title: str, count: int, mebibytes: int, persistence: int, alone: float | None = None) -> float:
    """Transfer messages and say what memory that took, beside the length of one, or beside ``alone``: the MiB that one
    of `LARGE` MiB took. Returns the largest peak in MiB."""
    took, watch = transfer(count, mebibytes * MIB, persistence)
    print(f"  {title:36}  {took:6.2f} s  {count * mebibytes / took:6,.0f} MiB/s")
    for name, peak in watch.peaks.items():
        print(
            f"      {name:9} RssAnon {peak / MIB:6.0f} MiB ({peak / MIB / mebibytes:5.2f} of a message; "
            f"{watch.before[name] / MIB:.0f} before), VmHWM {watch.high_water[name] / MIB:6.0f} MiB"
        )
        if alone is None:
            figure(f"{title}, {name}: memory", "a message", [peak / MIB / mebibytes], least=TO_REACH, lower=True)
        else:
            figure(f"{title}, {name}: memory", "one message's", [peak / MIB / alone], least=1.0, lower=True)
    return max(watch.peaks.values()) / MIB


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="a batch of 50 messages of 100 MiB too")
    options = parser.parse_args()
    print("large messages through one channel over TCP, two processes, stores on disk")
    alone = show(f"{LARGE} MiB, persistent", 1, LARGE, 1)
    show(f"{LARGE} MiB, fast", 1, LARGE, 0)
    show(f"one batch of {BATCH} x 20 MiB, persistent", BATCH, 20, 1, alone)
    if options.full:
        free = shutil.disk_usage(tempfile.gettempdir()).free
        if free < NEEDED:
            print(f"  no batch of {BATCH} x {LARGE} MiB: {free >> 30} GiB of disk are free, {NEEDED >> 30} are needed")
        else:
            show(f"one batch of {BATCH} x {LARGE} MiB, persistent", BATCH, LARGE, 1, alone)
    return 0


if __name__ == "__main__":
    sys.exit(main())
