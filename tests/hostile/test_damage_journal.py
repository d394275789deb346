"""A hole in the journal after a kill: nothing that was acknowledged goes without a word, and repair keeps the rest."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from mqbridge.bridge.cli.store import command
from mqbridge.bridge.store.errors import StoreDamaged
from mqbridge.bridge.store.interface import AddMessage, RemoveMessage
from mqbridge.bridge.store.journal import ALLOCATION
from mqbridge.bridge.store.lmdb import LmdbStore
from support.processes.running_service import RunningService

PUTS = 300


def die(store: LmdbStore) -> None:
    """Closes a store as a kill would: nothing moves from the journal to the LMDB file."""
    store._file.fail(OSError("killed"))
    store.close()


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[int]]:
    """A folder whose process was killed after 300 acknowledged puts, and where each record of the journal begins."""
    path = tmp_path_factory.mktemp("killed") / "data"
    store = LmdbStore(path, map_size=1 << 20)
    places = []
    for at in range(PUTS):
        places.append(store._file._journal._end)
        assert store.commit([[AddMessage(1, at, b"index", b"%03d" % at * 50)]]) == [None]
    die(store)
    return path, places


@pytest.fixture
def folder(killed: tuple[Path, list[int]], tmp_path: Path) -> tuple[Path, list[int]]:
    shutil.copytree(killed[0], tmp_path / "data")
    return tmp_path / "data", killed[1]


def overwrite(file: Path, at: int, data: bytes) -> None:
    with file.open("r+b") as stream:
        stream.seek(at)
        stream.write(data)


def positions(path: Path) -> list[int]:
    store = LmdbStore(path, map_size=1 << 20)
    found = [position for position, _, _ in store.scan(1)]
    assert all(store.read(1, at) == b"%03d" % at * 50 for at in found)
    store.close()
    return found


def store_command(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(command, arguments)
    return result.exit_code, result.output


def test_a_hole_of_a_page_is_damage_and_repair_keeps_both_sides(folder: tuple[Path, list[int]]) -> None:
    path, places = folder
    overwrite(path / "journal", places[102], bytes(4096))
    behind = next(number for number, place in enumerate(places, 1) if place >= places[102] + 4096)
    lost = f"records 103 to {behind - 1} ({behind - 103}) are not what was written"
    with pytest.raises(StoreDamaged, match="records 103 to") as caught:
        LmdbStore(path)
    assert lost in str(caught.value)
    status, output = store_command("check", str(path))
    assert status == 1
    assert f"{path / 'journal'}: {lost}" in output
    status, output = store_command("repair", str(path))
    assert status == 1
    assert lost in output
    assert "--accept-loss" in output
    with pytest.raises(StoreDamaged):
        LmdbStore(path)
    status, output = store_command("repair", str(path), "--accept-loss")
    assert status == 0
    assert lost in output
    kept = [*range(102), *range(behind - 1, PUTS)]
    assert f"it holds {len(kept):,} messages" in output
    assert positions(path) == kept
    assert store_command("repair", str(path)) == (0, f"{path}: no damage, nothing to repair\n")


@pytest.mark.parametrize("length", [1, 32, 256, 70_000])
def test_a_hole_anywhere_is_damage(folder: tuple[Path, list[int]], length: int) -> None:
    path, places = folder
    whole = (path / "journal").read_bytes()[: places[-1] + 4096]
    end = len(whole.rstrip(b"\0"))
    for at in range(0, end, max(end // 40, 1)):
        hole = bytes(byte ^ 0x55 for byte in whole[at : min(at + length, end)])
        overwrite(path / "journal", at, hole)
        with pytest.raises(StoreDamaged, match="record"):
            LmdbStore(path)
        overwrite(path / "journal", 0, whole)
    assert positions(path) == list(range(PUTS))


@pytest.mark.parametrize("block", [512, 4096])
def test_blocks_of_the_write_that_was_never_synced_land_in_any_order(tmp_path: Path, block: int) -> None:
    """A power cut while a commit is written: some of its blocks are on disk, and the mark may be older."""
    path = tmp_path / "data"
    store = LmdbStore(path, map_size=1 << 20)
    marks = []
    for at in range(5):
        assert store.commit([[AddMessage(1, at, b"index", b"%03d" % at * 50)]]) == [None]
        marks.append((path / "synced").read_bytes())
    before, start = (path / "journal").read_bytes(), store._file._journal._end
    assert store.commit([[AddMessage(1, at, b"index", b"%03d" % at * 50) for at in range(5, 100)]]) == [None]
    after, end = (path / "journal").read_bytes(), store._file._journal._end
    die(store)
    random, seen = Random(block), set()
    for _ in range(60):
        torn = bytearray(before)
        for at in range(start - start % block, end, block):
            if random.random() < random.choice([0.2, 0.5, 0.95]):
                torn[at : at + block] = after[at : at + block]
        copy = tmp_path / "copy"
        shutil.copytree(path, copy)
        (copy / "journal").write_bytes(torn)
        (copy / "synced").write_bytes(random.choice(marks))
        found = positions(copy)
        assert found in (list(range(5)), list(range(100)))
        seen.add(len(found))
        shutil.rmtree(copy)
    assert 5 in seen


def test_what_stood_at_the_end_is_known_to_be_lost(folder: tuple[Path, list[int]]) -> None:
    """The records from some place on are zeros: nothing stands behind, but the mark knows that they were synced."""
    path, places = folder
    overwrite(path / "journal", places[250], bytes(ALLOCATION - places[250]))
    with pytest.raises(StoreDamaged, match=r"records 251 to 300 \(50\) are not there"):
        LmdbStore(path)
    assert store_command("repair", str(path), "--accept-loss")[0] == 0
    assert positions(path) == list(range(250))


@pytest.mark.parametrize("change", ["gone", "cut", "zeros", "flipped"])
def test_a_damaged_mark_is_damage_and_loses_nothing(folder: tuple[Path, list[int]], change: str) -> None:
    path, _ = folder
    mark = path / "synced"
    data = mark.read_bytes()
    mark.write_bytes({"cut": data[:7], "zeros": bytes(len(data)), "flipped": b"\x55" + data[1:]}.get(change, b""))
    if change == "gone":
        mark.unlink()
    with pytest.raises(StoreDamaged) as caught:
        LmdbStore(path)
    assert caught.value.where == str(mark)
    assert store_command("repair", str(path), "--accept-loss")[0] == 0
    assert positions(path) == list(range(PUTS))


def test_a_missing_journal_is_repaired_without_what_it_held(folder: tuple[Path, list[int]]) -> None:
    path, _ = folder
    (path / "journal").unlink()
    status, output = store_command("repair", str(path), "--accept-loss")
    assert status == 0
    assert "records 1 to 300 (300) are not there" in output
    assert positions(path) == []


@pytest.mark.parametrize("content", [None, b"", bytes(64 << 10)])
def test_without_the_file_the_journal_is_kept(folder: tuple[Path, list[int]], content: bytes | None) -> None:
    path, _ = folder
    (path / "messages.mdb").unlink()
    if content is not None:
        (path / "messages.mdb").write_bytes(content)
    with pytest.raises(StoreDamaged) as caught:
        LmdbStore(path)
    assert caught.value.where == str(path / "messages.mdb")
    assert store_command("check", str(path))[0] == 1
    status, output = store_command("repair", str(path), "--accept-loss")
    assert status == 0, output
    assert positions(path) == list(range(PUTS))


def test_an_older_file_beside_a_newer_journal_is_damage(tmp_path: Path) -> None:
    """messages.mdb of before the last checkpoint: what the journal held then is in neither of them."""
    path = tmp_path / "data"
    store = LmdbStore(path, map_size=1 << 20)
    assert store.commit([[AddMessage(1, 1, b"index", b"001" * 50)]]) == [None]
    store.close()
    older = (path / "messages.mdb").read_bytes()
    store = LmdbStore(path, map_size=1 << 20)
    assert store.commit([[AddMessage(1, 2, b"index", b"002" * 50)]]) == [None]
    store._file._checkpoint()
    assert store.commit([[AddMessage(1, 3, b"index", b"003" * 50)]]) == [None]
    die(store)
    (path / "messages.mdb").write_bytes(older)
    with pytest.raises(StoreDamaged, match="an older version"):
        LmdbStore(path)
    status, output = store_command("repair", str(path), "--accept-loss")
    assert status == 0
    assert "an older version" in output
    assert positions(path) == [1, 3]


def test_gets_in_the_hole_are_said_and_nothing_else_changes(tmp_path: Path) -> None:
    path = tmp_path / "data"
    store = LmdbStore(path, map_size=1 << 20)
    assert store.commit([[AddMessage(1, at, b"index", b"%03d" % at * 50) for at in range(100)]]) == [None]
    places = []
    for at in range(50):
        places.append(store._file._journal._end)
        assert store.commit([[RemoveMessage(1, at)]]) == [None]
    die(store)
    overwrite(path / "journal", places[20], bytes(256))
    status, output = store_command("check", str(path))
    assert status == 1
    assert "records 22 to " in output
    assert store_command("repair", str(path), "--accept-loss")[0] == 0
    found = positions(path)
    assert found[-50:] == list(range(50, 100))
    assert set(range(20)).isdisjoint(found)


def test_a_queue_manager_refuses_a_hole_and_starts_after_a_repair(service: RunningService) -> None:
    service.put("DEV.QUEUE.1", "before", Persistence=1)
    for number in range(30):
        service.put("DEV.QUEUE.1", f"message {number}", Persistence=1)
    service.kill()
    journal = service.data / "journal"
    at = journal.read_bytes().index(b"message 10")
    overwrite(journal, at - 100, bytes(200))
    service.launch()
    assert service.wait() == 3
    line = service.log.strip().splitlines()[-1]
    assert "the store is damaged" in line
    assert "are not what was written" in line or "is not what was written" in line
    assert "store repair" in line
    assert store_command("check", str(service.data))[0] == 1
    assert store_command("repair", str(service.data), "--accept-loss")[0] == 0
    service.start()
    assert "AMQ7473W" in service.log
    depth = service.depth("DEV.QUEUE.1")
    assert 28 <= depth < 31
    service.restart()
    assert service.log.count("AMQ7473W") == 1
    assert json.loads((service.data / "running.json").read_text())["queue_manager"] == "EARTH"


def test_a_folder_of_the_format_before_is_taken_over(tmp_path: Path) -> None:
    archive = Path(__file__).parents[1] / "vectors" / "store" / "format-1.tar.xz"
    shutil.unpack_archive(archive, tmp_path / "data", filter="data")
    store = LmdbStore(tmp_path / "data", map_size=1 << 20)
    assert [row[0] for row in store.scan(1)] == list(range(20, 40))
    assert [store.read(1, at) for at in range(20, 40)] == [b"%d" % at * 50 for at in range(20, 40)]
    assert store.read(2, 1) == b"headfirst partsecond parttail"
    assert store.record("channel", b"EARTH.SATURN") == b"state"
    assert [branch for branch, _ in store.branches()] == [b"branch"]
    assert store.commit([[RemoveMessage(1, 20), AddMessage(1, 40, b"new", b"new")]]) == [None]
    die(store)
    assert store_command("check", str(tmp_path / "data"))[0] == 0
    store = LmdbStore(tmp_path / "data", map_size=1 << 20)
    assert [row[0] for row in store.scan(1)] == list(range(21, 41))
    store.close()


def test_a_hole_in_the_journal_of_the_format_before_is_damage(tmp_path: Path) -> None:
    archive = Path(__file__).parents[1] / "vectors" / "store" / "format-1.tar.xz"
    shutil.unpack_archive(archive, tmp_path / "data", filter="data")
    whole = (tmp_path / "data" / "journal").read_bytes()
    overwrite(tmp_path / "data" / "journal", whole.index(b"25" * 50) - 40, bytes(1000))
    with pytest.raises(StoreDamaged, match="are not what was written"):
        LmdbStore(tmp_path / "data")
