"""What only the durable store has: one process a folder, versions, damage, full disks, and what survives."""

from __future__ import annotations

import os
import signal
import struct
import subprocess
import sys
from pathlib import Path

import lmdb
import pytest

from mqbridge.bridge.store import open_store
from mqbridge.bridge.store.environment import FORMAT_VERSION
from mqbridge.bridge.store.interface import (
    AddMessage,
    MessageExists,
    MessageMissing,
    PutRecord,
    RemoveMessage,
    RowError,
    StagedBody,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreLocked,
    StoreNewer,
)
from mqbridge.bridge.store.lmdb import LmdbStore
from mqbridge.bridge.store.rows import seal

ROOT = Path(__file__).parents[4]


def fill(store: LmdbStore, count: int, size: int = 2048) -> None:
    unit = [AddMessage(1, at, b"index %d" % at, bytes([at % 256]) * size) for at in range(count)]
    assert store.commit([unit]) == [None]


def raw(path: Path) -> lmdb.Environment:
    return lmdb.open(str(path / "messages.mdb"), subdir=False, max_dbs=8, map_size=1 << 30)


def test_a_locked_folder_names_the_process(tmp_path: Path) -> None:
    store = LmdbStore(tmp_path)
    with pytest.raises(StoreLocked) as caught:
        LmdbStore(tmp_path)
    assert caught.value.pid == os.getpid()
    assert str(os.getpid()) in str(caught.value)
    store.close()
    LmdbStore(tmp_path).close()


def test_a_lock_that_a_dead_process_left_is_taken_over(tmp_path: Path) -> None:
    LmdbStore(tmp_path).close()
    (tmp_path / "lock").write_text("1\n")
    LmdbStore(tmp_path).close()


def test_a_newer_format_is_refused_and_left_alone(tmp_path: Path) -> None:
    LmdbStore(tmp_path).close()
    with raw(tmp_path) as environment, environment.begin(write=True) as transaction:
        table = environment.open_db(b"store", txn=transaction)
        transaction.put(b"format", seal(b"%d" % (FORMAT_VERSION + 1)), db=table)
    before = (tmp_path / "messages.mdb").read_bytes()
    with pytest.raises(StoreNewer) as caught:
        LmdbStore(tmp_path)
    assert caught.value.version == FORMAT_VERSION + 1
    assert (tmp_path / "messages.mdb").read_bytes() == before


def test_a_truncated_file_is_damaged_not_a_crash(tmp_path: Path) -> None:
    store = LmdbStore(tmp_path)
    fill(store, 1000)
    store.close()
    os.truncate(tmp_path / "messages.mdb", 1 << 20)
    with pytest.raises(StoreDamaged) as caught:
        LmdbStore(tmp_path)
    assert "cut short" in caught.value.what
    assert caught.value.where.endswith("messages.mdb")


def test_a_file_without_its_free_tail_opens(tmp_path: Path) -> None:
    store = LmdbStore(tmp_path)
    fill(store, 10)
    store.close()
    with raw(tmp_path) as environment:
        used = (environment.info()["last_pgno"] + 1) * environment.stat()["psize"]
    os.truncate(tmp_path / "messages.mdb", used)
    store = LmdbStore(tmp_path)
    assert len(list(store.scan(1))) == 10
    store.close()


@pytest.mark.parametrize("content", [b"", b"not a database" * 1000])
def test_a_foreign_file_is_damaged(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "messages.mdb").write_bytes(content)
    if not content:
        LmdbStore(tmp_path).close()
        return
    with pytest.raises(StoreDamaged):
        LmdbStore(tmp_path)


def test_a_changed_body_is_damaged_when_it_is_read(tmp_path: Path) -> None:
    store = LmdbStore(tmp_path)
    fill(store, 3)
    store.close()
    data = (tmp_path / "messages.mdb").read_bytes()
    at = data.index(b"\x01" * 2048)
    with open(tmp_path / "messages.mdb", "r+b") as file:
        file.seek(at + 100)
        file.write(b"X")
    store = LmdbStore(tmp_path)
    with pytest.raises(StoreDamaged, match="queue 1, position 1"):
        store.read(1, 1)
    with pytest.raises(StoreDamaged, match="queue 1, position 1"):
        store.read_many(1, [2, 1])
    assert store.read(1, 2) == b"\x02" * 2048
    assert store.read_many(1, [2, 0]) == [b"\x02" * 2048, bytes(2048)]
    with pytest.raises(MessageMissing):
        store.read_many(1, [2, 4])
    store.close()


def test_a_changed_index_row_is_damaged_when_it_is_scanned(tmp_path: Path) -> None:
    store = LmdbStore(tmp_path)
    assert store.commit([[AddMessage(1, 1, b"index of one", b""), PutRecord("t", b"k", b"the record")]]) == [None]
    store.close()
    data = (tmp_path / "messages.mdb").read_bytes()
    (tmp_path / "messages.mdb").write_bytes(
        data.replace(b"index of one", b"INDEX of one").replace(b"the record", b"THE record")
    )
    store = LmdbStore(tmp_path)
    with pytest.raises(StoreDamaged):
        list(store.scan(1))
    with pytest.raises(StoreDamaged):
        store.index(1, 1)
    with pytest.raises(StoreDamaged):
        store.record("t", b"k")
    store.close()


def test_a_full_map_refuses_puts_and_still_lets_gets_through(tmp_path: Path) -> None:
    store = LmdbStore(tmp_path, map_size=4 << 20)
    count = 0
    while True:
        (answer,) = store.commit([[AddMessage(1, count, b"i" * 100, bytes(2048))]])
        if answer is not None:
            break
        count += 1
    assert isinstance(answer, StoreFull)
    assert 500 < count < 1100
    assert store.read(1, 0) == bytes(2048)
    assert store.commit([[PutRecord("channel", b"EARTH.SATURN", b"in doubt")]]) == [None]
    for position in range(count):
        assert store.commit([[RemoveMessage(1, position)]]) == [None]
    fill(store, 400)
    store.close()


def test_a_unit_that_is_too_big_does_not_fail_the_others(tmp_path: Path) -> None:
    store = LmdbStore(tmp_path, map_size=4 << 20)
    big = [AddMessage(2, at, b"", bytes(100_000)) for at in range(100)]
    answers = store.commit([[AddMessage(1, 1, b"", b"a")], big, [AddMessage(1, 2, b"", b"b")]])
    assert answers[0] is None
    assert isinstance(answers[1], StoreFull)
    assert answers[2] is None
    assert [row[:2] for row in store.scan_all()] == [(1, 1), (1, 2)]
    store.close()


def test_a_full_disk_refuses_puts_and_still_lets_gets_through(tmp_path: Path) -> None:
    """The limit of the file size stands in for the disk: the same call fails, with EFBIG for ENOSPC."""
    script = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (24 << 20, 24 << 20))
from mqbridge.bridge.store.interface import *
from mqbridge.bridge.store.lmdb import LmdbStore
store = LmdbStore(sys.argv[1])
count = 0
while True:
    (answer,) = store.commit([[AddMessage(1, count + at, b"i" * 100, bytes(2048)) for at in range(50)]])
    if answer is not None:
        break
    count += 50
assert isinstance(answer, StoreFull), answer
assert count > 2000, count
assert sum(1 for _ in store.scan(1)) == count
for first in range(0, count, 50):
    assert store.read(1, first) == bytes(2048)
    assert store.commit([[RemoveMessage(1, first + at) for at in range(50)]]) == [None]
assert store.commit([[AddMessage(1, 1, b"", b"again")]]) == [None]
store.close()
"""
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=True, cwd=ROOT, timeout=60)


@pytest.mark.parametrize("module", ["staging", "journal"])
def test_a_sync_that_fails_ends_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    store = LmdbStore(tmp_path)
    fill(store, 2)
    body = [store.staged.write(b"part")]

    def fail(_: int) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(f"mqbridge.bridge.store.{module}.sync_data", fail)
        (answer,) = store.commit([[AddMessage(2, 1, b"", StagedBody(body, [4]))]])
    assert isinstance(answer, StoreDamaged)
    unit = [PutRecord("t", b"k", b"v")]
    assert store.commit([unit, unit]) == [answer, answer]
    assert store.read(1, 1) == b"\x01" * 2048
    store.close()


def test_rows_that_disagree_fail_their_unit_alone(tmp_path: Path) -> None:
    store = LmdbStore(tmp_path)
    fill(store, 2)
    answers = store.commit(
        [
            [AddMessage(1, 5, b"", b""), AddMessage(1, 1, b"", b"")],
            [AddMessage(1, 6, b"", b""), RemoveMessage(1, 9)],
            [AddMessage(1, 7, b"", b""), AddMessage(1, 7, b"", b"")],
            [AddMessage(1, 2**64, b"", b"")],
            [PutRecord("t", b"k" * 481, b"")],
            [AddMessage(1, 8, b"", b"")],
        ]
    )
    assert isinstance(answers[0], MessageExists)
    assert (answers[0].queue, answers[0].position) == (1, 1)
    assert isinstance(answers[1], MessageMissing)
    assert (answers[1].queue, answers[1].position) == (1, 9)
    assert isinstance(answers[2], MessageExists)
    assert (answers[2].queue, answers[2].position) == (1, 7)
    assert type(answers[3]) is RowError
    assert type(answers[4]) is RowError
    assert answers[5] is None
    assert [position for position, _, _ in store.scan(1)] == [0, 1, 8]
    store.close()


def test_a_scan_holds_no_transaction_while_it_waits(tmp_path: Path) -> None:
    store = LmdbStore(tmp_path)
    fill(store, 3000, 10)
    rows = store.scan(1)
    assert next(rows)[0] == 0
    assert store.commit([[RemoveMessage(1, at) for at in range(1, 2000)]]) == [None]
    seen = [position for position, _, _ in rows]
    assert seen == sorted(seen)
    assert set(range(2000, 3000)) <= set(seen)
    store.close()


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    store = LmdbStore(tmp_path)
    store.close()
    store.close()
    (answer,) = store.commit([[PutRecord("t", b"k", b"v")]])
    assert isinstance(answer, StoreError)
    with pytest.raises(StoreError, match="closed"):
        store.read(1, 1)


def test_open_store_knows_the_kinds(tmp_path: Path) -> None:
    for kind in ("lmdb", "memory"):
        store = open_store(kind, tmp_path / kind, map_size=1 << 20)
        assert store.commit([[PutRecord("t", b"k", b"v")]]) == [None]
        assert store.record("t", b"k") == b"v"
        store.close()
    assert not (tmp_path / "memory").exists()
    with pytest.raises(ValueError, match="kind"):
        open_store("paper", tmp_path)


COMMIT_FOR_EVER = """
import struct, sys
from mqbridge.bridge.store.interface import AddMessage, PutRecord, RemoveMessage
from mqbridge.bridge.store.lmdb import LmdbStore
store = LmdbStore(sys.argv[1])
first = struct.unpack(">Q", store.record("state", b"next") or bytes(8))[0]
while True:
    unit = [AddMessage(1, at, b"index", b"%d" % at * 300) for at in range(first, first + 20)]
    if first >= 100:
        unit += [RemoveMessage(1, at) for at in range(first - 100, first - 80)]
    first += 20
    unit.append(PutRecord("state", b"next", struct.pack(">Q", first)))
    assert store.commit([unit]) == [None]
    sys.stdout.write("%d\\n" % first)
    sys.stdout.flush()
"""


def test_what_was_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    acknowledged = 0
    for round_number in range(5):
        process = subprocess.Popen(
            [sys.executable, "-c", COMMIT_FOR_EVER, str(tmp_path)], stdout=subprocess.PIPE, text=True, cwd=ROOT
        )
        assert process.stdout is not None
        for _ in range(30 + 17 * round_number):
            acknowledged = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
        for line in process.stdout.read().splitlines(keepends=True):
            if line.endswith("\n"):
                acknowledged = int(line)
        process.wait()
        process.stdout.close()
        store = LmdbStore(tmp_path)
        (reached,) = struct.unpack(">Q", store.record("state", b"next") or b"")
        assert acknowledged <= reached <= acknowledged + 20
        rows = [position for position, _, _ in store.scan(1)]
        assert rows == list(range(max(reached - 100, 0), reached))
        assert all(store.read(1, at) == b"%d" % at * 300 for at in rows)
        store.close()
