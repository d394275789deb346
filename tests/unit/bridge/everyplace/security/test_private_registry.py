"""The private registry of Everyplace: secrets under a PIN."""

from __future__ import annotations

import hashlib
import random

import pytest

from mqbridge.bridge.everyplace.security import private_registry
from mqbridge.bridge.everyplace.security.cryptography import derived, stretched
from mqbridge.bridge.everyplace.security.private_registry import TABLE, PrivateRegistry, change_pin, open_registry
from mqbridge.bridge.everyplace.security.program_keys import ProgramKeys, PublicKeys
from mqbridge.bridge.store.interface import PutRecord
from mqbridge.bridge.store.memory import MemoryStore
from mqbridge.protocol.everyplace.dump import dump, restore
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.field_types import FieldType
from support.everyplace_security import INCARNATION, MOON, PIN, library, registry

NEW_PIN = "battery staple"


@pytest.fixture(autouse=True)
def quick_pin(monkeypatch: pytest.MonkeyPatch) -> None:
    """A PIN costs no time here."""
    monkeypatch.setattr(private_registry, "stretched", lambda pin, salt: derived(pin.encode(), salt))


def opened(store: MemoryStore, pin: str = PIN, name: str = MOON, incarnation: bytes = INCARNATION) -> PrivateRegistry:
    return open_registry(store, name, incarnation, pin, library())


def refused(store: MemoryStore, pin: str = PIN, name: str = MOON, incarnation: bytes = INCARNATION) -> Code:
    with pytest.raises(EveryplaceError) as caught:
        opened(store, pin, name, incarnation)
    assert PIN not in str(caught.value)
    return caught.value.code


@pytest.mark.spec("E-225", "E-446")
def test_the_pin_alone_opens_it() -> None:
    store = MemoryStore()
    made = registry(store)
    assert private_registry.exists(store)
    again = opened(store)
    assert again.keys == made.keys
    assert again.key_of("one") == made.key_of("one") != made.key_of("other")
    for pin in ("correct horsf", "", "x", PIN + " ", "x" * 5000):
        assert refused(store, pin) is Code.REGISTRY_WRONG_PIN


@pytest.mark.spec("E-225")
def test_a_row_of_another_queue_manager_is_none_of_ours() -> None:
    store = MemoryStore()
    registry(store)
    assert refused(store, name="MARS") is Code.REGISTRY_WRONG_PIN
    assert refused(store, incarnation=b"87654321") is Code.REGISTRY_WRONG_PIN
    assert refused(MemoryStore()) is Code.NOT_FOUND
    assert not private_registry.exists(MemoryStore())


@pytest.mark.spec("E-225")
def test_no_byte_of_the_row_can_be_changed() -> None:
    store = MemoryStore()
    registry(store)
    row = store.record(TABLE, b"secrets")
    assert row is not None
    for at in {*range(0, len(row), 29), len(row) - 1}:
        changed = bytes([*row[:at], row[at] ^ 1, *row[at + 1 :]])
        store.commit([[PutRecord(TABLE, b"secrets", changed)]])
        assert refused(store) in (Code.REGISTRY_WRONG_PIN, Code.REGISTRY_NEWER)
    for cut in (b"", row[:-1], row[:20]):
        store.commit([[PutRecord(TABLE, b"secrets", cut)]])
        assert refused(store) is Code.REGISTRY_WRONG_PIN


@pytest.mark.spec("E-225")
def test_a_newer_row_and_one_with_null_values_are_refused() -> None:
    store = MemoryStore()
    registry(store)
    row = restore(store.record(TABLE, b"secrets") or b"")
    for name, value, kind, code in (
        ("salt", None, FieldType.UNTYPED, Code.REGISTRY_WRONG_PIN),
        ("nonce", b"short", FieldType.UNTYPED, Code.REGISTRY_WRONG_PIN),
        ("sealed", "text", FieldType.UNICODE, Code.REGISTRY_WRONG_PIN),
        ("version", 2, FieldType.INT, Code.REGISTRY_NEWER),
    ):
        changed = row.copy()
        changed.put(name, value, kind)
        store.commit([[PutRecord(TABLE, b"secrets", dump(changed))]])
        assert refused(store) is code


@pytest.mark.spec("E-225")
def test_the_pin_can_be_changed_and_the_secrets_stay() -> None:
    store = MemoryStore()
    before = registry(store)
    row = change_pin(store, MOON, INCARNATION, (PIN, NEW_PIN), library(), random.Random(2))
    store.commit([[row]])
    assert refused(store) is Code.REGISTRY_WRONG_PIN
    after = opened(store, NEW_PIN)
    assert (after.keys, after.key_of("x")) == (before.keys, before.key_of("x"))
    with pytest.raises(EveryplaceError):
        change_pin(store, MOON, INCARNATION, (PIN, NEW_PIN), library(), random.Random(2))


@pytest.mark.parametrize("pin", ["", "12345", "x" * 1025])
def test_a_pin_has_a_length(pin: str) -> None:
    with pytest.raises(EveryplaceError) as caught:
        private_registry.make(MemoryStore(), MOON, INCARNATION, pin, library(), random.Random(1))
    assert caught.value.code is Code.SYNTAX


@pytest.mark.spec("E-228", "E-571")
def test_no_text_shows_a_secret_and_none_is_on_disk() -> None:
    store = MemoryStore()
    found = registry(store)
    keys = found.keys
    row = store.record(TABLE, b"secrets") or b""
    for secret in (keys.exchange, keys.signing, found.key_of("x"), PIN.encode()):
        assert secret not in row
        for text in (repr(found), repr(keys), str(keys), repr(library().exchange_pair(keys.exchange))):
            assert secret.hex() not in text
            assert repr(secret) not in text


@pytest.mark.spec("E-440")
def test_public_keys_of_others_are_kept_and_written_as_text() -> None:
    store = MemoryStore()
    found = registry(store)
    mars = ProgramKeys.new("MARS", library(), random.Random(9)).public
    assert found.known("MARS") is None
    store.commit([[found.trust(mars)]])
    assert found.known("MARS") == mars
    assert PublicKeys.parse(str(mars)) == mars
    row = store.record(TABLE, b"keys\0MARS") or b""
    other = ProgramKeys.new("MARS", library(), random.Random(10)).public
    store.commit([[PutRecord(TABLE, b"keys\0MARS", str(other).encode() + row[-32:])]])
    with pytest.raises(EveryplaceError) as caught:
        found.known("MARS")
    assert caught.value.code is Code.STORE
    assert len(mars.fingerprint) == 39
    assert mars.fingerprint != found.keys.public.fingerprint
    for text in ("", "MARS", "MARS:00:00", "MARS:zz:00", f"{mars}:00", f"!{mars}"):
        with pytest.raises(EveryplaceError):
            PublicKeys.parse(text)


@pytest.mark.spec("E-225")
def test_the_key_that_a_pin_is() -> None:
    found = stretched("correct horse", bytes(16))
    expected = hashlib.scrypt(b"correct horse", salt=bytes(16), n=16384, r=8, p=5, maxmem=64 << 20, dklen=32)
    assert found == expected
    assert found != stretched("correct horse", bytes(15) + b"1")
