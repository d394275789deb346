"""A device queue manager with a private registry: protected queues, and messages for one receiver."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mqbridge.bridge.everyplace import ciphers
from mqbridge.bridge.everyplace.definitions import queue_properties as rows
from mqbridge.bridge.everyplace.definitions.queue_definition import QueueDefinition
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.device.program.main import main
from mqbridge.bridge.everyplace.device.queue_manager import QueueManager
from mqbridge.bridge.everyplace.security import private_registry
from mqbridge.bridge.everyplace.security.cryptography import derived
from mqbridge.bridge.store.interface import PutRecord
from mqbridge.bridge.store.sqlite import SqliteStore
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.mq_style import text_message, text_of
from mqbridge.protocol.everyplace.names import Address
from support.everyplace_devices import DevicePair, blocked

PIN = "correct horse"
INBOX = "SYSTEM.DEFAULT.LOCAL.QUEUE"


@pytest.fixture(autouse=True)
def quick_pin(monkeypatch: pytest.MonkeyPatch) -> None:
    """A PIN costs no time here."""
    if ciphers.library() is None:
        pytest.skip("cryptography is not installed")
    monkeypatch.setattr(private_registry, "stretched", lambda pin, salt: derived(pin.encode(), salt))


def create(folder: Path, name: str, pin: str = PIN) -> QueueManager:
    return QueueManager.create(folder / f"{name}.mqe", name, pin=pin, connect=False)


def define_secrets(moon: QueueManager) -> None:
    definition = QueueDefinition(QueueKind.LOCAL, Address("SECRETS", moon.name))
    definition.set(rows.CRYPTOR, "aes-gcm")
    moon.definitions.define(definition)


def refused(path: Path, pin: str) -> Code:
    with pytest.raises(EveryplaceError) as caught:
        QueueManager.open(path, pin=pin, connect=False)
    assert not pin or pin not in str(caught.value)
    return caught.value.code


@pytest.mark.spec("E-095", "E-225", "E-446")
def test_messages_on_a_protected_queue_are_read_with_the_pin_alone(tmp_path: Path) -> None:
    path = tmp_path / "MOON.mqe"
    with create(tmp_path, "MOON") as moon:
        define_secrets(moon)
        moon.put("SECRETS", "two apples")
        moon.put(INBOX, "plain")
    files = b"".join(each.read_bytes() for each in tmp_path.iterdir())
    assert b"two apples" not in files
    assert b"plain" in files
    assert PIN.encode() not in files
    assert refused(path, "wrong horse") is Code.REGISTRY_WRONG_PIN
    with QueueManager.open(path, connect=False) as moon:
        with pytest.raises(EveryplaceError) as caught:
            moon.get("SECRETS")
        assert caught.value.code is Code.NOT_ALLOWED
        assert text_of(moon.get(INBOX)) == "plain"
    with QueueManager.open(path, pin=PIN, connect=False) as moon:
        assert text_of(moon.get("SECRETS")) == "two apples"


@pytest.mark.spec("E-225", "E-446")
def test_a_private_registry_can_be_made_later_and_its_pin_changed(tmp_path: Path) -> None:
    path = tmp_path / "MOON.mqe"
    with create(tmp_path, "MOON", "") as moon:
        with pytest.raises(EveryplaceError) as caught:
            define_secrets(moon)
        assert caught.value.code is Code.NOT_SUPPORTED
        moon.protection.create(PIN)
        define_secrets(moon)
        with pytest.raises(EveryplaceError) as caught:
            moon.protection.create(PIN)
        assert caught.value.code is Code.NOT_ALLOWED
        moon.put("SECRETS", "two apples")
        moon.protection.change_pin(PIN, "battery staple")
    assert refused(path, PIN) is Code.REGISTRY_WRONG_PIN
    with QueueManager.open(path, pin="battery staple", connect=False) as moon:
        assert text_of(moon.get("SECRETS")) == "two apples"
    with create(tmp_path, "MARS", ""):
        pass
    assert refused(tmp_path / "MARS.mqe", PIN) is Code.NOT_FOUND


@pytest.mark.spec("E-059", "E-440")
def test_programs_protect_messages_from_end_to_end(tmp_path: Path) -> None:
    with create(tmp_path, "MOON") as moon, create(tmp_path, "EARTH") as earth, create(tmp_path, "MARS") as mars:
        with pytest.raises(EveryplaceError) as caught:
            moon.protection.wrap(text_message("two apples"), "EARTH")
        assert caught.value.code is Code.NOT_FOUND
        moon.protection.trust(str(earth.protection.public_keys))
        earth.protection.trust(moon.protection.public_keys)
        message = text_message("two apples")
        uid = moon.put(INBOX, moon.protection.wrap(message, "EARTH"))
        assert uid == message.uid
        outer = moon.get(INBOX)
        earth.put(INBOX, outer)
        found = earth.protection.unwrap(earth.get(INBOX))
        assert text_of(found.message) == "two apples"
        assert found.sender == moon.protection.public_keys
        for reader in (mars, moon):
            with pytest.raises(EveryplaceError) as caught:
                reader.protection.unwrap(outer)
            assert caught.value.code is Code.AUTHENTICATE
        with pytest.raises(EveryplaceError) as caught:
            earth.protection.unwrap(Message())
        assert caught.value.code is Code.NOT_FOUND


@pytest.mark.spec("E-446", "E-447")
def test_without_package_or_pin_the_calls_say_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with create(tmp_path, "MOON", "") as moon:
        for call in (lambda: moon.protection.wrap(Message(), "EARTH"), lambda: moon.protection.unwrap(Message())):
            with pytest.raises(EveryplaceError) as caught:
                call()
            assert caught.value.code is Code.NOT_ALLOWED
        monkeypatch.setitem(sys.modules, "cryptography.exceptions", None)
        with pytest.raises(EveryplaceError) as caught:
            moon.protection.create(PIN)
        assert caught.value.code is Code.NOT_SUPPORTED
        assert "pip install cryptography" in caught.value.text


@pytest.mark.spec("E-225", "E-228", "E-445")
def test_keys_of_connections_are_in_the_private_registry(tmp_path: Path) -> None:
    pair, key = DevicePair(tmp_path), b"key of the enrolment of this one"
    earth = pair.earth()
    earth.definitions.keep_secret("MOON", "key", key)
    pair.moon(secrets={"key": key}, pin=PIN).close()
    path = tmp_path / "moon.mqe"
    again = QueueManager.open(path, pin=PIN)
    again.put("ORDERS@EARTH", "two apples")
    assert text_of(earth.wait("ORDERS", timeout=60)) == "two apples"
    again.definitions.keep_secret("MARS", "key", key)
    again.close()
    with QueueManager.open(path) as without:
        without.put("ORDERS@EARTH", "three pears")
        assert blocked(without, "give the PIN")
    store = SqliteStore(path)
    rows = dict(store.records("everyplace-secrets"))
    assert len(rows) == 2
    assert not any(key in value for value in rows.values())
    store.commit([[PutRecord("everyplace-secrets", each, key) for each in rows]])
    store.close()
    with QueueManager.open(path, pin=PIN) as forged:
        assert blocked(forged, "has been changed on disk")
    pair.close()


@pytest.mark.spec("E-225", "E-228", "E-446")
def test_the_program_takes_the_pin_from_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, pin = str(tmp_path / "moon.mqe"), tmp_path / "pin"
    pin.write_text(PIN + "\n", encoding="utf-8")
    pin.chmod(0o600)
    given = ["--pin-file", str(pin)]
    assert main(["create", path, *given]) == 0
    assert main(["admin", path, *given, "create", "local", "SECRETS", "--cryptor", "aes-gcm"]) == 0
    assert main(["put", path, *given, "SECRETS", "two apples"]) == 0
    assert main(["get", path, "SECRETS"]) == 1
    assert main(["get", path, *given, "SECRETS"]) == 0
    assert "two apples" in capsys.readouterr().out
    pin.write_text("wrong horse", encoding="utf-8")
    assert main(["get", path, *given, "SECRETS"]) == 1
    pin.chmod(0o644)
    assert main(["get", path, *given, "SECRETS"]) == 1
    said = capsys.readouterr().err
    assert "not the PIN" in said
    assert "chmod 600" in said
    assert "wrong horse" not in said
    assert main(["get", path, "--pin-file", str(tmp_path / "none"), "SECRETS"]) == 1
