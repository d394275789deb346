"""Enrolments of a gateway: who may prove a name, for how long, and what is on disk of it; lines of the log."""

from __future__ import annotations

import random

import pytest

from mqbridge.bridge.agents.everyplace.enrolments import VALID, Enrolments
from mqbridge.bridge.agents.everyplace.gateway_credentials import GatewayCredentials
from mqbridge.bridge.agents.everyplace.log_limit import INTERVAL, MAX_NAMES, LogLimit
from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
from mqbridge.bridge.everyplace.network.settings import Peer
from mqbridge.bridge.store.memory import MemoryStore, MemoryTables
from mqbridge.protocol.everyplace.authenticators import ByCertificate, ByKey, NoProof
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.token import Token

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
    credentials = GatewayCredentials(book.found, random.Random(3), lambda: NOW / 1000, told)
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


def test_what_a_gateway_proves_when_it_calls() -> None:
    book = Book()
    credentials = GatewayCredentials(book.found, random.Random(3), lambda: NOW / 1000, Told())
    peer = Peer("10.0.0.1", "ZEN", secure=True, binding=b"there")

    def for_calling(authenticator: str) -> object:
        return credentials.for_calling(ConnectionDefinition("ZEN", "tcp", "zen:1", authenticator=authenticator), peer)

    assert for_calling("") == (NoProof(),)
    assert for_calling("certificate") == (ByCertificate("ZEN"),)
    with pytest.raises(EveryplaceError, match="no key for connection ZEN"):
        for_calling("key")
    book.enrol("ZEN")
    assert for_calling("key") == (ByKey(book.token.key("ZEN"), b"there"),)


def test_the_log_tells_of_a_name_so_often_and_no_more() -> None:
    limit = LogLimit(2)
    assert [limit.admits("MOON", 10.0 + each) for each in range(4)] == [True, True, False, False]
    assert limit.admits("MARS", 11.0)
    assert not limit.admits("MOON", 10.0 + INTERVAL - 1)
    assert limit.admits("MOON", 10.0 + INTERVAL)
    for number in range(MAX_NAMES):
        assert limit.admits(f"N{number}", 100.0)
