"""The private registry of a gateway, and the file with its PIN."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqbridge.bridge.agents.everyplace.enrolments import TABLE as DEVICES
from mqbridge.bridge.agents.everyplace.enrolments import Enrolments
from mqbridge.bridge.config import parse_configuration
from mqbridge.bridge.everyplace import ciphers
from mqbridge.bridge.everyplace.creation import create
from mqbridge.bridge.everyplace.secrets import KEY, TABLE, Secrets
from mqbridge.bridge.everyplace.security import private_registry
from mqbridge.bridge.everyplace.security.cryptography import derived
from mqbridge.bridge.everyplace.security.security import Security
from mqbridge.bridge.service.errors import WRONG_CONFIGURATION, StartError
from mqbridge.bridge.service.everyplace_security import EveryplaceSecurity
from mqbridge.bridge.store.memory import MemoryStore
from support.gateway_device import gateway_of, operate
from support.processes.running_service import MakeService

PIN = "correct horse"
LISTENER = '[[everyplace.listener]]\nname = "plain"\nadapter = "tcp"\nendpoint = "tcp:0:interface=127.0.0.1"\n'


def pin_file(folder: Path, pin: str = PIN, mode: int = 0o600) -> Path:
    path = folder / "pin"
    path.write_text(pin + "\n", encoding="utf-8")
    path.chmod(mode)
    return path


def security(folder: Path, text: str = 'pin_file = "pin"') -> EveryplaceSecurity:
    settings = parse_configuration(f'[everyplace]\nname = "HUB"\n{text}\n{LISTENER}', folder / "mq.toml").everyplace
    assert settings is not None
    return EveryplaceSecurity(settings)


def hub() -> MemoryStore:
    store = MemoryStore()
    assert store.commit([create(store, "HUB", b"12345678")]) == [None]
    return store


@pytest.fixture
def quick_pin(monkeypatch: pytest.MonkeyPatch) -> None:
    """A PIN costs no time here."""
    monkeypatch.setattr(private_registry, "stretched", lambda pin, salt: derived(pin.encode(), salt))


@pytest.mark.spec("E-225", "E-446")
@pytest.mark.usefixtures("quick_pin")
def test_it_is_made_at_the_first_start_with_a_pin_and_opened_at_others(tmp_path: Path) -> None:
    pin_file(tmp_path)
    store = hub()
    without = security(tmp_path, "")
    assert without.create(store) == []
    assert without.open(store).registry is None
    found = security(tmp_path)
    assert store.commit([found.create(store)]) == [None]
    assert found.create(store) == []
    first, second = found.open(store).registry, security(tmp_path).open(store).registry
    assert first is not None
    assert second is not None
    assert first.keys == second.keys
    assert first.keys.public.name == "HUB"


@pytest.mark.spec("E-225", "E-440")
@pytest.mark.usefixtures("quick_pin")
def test_what_was_kept_before_the_first_pin_is_encrypted_with_it(tmp_path: Path) -> None:
    pin_file(tmp_path)
    store = hub()
    secrets, enrolments = Secrets(store, Security()), Enrolments(store)
    assert store.commit([[secrets.keep("ZEN", KEY, b"k" * 32)], enrolments.enrol("MOON", b"12345", b"m" * 32)]) == [
        None,
        None,
    ]
    found = security(tmp_path)
    assert store.commit([found.create(store)]) == [None]
    for table in (TABLE, DEVICES):
        assert not [value for _, value in store.records(table) if b"k" * 32 in value or b"m" * 32 in value]
    opened = found.open(store)
    assert Secrets(store, opened).value("ZEN", KEY) == b"k" * 32
    again = Enrolments(store, opened)
    assert [again.key_of(each) for each in again] == [b"m" * 32]


@pytest.mark.spec("E-225", "E-228", "E-571")
@pytest.mark.usefixtures("quick_pin")
def test_a_wrong_pin_and_a_file_that_others_read_end_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pin_file(tmp_path)
    store = hub()
    store.commit([security(tmp_path).create(store)])
    pin_file(tmp_path, "wrong horse")
    with pytest.raises(StartError) as caught:
        security(tmp_path).open(store)
    assert caught.value.status == WRONG_CONFIGURATION
    assert "wrong horse" not in str(caught.value)
    assert "not the PIN" in str(caught.value)
    pin_file(tmp_path, mode=0o644)
    with pytest.raises(StartError, match="chmod 600"):
        security(tmp_path)
    (tmp_path / "pin").unlink()
    with pytest.raises(StartError, match="cannot be read"):
        security(tmp_path)
    pin_file(tmp_path, "short")
    with pytest.raises(StartError, match="6 to 1024 characters"):
        security(tmp_path).create(hub())
    pin_file(tmp_path)
    monkeypatch.setattr("mqbridge.bridge.service.everyplace_security.library", lambda: None)
    with pytest.raises(StartError, match="pip install cryptography"):
        security(tmp_path).open(store)


@pytest.mark.spec("E-446", "E-447")
def test_a_gateway_with_a_pin_has_protected_queues(make_service: MakeService, tmp_path: Path) -> None:
    if ciphers.library() is None:
        pytest.skip("cryptography is not installed")
    folder = tmp_path / "earth"
    folder.mkdir()
    pin_file(folder)
    text = f'[everyplace]\nname = "HUB"\npin_file = "{folder / "pin"}"\n{LISTENER}'
    service = gateway_of(make_service, folder, text)
    made = operate(service, "admin", "HUB", "create", "local", "SECRETS", "--cryptor", "aes-gcm")
    assert made.exit_code == 0, made.output
    refused = operate(service, "admin", "HUB", "create", "local", "OLD", "--cryptor", "3des")
    assert refused.exit_code == 1
    assert "aes-gcm" in refused.output
