"""The journal: what a crash in the middle of a commit leaves, and how rows get into the LMDB file."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import lmdb
import pytest

from mqbridge.bridge.store import journal, row_file
from mqbridge.bridge.store.folder import DataFolder
from mqbridge.bridge.store.interface import (
    AddMessage,
    ChangeMessage,
    DropQueue,
    PutRecord,
    RemoveMessage,
    StagedBody,
    StoreDamaged,
    StoreFull,
)
from mqbridge.bridge.store.journal import JOURNAL_LENGTH, Journal
from mqbridge.bridge.store.lmdb import LmdbStore
from mqbridge.bridge.store.offline_maintenance import check
from mqbridge.bridge.store.sync_mark import JournalPass


def die(store: LmdbStore) -> None:
    """Closes a store as a kill would: nothing moves from the journal to the LMDB file."""
    store._file.fail(OSError("killed"))
    store.close()


def rows_in_file(store: LmdbStore) -> int:
    with store._file.environment.begin() as transaction:
        entries: int = transaction.stat(store._file.tables.index)["entries"]
        return entries


@pytest.fixture
def two_commits(tmp_path: Path) -> tuple[Path, int, int]:
    """A folder whose process died in the second of two commits, and where that begins and ends in the journal.

    The mark of what was synced is that of the first: the second was written, and whether it was synced nobody knows.
    """
    path = tmp_path / "data"
    store = LmdbStore(path)
    assert store.commit([[AddMessage(1, 1, b"first", b"1" * 100), PutRecord("t", b"k", b"first")]]) == [None]
    start = store._file._journal._end
    mark = (path / "synced").read_bytes()
    unit = [AddMessage(1, 2, b"second", b"2" * 100), RemoveMessage(1, 1), PutRecord("t", b"k", b"second")]
    assert store.commit([unit]) == [None]
    end = store._file._journal._end
    assert rows_in_file(store) == 0
    die(store)
    (path / "synced").write_bytes(mark)
    return path, start, end


def state(path: Path) -> tuple[list, bytes | None]:
    store = LmdbStore(path)
    found = [(*row, store.read(1, row[0])) for row in store.scan(1)], store.record("t", b"k")
    store.close()
    return found


BEFORE = [(1, b"first", 100, b"1" * 100)], b"first"
AFTER = [(2, b"second", 100, b"2" * 100)], b"second"


def test_commits_come_back_from_the_journal(two_commits: tuple[Path, int, int]) -> None:
    path, _, _ = two_commits
    assert state(path) == AFTER
    assert state(path) == AFTER


def test_a_torn_commit_is_none(two_commits: tuple[Path, int, int], tmp_path: Path) -> None:
    """The second record is cut after each of its bytes, with zeros and with other bytes behind the cut."""
    path, start, end = two_commits
    whole = (path / "journal").read_bytes()
    for cut in range(start, end, 7):
        for rest in (b"\0", b"\x55"):
            copy = tmp_path / f"{cut}-{rest.hex()}"
            shutil.copytree(path, copy)
            torn = whole[:cut] + rest * (end - cut) + whole[end:]
            (copy / "journal").write_bytes(torn)
            if torn[start:end] != whole[start:end]:
                assert state(copy) == BEFORE
            shutil.rmtree(copy)


def test_a_journal_that_is_cut_short_is_damage(two_commits: tuple[Path, int, int]) -> None:
    path, start, end = two_commits
    for length in (0, (start + end) // 2, 4096, journal.ALLOCATION - 1):
        os.truncate(path / "journal", length)
        with pytest.raises(StoreDamaged, match=f"cut short: {length} bytes of {journal.ALLOCATION}"):
            LmdbStore(path)


def test_a_missing_journal_is_damage(two_commits: tuple[Path, int, int]) -> None:
    path, _, _ = two_commits
    (path / "journal").unlink()
    with pytest.raises(StoreDamaged, match="journal is missing"):
        LmdbStore(path)
    (damage,) = check(path)
    assert damage.where == str(path / "journal")


def test_a_body_changed_in_an_answered_record_is_damage(two_commits: tuple[Path, int, int]) -> None:
    path, _, _ = two_commits
    data = (path / "journal").read_bytes()
    (path / "journal").write_bytes(data.replace(b"1" * 100, b"1" * 99 + b"X"))
    with pytest.raises(StoreDamaged, match="record 1"):
        LmdbStore(path)


def test_a_record_changed_anywhere_in_front_of_an_answered_one_is_damage(two_commits: tuple[Path, int, int]) -> None:
    path, start, _ = two_commits
    data = (path / "journal").read_bytes()
    for at in range(0, start, 5):
        (path / "journal").write_bytes(data[:at] + bytes((data[at] ^ 0xFF,)) + data[at + 1 :])
        with pytest.raises(StoreDamaged, match="record 1"):
            LmdbStore(path)
    (damage,) = check(path)
    assert damage.where == str(path / "journal")
    (path / "journal").write_bytes(data)
    assert state(path) == AFTER


def test_records_of_the_pass_before_are_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two passes with records of the same lengths: the journal holds a new record and behind it only old ones."""
    monkeypatch.setattr(row_file, "MAX_PENDING", 4)
    store = LmdbStore(tmp_path)
    for at in range(5):
        assert store.commit([[AddMessage(1, at, b"index", b"%d" % at * 50)]]) == [None]
    assert rows_in_file(store) == 4
    assert store.commit([[RemoveMessage(1, 4)]]) == [None]
    die(store)
    store = LmdbStore(tmp_path)
    assert [position for position, _, _ in store.scan(1)] == [0, 1, 2, 3]
    store.close()


def test_a_forged_record_in_a_body_is_not_one(tmp_path: Path) -> None:
    """A body that holds whole records, as left over from a pass with another salt, lies where the next would begin."""
    forged = tmp_path / "forged"
    forged.mkdir()
    salted = Journal(DataFolder(forged), JournalPass(1, b"guessed!", 1), must_exist=False)
    salted.sync(salted.append(b"", []))
    salted.close()
    store = LmdbStore(tmp_path / "data")
    assert store.commit([[PutRecord("t", b"k", b"v")]]) == [None]
    end = store._file._journal._end
    die(store)
    with open(tmp_path / "data" / "journal", "r+b") as file:
        file.seek(end)
        file.write((forged / "journal").read_bytes()[:64])
    store = LmdbStore(tmp_path / "data")
    assert store._file._journal.sequence == 1
    store.close()


def test_what_came_and_went_never_reaches_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "JOURNAL_LENGTH", 1 << 20)
    store = LmdbStore(tmp_path)
    for at in range(300):
        unit = [AddMessage(1, at, b"index", bytes(20_000))]
        if at:
            unit.append(RemoveMessage(1, at - 1))
        assert store.commit([unit]) == [None]
    assert rows_in_file(store) <= 1
    assert (tmp_path / "journal").stat().st_size <= journal.ALLOCATION
    store.close()
    store = LmdbStore(tmp_path)
    assert [position for position, _, _ in store.scan(1)] == [299]
    store.close()


def test_a_commit_too_big_for_the_journal_goes_into_the_file(tmp_path: Path) -> None:
    store = LmdbStore(tmp_path)
    assert store.commit([[AddMessage(1, 0, b"", b"small")]]) == [None]
    unit = [AddMessage(1, at, b"", bytes(1 << 20)) for at in range(1, 9)]
    assert store.commit([[*unit, RemoveMessage(1, 0)]]) == [None]
    assert rows_in_file(store) == 8
    die(store)
    store = LmdbStore(tmp_path)
    assert [position for position, _, _ in store.scan(1)] == list(range(1, 9))
    store.close()


def test_the_journal_begins_anew_when_it_cannot_grow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = LmdbStore(tmp_path)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(journal.os, "posix_fallocate", full)
    for at in range(20):
        assert store.commit([[PutRecord("t", b"k", bytes([at]) * (2 << 20))]]) == [None]
        assert store._file._journal._end <= journal.ALLOCATION
    assert store.record("t", b"k") == b"\x13" * (2 << 20)
    store.close()


def test_dropping_a_long_queue_is_a_short_commit(tmp_path: Path) -> None:
    store = LmdbStore(tmp_path)
    assert store.commit([[AddMessage(1, at, b"", b"x") for at in range(20_000)]]) == [None]
    assert store.commit([[AddMessage(2, 1, b"", b"kept")]]) == [None]
    before = store._file._journal._end
    unit = [DropQueue(1), AddMessage(1, 5, b"new", b"new"), ChangeMessage(1, 5, b"changed")]
    assert store.commit([unit, [RemoveMessage(1, 6)]])[0] is None
    assert store._file._journal._end - before < 200
    assert list(store.scan_all()) == [(1, 5, b"changed", 3), (2, 1, b"", 4)]
    die(store)
    store = LmdbStore(tmp_path)
    assert list(store.scan_all()) == [(1, 5, b"changed", 3), (2, 1, b"", 4)]
    assert rows_in_file(store) == 2
    store.close()


def test_a_checkpoint_without_room_is_done_in_slices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = LmdbStore(tmp_path)
    staged = StagedBody([store.staged.write(b"part")], [4])
    unit = [AddMessage(1, at, b"%d" % at, b"x" * at) for at in range(1000)]
    assert store.commit([[*unit, AddMessage(2, 1, b"", staged)]]) == [None]
    put = store._file._put_into_file
    calls = []

    def full_once(changes: object) -> None:
        calls.append(changes)
        if len(calls) == 1:
            raise lmdb.MapFullError("mdb_put", -30792)
        put(changes)

    monkeypatch.setattr(store._file, "_put_into_file", full_once)
    store._file._checkpoint()
    assert len(calls) == 2
    assert rows_in_file(store) == 1001
    assert [store.read(1, at) for at in range(1000)] == [b"x" * at for at in range(1000)]
    assert store.read(2, 1) == b"part"
    store.close()


def test_a_store_that_is_full_at_start_keeps_what_the_journal_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = LmdbStore(tmp_path)
    assert store.commit([[AddMessage(1, 1, b"", StagedBody([store.staged.write(b"part")], [4]))]]) == [None]
    die(store)
    with monkeypatch.context() as patch:
        patch.setattr(row_file.RowFile, "_checkpoint", lambda self: (_ for _ in ()).throw(StoreFull("full")))
        store = LmdbStore(tmp_path)
        assert store.read(1, 1) == b"part"
        assert store.commit([[AddMessage(1, 2, b"", b"more")]]) == [None]
        assert store.commit([[RemoveMessage(1, 1)]]) == [None]
        store.close()
    store = LmdbStore(tmp_path)
    assert list(store.scan_all()) == [(1, 2, b"", 4)]
    assert list((tmp_path / "staging").iterdir()) == []
    store.close()


def test_the_journal_is_long_enough_for_what_goes_into_it() -> None:
    assert row_file.MAX_JOURNALED < journal.ALLOCATION <= JOURNAL_LENGTH
