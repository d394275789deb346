"""Doors and passwords: each pair is a client on a socket, which comes in as somebody or learns that it may not.

Everybody has the authority to connect here, so it is the door that refuses. Doors: plain, inside TLS, by a Unix socket.
See test_doors_certificates.py for certificates and message channels, test_doors_records.py for the records of CHLAUTH,
test_web_users.py for the REST endpoint.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from mqbridge.bridge.security.throttle import FREE_FOR_USER
from mqbridge.protocol.constants import MQRC
from support.doors.credentials import Credentials, SigningClient
from support.doors.scene import LONG, PASSWORDS, TRANSPORTS, CredentialScene, Outcome

pytestmark = [pytest.mark.spec("channels.md 15"), pytest.mark.faulty_traffic]

RIGHT = Credentials(b"alice", b"wonderland")
NO = int(MQRC.NOT_AUTHORIZED)
WRONG = Outcome(reason=NO, lines=("AMQ5534", "AMQ5542"))
MISSING = Outcome(reason=NO, lines=("AMQ5540", "AMQ5542"))
BLOCKED = Outcome(reason=NO, lines=("AMQ9776",))
ALICE = Outcome("alice")


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CredentialScene]:
    """MARS, where a right password is required and its user adopted."""
    with closing(CredentialScene(tmp_path_factory.mktemp("doors"))) as made:
        yield made


def client_channel(transport: str) -> str:
    return "TLS" if "TLS" in transport else "PLAIN"


# Clients: user and password

GIVEN: dict[str, tuple[Credentials | None, Outcome]] = {
    "none": (None, MISSING),
    "none, said so": (Credentials(b"alice", b"wonderland", kind=0), MISSING),
    "both blank": (Credentials(b"", b""), MISSING),
    "right": (RIGHT, ALICE),
    "right, of 64 characters": (Credentials(LONG.encode(), b"long-and-secret"), Outcome(LONG)),
    "wrong": (Credentials(b"alice", b"guessed"), WRONG),
    "of another": (Credentials(b"alice", b"builder-4711"), WRONG),
    "unknown user": (Credentials(b"carol", b"guessed"), WRONG),
    "blank user": (Credentials(b"", b"wonderland"), WRONG),
    "user of blanks": (Credentials(b" " * 12, b"wonderland"), WRONG),
    "blank password": (Credentials(b"alice", b""), WRONG),
    "password of blanks": (Credentials(b"alice", b" " * 12), WRONG),
    "odd case of user": (Credentials(b"ALICE", b"wonderland"), WRONG),
    "odd case of password": (Credentials(b"alice", b"Wonderland"), WRONG),
    "user padded with blanks": (Credentials(b"alice".ljust(64), b"wonderland"), ALICE),
    "user padded with zeros": (Credentials(b"alice".ljust(64, b"\0"), b"wonderland"), ALICE),
    "user behind a blank": (Credentials(b" alice", b"wonderland"), WRONG),
    "user behind a zero": (Credentials(b"\0alice", b"wonderland"), WRONG),
    "user with something behind a zero": (Credentials(b"alice\0x", b"wonderland"), WRONG),
    "password padded with blanks": (Credentials(b"alice", b"wonderland  "), WRONG),
    "password padded with zeros": (Credentials(b"alice", b"wonderland\0\0"), WRONG),
    "user of 65 characters": (Credentials(LONG.encode() + b"x", b"long-and-secret"), WRONG),
    "user of 10,000 characters": (Credentials(b"alice" * 2000, b"wonderland"), WRONG),
    "password of 257 characters": (Credentials(b"alice", b"wonderland".ljust(257, b"x")), WRONG),
    "password of 10,000 characters": (Credentials(b"alice", b"wonderland" * 1000), WRONG),
    "user with a new line": (Credentials(b"alice\nAMQ0000I", b"wonderland"), WRONG),
    "user with an escape": (Credentials(b"\x1b[2Jalice", b"wonderland"), WRONG),
    "user and password in one": (Credentials(b"alice:wonderland", b""), WRONG),
    "wide user": (Credentials("\uff41lice".encode(), b"wonderland"), WRONG),
    "user with an accent": (Credentials("alice\u0301".encode(), b"wonderland"), WRONG),
    "user in no UTF-8": (Credentials(b"alice\xff", b"wonderland"), WRONG),
    "half a surrogate": (Credentials(b"\xed\xa0\x80", b"wonderland"), WRONG),
    "password with an accent": (Credentials(b"alice", "wonderland\u0301".encode()), WRONG),
    "password in no UTF-8": (Credentials(b"alice", b"wonderland\xff"), WRONG),
    "the administrators": (Credentials(b"mqm", b"guessed"), WRONG),
    "the administrators in capitals": (Credentials(b"MQM", b"guessed"), WRONG),
    "the administrators, padded": (Credentials(b"mqm  \0", b""), WRONG),
    "an administrator, wrong": (Credentials(b"anne", b"guessed"), WRONG),
    "an administrator, right": (Credentials(b"anne", b"of-the-shire"), BLOCKED),
    "the user of channels": (Credentials(b"mca", b""), WRONG),
    "the group of all others": (Credentials(b"nobody", b""), WRONG),
    "compatibility mode, right": (Credentials(b"alice", b"wonderland", compatible=True), ALICE),
    "compatibility mode, wrong": (Credentials(b"alice", b"guessed", compatible=True), WRONG),
    "compatibility mode, padded": (Credentials(b"alice \0", b"wonderland\0 ", compatible=True), ALICE),
    "compatibility mode, odd case": (Credentials(b"Alice", b"wonderland", compatible=True), WRONG),
    "compatibility mode, blank user": (Credentials(b"", b"wonderland", compatible=True), WRONG),
    "compatibility mode, blank password": (Credentials(b"alice", b"", compatible=True), MISSING),
    "compatibility mode, unicode": (Credentials("\uff41lice".encode(), b"wonderland", compatible=True), WRONG),
    "compatibility mode, an administrator": (Credentials(b"anne", b"guessed", compatible=True), WRONG),
}


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("given", GIVEN)
def test_a_client_with_a_password(scene: CredentialScene, transport: str, given: str) -> None:
    credentials, outcome = GIVEN[given]
    assert scene.comes_in(transport, client_channel(transport), credentials) == outcome


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize(
    ("stated", "outcome"),
    [
        ("alice", MISSING),
        ("", MISSING),
        ("mqm", BLOCKED),
        ("anne", BLOCKED),
        ("mca", MISSING),
        ("nobody", MISSING),
        ("alice\nx", MISSING),
        ("\uff4dqm", MISSING),
    ],
)
def test_a_client_that_only_says_who_it_is(
    scene: CredentialScene, transport: str, stated: str, outcome: Outcome
) -> None:
    assert scene.comes_in(transport, client_channel(transport), stated=stated) == outcome


@pytest.mark.parametrize("stated", ["alice", "mqm", "anne", "", "bob"])
def test_who_signs_on_is_who_the_password_says(scene: CredentialScene, stated: str) -> None:
    for transport in TRANSPORTS:
        assert scene.comes_in(transport, client_channel(transport), RIGHT, stated=stated) == ALICE


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_user_is_removed_and_a_password_changed_while_the_queue_manager_runs(
    scene: CredentialScene, transport: str
) -> None:
    channel = client_channel(transport)
    assert scene.comes_in(transport, channel, RIGHT) == ALICE
    try:
        scene.with_users(**{name: password for name, password in PASSWORDS.items() if name != "alice"})
        assert scene.comes_in(transport, channel, RIGHT) == WRONG
        scene.with_users(**{**PASSWORDS, "alice": "another"})
        assert scene.comes_in(transport, channel, RIGHT) == WRONG
        assert scene.comes_in(transport, channel, Credentials(b"alice", b"another")) == ALICE
    finally:
        scene.with_users(**PASSWORDS)
    assert scene.comes_in(transport, channel, RIGHT) == ALICE


def test_what_was_said_beforehand_does_not_count_later(scene: CredentialScene) -> None:
    """A client that was refused, or has given two passwords, is judged by the last one."""
    for transport in TRANSPORTS:
        with closing(scene.call(transport)) as made:
            client = SigningClient(made)
            refused = client.signs_on(client_channel(transport), Credentials(b"alice", b"guessed"), b"joe")
            assert refused.outcome == (2, NO)
            assert client.asks(client.mqconn("MARS")).outcome == (2, NO)
            for given in (RIGHT, Credentials(b"bob", b"guessed")):
                client.asks(client.conauth(given))
            assert client.asks(client.mqconn("MARS")).outcome == (2, NO)
        scene.settled()


# The work of a check


HASHED = [
    Credentials(b"alice", b"guessed"),
    Credentials(b"carol", b"guessed"),
    Credentials(b"anne", b"guessed"),
    Credentials(b"mqm", b"guessed"),
    Credentials(b"mca", b""),
    Credentials(b"", b"guessed"),
    Credentials(b"alice" * 100, b"guessed"),
    Credentials("\uff41lice".encode(), b"guessed"),
    Credentials(b"alice", b"x" * 10_000),
    Credentials(b"Alice", b"guessed", compatible=True),
]


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_each_wrong_password_costs_one_hash_of_the_same_cost(
    scene: CredentialScene, transport: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed: list[tuple[int, int, int]] = []
    scrypt = hashlib.scrypt

    def counted(*arguments: Any, **options: Any) -> bytes:
        hashed.append((options["n"], options["r"], options["p"]))
        return scrypt(*arguments, **options)

    monkeypatch.setattr(hashlib, "scrypt", counted)
    for credentials in HASHED:
        assert scene.comes_in(transport, client_channel(transport), credentials) == WRONG
    assert len(hashed) == len(HASHED)
    assert len(set(hashed)) == 1


@pytest.mark.parametrize("user", [b"alice", b"carol", b"anne", b"Alice"])
def test_guesses_are_slowed_down_whoever_is_guessed(scene: CredentialScene, user: bytes) -> None:
    """At whichever door: failures are counted for all together."""
    throttle, now = scene.security.authenticator.throttle, scene.host.driver.now
    for number in range(FREE_FOR_USER + 1):
        transport = TRANSPORTS[number % len(TRANSPORTS)]
        with closing(scene.call(transport)) as made:
            given = Credentials(user, b"guess %d" % number)
            assert SigningClient(made).signs_on(client_channel(transport), given, b"joe").outcome == (2, NO)
    due = scene.host.call(lambda: (throttle.enter("127.0.0.1", user.decode(), now()) or 0.0) - now())
    assert due > 0.2
    assert scene.host.call(lambda: (throttle.enter("127.0.0.1", "bob", now()) or 0.0) - now()) <= 0
    scene.settled()
