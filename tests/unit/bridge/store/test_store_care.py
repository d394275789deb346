"""Off-line care: what check finds and where, what copy and compact keep, and the commands on top."""

from __future__ import annotations

from pathlib import Path

import lmdb
import pytest
from click.testing import CliRunner

from mqbridge.bridge.cli.store import command
from mqbridge.bridge.store.environment import FORMAT_VERSION
from mqbridge.bridge.store.interface import (
    AddMessage,
    PrepareBranch,
    PutRecord,
    RemoveMessage,
    StagedBody,
    StoreError,
    StoreLocked,
    StoreNewer,
)
from mqbridge.bridge.store.lmdb import LmdbStore
from mqbridge.bridge.store.offline_maintenance import check, compact, copy
from mqbridge.bridge.store.rows import MESSAGE_KEY, record_key, seal


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A store with messages in three forms, a record and a branch."""
    path = tmp_path / "data"
    store = LmdbStore(path)
    staged = StagedBody([store.staged.write(b"first part"), store.staged.write(b"second part")], [10, 11], b"tail")
    unit = [
        *(AddMessage(1, at, b"index", b"%d" % at * 1000) for at in range(500)),
        AddMessage(2, 1, b"index", staged),
        PutRecord("channel", b"EARTH.SATURN", b"state"),
        PrepareBranch(b"branch", [AddMessage(3, 1, b"index", StagedBody([store.staged.write(b"kept")], [4]))]),
    ]
    assert store.commit([unit]) == [None]
    assert store.commit([[RemoveMessage(1, at) for at in range(400)]]) == [None]
    store.close()
    return path


def contents(path: Path) -> tuple:
    store = LmdbStore(path)
    rows = [(*row, store.read(row[0], row[1])) for row in store.scan_all()]
    kept = rows, list(store.records("channel")), list(store.branches())
    store.close()
    return kept


def change(folder: Path, table: bytes, key: bytes, value: bytes | None) -> None:
    with lmdb.open(str(folder / "messages.mdb"), subdir=False, max_dbs=8, map_size=1 << 30) as environment:
        database = environment.open_db(table)
        with environment.begin(db=database, write=True) as transaction:
            if value is None:
                assert transaction.delete(key)
            else:
                transaction.put(key, value)


def test_a_sound_folder_has_no_damage(folder: Path) -> None:
    assert check(folder) == []


@pytest.mark.parametrize(
    ("table", "key", "value", "where"),
    [
        (b"bodies", MESSAGE_KEY.pack(1, 450), b"\0\0\0\0changed", "queue 1, position 450"),
        (b"bodies", MESSAGE_KEY.pack(1, 450), seal(b"short"), "queue 1, position 450"),
        (b"bodies", MESSAGE_KEY.pack(1, 450), None, "queue 1, position 450"),
        (b"bodies", MESSAGE_KEY.pack(4, 4), seal(b""), "queue 4, position 4"),
        (b"index", MESSAGE_KEY.pack(1, 450), b"changed", "queue 1, position 450"),
        (b"staged", MESSAGE_KEY.pack(2, 1), seal(b"short"), "queue 2, position 1"),
        (b"records", record_key("channel", b"EARTH.SATURN"), b"?", "table channel, key b'EARTH.SATURN'"),
        (b"branches", b"branch", seal(b"\x63" + bytes(16)), "branch " + b"branch".hex()),
        (b"branches", b"branch", seal(b"\x01"), "branch " + b"branch".hex()),
    ],
)
def test_damage_is_told_with_its_place(folder: Path, table: bytes, key: bytes, value: bytes | None, where: str) -> None:
    change(folder, table, key, value)
    (damage,) = check(folder)
    assert damage.where == where


@pytest.mark.parametrize("content", [None, b"first pArt", b"first"])
def test_a_damaged_chunk_is_told_with_its_file(folder: Path, content: bytes | None) -> None:
    (file,) = (path for path in (folder / "staging").iterdir() if path.read_bytes() == b"first part")
    if content is None:
        file.unlink()
    else:
        file.write_bytes(content)
    (damage,) = check(folder)
    assert damage.where == str(file)


def test_a_damaged_page_is_told_before_lmdb_sees_it(folder: Path) -> None:
    with open(folder / "messages.mdb", "r+b") as file:
        for page in range(2, 200):
            file.seek(page * 4096)
            file.write(b"\xff" * 64)
    damages = check(folder)
    assert damages
    assert all(damage.where == str(folder / "messages.mdb") for damage in damages)


def test_a_truncated_file_is_told(folder: Path) -> None:
    with open(folder / "messages.mdb", "r+b") as file:
        file.truncate(100 * 4096)
    assert check(folder)


def test_a_copy_holds_the_same(folder: Path, tmp_path: Path) -> None:
    copy(folder, tmp_path / "copy")
    assert check(tmp_path / "copy") == []
    assert contents(tmp_path / "copy") == contents(folder)
    with pytest.raises(StoreError, match="not empty"):
        copy(folder, tmp_path / "copy")


def test_compacting_gives_space_back(folder: Path) -> None:
    kept = contents(folder)
    before, after = compact(folder)
    assert after < before / 2
    assert (folder / "messages.mdb").stat().st_size == after
    assert check(folder) == []
    assert contents(folder) == kept
    assert sorted(path.name for path in folder.iterdir()) == [
        "journal",
        "lock",
        "messages.mdb",
        "messages.mdb-lock",
        "spill",
        "staging",
        "synced",
    ]


def test_care_refuses_a_folder_in_use_or_newer_or_empty(folder: Path, tmp_path: Path) -> None:
    store = LmdbStore(folder)
    for call in (check, compact, lambda path: copy(path, tmp_path / "copy")):
        with pytest.raises(StoreLocked):
            call(folder)
    store.close()
    assert not (tmp_path / "copy").exists()
    change(folder, b"store", b"format", seal(b"%d" % (FORMAT_VERSION + 1)))
    with pytest.raises(StoreNewer):
        check(folder)
    (tmp_path / "empty").mkdir()
    with pytest.raises(StoreError, match="holds no store"):
        check(tmp_path / "empty")
    assert list((tmp_path / "empty").iterdir()) == []


def test_the_commands_tell_what_they_found(folder: Path, tmp_path: Path) -> None:
    runner = CliRunner()
    result = runner.invoke(command, ["check", str(folder)])
    assert (result.exit_code, result.output) == (0, f"{folder}: no damage\n")
    result = runner.invoke(command, ["copy", str(folder), str(tmp_path / "copy")])
    assert result.exit_code == 0
    result = runner.invoke(command, ["compact", str(folder)])
    assert result.exit_code == 0
    assert "bytes before" in result.output
    change(folder, b"bodies", MESSAGE_KEY.pack(1, 450), b"\0\0\0\0changed")
    result = runner.invoke(command, ["check", str(folder)])
    assert result.exit_code == 1
    assert "queue 1, position 450: " in result.output
    store = LmdbStore(folder)
    result = runner.invoke(command, ["check", str(folder)])
    assert result.exit_code == 3
    assert "in use by process" in result.output
    store.close()
