"""Records of TLS 1.3 that no library would send, encrypted with the secrets of a key log (RFC 8446 5.2, 7.3)."""

from __future__ import annotations

from pathlib import Path

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

ALERT, HANDSHAKE, APPLICATION_DATA = 21, 22, 23
KEY_UPDATE = bytes.fromhex("1800000101")
"""A KeyUpdate that asks for one in return."""


class Forge:
    """Encrypts as one end of a session with TLS_AES_256_GCM_SHA384 that has sent nothing yet.

    ``key_log``: of the session; ``end``: ``CLIENT`` or ``SERVER``.
    """

    def __init__(self, key_log: Path, end: str) -> None:
        lines = [line.split() for line in key_log.read_text().splitlines()]
        self._use(next(bytes.fromhex(secret) for kind, _, secret in lines if kind == f"{end}_TRAFFIC_SECRET_0"))

    def record(self, content: bytes, kind: int = APPLICATION_DATA, padding: int = 0) -> bytes:
        """One record."""
        inner = content + bytes((kind,)) + bytes(padding)
        header = b"\x17\x03\x03" + (len(inner) + 16).to_bytes(2, "big")
        nonce = (int.from_bytes(self._iv, "big") ^ self._number).to_bytes(12, "big")
        self._number += 1
        return header + self._cipher.encrypt(nonce, inner, header)

    def key_update(self) -> bytes:
        """A record with a KeyUpdate that asks for one; what follows is encrypted with the next keys."""
        made = self.record(KEY_UPDATE, HANDSHAKE)
        self._use(_expand(self._secret, b"traffic upd", 48))
        return made

    def _use(self, secret: bytes) -> None:
        self._secret, self._number = secret, 0
        self._cipher = AESGCM(_expand(secret, b"key", 32))
        self._iv = _expand(secret, b"iv", 12)


def _expand(secret: bytes, label: bytes, length: int) -> bytes:
    """HKDF-Expand-Label without context."""
    name = b"tls13 " + label
    info = length.to_bytes(2, "big") + bytes((len(name),)) + name + b"\0"
    return HKDFExpand(hashes.SHA384(), length, info).derive(secret)
