"""Time and memory of the queue manager for each message, without the store.

    python bench/queue_manager.py               times of put, get and commit, shallow and 100,000 messages deep
    python bench/queue_manager.py --full        500,000 messages deep
    python bench/queue_manager.py --depth N     the same N messages deep

Messages are put as from a channel: descriptor and 2 KiB of data as bytes, in batches of 50, with names resolved for
each. The store is in memory and not timed.
"""

from __future__ import annotations

import argparse
import gc
import time
import tracemalloc

from mqbridge.bridge.queue_manager import GetOptions, PutOptions, QueueManager, UnitOfWork
from mqbridge.bridge.queue_manager.committing import commit
from mqbridge.bridge.queue_manager.getting.handle_get import get_message
from mqbridge.bridge.queue_manager.handle import Handle
from mqbridge.bridge.queue_manager.objects import Kind, Objects
from mqbridge.bridge.queue_manager.opening import local_target
from mqbridge.bridge.queue_manager.programs import NO_PROGRAM
from mqbridge.bridge.queue_manager.putting.put import put
from mqbridge.bridge.queue_manager.queues.local_queue import LocalQueue
from mqbridge.bridge.queue_manager.queues.rows import pack_position, pack_tail
from mqbridge.bridge.queue_manager.resolution import resolve
from mqbridge.bridge.store.memory import MemoryStore
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQOO, ByteOrder

BATCH = 50
DATA = bytes(2048)
NOW = 1_800_000_000.0
BUDGET = 10.0
"""Microseconds that a put or a get may take."""


class Subject:
    def __init__(self) -> None:
        objects = Objects("EARTH", NOW)
        for name, attributes in (("Q", {}), ("X", {"USAGE": "XMITQ"})):
            objects.define(Kind.QLOCAL, name, {"MAXDEPTH": 999_999_999, **attributes}, NOW)
        self.store = MemoryStore()
        self.queue_manager = QueueManager("EARTH", self.store, objects, NOW)
        self.spent: dict[str, float] = {}

    def time(self, what: str, started: float) -> None:
        self.spent[what] = self.spent.get(what, 0.0) + time.perf_counter() - started

    def finish(self, what: str) -> None:
        pending = self.queue_manager.take_commits()
        answers = self.store.commit([each.operations for each in pending])
        started = time.perf_counter()
        for each, error in zip(pending, answers, strict=True):
            self.queue_manager.committed(each, error, NOW)
        self.time(what, started)
        self.queue_manager.take_effects()

    def put(self, raw_md: bytes, queue: str, queue_manager: str, count: int) -> None:
        core, options = self.queue_manager.connections.core, PutOptions(direct=True)
        for _ in range(count // BATCH):
            started = time.perf_counter()
            unit = UnitOfWork()
            for _ in range(BATCH):
                target = resolve(core, queue, queue_manager)
                put(core, target, Message(raw_md, DATA, order=ByteOrder.LITTLE, ccsid=1208), options, unit, NOW)
            self.time("put", started)
            started = time.perf_counter()
            commit(core, unit, NOW)
            self.time("put commit", started)
            self.finish("put commit")

    def get(self, queue: str, count: int) -> None:
        core, options = self.queue_manager.connections.core, GetOptions()
        handle = Handle(local_target(core, queue), MQOO.INPUT_SHARED, NO_PROGRAM)
        for _ in range(count // BATCH):
            started = time.perf_counter()
            unit = UnitOfWork()
            for _ in range(BATCH):
                if get_message(core, handle, options, unit, NOW) is None:
                    raise SystemExit("a message is missing")
            self.time("get", started)
            started = time.perf_counter()
            commit(core, unit, NOW)
            self.time("get commit", started)
            self.finish("get commit")


def measure(subject: Subject, title: str, raw_md: bytes, queue: str, queue_manager: str, count: int) -> None:
    subject.spent.clear()
    subject.put(raw_md, queue, queue_manager, count)
    subject.get(queue_manager or queue, count)
    shown = "  ".join(f"{what} {spent / count * 1e6:5.2f}" for what, spent in subject.spent.items())
    worst = max(subject.spent[what] / count * 1e6 for what in ("put", "get"))
    print(f"{title:32} {shown}   {'within' if worst <= BUDGET else 'OVER'} {BUDGET:.0f}")


def row_memory(count: int) -> float:
    """Bytes of memory of a message on a queue."""
    objects = Objects("EARTH", NOW)
    definition = objects.define(Kind.QLOCAL, "Q", {}, NOW).new
    if definition is None:
        raise SystemExit("no queue")
    gc.collect()
    tracemalloc.start()
    queue = LocalQueue(definition, set())
    for number in range(count):
        tail = pack_tail(3, 0, 1208, 0, number, 0, 2048, 0, number.to_bytes(24, "big"), bytes(24))
        queue.load(pack_position(queue.new_position(0)) + tail)
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return used / count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="a deeper queue")
    parser.add_argument("--depth", type=int, help="messages on the deep queue")
    parser.add_argument("--count", type=int, default=20_000, help="messages of each measurement")
    arguments = parser.parse_args()
    depth = arguments.depth or (500_000 if arguments.full else 100_000)
    subject = Subject()
    persistent, light = (
        Message.build(b"", persistence=kept, priority=0, format="MQSTR", msg_id=b"id").raw_md for kept in (1, 0)
    )
    print("microseconds a message")
    for _ in range(2):
        measure(subject, "persistent", persistent, "Q", "", arguments.count)
        measure(subject, "non-persistent", light, "Q", "", arguments.count)
        measure(subject, "to a transmission queue", persistent, "THERE", "X", arguments.count)
    subject.put(persistent, "Q", "", depth)
    measure(subject, f"persistent, {depth:,} deep", persistent, "Q", "", arguments.count)
    print(f"memory: {row_memory(min(depth, 200_000)):.0f} bytes a message on a queue, body in the store")


if __name__ == "__main__":
    main()
