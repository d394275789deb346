"""The private registry: secrets of a queue manager under a PIN (E-225, E-446).

Its row holds the salt of scrypt, a nonce, and the secrets, encrypted with the key that the PIN is and bound to name and
incarnation of the queue manager. Without a library there is none, so no queue can be protected.
"""

from __future__ import annotations

import hmac
import random
from collections.abc import Callable
from typing import Final, TypeVar

from mqbridge.bridge.everyplace.registry import PRIVATE_TABLE as TABLE
from mqbridge.bridge.store.interface import PutRecord, Store
from mqbridge.protocol.everyplace.dump import dump, restore
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.fields import Fields

from .cryptography import KEY, NONCE, SALT, Cryptography, derived, stretched
from .program_keys import ProgramKeys, PublicKeys

Value = TypeVar("Value")
VERSION: Final = 1
SHORTEST_PIN: Final = 6
LONGEST_PIN: Final = 1024
_SECRETS: Final = b"secrets"
_KEYS: Final = b"keys\0"
_BYTES: Final = FieldType.UNTYPED
_PROOF: Final = 32


class PrivateRegistry:
    """The secrets, taken out. ``keys``: of programs. Its text shows none of them."""

    __slots__ = ("_master", "_store", "keys")

    def __init__(self, store: Store, master: bytes, keys: ProgramKeys) -> None:
        self._store = store
        self._master = master
        self.keys = keys

    def key_of(self, purpose: str) -> bytes:
        """Return the key for one purpose, such as the messages of a queue."""
        return derived(self._master, purpose.encode("ascii"))

    def known(self, name: str) -> PublicKeys | None:
        """Return the public keys of another queue manager. Raises `EveryplaceError` STORE if they were changed."""
        data = self._store.record(TABLE, _KEYS + name.encode("ascii"))
        if data is None:
            return None
        text, proof = data[:-_PROOF], data[-_PROOF:]
        if not hmac.compare_digest(proof, self._proof(text)):
            raise EveryplaceError(Code.STORE, f"the keys of {name} were changed on disk; trust them anew")
        return PublicKeys.parse(text.decode("ascii"))

    def trust(self, keys: PublicKeys) -> PutRecord:
        """Write the public keys of another queue manager, in place of older ones."""
        text = str(keys).encode("ascii")
        return PutRecord(TABLE, _KEYS + keys.name.encode("ascii"), text + self._proof(text))

    def _proof(self, text: bytes) -> bytes:
        return hmac.digest(self.key_of("known"), text, "sha256")

    def __repr__(self) -> str:
        return f"<PrivateRegistry of {self.keys.public.name}>"


def exists(store: Store) -> bool:
    """Whether a queue manager has a private registry."""
    return store.record(TABLE, _SECRETS) is not None


def make(
    store: Store, name: str, incarnation: bytes, pin: str, library: Cryptography, source: random.Random
) -> tuple[PrivateRegistry, PutRecord]:
    """Make a private registry, and the row of its secrets. ``source``: a random one that nobody can guess.

    Raises `EveryplaceError` SYNTAX for a PIN that is too short or too long.
    """
    secrets = _new(name, library, source)
    return _registry(store, secrets), _row(name, incarnation, secrets, pin, library, source)


def open_registry(store: Store, name: str, incarnation: bytes, pin: str, library: Cryptography) -> PrivateRegistry:
    """Take the secrets out. Raises `EveryplaceError` NOT_FOUND, REGISTRY_WRONG_PIN, REGISTRY_NEWER."""
    return _registry(store, _secrets(store, name, incarnation, pin, library))


def change_pin(
    store: Store,
    name: str,
    incarnation: bytes,
    pins: tuple[str, str],
    library: Cryptography,
    source: random.Random,
) -> PutRecord:
    """Return the row of the same secrets under another PIN. ``pins``: the old one and the new one.

    Raises `EveryplaceError` as `open_registry` and `make`.
    """
    return _row(name, incarnation, _secrets(store, name, incarnation, pins[0], library), pins[1], library, source)


def _new(name: str, library: Cryptography, source: random.Random) -> Fields:
    secrets = Fields()
    secrets.put("master", source.randbytes(KEY), _BYTES)
    secrets.put("keys", ProgramKeys.new(name, library, source).fields(), FieldType.FIELDS)
    return secrets


def _registry(store: Store, secrets: Fields) -> PrivateRegistry:
    keys = ProgramKeys.read(secrets.get("keys", FieldType.FIELDS))
    return PrivateRegistry(store, secrets.get("master", _BYTES), keys)


def _secrets(store: Store, name: str, incarnation: bytes, pin: str, library: Cryptography) -> Fields:
    data = store.record(TABLE, _SECRETS)
    if data is None:
        raise EveryplaceError(Code.NOT_FOUND, f"{name} has no private registry")
    row = _read(name, lambda: restore(data))
    version = _read(name, lambda: row.get("version", FieldType.INT))
    if version != VERSION:
        raise EveryplaceError(
            Code.REGISTRY_NEWER, f"the private registry has version {version}; this program knows {VERSION}"
        )
    salt, nonce, sealed = _read(name, lambda: [row.get(part, _BYTES) or b"" for part in ("salt", "nonce", "sealed")])
    opened = None
    if SHORTEST_PIN <= len(pin) <= LONGEST_PIN and len(salt) == SALT and len(nonce) == NONCE:
        opened = library.open(stretched(pin, salt), nonce, sealed, _bound(name, incarnation))
    if opened is None:
        raise EveryplaceError(
            Code.REGISTRY_WRONG_PIN, f"this is not the PIN of {name}, or its private registry was changed"
        )
    return _read(name, lambda: restore(opened))


def _row(
    name: str, incarnation: bytes, secrets: Fields, pin: str, library: Cryptography, source: random.Random
) -> PutRecord:
    if not SHORTEST_PIN <= len(pin) <= LONGEST_PIN:
        raise EveryplaceError(Code.SYNTAX, f"a PIN has {SHORTEST_PIN} to {LONGEST_PIN} characters")
    salt, nonce = source.randbytes(SALT), source.randbytes(NONCE)
    sealed = library.seal(stretched(pin, salt), nonce, dump(secrets), _bound(name, incarnation))
    row = Fields()
    row.put("version", VERSION, FieldType.INT)
    for field, value in (("salt", salt), ("nonce", nonce), ("sealed", sealed)):
        row.put(field, value, _BYTES)
    return PutRecord(TABLE, _SECRETS, dump(row))


def _bound(name: str, incarnation: bytes) -> bytes:
    return b"mqbridge private registry\0" + name.encode("ascii") + b"\0" + incarnation


def _read(name: str, read: Callable[[], Value]) -> Value:
    """Return what a row says. Raises `EveryplaceError` REGISTRY_WRONG_PIN for one that was changed."""
    try:
        return read()
    except EveryplaceError:
        raise EveryplaceError(Code.REGISTRY_WRONG_PIN, f"the private registry of {name} was changed on disk") from None
