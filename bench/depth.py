"""A deep queue: memory, start-up after a kill, and put and get rates against an empty queue.

    python bench/depth.py            200,000 messages of 1 KiB
    python bench/depth.py --full     1,000,000 messages

One process fills the queue and is killed. A second one starts on its folder: the time until the queue manager is
ready, RssAnon (memory of its own) and VmRSS (with the mapped store file, which is page cache) are those of this
process. Put and get are measured in it on the deep queue and on an empty one, alternating, in commits of 50.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from figures import figure, ratios

from mqbridge.bridge.queue_manager import GetOptions, PutOptions, QueueManager, UnitOfWork
from mqbridge.bridge.queue_manager.committing import commit
from mqbridge.bridge.queue_manager.getting.handle_get import get_message
from mqbridge.bridge.queue_manager.handle import Handle
from mqbridge.bridge.queue_manager.objects import Kind, Objects
from mqbridge.bridge.queue_manager.opening import local_target
from mqbridge.bridge.queue_manager.programs import NO_PROGRAM
from mqbridge.bridge.queue_manager.putting.put import put as put_message
from mqbridge.bridge.queue_manager.resolution import resolve
from mqbridge.bridge.store.lmdb import LmdbStore
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQOO

BODY = bytes(1024)
UNIT = 50
FILL_UNIT = 500
ROUNDS = 7
ROUND = 4_000
DEEP, EMPTY = "DEEP", "EMPTY"


def open_manager(folder: str) -> tuple[QueueManager, LmdbStore]:
    now = time.time()
    store = LmdbStore(folder)
    objects = Objects("DEPTH", now)
    if not objects.load(store.records("objects")):
        for name in (DEEP, EMPTY):
            objects.define(Kind.QLOCAL, name, {"MAXDEPTH": 999_999_999}, now, supplied=True)
        store.commit([objects.operations()])
    manager = QueueManager("DEPTH", store, objects, now)
    settle(manager, store)
    return manager, store


def settle(manager: QueueManager, store: LmdbStore) -> None:
    """Commit pending transactions, as the writer thread of a service does."""
    while pending := manager.take_commits():
        errors = store.commit([each.operations for each in pending])
        for each, error in zip(pending, errors, strict=True):
            manager.committed(each, error, time.time())


def put(manager: QueueManager, store: LmdbStore, queue: str, count: int, together: int) -> None:
    core = manager.connections.core
    target, options = resolve(core, queue, ""), PutOptions()
    for _ in range(0, count, together):
        now = time.time()
        unit = UnitOfWork()
        for _ in range(together):
            put_message(core, target, Message.build(BODY, persistence=1), options, unit, now)
        commit(core, unit, now)
        settle(manager, store)


def get(manager: QueueManager, store: LmdbStore, queue: str, count: int) -> None:
    core = manager.connections.core
    handle, options = Handle(local_target(core, queue), MQOO.INPUT_SHARED, NO_PROGRAM), GetOptions()
    for _ in range(0, count, UNIT):
        now = time.time()
        unit = UnitOfWork()
        for _ in range(UNIT):
            got = get_message(core, handle, options, unit, now)
            assert got is not None
            assert len(got.message.data) == len(BODY)
        commit(core, unit, now)
        settle(manager, store)


def memory() -> dict[str, int]:
    found = {}
    for line in Path("/proc/self/status").read_text().splitlines():
        key, _, value = line.partition(":")
        if key in ("RssAnon", "VmRSS"):
            found[key] = int(value.split()[0]) // 1024
    return found


def fill(folder: str, count: int) -> None:
    manager, store = open_manager(folder)
    began = time.perf_counter()
    put(manager, store, DEEP, count, FILL_UNIT)
    print(json.dumps({"filled": count / (time.perf_counter() - began)}), flush=True)
    time.sleep(600)


def measure(folder: str, count: int) -> None:
    began = time.perf_counter()
    manager, store = open_manager(folder)
    started = time.perf_counter() - began
    queue = manager.queue(DEEP)
    assert queue is not None
    assert queue.depth == count, queue.depth
    before = memory()
    rates: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        for name in (DEEP, EMPTY):
            for verb, action in (
                ("put", lambda name=name: put(manager, store, name, ROUND, UNIT)),
                (
                    "get",
                    lambda name=name: get(manager, store, name, ROUND),
                ),
            ):
                began, used = time.perf_counter(), time.process_time()
                action()
                rates.setdefault(f"{verb} {name}", []).append(ROUND / (time.perf_counter() - began))
                rates.setdefault(f"{verb} {name} cpu", []).append((time.process_time() - used) / ROUND * 1e6)
    print(json.dumps({"started": started, **before, "after": memory(), "rates": rates}), flush=True)
    store.close()


def child(phase: str, folder: str, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, __file__, "--phase", phase, "--folder", folder, "--count", str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="1,000,000 messages")
    parser.add_argument("--count", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--phase", choices=("fill", "measure"), help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    options = parser.parse_args()
    count = options.count or (1_000_000 if options.full else 200_000)
    if options.phase:
        {"fill": fill, "measure": measure}[options.phase](options.folder, count)
        return 0
    with tempfile.TemporaryDirectory(prefix="mqbridge-depth-") as folder:
        filling = child("fill", folder, count)
        assert filling.stdout is not None
        filled = json.loads(filling.stdout.readline())["filled"]
        os.kill(filling.pid, signal.SIGKILL)
        filling.wait()
        filling.stdout.close()
        measuring = child("measure", folder, count)
        found = json.loads(measuring.communicate()[0])
    rates = found["rates"]
    print(f"{count:,} messages of {len(BODY)} bytes on one queue (put at {filled:,.0f}/s in units of {FILL_UNIT})")
    for what, value, unit, limit in (
        ("start after SIGKILL", found["started"], "s", 10),
        ("RssAnon", found["RssAnon"], "MiB", 600),
    ):
        least = limit if count >= 1_000_000 else None
        figure(f"queue of {count:,}: {what}", "", [value], least=least, unit=unit, lower=True)
    print(f"  VmRSS                {found['VmRSS']:8,} MiB    with the page cache of the mapped file")
    for verb in ("put", "get"):
        deep, empty = rates[f"{verb} {DEEP}"], rates[f"{verb} {EMPTY}"]
        middle = {
            key: statistics.median(rates[f"{verb} {key}"]) for key in (DEEP, EMPTY, f"{DEEP} cpu", f"{EMPTY} cpu")
        }
        print(
            f"  {verb} in units of {UNIT}   deep {middle[DEEP]:8,.0f}/s  empty {middle[EMPTY]:8,.0f}/s"
            f"   (processor us a message: {middle[f'{DEEP} cpu']:.1f} and {middle[f'{EMPTY} cpu']:.1f})"
        )
        place = "from" if verb == "get" else "to"
        figure(f"{verb} {place} a queue of {count:,}", "an empty queue", ratios(deep, empty), least=0.8, goal=0.95)
    return 0


if __name__ == "__main__":
    sys.exit(main())
