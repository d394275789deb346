"""Parts of big bodies: bounded memory, synced before the commit, gone when nothing refers to them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mqbridge.bridge.store.interface import (
    MAX_CHUNK,
    AddMessage,
    ChunkMissing,
    MessageMissing,
    PrepareBranch,
    RemoveMessage,
    ResolveBranch,
    RowError,
    StagedBody,
    StoreDamaged,
    StoreFull,
)
from mqbridge.bridge.store.lmdb import LmdbStore

ROOT = Path(__file__).parents[4]


def files(path: Path) -> int:
    return len(list((path / "staging").iterdir()))


def test_a_body_of_100_mib_needs_little_memory(tmp_path: Path) -> None:
    script = """
import sys
from mqbridge.bridge.store.interface import MAX_CHUNK, AddMessage, RemoveMessage, StagedBody
from mqbridge.bridge.store.lmdb import LmdbStore
def anonymous():
    for line in open("/proc/self/status"):
        if line.startswith("RssAnon"):
            return int(line.split()[1]) >> 10
store = LmdbStore(sys.argv[1])
before = peak = anonymous()
chunks = []
for number in range(100):
    chunks.append(store.staged.write(bytes([number]) * MAX_CHUNK))
    peak = max(peak, anonymous())
assert store.commit([[AddMessage(1, 1, b"index", StagedBody(chunks, [MAX_CHUNK] * 100, b"tail", b"head"))]]) == [None]
peak = max(peak, anonymous())
assert store.length(1, 1) == 100 * MAX_CHUNK + 8
assert store.read(1, 1, 0, 4) == b"head"
for number in range(100):
    part = store.read(1, 1, 4 + number * MAX_CHUNK, MAX_CHUNK)
    assert part == bytes([number]) * MAX_CHUNK
    peak = max(peak, anonymous())
assert store.read(1, 1, 4 + 100 * MAX_CHUNK) == b"tail"
assert store.commit([[RemoveMessage(1, 1)]]) == [None]
print(peak - before)
store.close()
"""
    command = [sys.executable, "-c", script, str(tmp_path)]
    grown = subprocess.run(command, check=True, cwd=ROOT, timeout=100, capture_output=True, text=True).stdout
    assert int(grown) < 12
    assert files(tmp_path) == 0


def test_slices_cross_chunks(tmp_path: Path) -> None:
    store = LmdbStore(tmp_path)
    parts = [b"abc", b"defgh", b"i"]
    staged = StagedBody([store.staged.write(part) for part in parts], [3, 5, 1], b"jk", b"__")
    assert len(staged) == 13
    assert store.commit([[AddMessage(1, 1, b"", staged)]]) == [None]
    whole = b"__abcdefghijk"
    for start in range(15):
        assert store.read(1, 1, start) == whole[start:]
        for length in range(15):
            assert store.read(1, 1, start, length) == whole[start : start + length]
    store.close()


def test_chunks_are_synced_before_the_commit_that_refers_to_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = LmdbStore(tmp_path)
    synced: list[int] = []

    def sync(file: int) -> None:
        assert list(store.scan(1)) == []
        synced.append(os.fstat(file).st_size)

    monkeypatch.setattr("mqbridge.bridge.store.staging.sync_data", sync)
    chunks = [store.staged.write(b"x" * 10), store.staged.write(b"x" * 20), store.staged.write(b"x" * 30)]
    assert synced == []
    assert store.commit([[AddMessage(1, 1, b"", StagedBody(chunks[:2], [10, 20]))]]) == [None]
    assert sorted(synced) == [10, 20]
    store.close()


def test_chunks_of_no_message_are_gone_after_a_restart(tmp_path: Path) -> None:
    store = LmdbStore(tmp_path)
    kept = [store.staged.write(b"kept")]
    prepared = [store.staged.write(b"prepared")]
    store.staged.write(b"lost")
    unit = [
        AddMessage(1, 1, b"", StagedBody(kept, [4])),
        PrepareBranch(b"b", [AddMessage(1, 2, b"", StagedBody(prepared, [8]))]),
    ]
    assert store.commit([unit]) == [None]
    store.close()
    store = LmdbStore(tmp_path)
    assert files(tmp_path) == 2
    fresh = store.staged.write(b"new")
    assert fresh not in kept + prepared
    assert store.commit([[ResolveBranch(b"b", commit=True)]]) == [None]
    assert store.read(1, 2) == b"prepared"
    assert store.read(1, 1) == b"kept"
    store.close()


def test_chunks_go_with_their_message_or_branch(tmp_path: Path) -> None:
    store = LmdbStore(tmp_path)
    bodies = [StagedBody([store.staged.write(b"part")], [4]) for _ in range(3)]
    add = [AddMessage(1, at, b"", body) for at, body in enumerate(bodies)]
    assert store.commit([[add[0], PrepareBranch(b"b", add[1:])]]) == [None]
    assert files(tmp_path) == 3
    assert store.commit([[ResolveBranch(b"b", commit=False)]]) == [None]
    assert files(tmp_path) == 1
    assert store.commit([[RemoveMessage(1, 0)]]) == [None]
    assert files(tmp_path) == 0
    store.close()


def test_a_unit_that_fails_leaves_its_chunks_to_the_caller(tmp_path: Path) -> None:
    store = LmdbStore(tmp_path)
    chunk = store.staged.write(b"part")
    body = StagedBody([chunk], [4])
    assert isinstance(store.commit([[AddMessage(1, 1, b"", body), RemoveMessage(9, 9)]])[0], MessageMissing)
    assert isinstance(store.commit([[AddMessage(1, 1, b"", StagedBody([chunk], [5]))]])[0], RowError)
    assert isinstance(store.commit([[AddMessage(1, 1, b"", StagedBody([chunk, chunk], [4, 4]))]])[0], ChunkMissing)
    assert store.staged.read(chunk, 1, 2) == b"ar"
    assert store.commit([[AddMessage(1, 1, b"", body)]]) == [None]
    store.staged.drop([chunk])
    assert store.read(1, 1) == b"part"
    with pytest.raises(ChunkMissing):
        store.staged.read(chunk)
    store.close()


def test_a_chunk_over_the_limit_is_refused(tmp_path: Path) -> None:
    store = LmdbStore(tmp_path)
    with pytest.raises(ValueError, match="longer"):
        store.staged.write(bytes(MAX_CHUNK + 1))
    assert files(tmp_path) == 0
    store.close()


def test_a_full_disk_is_told_when_staging(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = LmdbStore(tmp_path)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("mqbridge.bridge.store.staging.write_fully", fail)
    with pytest.raises(StoreFull):
        store.staged.write(b"part")
    assert files(tmp_path) == 0
    store.close()


@pytest.mark.parametrize("harm", ["missing", "short", "changed"])
def test_a_damaged_chunk_is_told_when_read(tmp_path: Path, harm: str) -> None:
    store = LmdbStore(tmp_path)
    assert store.commit([[AddMessage(1, 1, b"", StagedBody([store.staged.write(b"part")], [4]))]]) == [None]
    (file,) = (tmp_path / "staging").iterdir()
    if harm == "missing":
        file.unlink()
    else:
        file.write_bytes(b"par" if harm == "short" else b"pArt")
    with pytest.raises(StoreDamaged, match=str(file)):
        store.read(1, 1)
    store.close()


def test_a_body_that_was_removed_while_it_is_read_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = LmdbStore(tmp_path)
    assert store.commit([[AddMessage(1, 1, b"", StagedBody([store.staged.write(b"part")], [4]))]]) == [None]
    read = store.staged.read_kept

    def remove_first(*arguments: object) -> bytes:
        assert store.commit([[RemoveMessage(1, 1)]]) == [None]
        return read(*arguments)

    monkeypatch.setattr(store.staged, "read_kept", remove_first)
    with pytest.raises(MessageMissing):
        store.read(1, 1)
    store.close()
