"""Storms of wrong passwords: whose is looked at, in what order, and what somebody else notices of it."""

from __future__ import annotations

import itertools
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import mqbridge
from mqbridge.bridge.agents.gateway.effects import CheckPassword
from mqbridge.bridge.agents.svrconn.password_queue import MAX_FOR_ADDRESS, MAX_WAITING, PasswordQueue
from mqbridge.bridge.security import Authenticator, LoginAttempt, User, Users, hash_password
from mqbridge.bridge.security.users_file import UsersFile
from support.processes.running_service import LOCAL_LISTENER, MakeService, wait_for

NOW = 1_800_000_000.0
STORM, BYSTANDER = "127.0.0.9", "127.0.0.1"
STORM_SECONDS = 600
"""How long the storm lasts at least in the long form."""


class Desk:
    """Turns, the looks that they ask for one at a time, and what was told to whom."""

    def __init__(self) -> None:
        self.authenticator = Authenticator()
        self.asked: list[CheckPassword] = []
        self.told: dict[str, bool | None] = {}
        self.turns = PasswordQueue(self.asked.append)

    def comes(self, user: str, address: str, who: str = "") -> LoginAttempt:
        attempt = self.authenticator.begin(user, f"password of {user}", address, NOW)
        self.turns.check(attempt, lambda matched, now: self.told.__setitem__(who or user, matched), NOW)
        return attempt

    def looks(self, *, matched: bool = False) -> str:
        """Ends the look that was asked for last; whose it was."""
        effect = self.asked[-1]
        effect.then(matched, NOW)
        return effect.attempt.user

    def refused(self) -> list[str]:
        """Who was not looked at."""
        return [user for user, matched in self.told.items() if matched is None]


def test_one_is_looked_at_at_a_time_and_addresses_take_turns() -> None:
    desk = Desk()
    for number in range(5):
        desk.comes(f"a{number}", "10.0.0.1")
    desk.comes("b0", "10.0.0.2")
    desk.comes("c0", "2001:db8:1:2:3::1")
    desk.comes("c1", "2001:db8:1:2:4::1")
    assert len(desk.asked) == 1
    assert [desk.looks() for _ in range(8)] == ["a0", "a1", "b0", "c0", "a2", "c1", "a3", "a4"]
    assert len(desk.turns) == 0
    assert len(desk.told) == 8


def test_who_finds_his_line_full_is_refused_without_a_look_and_nobody_else() -> None:
    desk = Desk()
    for number in range(100):
        desk.comes(f"a{number}", f"2001:db8::{number:x}")
    assert len(desk.turns) == MAX_FOR_ADDRESS
    assert len(desk.refused()) == 100 - MAX_FOR_ADDRESS - 1
    desk.comes("alice", "10.0.0.2")
    assert [desk.looks(), desk.looks()] == ["a0", "a1"]
    assert desk.looks(matched=True) == "alice"
    assert desk.told["alice"] is True


def test_the_lines_of_all_are_bounded_and_the_longest_gives_way() -> None:
    desk = Desk()
    for number in range(8):
        desk.comes(f"a{number}", "10.1.0.1")
    for number in range(MAX_WAITING):
        desk.comes(f"b{number}", f"10.2.{number}.1")
    assert len(desk.turns) == MAX_WAITING
    assert desk.refused() == ["a7", "a6", "a5", "a4", "a3", "a2", f"b{MAX_WAITING - 1}"]


def test_the_same_password_is_looked_at_once_for_all() -> None:
    desk = Desk()
    for number in range(50):
        desk.comes("alice", "10.0.0.1", f"conversation {number}")
    assert len(desk.turns) == 0
    desk.looks(matched=True)
    assert len(desk.asked) == 1
    assert list(desk.told.values()) == [True] * 50


def test_who_leaves_is_looked_at_no_more_but_for_the_one_whose_turn_it_is() -> None:
    desk = Desk()
    first, second = desk.comes("a0", "10.0.0.1"), desk.comes("a1", "10.0.0.1")
    desk.comes("a2", "10.0.0.1")
    shared = desk.comes("a2", "10.0.0.1", "another")
    assert not desk.turns.drop(first)
    assert desk.turns.drop(second)
    assert desk.turns.drop(shared)
    assert [desk.looks(), desk.looks()] == ["a0", "a2"]
    assert desk.told == {"a0": False, "a2": False}
    assert len(desk.turns) == 0
    assert desk.turns.drop(second)


@pytest.mark.timeout(3600)
def test_a_right_login_beside_a_storm_takes_under_two_seconds(
    make_service: MakeService, monkeypatch: pytest.MonkeyPatch, long_form: bool
) -> None:
    bystanders = [f"user{number}" for number in range(40 if long_form else 4)]
    rights = "SET AUTHREC OBJTYPE(QMGR) GROUP('people') AUTHADD(CONNECT)\n"
    service = make_service(
        mqsc=f"ALTER AUTHINFO(DEV.AUTHINFO) AUTHTYPE(IDPWOS) CHCKCLNT(REQUIRED) ADOPTCTX(YES)\n{rights}",
        listen=LOCAL_LISTENER,
        start=False,
    )
    hashed = hash_password("right", b"salt" * 4)
    people = Users({name: User(name, hashed, ("people",)) for name in ("alone", *bystanders)})
    UsersFile(service.data / "users").change(lambda _: people)
    service.start()

    here = threading.local()
    plain = socket.create_connection

    def from_here(address: tuple[str, int], timeout: float | None = None) -> socket.socket:
        return plain(address, timeout, source_address=(here.address, 0))

    monkeypatch.setattr(socket, "create_connection", from_here)

    def login(address: str, user: str, password: str, timeout: float = 120) -> float:
        """Seconds that it took to come in. Raises `NotAuthorized`."""
        here.address = address
        began = time.monotonic()
        place = f"mq://{user}:{password}@127.0.0.1:{service.port}/EARTH?channel=DEV.APP.SVRCONN"
        with mqbridge.connect(place, timeout=timeout):
            return time.monotonic() - began

    alone = [login(BYSTANDER, "alone", "right") for _ in range(3)]
    storm_is_over = threading.Event()
    numbers = itertools.count()

    def guesses() -> None:
        while not storm_is_over.is_set():
            with pytest.raises(mqbridge.MQError):  # refused, or patience is lost
                login(STORM, "user0", f"wrong{next(numbers)}", 3)

    with ThreadPoolExecutor(100) as pool:
        storm = [pool.submit(guesses) for _ in range(100)]
        wait_for("the storm is in full swing", lambda: "not looked at" in service.log)
        until = time.monotonic() + (STORM_SECONDS if long_form else 0)
        taken = [login(BYSTANDER, user, "right") for user in bystanders]
        while time.monotonic() < until:
            taken += [login(BYSTANDER, user, "right") for user in bystanders]
        storm_is_over.set()
        for guess in storm:
            guess.result()
    alone += [login(BYSTANDER, "alone", "right") for _ in range(3)]  # other tests take processors meanwhile
    assert max(taken) < max(2.0, 5 * max(alone)), (alone, taken)
    wrong = [line for line in service.log.splitlines() if "AMQ5534E" in line]
    looked_at = [line for line in wrong if "not looked at" not in line]
    assert len(wrong) > 60
    assert len(looked_at) < len(wrong) / 2
