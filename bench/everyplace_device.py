"""A device's messages on its own disk: 200 bytes each, beside bare SQLite, an append log and persist-queue.

    python bench/everyplace_device.py            three rounds that count
    python bench/everyplace_device.py --full     nine, with more messages

``put``: each message alone on disk, synced. ``put, send, delete``: the same, then they are sent by fifty: read, made
a frame, noted as in doubt in one transaction, and deleted in one with the next note; bare SQLite reads and deletes by
fifty with a record in the same transaction, persist-queue gets and acknowledges each. Bare SQLite has the same pragmas
and one table of bytes; it has no UIDs, states, order or index. persist-queue runs as it comes, which is what it is
judged by, and a second time with the same pragmas but the lock, for it has two connections; what it uses is asked of
the one that writes, and printed: it syncs each message too. Rounds alternate in one process, every other one backwards;
the first warms up. Rates are medians, with the slowest and the fastest round; proportions are medians of those within a
round. Targets: 0.6 of bare SQLite, 1.0 of persist-queue; the goal is 0.9 of bare SQLite.
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
from figures import figure, ratios

from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.device.device_file import OUTGOING, Gateway
from mqbridge.bridge.everyplace.transfer.lane_records import LaneName
from mqbridge.bridge.everyplace.transfer.parts_out import pushed
from mqbridge.bridge.everyplace.transfer.sending_lane import SendingLane
from mqbridge.everyplace import Address, QueueManager
from mqbridge.protocol.everyplace.batches import Push, write_body

SIZE = 200
BATCH = 50
OURS, BARE, LOG = "device", "bare SQLite", "append log"
PERSIST, PERSIST_ALIKE = "persist-queue", "persist-queue, same pragmas"
PUT, ALL = "put", "put, send, delete"
TARGETS = {BARE: (0.6, 0.9), PERSIST: (1.0, None)}
"""Parts of the rates of others that are to be reached, and the goal."""
_PRAGMAS = (
    "locking_mode = EXCLUSIVE",
    "journal_mode = WAL",
    "synchronous = FULL",
    "cache_size = -512",
    "wal_autocheckpoint = 400",
    f"journal_size_limit = {4 << 20}",
    "temp_store = FILE",
)
"""Those of `bridge.store.sqlite_file`; the lock comes first."""


_SHOWN = ("journal_mode", "synchronous", "locking_mode", "wal_autocheckpoint")
_SYNCHRONOUS = ("OFF", "NORMAL", "FULL", "EXTRA")


class Part(NamedTuple):
    """``put``: so many messages. ``send``: all of them, by fifty, which deletes them. ``settings``: to be printed."""

    put: Callable[[int], None]
    send: Callable[[], None]
    close: Callable[[], None]
    settings: str = ""


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
            write_body(Push("ORDERS", batch.number, pushed(batch.entries, messages)))
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


def persist(folder: Path, pragmas: tuple[str, ...] = ()) -> Part | None:
    """persist-queue; None where it is not installed. ``pragmas``: other than its own."""
    try:
        from persistqueue import SQLiteAckQueue
    except ImportError:
        return None
    queue = SQLiteAckQueue(str(folder), multithreading=True)
    body = bytes(SIZE)
    for connection in (queue._putter, queue._getter):
        for each in pragmas:
            connection.execute(f"PRAGMA {each}")

    def put(count: int) -> None:
        for _ in range(count):
            queue.put(body)

    def send() -> None:
        while queue.size:
            queue.ack(queue.get())
        queue.clear_acked_data(keep_latest=0)

    return Part(put, send, queue.close, ", ".join(f"{each} {_pragma(queue, each)}" for each in _SHOWN))


def _pragma(queue: Any, name: str) -> str:
    """What the connection says with which persist-queue puts."""
    value = queue._putter.execute(f"PRAGMA {name}").fetchone()[0]
    return _SYNCHRONOUS[value] if name == "synchronous" else str(value)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true")
    full = parser.parse_args().full
    count, rounds = (2_000, 9) if full else (500, 3)
    figures: dict[tuple[str, str], list[float]] = {}
    with contextlib.ExitStack() as stack:
        # Not in memory, where a sync costs nothing.
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=Path(__file__).parent, prefix=".bench-")))
        made = {
            OURS: device(folder),
            BARE: bare(folder),
            LOG: log(folder),
            PERSIST: persist(folder / "persist"),
            PERSIST_ALIKE: persist(folder / "alike", _PRAGMAS[1:]),
        }
        parts = {name: part for name, part in made.items() if part is not None}
        for number in range(rounds + 1):
            for name, part in list(parts.items())[:: -1 if number % 2 else 1]:
                began = time.perf_counter()
                part.put(count)
                put = time.perf_counter()
                part.send()
                if number:
                    figures.setdefault((PUT, name), []).append(count / (put - began))
                    figures.setdefault((ALL, name), []).append(count / (time.perf_counter() - began))
        for part in parts.values():
            part.close()
    print(f"{count:,} messages of {SIZE} bytes, median of {rounds} rounds (slowest, fastest); on disk, each synced")
    for name, part in parts.items():
        if part.settings:
            print(f"  {name}: {part.settings}")
    for what in (PUT, ALL):
        for name in parts:
            rates = figures[what, name]
            print(f"  {what:18} {name:28} {statistics.median(rates):9,.0f}/s  ({min(rates):,.0f} to {max(rates):,.0f})")
        for name in parts:
            if name != OURS:
                least, goal = TARGETS.get(name, (None, None))
                figure(
                    f"device, {what}", name, ratios(figures[what, OURS], figures[what, name]), least=least, goal=goal
                )


if __name__ == "__main__":
    main()
