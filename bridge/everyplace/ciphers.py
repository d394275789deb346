"""AES-GCM, X25519 and Ed25519 of the package ``cryptography``, where it is installed; a device does without."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mqbridge.bridge.everyplace.security.cryptography import Cryptography, KeyPair

if TYPE_CHECKING:
    from typing import Any


def library() -> Cryptography | None:
    """Return the library; None where it is not installed."""
    try:
        return Ciphers()
    except ImportError:
        return None


class Ciphers:
    """The package as `Cryptography`. Raises ``ImportError`` where it is missing."""

    __slots__ = ("_aes", "_ed25519", "_invalid", "_x25519")

    def __init__(self) -> None:
        # Imported when it is needed: a device without protected queues starts in a third of the time.
        from cryptography.exceptions import InvalidSignature, InvalidTag
        from cryptography.hazmat.primitives.asymmetric import ed25519, x25519
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        self._aes: type[Any] = AESGCM
        self._x25519: Any = x25519
        self._ed25519: Any = ed25519
        self._invalid = (InvalidTag, InvalidSignature, ValueError)

    def seal(self, key: bytes, nonce: bytes, data: bytes, bound: bytes) -> bytes:
        """See `Cryptography`."""
        found: bytes = self._aes(key).encrypt(nonce, data, bound)
        return found

    def open(self, key: bytes, nonce: bytes, sealed: bytes, bound: bytes) -> bytes | None:
        """See `Cryptography`."""
        try:
            found: bytes = self._aes(key).decrypt(nonce, sealed, bound)
        except self._invalid:
            return None
        return found

    def exchange_pair(self, seed: bytes) -> KeyPair:
        """See `Cryptography`."""
        private = self._x25519.X25519PrivateKey.from_private_bytes(seed)
        return KeyPair(private.public_key().public_bytes_raw(), seed)

    def agree(self, private: bytes, public: bytes) -> bytes | None:
        """See `Cryptography`."""
        try:
            other = self._x25519.X25519PublicKey.from_public_bytes(public)
            found: bytes = self._x25519.X25519PrivateKey.from_private_bytes(private).exchange(other)
        except self._invalid:
            return None
        return found

    def signing_pair(self, seed: bytes) -> KeyPair:
        """See `Cryptography`."""
        private = self._ed25519.Ed25519PrivateKey.from_private_bytes(seed)
        return KeyPair(private.public_key().public_bytes_raw(), seed)

    def sign(self, private: bytes, data: bytes) -> bytes:
        """See `Cryptography`."""
        found: bytes = self._ed25519.Ed25519PrivateKey.from_private_bytes(private).sign(data)
        return found

    def verify(self, public: bytes, signature: bytes, data: bytes) -> bool:
        """See `Cryptography`."""
        try:
            self._ed25519.Ed25519PublicKey.from_public_bytes(public).verify(signature, data)
        except self._invalid:
            return False
        return True
