"""The data folder goes, the disk is full, the process id of a dead one lives: what a queue manager makes of it."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from mqbridge.bridge.config import Configuration, override
from mqbridge.bridge.rest_client import EndpointNotReachable, RestFailure
from mqbridge.bridge.service.discovery import admin_place
from mqbridge.bridge.service.errors import StartError
from mqbridge.bridge.service.opening import OpenedData
from mqbridge.bridge.store.errors import StoreFailed
from mqbridge.bridge.store.interface import AddMessage
from mqbridge.bridge.store.lmdb import LmdbStore
from mqbridge.bridge.store.repair import repair
from mqbridge.bridge.store.row_file import PLACE_INTERVAL
from mqbridge.bridge.store.space_reserve import KEPT_FILE, DiskReserve
from support.processes.running_service import MakeService, RunningService

MIB = 1 << 20
SLACK = 10.0
"""Seconds that a busy machine may take for a put and its answer."""


def test_a_folder_that_is_deleted_ends_the_queue_manager(service: RunningService) -> None:
    service.put("DEV.QUEUE.1", "kept", Persistence=1)
    client = service.client
    shutil.rmtree(service.data)
    gone = time.monotonic()
    answered = 0.0
    with contextlib.suppress(RestFailure, EndpointNotReachable):
        while time.monotonic() < gone + 60:
            client.put("DEV.QUEUE.1", b"lost", {"Persistence": 1})
            answered = time.monotonic()
    assert PLACE_INTERVAL < 1
    assert answered < gone + PLACE_INTERVAL + SLACK
    assert service.wait() == 3
    log = service.log
    assert "AMQ7474E: the store has failed, the queue manager ends" in log
    assert "No such file or directory" in log or "is not there any more" in log
    assert "AMQ8004I" in log
    for word in ("Unhandled", "Traceback", "AMQ6183"):
        assert word not in log


def test_a_stop_after_the_folder_was_deleted_says_so(service: RunningService) -> None:
    service.put("DEV.QUEUE.1", "kept", Persistence=1)
    shutil.rmtree(service.data)
    assert service.stop() == 3
    assert "AMQ7474E" in service.log
    assert "AMQ6183" not in service.log


def test_a_folder_that_was_moved_away_is_noticed_at_the_next_commit(tmp_path: Path) -> None:
    store = LmdbStore(tmp_path / "data", map_size=MIB)
    assert store.commit([[AddMessage(1, 1, b"index", b"kept")]]) == [None]
    (tmp_path / "data").rename(tmp_path / "elsewhere")
    store._file._look_again = 0
    (error,) = store.commit([[AddMessage(1, 2, b"index", b"lost")]])
    assert isinstance(error, StoreFailed)
    assert "is not there any more" in str(error)
    (tmp_path / "elsewhere").rename(tmp_path / "data")
    assert isinstance(store.commit([[AddMessage(1, 3, b"index", b"lost")]])[0], StoreFailed)
    store.close()


def test_another_file_of_the_same_name_is_noticed(tmp_path: Path) -> None:
    store = LmdbStore(tmp_path, map_size=MIB)
    copy = (tmp_path / "messages.mdb").read_bytes()
    (tmp_path / "new").write_bytes(copy)
    (tmp_path / "new").rename(tmp_path / "messages.mdb")
    with pytest.raises(StoreFailed, match="is another file than the one in use"):
        store.require_place()
    store.close()


# The process id of a dead one


def test_a_socket_lock_of_a_living_process_is_no_hindrance(service: RunningService) -> None:
    """As in a container, where the process that was killed and the one that starts have the same id."""
    assert not (service.data / "admin.sock.lock").is_symlink()
    service.kill()
    assert (service.data / "admin.sock").is_socket()
    (service.data / "admin.sock.lock").symlink_to(str(os.getpid()))
    service.start()
    assert not (service.data / "admin.sock.lock").is_symlink()
    service.put("DEV.QUEUE.1", "hello")
    assert service.stop() == 0
    assert not (service.data / "admin.sock").exists()


def test_the_id_in_the_lock_of_the_folder_decides_nothing(service: RunningService) -> None:
    service.kill()
    (service.data / "lock").write_text(f"{os.getpid()}\n")
    service.start()
    assert int((service.data / "lock").read_text()) == service.pid


def test_a_stale_lock_beside_a_socket_in_use_stays(tmp_path: Path) -> None:
    path = tmp_path / "admin.sock"
    (tmp_path / "admin.sock.lock").symlink_to("1")
    with socket.socket(socket.AF_UNIX) as living:
        living.bind(str(path))
        living.listen()
        with pytest.raises(StartError, match="another process listens there"):
            admin_place(f"unix:{path}")
        assert (tmp_path / "admin.sock.lock").is_symlink()
    admin_place(f"unix:{path}")
    assert not (tmp_path / "admin.sock.lock").is_symlink()


# A full disk


@pytest.fixture
def small_disk(make_service: MakeService) -> Iterator[RunningService]:
    """A queue manager, not started, whose data folder is a disk of 64 MiB."""
    service = make_service(start=False)
    service.data.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64m,mode=700", "tmpfs", str(service.data)]
    if os.getuid() or shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("only root may mount a small disk")
    yield service
    service.close()
    subprocess.run(["umount", str(service.data)], check=True)


def fill(folder: Path) -> None:
    """Takes all room on the disk of a folder."""
    with (folder / "filler").open("ab", buffering=0) as file:
        for size in (MIB, 4096, 1):
            with contextlib.suppress(OSError):
                while file.write(bytes(size)) == size:
                    pass


def put_all(service: RunningService) -> int:
    """Puts as many messages as there is room for."""
    for count in range(1000):
        try:
            service.put("DEV.QUEUE.1", bytes(200_000), Persistence=1)
        except RestFailure as failure:
            if failure.reason == 2056:
                return count
            raise
    raise AssertionError("the disk never was full")


def test_it_starts_on_a_full_disk_so_that_getting_makes_room(small_disk: RunningService) -> None:
    service = small_disk.start()
    assert (service.data / KEPT_FILE).stat().st_blocks * 512 == MIB
    service.put("DEV.QUEUE.1", bytes(200_000), Persistence=1)  # the file grows
    fill(service.data)
    stored = 1 + put_all(service)
    assert stored > 5, service.log
    assert service.stop() == 0
    fill(service.data)
    for kill in (False, True):
        service.start()
        assert service.depth("DEV.QUEUE.1") == stored
        stored += put_all(service)
        fill(service.data)
        assert service.get("DEV.QUEUE.1") is not None
        stored -= 1
        service.kill() if kill else service.stop()
    service.start()
    for _ in range(stored):
        assert service.get("DEV.QUEUE.1") is not None
    (service.data / "filler").unlink()
    service.put("DEV.QUEUE.1", "there is room again", Persistence=1)
    assert service.stop() == 0
    assert (service.data / KEPT_FILE).stat().st_size == MIB


def test_room_that_is_kept_is_given_up_for_what_a_start_must_write(tmp_path: Path) -> None:
    opened = OpenedData(settings(tmp_path))
    assert opened.keep_free()
    kept = tmp_path / KEPT_FILE
    assert kept.stat().st_size == MIB

    def write() -> str:
        if kept.stat().st_size > MIB // 2:
            raise StartError("running.json cannot be written") from OSError(errno.ENOSPC, "No space left on device")
        return "written"

    assert opened.with_room(write) == "written"
    assert kept.stat().st_size == MIB // 2
    assert opened.keep_free()
    with pytest.raises(StartError):
        opened.with_room(lambda: (_ for _ in ()).throw(StartError("something else")))
    assert kept.stat().st_size == MIB
    opened.close()


def test_nothing_is_kept_where_none_is_wanted(tmp_path: Path) -> None:
    DiskReserve(tmp_path, MIB).take()
    assert DiskReserve(tmp_path, 0).take()
    assert not (tmp_path / KEPT_FILE).exists()


def settings(data: Path) -> Configuration:
    changed = override(Configuration(), data=data)
    changed.store = replace(changed.store, map_size=MIB)
    return changed


# Damage that only a get finds


def test_a_get_of_a_damaged_message_says_so_and_the_others_can_be_got(service: RunningService) -> None:
    ids = [service.put("DEV.QUEUE.1", f"message {number} " + "x" * 500, Persistence=1) for number in range(3)]
    assert service.stop() == 0
    file = service.data / "messages.mdb"
    at = file.read_bytes().rindex(b"message 1 xxxx")
    with file.open("r+b") as stream:
        stream.seek(at + 100)
        stream.write(b"y")
    service.start()
    assert service.depth("DEV.QUEUE.1") == 3
    found = service.get("DEV.QUEUE.1")
    assert found is not None
    assert found["body"]["text"].startswith("message 0")
    with pytest.raises(RestFailure) as caught:
        service.get("DEV.QUEUE.1")
    assert caught.value.reason == 2101
    assert "AMQ7472E: damaged: DEV.QUEUE.1: queue " in service.log
    assert service.command("get", "DEV.QUEUE.1", "--msg-id", ids[2]).stdout.startswith("message 2")
    assert service.stop() == 0
    assert repair(service.data, "now").lost
    service.start()
    assert service.depth("DEV.QUEUE.1") == 0
