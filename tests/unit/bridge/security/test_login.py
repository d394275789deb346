"""Right and wrong passwords: same work for every user, repeated failures slowed down, nothing for free."""

from __future__ import annotations

import pytest

from mqbridge.bridge.security import Authenticator, Cost, LoginAttempt, User, Users, hash_password
from mqbridge.bridge.security.passwords import PasswordHash
from mqbridge.bridge.security.throttle import (
    FREE_FOR_ADDRESS,
    FREE_FOR_USER,
    LONGEST_FOR_STRANGER,
    MAX_KEYS,
    Throttle,
    address_key,
)
from support.queue_manager.security_records import CHEAP, people

NOW = 1_800_000_000.0
KEY = b"k" * 32


def door() -> Authenticator:
    authenticator = Authenticator(KEY, people())
    authenticator._decoy = PasswordHash(CHEAP, b"0" * 16, b"0" * 32)
    return authenticator


def tries(
    authenticator: Authenticator, user: str, password: str, address: str = "10.0.0.1", now: float = NOW
) -> LoginAttempt:
    attempt = authenticator.begin(user, password, address, now)
    if attempt.outcome is None:
        authenticator.finish(attempt, attempt.matches(), max(now, attempt.not_before))
    return attempt


@pytest.mark.parametrize(
    ("user", "password", "right"),
    [
        ("alice", "wonderland", True),
        ("alice", "Wonderland", False),
        ("alice", "", False),
        ("ALICE", "wonderland", False),
        ("alice", "wonderland" + "x" * 300, False),
        ("bob", "wonderland", False),
        ("carol", "wonderland", False),
        ("", "", False),
        ("x" * 2000, "y" * 2000, False),
        ("a\udc80", "b\udc80", False),
    ],
)
@pytest.mark.spec("channels.md 15")
def test_who_comes_in(user: str, password: str, right: bool) -> None:
    assert tries(door(), user, password).outcome is right


OTHERS = Cost(3, 1, 1)
COSTLY = hash_password("x", b"s" * 16, OTHERS)


@pytest.mark.parametrize(
    ("users", "cost"),
    [
        (Users(), Cost()),
        (people(), CHEAP),
        (people().added(User("dave", COSTLY)), CHEAP),
        (Users().added(User("dave", COSTLY)), OTHERS),
    ],
)
def test_an_unknown_user_costs_what_most_users_cost(monkeypatch: pytest.MonkeyPatch, users: Users, cost: Cost) -> None:
    """So that files with hashes of other releases tell nobody who is in them."""
    costs = []

    def counted(self: PasswordHash, password: bytes) -> bool:
        costs.append(self.cost)
        return False

    monkeypatch.setattr(PasswordHash, "matches", counted)
    authenticator = Authenticator(KEY)
    authenticator.users = users
    authenticator.begin("carol", "x", "10.0.0.1", NOW).matches()
    assert costs == [cost]


def test_a_failure_says_the_same_of_known_and_unknown_users() -> None:
    first, second = tries(door(), "alice", "wrong"), tries(door(), "carol", "wrong")
    assert [amq for amq, _ in first.log] == [amq for amq, _ in second.log] == ["AMQ5534"]
    assert first.not_before == second.not_before == NOW


def test_what_was_right_is_remembered_until_the_password_changes() -> None:
    authenticator = door()
    assert tries(authenticator, "alice", "wonderland").outcome
    assert authenticator.begin("alice", "wonderland", "10.0.0.1", NOW).outcome is True
    assert authenticator.begin("alice", "wrong", "10.0.0.1", NOW).outcome is None
    changed = hash_password("looking-glass", b"1" * 16, CHEAP)
    authenticator.users = authenticator.users.with_password("alice", changed)
    assert authenticator.begin("alice", "wonderland", "10.0.0.1", NOW).outcome is None
    authenticator.users = authenticator.users.removed("alice")
    assert authenticator.begin("alice", "wonderland", "10.0.0.1", NOW).outcome is None


def test_without_a_key_nothing_is_remembered() -> None:
    authenticator = Authenticator(users=people())
    assert tries(authenticator, "alice", "wonderland").outcome
    assert authenticator.begin("alice", "wonderland", "10.0.0.1", NOW).outcome is None


def test_no_password_is_kept_or_shown() -> None:
    authenticator = door()
    attempt = tries(authenticator, "alice", "wonderland")
    assert "wonderland" not in repr(attempt)
    assert b"wonderland" not in b"".join(authenticator._remembered.values())


def test_a_user_is_slowed_down_after_some_failures_and_told_about_once() -> None:
    authenticator = door()
    log = [line for number in range(8) for line in tries(authenticator, "alice", "no", f"10.0.{number}.1").log]
    slowed = [inserts for amq, inserts in log if amq == "AMQ5538"]
    assert slowed == [("user alice",)]
    delays = [authenticator.begin("alice", f"no{turn}", f"10.0.{turn}.1", NOW).not_before - NOW for turn in range(2)]
    assert 0 < delays[0] < delays[1] <= 5
    assert authenticator.begin("alice", "no", "10.1.0.1", NOW).not_before - NOW == LONGEST_FOR_STRANGER


def test_the_owner_of_an_attacked_name_comes_in_within_seconds() -> None:
    authenticator = door()
    for number in range(1000):
        tries(authenticator, "alice", "no", f"10.{number // 250}.{number % 250}.1")
    attempt = authenticator.begin("alice", "wonderland", "10.9.9.9", NOW)
    assert attempt.outcome is None
    assert attempt.not_before <= NOW + LONGEST_FOR_STRANGER


def test_attempts_under_way_count_like_failures() -> None:
    authenticator = door()
    attempts = [authenticator.begin(f"user{number}", "no", "10.0.0.1", NOW) for number in range(100)]
    at_once = [attempt for attempt in attempts if attempt.outcome is None and attempt.not_before == NOW]
    assert len(at_once) == FREE_FOR_ADDRESS + 1
    assert len([attempt for attempt in attempts if attempt.outcome is False]) > 60
    assert authenticator.begin("alice", "wonderland", "10.0.0.2", NOW).not_before == NOW
    for attempt in attempts:
        authenticator.leave(attempt)
    assert authenticator.begin("bob", "x", "10.0.0.1", NOW + 60).not_before == NOW + 60


def test_the_same_password_given_often_at_one_time_is_one_attempt() -> None:
    authenticator = door()
    attempts = [authenticator.begin("alice", "wonderland", "10.0.0.1", NOW) for _ in range(100)]
    assert {attempt.not_before for attempt in attempts} == {NOW}
    assert len({attempt.same for attempt in attempts}) == 1
    for attempt in attempts:
        authenticator.finish(attempt, True, NOW)
    assert authenticator.begin("bob", "x", "10.0.0.1", NOW).not_before == NOW


def test_what_is_turned_away_is_wrong_and_no_failure() -> None:
    authenticator = door()
    for number in range(3 * FREE_FOR_ADDRESS):
        attempt = authenticator.begin("alice", f"no{number}", "10.0.0.1", NOW)
        authenticator.turn_away(attempt)
        assert attempt.outcome is False
        assert [amq for amq, _ in attempt.log] == ["AMQ5534"]
    assert authenticator.begin("alice", "wonderland", "10.0.0.1", NOW).not_before == NOW


def test_a_thousand_wrong_passwords_of_one_address_are_mostly_not_looked_at() -> None:
    authenticator = door()
    attempts = [tries(authenticator, f"user{number}", "no") for number in range(1000)]
    looked_at = [attempt for attempt in attempts if len(attempt.log[0][1]) == 2]
    assert FREE_FOR_ADDRESS < len(looked_at) < 40
    assert [attempt.outcome for attempt in attempts] == [False] * 1000
    assert authenticator.begin("alice", "wonderland", "10.0.0.2", NOW).not_before == NOW


def test_time_forgives() -> None:
    throttle = Throttle()
    for _ in range(FREE_FOR_USER + 3):
        throttle.failed("10.0.0.1", "alice", NOW)
    assert throttle.enter("10.0.0.2", "alice", NOW) > NOW
    assert throttle.enter("10.0.0.2", "alice", NOW + 40) == NOW + 40


def test_success_forgives_the_user_but_not_the_address() -> None:
    throttle = Throttle()
    for _ in range(FREE_FOR_ADDRESS + 3):
        throttle.failed("10.0.0.1", "alice", NOW)
    throttle.succeeded("alice")
    assert throttle.enter("10.0.0.2", "alice", NOW) == NOW
    assert throttle.enter("10.0.0.1", "alice", NOW) > NOW


def test_what_is_counted_has_bounds() -> None:
    throttle = Throttle()
    for number in range(3 * MAX_KEYS):
        throttle.failed("10.0.0.1", f"user{number}", NOW)
    assert len(throttle) <= MAX_KEYS
    assert throttle.enter("10.0.0.1", "x", NOW) is None or throttle.enter("10.0.0.1", "x", NOW) > NOW


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("10.0.0.1", "10.0.0.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("pipe", "pipe"),
    ],
)
def test_what_of_an_address_is_counted(address: str, key: str) -> None:
    assert address_key(address) == key
