"""Enrolments of a gateway: who may prove a name, for how long, and what is on disk of it; lines of the log."""

from __future__ import annotations

import random

import pytest

from mqbridge.bridge.agents.everyplace.enrolments import VALID, Enrolment, Enrolments
from mqbridge.bridge.agents.everyplace.gateway_credentials import GatewayCredentials
from mqbridge.bridge.agents.everyplace.log_limit import INTERVAL, MAX_NAMES, LogLimit
from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
from mqbridge.bridge.everyplace.network.settings import Peer
from mqbridge.bridge.everyplace.secrets import KEY, Secrets
from mqbridge.bridge.everyplace.security.security import Security
from mqbridge.bridge.store.memory import MemoryStore, MemoryTables
from mqbridge.protocol.everyplace.authenticators import ByCertificate, ByKey, NoProof
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.token import Token
from support.everyplace_security import security

NOW = 1_795_251_600_000
MARK, OTHER = b"12345678", b"87654321"


class Book:
    """Enrolments whose changes are on disk at once."""

    def __init__(self) -> None:
        self.store = MemoryStore(MemoryTables())
        self.found = Enrolments(self.store)
        self.token = Token.make(random.Random(1))

    def write(self, operations: list[object]) -> None:
        assert self.store.commit([operations]) == [None]  # type: ignore[list-item]

    def enrol(self, name: str = "MOON") -> None:
        self.write(self.found.enrol(name, self.token.code, self.token.key(name), NOW))

    def credentials(self, told: Told) -> GatewayCredentials:
        secrets = Secrets(self.store, Security())
        return GatewayCredentials(self.found, secrets, random.Random(3), lambda: NOW / 1000, told)

    def again(self) -> Enrolments:
        return Enrolments(self.store)


def refusal(found: Enrolments, name: str, now: int) -> str:
    with pytest.raises(EveryplaceError) as caught:
        found.admitted(name, now)
    assert caught.value.code is Code.AUTHENTICATE
    return caught.value.text


@pytest.mark.spec("E-440", "E-571")
def test_a_token_is_used_within_an_hour_and_then_for_ever() -> None:
    book = Book()
    book.enrol()
    assert book.found.admitted("MOON", NOW + VALID).key == book.token.key("MOON")
    assert "was not used in time" in refusal(book.found, "MOON", NOW + VALID + 1)
    book.write(book.found.connected("MOON", MARK))
    for each in (book.found, book.again()):
        found = each.admitted("MOON", NOW + 1000 * VALID)
        assert (found.state, found.incarnation) == ("enrolled", MARK)
        assert found.key.hex() not in repr(found)
        assert each.connected("MOON", MARK) == []
        with pytest.raises(EveryplaceError, match="used before, by another queue manager"):
            each.connected("MOON", OTHER)


def test_a_revoked_device_has_no_key_on_disk() -> None:
    book = Book()
    book.enrol()
    book.write(book.found.revoke("MOON"))
    for each in (book.found, book.again()):
        assert refusal(each, "MOON", NOW) == "MOON is revoked"
        (found,) = each
        assert (found.state, found.key) == ("revoked", b"")
    key = book.token.key("MOON")
    assert all(key not in value for _, value in book.store.records("everyplace-devices"))
    book.enrol()
    assert book.again().admitted("MOON", NOW).state == "waits for its first connection"
    assert refusal(book.found, "MARS", NOW) == "MARS is not enrolled"
    with pytest.raises(EveryplaceError, match="MARS is not enrolled"):
        book.found.revoke("MARS")


@pytest.mark.parametrize("name", ["two words", "X" * 49, "", "MOON."])
def test_names_that_mq_cannot_have_are_not_enrolled(name: str) -> None:
    with pytest.raises(EveryplaceError):
        Book().found.enrol(name)


class Told:
    """Who is told what callers prove."""

    def __init__(self) -> None:
        self.away: list[str] = []
        self.names: list[tuple[str, bytes]] = []

    def turned_away(self, name: str, error: EveryplaceError) -> None:
        self.away.append(f"{name}: {error.text}")

    def proved(self, name: str, incarnation: bytes) -> None:
        self.names.append((name, incarnation))


@pytest.mark.spec("E-249", "E-250", "E-441")
def test_what_a_caller_must_prove() -> None:
    book, told = Book(), Told()
    book.enrol()
    credentials = book.credentials(told)
    peer = Peer("10.0.0.1", "MOON", secure=True, binding=b"here")

    def for_called(name: str, authenticator: str) -> object:
        return credentials.for_called(name, ListenerDefinition("L", authenticator=authenticator), peer)

    assert for_called("MOON", "none") == NoProof()
    assert for_called("MOON", "key") == ByKey(book.token.key("MOON"), b"here")
    assert for_called("MOON", "certificate") == ByCertificate("MOON")
    assert told.away == []
    unknown = for_called("MARS", "key")
    assert isinstance(unknown, ByKey)
    assert unknown != for_called("MARS", "key")
    with pytest.raises(EveryplaceError, match="MARS may not connect"):
        for_called("MARS", "certificate")
    assert told.away == ["MARS: MARS is not enrolled"] * 3
    credentials.proved("MOON", MARK)
    assert told.names == [("MOON", MARK)]


@pytest.mark.spec("E-245", "E-249", "E-250")
def test_what_a_gateway_proves_when_it_calls() -> None:
    book = Book()
    credentials = book.credentials(Told())
    there = Peer("10.0.0.1", "ZEN", secure=True, binding=b"there")

    def for_calling(authenticator: str, peer: Peer = there) -> list[object]:
        definition = ConnectionDefinition("ZEN", "tcp", "zen:1", authenticator=authenticator)
        return list(credentials.for_calling(definition, peer))

    assert for_calling("") == [ByCertificate("ZEN"), NoProof()]
    assert for_calling("", Peer("127.0.0.1")) == [NoProof()]
    assert for_calling("certificate") == [ByCertificate("ZEN")]
    for authenticator, peer in (("key", there), ("", Peer("10.0.0.1")), ("none", Peer("10.0.0.1"))):
        with pytest.raises(EveryplaceError, match="connection ZEN") as caught:
            for_calling(authenticator, peer)
        assert caught.value.code is Code.AUTHENTICATE
    book.write([Secrets(book.store, Security()).keep("ZEN", KEY, b"k" * 32)])
    assert for_calling("key") == [ByKey(b"k" * 32, b"there")]
    assert for_calling("") == [ByKey(b"k" * 32, b"there"), ByCertificate("ZEN")]


@pytest.mark.spec("E-225", "E-440")
def test_keys_are_encrypted_under_the_pin_and_old_ones_are_taken_along() -> None:
    book, told = Book(), Told()
    book.enrol()
    key, later = book.token.key("MOON"), security()
    book.write(book.found.moved_to(later))
    assert all(key not in value for _, value in book.store.records("everyplace-devices"))
    found = Enrolments(book.store, later)
    assert found.key_of(found.admitted("MOON", NOW)) == key
    book.write(found.enrol("MARS", b"12345", book.token.key("MARS"), NOW))
    assert all(book.token.key("MARS") not in value for _, value in book.store.records("everyplace-devices"))
    without = GatewayCredentials(
        book.again(), Secrets(book.store, Security()), random.Random(3), lambda: NOW / 1000, told
    )
    proof = without.for_called("MOON", ListenerDefinition("L", authenticator="key"), Peer())
    assert isinstance(proof, ByKey)
    assert proof.key != key
    assert told.away == ["MOON: the key of device MOON is encrypted; give the PIN of the private registry"]
    plain = Enrolments(book.store, later)
    book.write([Enrolment("VENUS", b"12345", b"k" * 32).write()])
    with pytest.raises(EveryplaceError) as caught:
        plain.key_of(Enrolments(book.store, later).admitted("VENUS", NOW))
    assert caught.value.code is Code.STORE


@pytest.mark.spec("E-249", "E-308")
def test_a_device_behind_a_web_server_proves_its_key_for_the_certificate_of_that() -> None:
    book = Book()
    key = book.token.key("MOON")
    book.write(book.found.enrol("MOON", book.token.code, key, NOW, b"f" * 16))
    for found in (book.found, book.again()):
        credentials = GatewayCredentials(
            found, Secrets(book.store, Security()), random.Random(3), lambda: NOW / 1000, Told()
        )
        listener = ListenerDefinition("L", "http", authenticator="key")
        assert credentials.for_called("MOON", listener, Peer("127.0.0.1")) == ByKey(key, b"f" * 16)


def test_the_log_tells_of_a_name_so_often_and_no_more() -> None:
    limit = LogLimit(2)
    assert [limit.admits("MOON", 10.0 + each) for each in range(4)] == [True, True, False, False]
    assert limit.admits("MARS", 11.0)
    assert not limit.admits("MOON", 10.0 + INTERVAL - 1)
    assert limit.admits("MOON", 10.0 + INTERVAL)
    for number in range(MAX_NAMES):
        assert limit.admits(f"N{number}", 100.0)
