"""A process that commits numbered units to a store and says each one it was answered; it is killed while it writes."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

from mqbridge.bridge.store.descriptors import open_described
from mqbridge.bridge.store.interface import AddMessage, PutRecord, RemoveMessage, StagedBody, Store
from support.queue_manager.database_adapter import DatabaseAdapter

OTHERS = {"database": DatabaseAdapter}
KEPT = 20
"""Messages that are left on the queue."""
WRITER = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from support.processes.killed_store import write
write(sys.argv[1], int(sys.argv[2]))
"""


def body(number: int) -> bytes:
    """Some are in an object of their own."""
    return random.Random(number).randbytes(10 + number % 7 * 1500)


def unit(store: Store, number: int) -> list[object]:
    """A message more and one less, and their number; every fifth was staged."""
    data = body(number)
    added: object = AddMessage(1, number, b"%d" % number, data)
    if number % 5 == 0:
        part = store.staged.write(data)
        added = AddMessage(1, number, b"%d" % number, StagedBody([part], [len(data)]))
    gone = [RemoveMessage(1, number - KEPT)] if number > KEPT else []
    return [added, *gone, PutRecord("t", b"last", b"%d" % number)]


def write(descriptor: str, first: int) -> None:
    """Commit units from a number on, and print each that is answered, until the process is killed."""
    store = open_described(descriptor, OTHERS)
    for number in range(first, first + 1_000_000):
        assert store.commit([unit(store, number)]) == [None]  # type: ignore[list-item]
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()


def rounds(descriptor: str, count: int, dice: random.Random) -> None:
    """Kill the writer so often; each time all that it was answered must be there, and each unit whole or absent."""
    last = 0
    for _ in range(count):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, descriptor, str(last + 1)], stdout=subprocess.PIPE, text=True
        ) as writer:
            assert writer.stdout is not None
            answered = int(writer.stdout.readline())
            time.sleep(dice.random() * 0.2)
            writer.kill()
            answered = max([answered, *map(int, writer.stdout.read().split())])
        last = check(descriptor, answered)


def check(descriptor: str, answered: int) -> int:
    """Compare what is there with the number of the last unit that was answered; returns that of the last one there."""
    store = open_described(descriptor, OTHERS)
    try:
        last = int(store.record("t", b"last") or b"0")
        assert last in (answered, answered + 1)
        expected = list(range(max(1, last - KEPT + 1), last + 1))
        assert [(at, index) for at, index, _ in store.scan(1)] == [(at, b"%d" % at) for at in expected]
        assert [store.read(1, at) for at in expected] == [body(at) for at in expected]
        return last
    finally:
        store.close()
