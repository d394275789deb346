"""Token and properties of a connection: given by administration, kept apart, under the PIN, and never given back."""

from __future__ import annotations

import random

import pytest

from mqbridge.bridge.everyplace.administration.actions import Action, ReturnCode
from mqbridge.bridge.everyplace.queue_manager import QueueManager
from mqbridge.bridge.everyplace.secrets import FINGERPRINT, KEY, TABLE, Secrets
from mqbridge.bridge.everyplace.security.security import Security
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.token import Token
from support.everyplace_hosts import DirectHost
from support.everyplace_security import PIN, security

TOKEN = Token(b"7QK2-", b"s" * 16, b"f" * 16)
PLACE = {"cad": "https", "cep": "zen:8081"}
PROXY = "proxy=http://moon:dark@proxy:3128"


@pytest.fixture
def host() -> DirectHost:
    return DirectHost()


def secrets(host: DirectHost) -> Secrets:
    return Secrets(host.store, host.manager.security)


def rows(host: DirectHost) -> bytes:
    return b"".join(value for table in (TABLE, "everyplace-registry") for _, value in host.store.records(table))


@pytest.mark.spec("E-251", "E-277", "E-440")
def test_a_token_becomes_key_and_fingerprint_and_is_shown_to_nobody(host: DirectHost) -> None:
    made = host.ask(Action.CREATE, "connection", "ZEN", **PLACE, ctk=TOKEN.text(), cpr=(PROXY,))
    assert made.code is ReturnCode.SUCCESS
    assert "ctk" not in made.request.parameters
    assert "cpr" not in made.request.parameters
    found = secrets(host)
    assert found.value("ZEN", KEY) == TOKEN.key("EARTH")
    assert found.value("ZEN", FINGERPRINT) == TOKEN.fingerprint
    assert found.properties("ZEN") == {"proxy": "http://moon:dark@proxy:3128"}
    asked = host.ask(Action.INQUIRE, "connection", "ZEN", ctk=None)
    assert "never given back" in asked.errors["ctk"][0]
    everything = host.ask(Action.INQUIRE_ALL, "connection", "ZEN").request.parameters
    assert "ctk" not in everything
    assert TOKEN.text().encode() not in rows(host)
    assert "dark" not in repr(host.manager.connections["ZEN"])
    host.restart()
    assert host.manager.connections["ZEN"].token == ""
    assert secrets(host).value("ZEN", KEY) == TOKEN.key("EARTH")


@pytest.mark.spec("E-280")
def test_a_token_is_changed_and_goes_with_its_connection(host: DirectHost) -> None:
    host.ask(Action.CREATE, "connection", "ZEN", **PLACE, ctk=TOKEN.text())
    other = Token(b"ABCDE", b"t" * 16)
    assert host.ask(Action.UPDATE, "connection", "ZEN", ctk=other.text(), cd="another").code is ReturnCode.SUCCESS
    assert secrets(host).value("ZEN", KEY) == other.key("EARTH")
    assert secrets(host).value("ZEN", FINGERPRINT) == b""
    assert host.manager.connections["ZEN"].description == "another"
    mixed = host.ask(Action.UPDATE, "connection", "ZEN", ctk="7QK2", cd="a third")
    assert mixed.code is ReturnCode.MIXED
    assert "the token has 4 characters" in mixed.errors["ctk"][0]
    assert secrets(host).value("ZEN", KEY) == other.key("EARTH")
    assert host.ask(Action.UPDATE, "connection", "ZEN", ctk=None).code is ReturnCode.SUCCESS
    assert secrets(host).value("ZEN", KEY) == b""
    host.ask(Action.UPDATE, "connection", "ZEN", ctk=TOKEN.text(), cpr=("http_version=1.0",))
    assert host.ask(Action.DELETE, "connection", "ZEN").code is ReturnCode.SUCCESS
    assert list(host.store.records(TABLE)) == []


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("ctk", "7QK2", "the token has 4 characters"),
        ("ctk", TOKEN.text()[:-1] + "Z", "mistyped"),
        ("cpr", ("proxy",), "name=value"),
        ("cpr", ("=x",), "name=value"),
        ("cpr", ("proxy=a\nuser=b",), "name=value"),
    ],
)
@pytest.mark.spec("E-571")
def test_what_is_no_token_or_property_is_refused(host: DirectHost, field: str, value: object, why: str) -> None:
    made = host.ask(Action.CREATE, "connection", "ZEN", **PLACE, **{field: value})
    assert made.code is ReturnCode.FAILED
    assert why in made.reason
    assert "ZEN" not in host.manager.connections
    assert field not in (made.request.parameters or Fields())


@pytest.mark.spec("E-225", "E-446")
def test_under_a_pin_secrets_are_encrypted_and_without_it_refused(host: DirectHost) -> None:
    protected = security(host.store)
    host.manager = QueueManager(host.store, random.Random(1), None, protected)
    assert host.ask(Action.CREATE, "connection", "ZEN", **PLACE, ctk=TOKEN.text(), cpr=(PROXY,)).code == 0
    assert secrets(host).value("ZEN", KEY) == TOKEN.key("EARTH")
    for each in (TOKEN.key("EARTH"), TOKEN.fingerprint, b"dark"):
        assert each not in rows(host)
    host.manager = QueueManager(host.store, random.Random(1), None, Security())
    refused = host.ask(Action.UPDATE, "connection", "ZEN", ctk=TOKEN.text())
    assert refused.code is ReturnCode.FAILED
    assert "give the PIN" in refused.errors["ctk"][0]
    assert PIN not in refused.errors["ctk"][0]
