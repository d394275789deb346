"""The calls of a device queue manager on its file: blocking, from many threads, over restarts."""

from __future__ import annotations

import random
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from mqbridge.bridge.everyplace.device.engine import Engine
from mqbridge.bridge.everyplace.device.options import Options
from mqbridge.bridge.everyplace.effects import Alarm
from mqbridge.bridge.everyplace.queue_manager import QueueManager as Rules
from mqbridge.bridge.everyplace.queues.message_event import MessageEvent
from mqbridge.bridge.store.sqlite import SqliteStore
from mqbridge.everyplace import (
    Code,
    EveryplaceError,
    Message,
    MessageUid,
    NoMatchingMessage,
    QueueManager,
    text_of,
    unique_value,
)

QUEUE: Final = "SYSTEM.DEFAULT.LOCAL.QUEUE"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "moon.mqe"


@pytest.fixture
def moon(path: Path) -> Iterator[QueueManager]:
    with QueueManager.create(path, "MOON") as found:
        yield found


@pytest.mark.spec("E-170", "E-173", "E-180", "E-569")
def test_a_put_is_got_once_and_an_empty_queue_has_an_error_of_its_own(moon: QueueManager) -> None:
    uid = moon.put(QUEUE, "two apples")
    assert uid.origin == "MOON"
    assert text_of(moon.get(f"{QUEUE}@MOON")) == "two apples"
    with pytest.raises(NoMatchingMessage) as raised:
        moon.get(QUEUE)
    assert raised.value.code is Code.Q_NO_MATCHING_MSG
    assert QUEUE in raised.value.text


@pytest.mark.spec("E-037", "E-038", "E-040", "E-216", "E-220", "E-231")
def test_messages_and_rising_uids_survive_a_restart(path: Path) -> None:
    uids = []
    for _ in range(3):
        made = QueueManager.open(path) if path.exists() else QueueManager.create(path, "MOON")
        with made as moon:
            message = Message()
            message["number"] = len(uids)
            uids.append(moon.put(QUEUE, message))
            assert message.uid == uids[-1]
    with QueueManager.open(path) as moon:
        found = moon.browse(QUEUE)
        assert [each["number"] for each in found] == [0, 1, 2]
        assert [each.uid for each in found] == uids == sorted(uids)
        # A normal end leaves no gap: times stay those of the clock.
        assert uids[-1].time - uids[0].time < 30_000


@pytest.mark.spec("E-172", "E-196", "E-200", "E-181")
def test_puts_and_gets_are_confirmed(moon: QueueManager) -> None:
    put = unique_value()
    uid = moon.put(QUEUE, {"apples": 2}, confirm=put)
    with pytest.raises(NoMatchingMessage):
        moon.get(QUEUE)
    moon.confirm_put(QUEUE, uid)
    got = unique_value()
    assert got != put
    assert moon.get(QUEUE, {"apples": 2}, confirm=got)["apples"] == 2
    assert moon.browse(QUEUE) == ()
    moon.undo(QUEUE, got)
    assert moon.get(QUEUE, confirm=got).uid == uid
    moon.confirm_get(QUEUE, uid)
    with pytest.raises(EveryplaceError) as raised:
        moon.confirm_get(QUEUE, uid)
    assert raised.value.code is Code.NOT_FOUND


@pytest.mark.spec("E-174", "E-175", "E-178")
def test_messages_are_browsed_locked_and_deleted(moon: QueueManager) -> None:
    uids = [moon.put(QUEUE, bytes([number])) for number in range(3)]
    locked = moon.browse_and_lock(QUEUE)
    assert [each.uid for each in locked.messages] == uids
    assert moon.browse(QUEUE) == ()
    moon.unlock(QUEUE, uids[0], locked.lock)
    assert [each.uid for each in moon.browse(QUEUE, uids_only=True)] == uids[:1]
    moon.delete(QUEUE, uids[1], lock=locked.lock)
    with pytest.raises(EveryplaceError) as raised:
        moon.delete(QUEUE, uids[2], lock=7)
    assert raised.value.code is Code.WRONG_LOCK


@pytest.mark.spec("E-210")
def test_a_wait_ends_with_the_message_or_its_time(moon: QueueManager) -> None:
    with pytest.raises(NoMatchingMessage):
        moon.wait(QUEUE, timeout=0.05)
    timer = threading.Timer(0.1, lambda: moon.put(QUEUE, "late"))
    timer.start()
    assert text_of(moon.wait(QUEUE, timeout=60)) == "late"
    timer.join()


@pytest.mark.spec("E-205", "E-206", "E-207", "E-208", "E-209")
def test_a_listener_is_told_what_comes_and_gets_it_itself(moon: QueueManager) -> None:
    texts: list[str] = []
    come = threading.Semaphore(0)

    def came(event: MessageEvent) -> None:
        assert event.address.queue == QUEUE
        texts.append(text_of(moon.get(event.address, event.wanted)))
        come.release()
        if len(texts) == 1:
            raise RuntimeError("programs may fail")

    end = moon.listen(QUEUE, came)
    moon.put(QUEUE, "one")
    moon.put(QUEUE, "hidden", confirm=7)
    moon.put(QUEUE, "two")
    for _ in range(2):
        assert come.acquire(timeout=60)
    end()
    moon.put(QUEUE, "three")
    assert texts == ["one", "two"]
    with pytest.raises(EveryplaceError):
        moon.listen("ORDERS@MARS", came)


@pytest.mark.spec("E-234", "E-235")
def test_waits_and_calls_end_with_the_queue_manager(moon: QueueManager) -> None:
    found: list[Code] = []

    def wait() -> None:
        try:
            moon.wait(QUEUE)
        except EveryplaceError as error:
            found.append(error.code)

    thread = threading.Thread(target=wait)
    thread.start()
    moon.put(QUEUE, "for somebody else", confirm=7)
    began = time.monotonic()
    moon.close(quiesce=60)
    thread.join(60)
    assert found == [Code.STOPPED]
    assert time.monotonic() - began < 30


def test_many_threads_put_at_once(moon: QueueManager) -> None:
    found: list[MessageUid] = []

    def put() -> None:
        for number in range(25):
            found.append(moon.put(QUEUE, {"number": number}))

    threads = [threading.Thread(target=put) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(set(found)) == 200
    assert len(moon.browse(QUEUE)) == 200


@pytest.mark.spec("E-235", "E-567")
def test_calls_after_the_end_and_after_refusals(moon: QueueManager, path: Path) -> None:
    with pytest.raises(EveryplaceError, match="NOWHERE@MARS"):
        moon.put("NOWHERE@MARS", "two apples")
    with pytest.raises(EveryplaceError, match="'a b'"):
        moon.put("a b", "two apples")
    moon.put(QUEUE, "kept")
    moon.close()
    moon.close()
    with pytest.raises(EveryplaceError) as raised:
        moon.put(QUEUE, "two apples")
    assert raised.value.code is Code.CLOSED
    with QueueManager.open(path) as again:
        assert text_of(again.get(QUEUE)) == "kept"


def refused(path: Path) -> EveryplaceError:
    with pytest.raises(EveryplaceError) as raised:
        QueueManager.open(path)
    assert str(path) in raised.value.text
    return raised.value


@pytest.mark.spec("E-218", "E-571")
def test_files_that_cannot_be_opened(path: Path, tmp_path: Path) -> None:
    assert refused(path).code is Code.NOT_FOUND
    assert not path.exists()
    (tmp_path / "noise.mqe").write_bytes(b"noise" * 1000)
    assert refused(tmp_path / "noise.mqe").code is Code.STORE
    with QueueManager.create(path, "MOON"):
        assert refused(path).code is Code.ACTIVE
    with pytest.raises(EveryplaceError, match="queue manager MOON is here"):
        QueueManager.create(path, "MOON")
    with pytest.raises(EveryplaceError) as raised:
        QueueManager.create(tmp_path / "no folder" / "moon.mqe", "MOON")
    assert raised.value.code is Code.STORE
    with pytest.raises(EveryplaceError) as raised:
        QueueManager.create(tmp_path / "other.mqe", "NOT A NAME")
    assert raised.value.code is Code.SYNTAX
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version = 99")
    database.close()
    assert refused(path).code is Code.REGISTRY_NEWER
    path.write_bytes(path.read_bytes()[:5000] + b"\xff" * 3000)
    assert refused(path).code is Code.STORE


def test_a_file_without_queue_manager_is_taken_up_where_its_making_was_killed(path: Path) -> None:
    path.touch()
    assert refused_without(path).code is Code.NOT_FOUND
    with QueueManager.create(path, "MOON") as moon:
        assert moon.name == "MOON"


def refused_without(path: Path) -> EveryplaceError:
    with pytest.raises(EveryplaceError) as raised:
        QueueManager.open(path)
    return raised.value


@pytest.mark.spec("E-040", "E-087")
def test_a_clock_in_1970_is_an_alarm_and_uids_rise_all_the_same(path: Path) -> None:
    alarms: list[Alarm] = []
    with QueueManager.create(path, "MOON", connect=False) as moon:
        before = moon.put(QUEUE, "with a clock")
    store = SqliteStore(path)
    engine = Engine(store, Rules(store, random.Random(1)), clock=lambda: 5.0)
    with QueueManager(engine, Options(connect=False, alarm=alarms.append)) as moon:
        assert moon.put(QUEUE, "without") > before
        assert [text_of(moon.get(QUEUE)) for _ in range(2)] == ["with a clock", "without"]
    (alarm,) = alarms
    assert "the clock has not been set" in alarm.text


@pytest.mark.spec("E-567")
def test_a_full_disk_refuses_puts_and_keeps_what_is_there(path: Path) -> None:
    with QueueManager.create(path, "MOON", connect=False) as moon:
        moon.put(QUEUE, "kept")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("mqbridge.bridge.store.sqlite.free_space", lambda _: 0)
            with pytest.raises(EveryplaceError) as raised:
                moon.put(QUEUE, "too much")
            assert raised.value.code is Code.STORE
            assert "full" in raised.value.text
            assert text_of(moon.get(QUEUE)) == "kept"  # what makes room is done
        moon.put(QUEUE, "again")
        assert text_of(moon.get(QUEUE)) == "again"
