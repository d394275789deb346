"""A private registry and what needs one, for tests of security."""

from __future__ import annotations

import random
from typing import Final

import pytest

from mqbridge.bridge.everyplace import ciphers
from mqbridge.bridge.everyplace.security import private_registry
from mqbridge.bridge.everyplace.security.cryptography import Cryptography
from mqbridge.bridge.everyplace.security.private_registry import PrivateRegistry
from mqbridge.bridge.everyplace.security.security import Security
from mqbridge.bridge.store.interface import Store
from mqbridge.bridge.store.memory import MemoryStore

PIN: Final = "correct horse"
INCARNATION: Final = b"12345678"
MOON: Final = "MOON"


def library() -> Cryptography:
    """The library; the test is skipped where it is not installed."""
    found = ciphers.library()
    if found is None:
        pytest.skip("cryptography is not installed")
    return found


def registry(store: Store | None = None, name: str = MOON, seed: int = 1) -> PrivateRegistry:
    """A private registry, made in a store and opened."""
    store = store or MemoryStore()
    _, row = private_registry.make(store, name, INCARNATION, PIN, library(), random.Random(seed))
    assert store.commit([[row]]) == [None]
    return private_registry.open_registry(store, name, INCARNATION, PIN, library())


def security(store: Store | None = None, seed: int = 1) -> Security:
    """The security of a queue manager with a private registry."""
    return Security(library(), registry(store, seed=seed), random.Random(seed))
