"""What is needed of a cryptographic library, which is handed in, and what the standard library has of it."""

from __future__ import annotations

import hashlib
import hmac
from typing import Final, NamedTuple, Protocol

from mqbridge.protocol.everyplace.errors import Code, EveryplaceError

KEY: Final = 32
"""Bytes of every key: of AES-256, X25519 and Ed25519."""
NONCE: Final = 12
TAG: Final = 16
SIGNATURE: Final = 64
LIBRARY: Final = "cryptography"
"""The distribution that a device needs for it."""

# OWASP's figures for scrypt with 16 MiB, which a small device has.
_SCRYPT_BLOCK: Final = 8
_SCRYPT_COST: Final = 1 << 14
_SCRYPT_PASSES: Final = 5
_SCRYPT_MEMORY: Final = 64 << 20
SALT: Final = 16


class KeyPair(NamedTuple):
    """``public``: for everybody. ``private``: for nobody else."""

    public: bytes
    private: bytes

    def __repr__(self) -> str:
        return f"KeyPair({self.public.hex()}, …)"


class Cryptography(Protocol):
    """AES-256-GCM, X25519 and Ed25519. Keys have `KEY` bytes, nonces `NONCE`, and no nonce comes twice with a key."""

    def seal(self, key: bytes, nonce: bytes, data: bytes, bound: bytes) -> bytes:
        """Encrypt data, and bind them to something that is not encrypted; `TAG` bytes longer."""
        ...

    def open(self, key: bytes, nonce: bytes, sealed: bytes, bound: bytes) -> bytes | None:
        """Decrypt; None for another key, other data, or bound to something else."""
        ...

    def exchange_pair(self, seed: bytes) -> KeyPair:
        """Return the pair of X25519 that random bytes are."""
        ...

    def agree(self, private: bytes, public: bytes) -> bytes | None:
        """Return the secret that two pairs have in common; None for a public key that is none."""
        ...

    def signing_pair(self, seed: bytes) -> KeyPair:
        """Return the pair of Ed25519 that random bytes are."""
        ...

    def sign(self, private: bytes, data: bytes) -> bytes:
        """Return a signature."""
        ...

    def verify(self, public: bytes, signature: bytes, data: bytes) -> bool:
        """Whether a signature is of this key and these data."""
        ...


def required(library: Cryptography | None, what: str) -> Cryptography:
    """Return the library. Raises `EveryplaceError` NOT_SUPPORTED that names it where it is missing."""
    if library is None:
        raise EveryplaceError(
            Code.NOT_SUPPORTED, f"{what} needs the Python package {LIBRARY}, which is not here: pip install {LIBRARY}"
        )
    return library


def derived(secret: bytes, purpose: bytes) -> bytes:
    """Return a key for one purpose: HKDF of RFC 5869 with SHA-256, without salt."""
    extracted = hmac.digest(bytes(KEY), secret, "sha256")
    return hmac.digest(extracted, purpose + b"\1", "sha256")


def stretched(pin: str, salt: bytes) -> bytes:
    """Return the key that a PIN is: scrypt, a fifth of a second and 16 MiB."""
    return hashlib.scrypt(
        pin.encode(),
        salt=salt,
        n=_SCRYPT_COST,
        r=_SCRYPT_BLOCK,
        p=_SCRYPT_PASSES,
        maxmem=_SCRYPT_MEMORY,
        dklen=KEY,
    )
