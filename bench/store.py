"""Rate of the durable store beside an append-only log: put, get and delete of 2 KiB messages in commits of 50.

    python bench/store.py            the ratio, in turns in one process
    python bench/store.py --full     and the time to scan 1,000,000 rows

Each cycle puts a batch (one commit), then reads and deletes the oldest batch (a second commit), over a backlog. A
message counts once for all three.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Protocol

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]

from append_log import AppendLog  # noqa: E402

sys.path.insert(0, str(Path(__file__).parent))

from figures import figure, ratios  # noqa: E402

from mqbridge.bridge.store.interface import AddMessage, RemoveMessage  # noqa: E402
from mqbridge.bridge.store.lmdb import LmdbStore  # noqa: E402

BATCH = 50
BODY_LENGTH = 2048
INDEX = os.urandom(100)
BACKLOG = 5_000
SLICE = 1_000
TO_REACH = 0.8


class Subject(Protocol):
    """One of the measured stores."""

    def put(self, first: int, bodies: list[bytes]) -> None: ...
    def take(self, first: int, count: int) -> None: ...


class LogSubject:
    def __init__(self, folder: Path) -> None:
        self.log = AppendLog(folder / "append.log")

    def put(self, first: int, bodies: list[bytes]) -> None:
        self.log.put(enumerate(bodies, first))

    def take(self, first: int, count: int) -> None:
        positions = range(first, first + count)
        for position in positions:
            self.log.get(position)
        self.log.delete(positions)

    def close(self) -> None:
        self.log.close()


class StoreSubject:
    def __init__(self, folder: Path) -> None:
        self.store = LmdbStore(folder / "data")

    def put(self, first: int, bodies: list[bytes]) -> None:
        operations = [AddMessage(1, position, INDEX, body) for position, body in enumerate(bodies, first)]
        assert self.store.commit([operations]) == [None]

    def take(self, first: int, count: int) -> None:
        positions = range(first, first + count)
        for position in positions:
            self.store.read(1, position)
        assert self.store.commit([[RemoveMessage(1, position) for position in positions]]) == [None]

    def close(self) -> None:
        self.store.close()


def measure(folder: Path, slices: int) -> None:
    """Print a table and the figure; the subjects alternate."""
    bodies = [os.urandom(BODY_LENGTH) for _ in range(BATCH)]
    subjects: dict[str, LogSubject | StoreSubject] = {"append log": LogSubject(folder), "lmdb": StoreSubject(folder)}
    head = dict.fromkeys(subjects, 0)
    for name, subject in subjects.items():
        while head[name] < BACKLOG:
            subject.put(head[name], bodies)
            head[name] += BATCH
    putting: dict[str, list[float]] = {name: [] for name in subjects}
    taking: dict[str, list[float]] = {name: [] for name in subjects}
    for _ in range(slices):
        for name, subject in subjects.items():
            putting[name].append(0.0)
            taking[name].append(0.0)
            for _ in range(SLICE // BATCH):
                start = time.perf_counter()
                subject.put(head[name], bodies)
                middle = time.perf_counter()
                subject.take(head[name] - BACKLOG, BATCH)
                head[name] += BATCH
                putting[name][-1] += middle - start
                taking[name][-1] += time.perf_counter() - middle
    count = slices * SLICE
    seconds = {name: [put + take for put, take in zip(putting[name], taking[name], strict=True)] for name in subjects}
    print(f"put+get+delete, {BODY_LENGTH} bytes, commits of {BATCH}, {count:,} messages in turns of {SLICE}, a second")
    for name, subject in subjects.items():
        print(
            f"  {name:12} {count / sum(seconds[name]):10,.0f}  put {count / sum(putting[name]):10,.0f}"
            f"  get+delete {count / sum(taking[name]):10,.0f}"
        )
        subject.close()
    times = ratios(seconds["append log"], seconds["lmdb"])
    figure("store: put, get and delete", "append-only log", times, least=TO_REACH)


def measure_scan(folder: Path, count: int) -> None:
    """Print the time in which a fresh store reads the index rows of `count` messages."""
    body = os.urandom(1024)
    store = LmdbStore(folder / "deep")
    start = time.perf_counter()
    for first in range(0, count, 1000):
        assert store.commit([[AddMessage(1, at, INDEX, body) for at in range(first, first + 1000)]]) == [None]
    filled = time.perf_counter() - start
    store.close()
    start = time.perf_counter()
    store = LmdbStore(folder / "deep")
    opened = time.perf_counter() - start
    rows = sum(1 for _ in store.scan(1))
    scanned = time.perf_counter() - start - opened
    assert rows == count
    size = (folder / "deep" / "messages.mdb").stat().st_size
    print(f"{count:,} rows of {len(INDEX)}+1,024 bytes: filled in {filled:.1f} s, {size >> 20:,} MiB on disk")
    print(f"  open {opened * 1000:.0f} ms, scan {scanned:.2f} s ({scanned / count * 1e6:.2f} us a row)")
    store.close()


def main() -> None:
    parser = argparse.ArgumentParser(description="put+get+delete against an append-only log")
    parser.add_argument("--full", action="store_true", help="longer, and the scan of 1,000,000 rows")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=".", prefix=".bench-store-") as name:
        measure(Path(name), slices=200 if options.full else 60)
        if options.full:
            measure_scan(Path(name), 1_000_000)


if __name__ == "__main__":
    main()
