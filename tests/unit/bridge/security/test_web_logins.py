"""Logins at the REST interface: whose token is whose, and when it ends."""

from __future__ import annotations

import pytest

from mqbridge.bridge.security import UserError, WebLogins
from mqbridge.bridge.security.web_logins import MAX_LOGINS
from support.queue_manager.security_records import people

NOW = 1_800_000_000.0
USERS = people(alice="wonderland", bob="builder")


def logins(**settings: float) -> WebLogins:
    found = WebLogins(settings.get("lifetime", 60.0), int(settings.get("for_user", 3)))
    found.open("alice", "token of alice", USERS, NOW)
    return found


def test_a_token_is_that_of_its_user_alone() -> None:
    kept = logins()
    kept.open("bob", "token of bob", USERS, NOW)
    assert kept.find("token of alice", USERS, NOW) == "alice"
    assert kept.find("token of bob", USERS, NOW) == "bob"


@pytest.mark.parametrize(
    "forged",
    ["", "token", "token of alice ", " token of alice", "TOKEN OF ALICE", "token of älice", "\udc80", "x" * 1_000_000],
)  # fmt: skip
def test_a_forged_token_is_nobody_s(forged: str) -> None:
    kept = logins()
    assert kept.find(forged, USERS, NOW) is None
    kept.close(forged)
    assert kept.find("token of alice", USERS, NOW) == "alice"


@pytest.mark.parametrize(("later", "found"), [(59.9, "alice"), (60.0, None), (1e6, None)])
def test_a_login_expires(later: float, found: str | None) -> None:
    assert logins().find("token of alice", USERS, NOW + later) == found


def test_a_login_ends_when_it_is_closed() -> None:
    kept = logins()
    kept.close("token of alice")
    assert kept.find("token of alice", USERS, NOW) is None
    assert len(kept) == 0


def test_a_login_ends_with_its_user_and_its_password_for_good() -> None:
    kept = logins()
    kept.open("bob", "token of bob", USERS, NOW)
    changed = people(alice="another")
    assert kept.find("token of alice", changed, NOW) is None
    assert kept.find("token of bob", changed, NOW) is None
    assert kept.find("token of alice", USERS, NOW) is None
    assert kept.find("token of bob", USERS, NOW) is None


def test_groups_may_change_during_a_login() -> None:
    grouped = people({"alice": ("clients",)}, alice="wonderland")
    assert logins().find("token of alice", grouped, NOW) == "alice"


def test_a_user_has_so_many_logins_and_the_oldest_gives_way() -> None:
    kept = logins(for_user=3)
    for number in range(3):
        kept.open("alice", f"token {number}", USERS, NOW)
    assert len(kept) == 3
    assert kept.find("token of alice", USERS, NOW) is None
    assert kept.find("token 0", USERS, NOW) == "alice"


def test_all_logins_together_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mqbridge.bridge.security.web_logins.MAX_LOGINS", 3)
    kept = logins(for_user=100)
    for number in range(5):
        kept.open("bob", f"token {number}", USERS, NOW)
    assert len(kept) == 3
    assert kept.find("token of alice", USERS, NOW) is None
    assert MAX_LOGINS == 10_000


def test_what_has_expired_is_forgotten() -> None:
    kept = logins()
    kept.open("bob", "token of bob", USERS, NOW + 60)
    assert len(kept) == 1


def test_nobody_logs_in_who_does_not_exist() -> None:
    with pytest.raises(UserError):
        logins().open("carol", "token", USERS, NOW)


def test_nothing_secret_is_shown() -> None:
    kept = logins()
    shown = repr(kept) + repr([getattr(kept, name) for name in kept.__slots__])
    assert "token of alice" not in shown
    assert "digest=" not in shown
    assert "scrypt" not in shown
