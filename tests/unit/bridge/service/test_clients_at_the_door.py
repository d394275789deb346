"""Clients with right and wrong passwords over real sockets, at a queue manager that other machines can reach."""

from __future__ import annotations

import shlex
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import mqbridge
from mqbridge.bridge.security import Cost, User, Users, hash_password
from mqbridge.bridge.security.users_file import UsersFile
from support.processes.running_service import MakeService, RunningService
from support.queue_manager.security_records import ANYBODY

COST = Cost(12, 8, 1)
"""Some ten milliseconds: a hash that can be seen, and not waited for."""
SCRIPT = """\
ALTER AUTHINFO(DEV.AUTHINFO) AUTHTYPE(IDPWOS) FAILDLAY(0)
SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('alice') AUTHADD(CONNECT,INQ)
SET AUTHREC PROFILE('DEV.QUEUE.1') OBJTYPE(QUEUE) PRINCIPAL('alice') AUTHADD(PUT,GET,INQ)
"""
CLEAR = "AMQ5543"


def users(path: Path) -> None:
    found = Users()
    for name, password in ANYBODY.items():
        found = found.added(User(name, hash_password(password, name.encode().ljust(16, b"."), COST)))
    UsersFile(path).change(lambda _: found)


@pytest.fixture
def door(make_service: MakeService) -> RunningService:
    service = make_service(start=False, listen="tcp:0:interface=0.0.0.0", mqsc=SCRIPT)
    service.data.mkdir(mode=0o700)
    users(service.data / "users")
    return service.start()


def url(door: RunningService, user: str = "", password: str = "") -> str:
    who = f"{user}:{password}@" if user else ""
    return f"mq://{who}127.0.0.1:{door.port}/{door.name}"


def refused(door: RunningService, user: str = "", password: str = "") -> float:
    """Seconds until it was refused."""
    began = time.monotonic()
    with pytest.raises(mqbridge.NotAuthorized):
        mqbridge.connect(url(door, user, password))
    return time.monotonic() - began


def test_with_the_right_password_a_program_works_as_its_user(door: RunningService) -> None:
    with mqbridge.connect(url(door, "alice", "wonderland")) as manager:
        manager.put("DEV.QUEUE.1", "hello")
        with pytest.raises(mqbridge.NotAuthorized):
            manager.put("DEV.QUEUE.2", "no")
    with mqbridge.connect(url(door, "alice", "wonderland")) as manager:
        message = manager.get("DEV.QUEUE.1")
        assert message is not None
        assert (message.text, message.user) == ("hello", "alice")
    assert "user 'alice' has not the authority for DEV.QUEUE.2 (QUEUE): put" in door.log
    assert door.log.count(CLEAR) == 1


def test_the_command_that_a_refused_start_says_lets_clients_in(make_service: MakeService) -> None:
    service = make_service(start=False, listen="tcp:0:interface=0.0.0.0")
    service.launch()
    assert service.wait() == 2
    (line,) = [line for line in service.log.splitlines() if " user add " in line]
    words = shlex.split(line)
    with service.spawn(*words[words.index("user") :], stdin=subprocess.PIPE) as process:
        process.communicate(b"secret\n")
    assert process.returncode == 0
    service.process = None
    service.start()
    refused(service, "app", "secre")
    with mqbridge.connect(url(service, "app", "secret")) as manager:
        manager.put("DEV.QUEUE.1", "hello")


def test_a_wrong_one_none_and_a_stranger_are_refused_alike(door: RunningService) -> None:
    refused(door)
    refused(door, "alice", "no")
    refused(door, "carol", "wonderland")
    assert door.log.count("AMQ5534") == 2
    assert door.log.count("AMQ5540") == 1
    assert "wonderland" not in door.log


def test_many_wrong_ones_are_slowed_down_while_others_work(door: RunningService) -> None:
    with mqbridge.connect(url(door, "alice", "wonderland")) as manager, ThreadPoolExecutor(2) as pool:
        attempts = [pool.submit(refused, door, "bob", f"guess{number}") for number in range(8)]
        longest = 0.0
        while not all(attempt.done() for attempt in attempts):
            began = time.monotonic()
            manager.put("DEV.QUEUE.1", "work")
            assert manager.get("DEV.QUEUE.1") is not None
            longest = max(longest, time.monotonic() - began)
        assert max(attempt.result() for attempt in attempts) > 0.4, "slowed down"
        with mqbridge.connect(url(door, "alice", "wonderland")) as again:
            again.put("DEV.QUEUE.1", "at once")
    assert longest < 10, "passwords are looked at elsewhere"
    assert door.log.count("AMQ5534") == 8
    assert 1 <= door.log.count("AMQ5538") <= 2  # forgiven meanwhile, and begun again, where guessing takes long
