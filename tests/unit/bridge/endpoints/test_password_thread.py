"""Passwords are looked at beside the reactor."""

from __future__ import annotations

import threading
import time

from mqbridge.bridge.agents.gateway.effects import CheckPassword
from mqbridge.bridge.security import Authenticator, LoginAttempt
from support.processes.endpoint_host import EndpointHost
from support.queue_manager.security_records import people


def attempt(password: str) -> LoginAttempt:
    return Authenticator(users=people()).begin("alice", password, "10.0.0.1", 0.0)


def test_right_and_wrong_passwords_are_told_in_the_reactors_thread(host: EndpointHost) -> None:
    found: list[tuple[bool, str]] = []
    threads: list[str] = []

    def then(matched: bool, now: float) -> None:
        assert abs(now - time.time()) < 60
        threads.append(threading.current_thread().name)
        found.append((matched, "told"))

    for password in ("wonderland", "no"):
        host.call(host.channel_manager.emit, CheckPassword(attempt(password), then))
    host.thread.until(lambda: len(found) == 2, "two outcomes")
    assert found == [(True, "told"), (False, "told")]
    assert threads[0] == threads[1] == host.call(lambda: threading.current_thread().name)


class Slow(LoginAttempt):
    """An attempt that waits until the test lets it go on, then cannot be made."""

    go_on = threading.Event()

    def matches(self) -> bool:
        assert self.go_on.wait(20)
        raise MemoryError


def test_the_reactor_goes_on_meanwhile_and_what_cannot_be_checked_is_wrong(host: EndpointHost) -> None:
    found: list[bool] = []
    real = attempt("wonderland")
    slow = Slow(real.user, real.address, 0.0, b"", real._hash)
    host.call(host.channel_manager.emit, CheckPassword(slow, lambda matched, now: found.append(matched)))
    assert host.call(lambda: len(found)) == 0
    Slow.go_on.set()
    host.thread.until(lambda: found, "an outcome")
    assert found == [False]
