from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import is_dataclass, replace
from pathlib import Path
from typing import Any

import lmdb
import pytest

from mqbridge.bridge.agents.gateway.channel_manager import ChannelLimits
from mqbridge.bridge.agents.gateway.control import Control
from mqbridge.bridge.agents.gateway.gateway import Gateway
from mqbridge.bridge.config import Configuration, override
from mqbridge.bridge.queue_manager.mqsc import Commands
from mqbridge.bridge.service.discovery import admin_place, write_whole
from mqbridge.bridge.service.errors import CANNOT_START, WRONG_CONFIGURATION, StartError
from mqbridge.bridge.service.opening import OpenedData, load_objects
from mqbridge.bridge.service.scripts import run_script
from mqbridge.bridge.store.lmdb import LmdbStore
from mqbridge.bridge.store.memory import MemoryStore
from mqbridge.bridge.store.rows import seal
from support.queue_manager.direct import DirectQueueManager

NOW = 1_800_000_000.0


def settings(data: Path, store: str = "lmdb") -> Configuration:
    changed = override(Configuration(), data=data, store=store)
    changed.store = replace(changed.store, map_size=1 << 20)
    return changed


def refusal(action: Callable[[], Any], status: int = CANNOT_START) -> str:
    with pytest.raises(StartError) as caught:
        action()
    assert caught.value.status == status
    return str(caught.value)


# The store


@pytest.mark.parametrize("kind", ["lmdb", "memory"])
def test_a_folder_belongs_to_one_process(tmp_path: Path, kind: str) -> None:
    opened = OpenedData(settings(tmp_path / "data", kind))
    assert "is locked: process" in refusal(lambda: OpenedData(settings(tmp_path / "data", kind)))
    opened.close()
    OpenedData(settings(tmp_path / "data", kind)).close()


def test_a_newer_store_is_refused(tmp_path: Path) -> None:
    LmdbStore(tmp_path, map_size=1 << 20).close()
    environment = lmdb.open(str(tmp_path / "messages.mdb"), subdir=False, max_dbs=10)
    with environment.begin(write=True, db=environment.open_db(b"store")) as transaction:
        transaction.put(b"format", seal(b"99"))
    environment.close()
    assert "store format 99 is newer" in refusal(lambda: OpenedData(settings(tmp_path)))


def test_a_damaged_store_is_refused_with_its_file_and_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "messages.mdb").write_bytes(b"no store at all" * 1000)
    text = refusal(lambda: OpenedData(settings(tmp_path)))
    assert "the store is damaged" in text
    assert "messages.mdb" in text
    assert "mqbridge store check" in text


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file", encoding="utf-8")
    for kind in ("lmdb", "memory"):
        assert "cannot be used" in refusal(lambda kind=kind: OpenedData(settings(tmp_path / "data", kind)))


# The definitions


def test_an_empty_store_gets_the_supplied_objects_and_keeps_its_name() -> None:
    store = MemoryStore()
    objects, new = load_objects(store, "EARTH", NOW)
    assert len(new) > 80
    assert objects.queue("DEV.QUEUE.1") is not None
    store.commit([new])
    again, nothing = load_objects(store, "EARTH", NOW)
    assert nothing == []
    assert len(again) == len(objects)
    text = refusal(lambda: load_objects(store, "MARS", NOW), WRONG_CONFIGURATION)
    assert "belongs to queue manager EARTH, not MARS" in text
    assert "--qmgr EARTH" in text


def test_definitions_that_cannot_be_read_are_damage() -> None:
    store = MemoryStore()
    _, new = load_objects(store, "EARTH", NOW)
    store.commit([[replace(each, value=b"x") if is_dataclass(each) else each for each in new]])
    store.commit([[type(new[0])(new[0].table, b"QUEUE X", b"no json")]])  # type: ignore[union-attr, call-arg]
    assert "the store is damaged" in refusal(lambda: load_objects(store, "EARTH", NOW))


# The admin socket


def test_a_socket_that_a_dead_process_left_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "admin.sock"
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))
    assert path.exists()
    place = admin_place(f"unix:{path}:mode=600")
    assert (place.socket, place.temporary) == (path, None)
    assert not path.exists()


def test_a_socket_where_somebody_listens_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "admin.sock"
    with socket.socket(socket.AF_UNIX) as living:
        living.bind(str(path))
        living.listen()
        assert "another process listens there" in refusal(lambda: admin_place(f"unix:{path}"))
    assert path.exists()


def test_a_file_in_the_place_of_the_socket_is_not_removed(tmp_path: Path) -> None:
    path = tmp_path / "admin.sock"
    path.write_text("precious", encoding="utf-8")
    assert "there is a file of that name" in refusal(lambda: admin_place(f"unix:{path}"))
    assert path.read_text(encoding="utf-8") == "precious"


def test_a_long_path_moves_to_a_temporary_folder_that_is_removed(tmp_path: Path) -> None:
    place = admin_place(f"unix:{tmp_path / ('x' * 100) / 'admin.sock'}:mode=600")
    assert place.socket is not None
    assert place.temporary is not None
    assert len(str(place.socket)) < 100
    assert place.endpoint == f"unix:{place.socket}:mode=600"
    place.remove()
    assert not place.temporary.exists()


def test_other_endpoints_are_taken_as_they_are() -> None:
    assert admin_place("tcp:0").endpoint == "tcp:0"


def test_a_running_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    assert "cannot be written" in refusal(lambda: write_whole(tmp_path / "none" / "running.json", {}))
    assert list(tmp_path.iterdir()) == []


# Scripts


class Bench:
    """A queue manager in memory whose commits are done at once."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        objects, new = load_objects(self.store, "EARTH", NOW)
        self.manager = DirectQueueManager("EARTH", self.store, objects, NOW)
        self.manager.submit(new)
        gateway = Gateway(self.manager, self.store, ChannelLimits(), NOW)
        self.commands = Commands(self.manager, Control(gateway.channel_manager), NOW)
        self.log: list[str] = []
        self.pump()

    def pump(self) -> None:
        while commits := self.manager.take_commits():
            for commit in commits:
                self.manager.committed(commit, self.store.commit([commit.operations])[0], NOW)

    def run(self, file: Path) -> int:
        def write(amq: str, inserts: tuple[str | int, ...]) -> None:
            self.log.append(f"{amq} {' '.join(map(str, inserts))}")

        script = run_script(file, self.commands, lambda: NOW, self.pump, write)
        try:
            script.send(None)
        except StopIteration as ended:
            return int(ended.value)
        raise AssertionError("the script waits")


def written(folder: Path, text: str) -> Path:
    file = folder / "objects.mqsc"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_script_runs_twice_and_passes_over_what_exists(tmp_path: Path) -> None:
    bench = Bench()
    script = (
        "* objects\nDEFINE QLOCAL(A) +\n  MAXDEPTH(7)\n"
        "def chl(C) chltype(rcvr)\nDEFINE QLOCAL(B) REPLACE\nEND\nNONSENSE\n"
    )
    file = written(tmp_path, script)
    assert bench.run(file) == 3
    assert bench.log == []
    assert bench.run(file) == 3
    assert [line.partition(" (")[0] for line in bench.log] == [
        "AMQ5037 queue A already exists",
        "AMQ5037 channel C already exists",
    ]
    assert [line.partition(" (")[2] for line in bench.log] == [f"{file}, line 2)", f"{file}, line 4)"]


@pytest.mark.parametrize(
    ("script", "line", "problem"),
    [
        ("* fine\nDEFINE QLOCAL(A) +\n  MAXDEPTH(-5)\n", 2, "AMQ8405E"),
        ("DEFINE QLOCAL(A) +\n", 2, "expected a line that continues the command"),
        ("\n\nNONSENSE\n", 3, "AMQ8405E"),
        ("DEFINE QLOCAL(DEV.QUEUE.1) CHLTYPE(SDR)\n", 1, "AMQ8405E"),
        ("DEFINE QALIAS(DEV.QUEUE.1) TARGET(X) REPLACE\n", 1, "DEV.QUEUE.1 is a "),
        ("PING QMGR\nDELETE QLOCAL(NONE)\n", 2, "AMQ8147E"),
    ],
)
def test_a_failure_names_file_and_line(tmp_path: Path, script: str, line: int, problem: str) -> None:
    file = written(tmp_path, script)
    text = refusal(lambda: Bench().run(file), WRONG_CONFIGURATION)
    assert text.startswith(f"{file}, line {line}: ")
    assert problem in text


def test_a_script_that_is_not_there_or_no_text(tmp_path: Path) -> None:
    file = tmp_path / "objects.mqsc"
    text = refusal(lambda: Bench().run(file), WRONG_CONFIGURATION)
    assert text == f"{file}: cannot be read: No such file or directory"
    file.write_bytes(b"* fine\nDEFINE QLOCAL(\xff)\n")
    assert refusal(lambda: Bench().run(file), WRONG_CONFIGURATION) == f"{file}, line 2: not UTF-8 text"
