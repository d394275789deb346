"""Who makes a request, and what it costs to find out, without sockets and threads."""

from __future__ import annotations

import base64
import hashlib
from types import SimpleNamespace
from typing import Any

import pytest
from twisted.internet.task import Clock

from mqbridge.bridge.admin.authentication import Authentication, Presented
from mqbridge.bridge.admin.errors import RestError
from mqbridge.bridge.admin.password_checks import PasswordCheck
from mqbridge.bridge.agents.gateway.effects import CheckPassword
from mqbridge.bridge.agents.svrconn.password_queue import MAX_FOR_ADDRESS, PasswordQueue
from mqbridge.bridge.security import Authenticator, Mechanism, Security, WebLogins, WebRole, WebRoles, WebUser
from mqbridge.bridge.security.passwords import decoy_hash
from mqbridge.bridge.security.tls import DistinguishedName, PeerCertificate
from support.queue_manager.security_records import CHEAP, Rows, authentication, people

NOW = 1_800_000_000.0
HOME = "10.0.0.1"
BY_CERTIFICATE = Mechanism.CERTIFICATE
PEOPLE = people({"alice": ("mqm",)}, alice="wonderland", bob="builder")


class Stand:
    """A driver on a clock of its own. ``looks``: password checks that were asked for; ``lines``: the log."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        rows = Rows(authentications={"A": authentication("OPTIONAL", FAILDLAY=3)})
        self.security = Security(rows.definitions(), Authenticator(b"k" * 32, PEOPLE))
        monkeypatch.setattr(self.security.authenticator, "_decoy", decoy_hash(b"salt" * 4, CHEAP))
        self.reactor = self.clock = Clock()
        self.looks: list[CheckPassword] = []
        self.lines: list[str] = []
        self.denied: list[str] = []
        events = SimpleNamespace(denied=lambda qualifier, user, now: self.denied.append(user))
        passwords = PasswordQueue(self.looks.append)
        self.gateway = SimpleNamespace(
            manager=SimpleNamespace(security=self.security, events=events),
            channel_manager=SimpleNamespace(passwords=passwords),
        )
        driver: Any = self
        self.users = Authentication(driver, WebRoles(), WebLogins(), secure=True)

    def now(self) -> float:
        return NOW + self.clock.seconds()

    def log(self, amq: str, inserts: tuple[str | int, ...] = ()) -> None:
        self.lines.append(f"{amq} {inserts}")

    def pump(self) -> None:
        """Make the checks that were asked for only when the test says so."""

    def look(self) -> None:
        """Make one check."""
        effect = self.looks.pop(0)
        effect.then(effect.attempt.matches(), self.now())

    def check(self, user: str, password: str, address: str = HOME) -> tuple[PasswordCheck, list[bool]]:
        told: list[bool] = []
        check = self.users.check(user, password, address)
        check.result.addCallback(told.append)
        self.clock.advance(0)
        return check, told


@pytest.fixture
def stand(monkeypatch: pytest.MonkeyPatch) -> Stand:
    return Stand(monkeypatch)


def certificate(*names: str) -> PeerCertificate:
    subject = DistinguishedName((("O", "Space"), *(("CN", name) for name in names)))
    return PeerCertificate(subject, DistinguishedName((("CN", "Authority"),)), 1)


def basic(text: str) -> list[str]:
    return ["Basic " + base64.b64encode(text.encode()).decode()]


@pytest.mark.parametrize(("user", "password"), [("bob", "wrong"), ("fred", "wrong"), ("BOB", "builder"), ("", "")])
def test_a_wrong_password_costs_one_hash_whether_or_not_the_user_exists(
    stand: Stand, monkeypatch: pytest.MonkeyPatch, user: str, password: str
) -> None:
    hashed: list[dict[str, Any]] = []
    scrypt = hashlib.scrypt

    def counted(*arguments: Any, **options: Any) -> bytes:
        hashed.append(options)
        return scrypt(*arguments, **options)

    monkeypatch.setattr(hashlib, "scrypt", counted)
    _, told = stand.check(user, password)
    stand.look()
    assert told == []
    stand.clock.advance(2.9)
    assert told == []
    stand.clock.advance(0.1)  # FAILDLAY
    assert told == [False]
    (cost,) = hashed
    assert (cost["n"], cost["r"], cost["p"]) == (1 << CHEAP.log2_n, CHEAP.r, CHEAP.p)
    assert stand.lines == [f"AMQ5534 {(user, HOME)}"]
    assert stand.denied == [user]


def test_the_right_password_is_hashed_once_and_then_remembered(stand: Stand) -> None:
    _, told = stand.check("bob", "builder")
    stand.look()
    assert told == [True]
    _, again = stand.check("bob", "builder")
    assert again == [True]
    assert (stand.looks, stand.lines) == ([], [])


def test_who_leaves_is_not_checked_and_others_are(stand: Stand) -> None:
    first, told_first = stand.check("bob", "wrong")
    second, told_second = stand.check("alice", "wrong", "10.0.0.2")
    _, told_third = stand.check("alice", "wonderland", "10.0.0.3")
    second.leave()
    first.leave()  # in progress: it still counts
    assert (told_first, told_second) == ([False], [False])
    stand.look()
    assert stand.lines == [f"AMQ5534 {('bob', HOME)}"]
    stand.look()
    assert told_third == [True]
    assert stand.looks == []
    assert stand.clock.getDelayedCalls() == []


def test_who_sends_too_many_is_refused_without_a_check(stand: Stand) -> None:
    told = [stand.check(f"user{number}", "wrong")[1] for number in range(MAX_FOR_ADDRESS + 5)]
    stand.clock.advance(3)
    assert [] in told
    assert told.count([False]) >= 4
    assert any("not looked at" in line for line in stand.lines)


def test_attempts_of_one_address_wait_longer_and_longer(stand: Stand) -> None:
    for number in range(25):
        stand.check(f"user{number}", "wrong")
        while stand.looks:
            stand.look()
        stand.clock.advance(0)
    stand.looks.clear()
    _, told = stand.check("bob", "builder")
    assert stand.looks == []
    stand.clock.advance(60)
    while stand.looks:
        stand.look()
    assert told == [True]


@pytest.mark.parametrize(
    ("presented", "found"),
    [
        (Presented(HOME, certificate=certificate("alice")), WebUser("alice", WebRole.ADMINISTRATOR, BY_CERTIFICATE)),
        (Presented(HOME, certificate=certificate("above", "bob")), WebUser("bob", WebRole.USER, BY_CERTIFICATE)),
        (Presented(HOME, certificate=certificate("fred")), "MQWB0104E"),
        (Presented(HOME, certificate=certificate("Bob")), "MQWB0104E"),
        (Presented(HOME, certificate=certificate("bob ")), "MQWB0104E"),
        (Presented(HOME, certificate=certificate("bob", "above")), "MQWB0104E"),
        (Presented(HOME, certificate=certificate("mca")), "MQWB0104E"),
        (Presented(HOME, certificate=certificate("mqm")), "MQWB0104E"),
        (Presented(HOME, certificate=certificate("")), "MQWB0104E"),
        (Presented(HOME, certificate=certificate()), "MQWB0104E"),
        (Presented(HOME, token="forged", certificate=certificate("bob")), "MQWB0112E"),
        (Presented(HOME, ["Bearer x"], certificate=certificate("bob")), "MQWB0104E"),
        (Presented(HOME), "MQWB0104E"),
    ],
)  # fmt: skip
def test_a_certificate_is_that_of_the_user_whom_its_common_name_names(
    stand: Stand, presented: Presented, found: WebUser | str
) -> None:
    if isinstance(found, WebUser):
        assert stand.users.identify(presented) == found
        return
    with pytest.raises(RestError) as caught:
        stand.users.identify(presented)
    assert (caught.value.status, caught.value.message_id) == (401, found)


def test_a_certificate_of_nobody_is_logged_by_its_name(stand: Stand) -> None:
    with pytest.raises(RestError):
        stand.users.identify(Presented(HOME, certificate=certificate("fred")))
    assert stand.lines == [f"AMQ5091 {('CN=fred,O=Space', HOME)}"]


def test_a_login_is_found_by_its_cookie_with_the_role_of_now(stand: Stand) -> None:
    cookie = stand.users.log_in("bob")
    assert cookie.endswith("; Path=/; HttpOnly; SameSite=Strict; Secure")
    presented = Presented(HOME, token=cookie.partition(";")[0].partition("=")[2])
    assert stand.users.identify(presented) == WebUser("bob", WebRole.USER, Mechanism.LOGIN)
    stand.security.take_users(people({"bob": ("mqm",)}, alice="wonderland", bob="builder"))
    assert stand.users.identify(presented) == WebUser("bob", WebRole.ADMINISTRATOR, Mechanism.LOGIN)
    stand.clock.advance(7200)
    with pytest.raises(RestError, match="failed verification"):
        stand.users.identify(presented)


def test_nobody_is_logged_in_who_was_removed_meanwhile(stand: Stand) -> None:
    stand.security.take_users(people(alice="wonderland"))
    with pytest.raises(RestError) as caught:
        stand.users.log_in("bob")
    assert caught.value.status == 401


def test_nothing_secret_is_in_a_representation(stand: Stand) -> None:
    presented = Presented(HOME, basic("bob:builder"), "token of bob")
    assert repr(presented) == f"Presented(address='{HOME}', certificate=None)"
    found = stand.users.identify(presented)
    assert "builder" not in repr(found)
