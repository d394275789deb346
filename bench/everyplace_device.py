"""A device's messages on its own disk: 200 bytes each, beside bare SQLite, an append log and persist-queue.

    python bench/everyplace_device.py            three rounds that count
    python bench/everyplace_device.py --full     nine, with more messages

``put``: each message alone on disk, synced. ``put, send, delete``: the same, then they are sent by fifty: read, encoded
as frames, noted as in doubt in one transaction, and deleted in one with the next note; bare SQLite reads and deletes by
fifty with a record in the same transaction, persist-queue gets and acknowledges each. Bare SQLite has the same pragmas
and one table of bytes; it has no UIDs, states, order or index. Rounds alternate in one process; the first warms up.
Targets: 0.6 of bare SQLite, 1.0 of persist-queue; the goal is 0.9 of bare SQLite.
"""

from __future__ import annotations

import argparse
import contextlib
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

from append_log import AppendLog

from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.device.device_file import OUTGOING, Gateway
from mqbridge.bridge.everyplace.transfer.lane_records import LaneName
from mqbridge.bridge.everyplace.transfer.sending_lane import SendingLane
from mqbridge.everyplace import Address, QueueManager
from mqbridge.protocol.everyplace.batches import Push, write_body

SIZE = 200
BATCH = 50
OURS, BARE, LOG, PERSIST = "device", "bare SQLite", "append log", "persist-queue"
PUT, ALL = "put", "put, send, delete"
AT_LEAST, GOAL, OF_PERSIST = 0.6, 0.9, 1.0
_PRAGMAS = (
    "locking_mode = EXCLUSIVE",
    "journal_mode = WAL",
    "synchronous = FULL",
    "cache_size = -1024",
    "wal_autocheckpoint = 400",
    f"journal_size_limit = {4 << 20}",
    "temp_store = FILE",
)
"""Those of `bridge.store.sqlite_file`."""


class Part(NamedTuple):
    """``put``: so many messages. ``send``: all of them, by fifty, which deletes them."""

    put: Callable[[int], None]
    send: Callable[[], None]
    close: Callable[[], None]


def device(folder: Path) -> Part:
    """A device."""
    gateway = Gateway(ConnectionDefinition("EARTH", "tcp", "earth:8081"), ("SATURN",))
    moon = QueueManager.create(folder / "moon.mqe", "MOON", gateway, connect=False)
    engine = moon._engine
    queue, _ = engine.manager.resolve(Address(OUTGOING, "EARTH"))
    messages = queue.messages
    assert messages is not None
    lane = SendingLane(LaneName("EARTH", "ORDERS"), engine.store, messages, "SATURN")
    lane.settle(b"12345678", 0)
    body = bytes(SIZE)

    def put(count: int) -> None:
        for _ in range(count):
            moon.put("ORDERS@SATURN", body)

    def commit(change: Any) -> None:
        if change is not None:
            engine.manager.submit(change, lambda _: None)
            engine.settle()

    def send() -> None:
        while (batch := lane.next_batch(BATCH, int(time.time() * 1000))) is not None:
            pairs = tuple((entry.target or Address("", ""), messages.read(entry)) for entry in batch.entries)
            write_body(Push("ORDERS", batch.number, pairs))
            commit(lane.taken(batch.number, ()))
            lane.confirmed(batch.number)
        commit(lane.deletes())

    return Part(put, send, moon.close)


def bare(folder: Path) -> Part:
    """The sqlite3 module."""
    database = sqlite3.connect(folder / "bare.db", isolation_level=None)
    for each in _PRAGMAS:
        database.execute(f"PRAGMA {each}")
    database.execute("CREATE TABLE messages (number INTEGER PRIMARY KEY, body BLOB)")
    database.execute("CREATE TABLE records (name TEXT PRIMARY KEY, value BLOB)")
    run, body = database.execute, bytes(SIZE)

    def put(count: int) -> None:
        for _ in range(count):
            run("INSERT INTO messages (body) VALUES (?)", (body,))

    def send() -> None:
        while rows := run("SELECT number, body FROM messages ORDER BY number LIMIT ?", (BATCH,)).fetchall():
            run("BEGIN IMMEDIATE")
            for number, _ in rows:
                run("DELETE FROM messages WHERE number = ?", (number,))
            run("INSERT OR REPLACE INTO records VALUES ('lane', ?)", (bytes(BATCH * 8),))
            run("COMMIT")

    return Part(put, send, database.close)


def log(folder: Path) -> Part:
    """An append log."""
    found = AppendLog(folder / "log")
    body, waiting = bytes(SIZE), []
    numbers = iter(range(1 << 40))

    def put(count: int) -> None:
        for _ in range(count):
            number = next(numbers)
            found.put([(number, body)])
            waiting.append(number)

    def send() -> None:
        while waiting:
            batch = waiting[:BATCH]
            del waiting[:BATCH]
            for number in batch:
                found.get(number)
            found.delete(batch)

    return Part(put, send, found.close)


def persist(folder: Path) -> Part | None:
    """persist-queue; None where it is not installed."""
    try:
        from persistqueue import SQLiteAckQueue
    except ImportError:
        return None
    queue = SQLiteAckQueue(str(folder / "persist"), multithreading=True)
    body = bytes(SIZE)

    def put(count: int) -> None:
        for _ in range(count):
            queue.put(body)

    def send() -> None:
        while queue.size:
            queue.ack(queue.get())
        queue.clear_acked_data(keep_latest=0)

    return Part(put, send, queue.close)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true")
    full = parser.parse_args().full
    count, rounds = (2_000, 9) if full else (500, 3)
    figures: dict[tuple[str, str], list[float]] = {}
    with contextlib.ExitStack() as stack:
        # Not in memory, where a sync costs nothing.
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=Path(__file__).parent, prefix=".bench-")))
        parts = {OURS: device(folder), BARE: bare(folder), LOG: log(folder), PERSIST: persist(folder)}
        for number in range(rounds + 1):
            for name, part in parts.items():
                if part is None:
                    continue
                began = time.perf_counter()
                part.put(count)
                put = time.perf_counter()
                part.send()
                if number:
                    figures.setdefault((PUT, name), []).append(count / (put - began))
                    figures.setdefault((ALL, name), []).append(count / (time.perf_counter() - began))
        for part in parts.values():
            if part is not None:
                part.close()
    print(f"{count:,} messages of {SIZE} bytes, median of {rounds} rounds; on disk, each synced")
    for what in (PUT, ALL):
        rates = {name: statistics.median(figures[what, name]) for name in parts if (what, name) in figures}
        for name, rate in rates.items():
            print(f"  {what:18} {name:14} {rate:9,.0f}/s")
        of_bare = rates[OURS] / rates[BARE]
        words = (
            f"{of_bare:.2f} of {BARE} (at least {AT_LEAST}, goal {GOAL}), {rates[OURS] / rates[LOG]:.2f} of the {LOG}"
        )
        if PERSIST in rates:
            words += f", {rates[OURS] / rates[PERSIST]:.2f} of {PERSIST} (at least {OF_PERSIST})"
        print(f"  {what:18} {words}")


if __name__ == "__main__":
    main()
