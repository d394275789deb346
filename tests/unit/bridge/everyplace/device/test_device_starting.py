"""A device queue manager started from start parameters."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqbridge.bridge.everyplace import ciphers
from mqbridge.bridge.everyplace.device.queue_manager import QueueManager
from mqbridge.bridge.everyplace.device.starting import start
from mqbridge.bridge.everyplace.security import private_registry
from mqbridge.bridge.everyplace.security.cryptography import derived
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.text import read_ini, to_text

PIN = "correct horse"


@pytest.fixture(autouse=True)
def quick_pin(monkeypatch: pytest.MonkeyPatch) -> None:
    """A PIN costs no time here."""
    if ciphers.library() is None:
        pytest.skip("cryptography is not installed")
    monkeypatch.setattr(private_registry, "stretched", lambda pin, salt: derived(pin.encode(), salt))


def parameters(folder: Path, name: str = "MOON", **registry: str) -> Fields:
    found = read_ini(f"[QueueManager]\r\n(ascii)Name={name}\r\n[Registry]\r\n(ascii)DirName={folder}\r\n")
    section = found.get("Registry")
    for key, value in registry.items():
        section[key] = value
    found["Registry"] = section
    return found


def refused(given: Fields) -> Code:
    with pytest.raises(EveryplaceError) as caught:
        start(given, connect=False)
    assert "horse" not in str(caught.value)
    assert "horse" not in to_text(given)
    return caught.value.code


@pytest.mark.spec("E-031", "E-218", "E-225", "E-226", "E-227")
def test_it_is_started_and_the_pin_is_gone(tmp_path: Path) -> None:
    QueueManager.create(tmp_path / "MOON.mqe", "MOON", pin=PIN, connect=False).close()
    given = parameters(tmp_path, LocalRegType="private", PIN=PIN, Separator="+")
    with start(given, connect=False) as moon:
        assert moon.name == "MOON"
        assert moon.protection.public_keys.name == "MOON"
    assert "PIN" not in given.get("Registry")
    with start(parameters(tmp_path), connect=False) as moon, pytest.raises(EveryplaceError):
        _ = moon.protection.public_keys


@pytest.mark.spec("E-226", "E-227", "E-228", "E-571")
def test_what_cannot_be_started(tmp_path: Path) -> None:
    QueueManager.create(tmp_path / "MOON.mqe", "MOON", pin=PIN, connect=False).close()
    QueueManager.create(tmp_path / "MARS.mqe", "VENUS", connect=False).close()
    assert refused(parameters(tmp_path, LocalRegType="private", PIN="wrong horse")) is Code.REGISTRY_WRONG_PIN
    assert refused(parameters(tmp_path, LocalRegType="private")) is Code.SYNTAX
    assert refused(parameters(tmp_path, RegistryAdapter="floppy", PIN=PIN)) is Code.NOT_SUPPORTED
    assert refused(parameters(tmp_path, KeyRingPassword="horse key")) is Code.NOT_SUPPORTED
    assert refused(parameters(tmp_path, "MARS")) is Code.NOT_ALLOWED
    assert refused(parameters(tmp_path, "PLUTO")) is Code.NOT_FOUND
    assert refused(parameters(tmp_path, "NO NAME")) is Code.SYNTAX
    assert refused(Fields()) is Code.NOT_FOUND
