"""Descriptors used up: by connections, and by everything else."""

from __future__ import annotations

import errno
import os
import resource
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any

import pytest
from twisted.internet.task import Clock

import mqbridge
from mqbridge.bridge.endpoints import descriptor_guard
from mqbridge.bridge.endpoints.descriptor_guard import LOOK_AGAIN, DescriptorGuard
from mqbridge.bridge.store.disk import DESCRIPTORS, SpareDescriptors
from mqbridge.bridge.store.errors import StoreBusy, StoreFull
from mqbridge.bridge.store.rows import BodyChunk
from mqbridge.bridge.store.staging import StagingFolder
from support.processes.running_service import MakeService, RunningService, wait_for

LONG = b"x" * (6 << 20)
SCRIPT = """
    ALTER QMGR MAXMSGL(104857600)
    DEFINE QLOCAL(LONG) MAXMSGL(104857600) MAXDEPTH(999999)
    ALTER CHANNEL(DEV.APP.SVRCONN) CHLTYPE(SVRCONN) MAXMSGL(104857600)
"""
LIMIT = 200
PATIENCE = 60


def client(service: RunningService) -> mqbridge.QueueManager:
    return mqbridge.connect(f"mq://127.0.0.1:{service.port}/EARTH?channel=DEV.APP.SVRCONN")


def admitted(service: RunningService) -> mqbridge.QueueManager:
    """A client that is let in: what was queued while nobody was accepted is closed first, and may bring a new pause."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return client(service)
        except mqbridge.MQError:
            if time.monotonic() > until:
                raise


@pytest.mark.faulty_traffic
def test_connections_leave_a_reserve_and_accepting_goes_on_by_itself(make_service: MakeService) -> None:
    service = make_service(mqsc=SCRIPT, descriptors=LIMIT)
    assert f"not 10000 ([channels] max): the process may have {LIMIT} files open" in service.log
    with client(service) as manager:
        queue = manager.queue("LONG")
        with ExitStack() as stack:
            for _ in range(2 * LIMIT):
                with suppress(ConnectionResetError):  # one too many may be ended before its call returns
                    stack.enter_context(closing(socket.create_connection(("127.0.0.1", service.port), 60)))
            wait_for("the pause", lambda: "AMQ5052W: no more connections are accepted for now" in service.log)
            for persistent in (True, False):
                queue.put(LONG, persistent=persistent)
            assert service.command("mqsc", "-e", "DISPLAY QMGR").exit_code == 0
            assert service.log.count("AMQ5052W") < 5
        wait_for("the end of the pause", lambda: "AMQ5053I: connections are accepted again" in service.log)
        with admitted(service) as another:
            other = another.queue("LONG")
            for _ in range(2):
                message = other.get(wait=60)
                assert message is not None
                assert message.data == LONG
    assert "Traceback" not in service.log
    assert "AMQ6183" not in service.log


def test_a_store_without_any_descriptor_left_refuses_and_goes_on(make_service: MakeService) -> None:
    service = make_service(mqsc=SCRIPT)
    with client(service) as manager:
        queue = manager.queue("LONG")
        queue.put(LONG, persistent=True)
        soft, hard = resource.prlimit(service.pid, resource.RLIMIT_NOFILE)
        reasons: set[int] = set()
        for limit in (len(os.listdir(f"/proc/{service.pid}/fd")), 8):
            resource.prlimit(service.pid, resource.RLIMIT_NOFILE, (limit, hard))
            for persistent in (True, False):
                try:
                    queue.put(LONG, persistent=persistent)
                except mqbridge.MQError as error:
                    reasons.add(error.reason)
        assert reasons == {2056}
        resource.prlimit(service.pid, resource.RLIMIT_NOFILE, (soft, hard))
        queue.put(LONG, persistent=True)
        message = queue.get(wait=60)
        assert message is not None
        assert message.data == LONG
    assert "Traceback" not in service.log


# The parts


@pytest.fixture
def no_descriptors() -> Iterator[None]:
    """All descriptors of the test's process are in use, for as long as the test asks; spares are not."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    DESCRIPTORS._reserve_one()
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_part_that_cannot_be_opened_is_neither_damaged_nor_lost(tmp_path: Path, no_descriptors: None) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (512, hard))
    staging = StagingFolder(tmp_path / "staging", set())
    number = staging.write(b"data")
    chunk: BodyChunk = staging.fresh(number)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    with pytest.raises(StoreBusy):
        staging.read_kept(chunk)
    with pytest.raises(StoreFull):
        staging.write(b"more")
    resource.setrlimit(resource.RLIMIT_NOFILE, (512, hard))
    assert staging.read_kept(chunk) == b"data"


class Scarce:
    """Descriptors of which there are ``room``."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.room = 5
        self.used: set[int] = set()
        self._open, self._close = os.open, os.close
        monkeypatch.setattr(os, "open", self.open)
        monkeypatch.setattr(os, "close", self.close)

    def open(self, path: Any, flags: int, mode: int = 0o777) -> int:
        if len(self.used) >= self.room:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE), str(path))
        file = self._open(path, flags, mode)
        self.used.add(file)
        return file

    def close(self, file: int) -> None:
        self.used.discard(file)
        self._close(file)


def test_spares_are_given_up_one_by_one_and_taken_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scarce, spares = Scarce(monkeypatch), SpareDescriptors(4)
    try:
        for taken in range(1, 6):
            spares.open(tmp_path / "file", os.O_RDWR | os.O_CREAT, 0o600)
            assert len(spares._kept) == 5 - taken
        with pytest.raises(OSError, match="Too many"):
            spares.open(tmp_path / "file", os.O_RDWR)
        scarce.room = 100
        spares.open(tmp_path / "file", os.O_RDWR)
        assert len(spares._kept) == 4
    finally:
        for file in list(scarce.used):
            os.close(file)


class Port:
    """A listening port."""

    reading = True

    def stopReading(self) -> None:
        self.reading = False

    def startReading(self) -> None:
        self.reading = True


class Transport:
    """A connection with a number."""

    def __init__(self, number: int) -> None:
        self.number = number

    def fileno(self) -> int:
        return self.number


def test_the_descriptor_guard_pauses_tells_once_and_begins_again(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, log, port = Clock(), list[str](), Port()
    monkeypatch.setattr(descriptor_guard.resource, "getrlimit", lambda _: (1000, 1000))
    keeper = DescriptorGuard(clock, lambda amq, inserts: log.append(amq))
    keeper.ports.append(port)
    lowest = 990
    monkeypatch.setattr(keeper, "_lowest_free", lambda: lowest)
    assert keeper.admits(Transport(871))
    assert not keeper.admits(Transport(872))
    assert not keeper.admits(Transport(900))
    assert keeper.admits_operator(Transport(900))
    assert not keeper.admits_operator(Transport(950))
    assert not port.reading
    clock.advance(LOOK_AGAIN)
    assert not port.reading
    assert log == ["AMQ5052"]
    lowest = 800
    clock.advance(LOOK_AGAIN)
    assert port.reading
    assert log == ["AMQ5052", "AMQ5053"]
    assert clock.getDelayedCalls() == []
