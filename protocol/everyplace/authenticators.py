"""How the two ends of a connection prove who they are, as values (mqe.md 19, E-249, E-250, E-441)."""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from .errors import Code, EveryplaceError

NONE: Final = "none"
CERTIFICATE: Final = "certificate"
KEY: Final = "key"
NONCE: Final = 32
"""Bytes of a nonce."""


@dataclass(frozen=True, slots=True)
class NoProof:
    """The name is believed. For the loopback interface alone; who listens elsewhere refuses it."""

    name: str = field(default=NONE, init=False)


@dataclass(frozen=True, slots=True)
class ByCertificate:
    """TLS has checked a certificate. ``certified``: the queue manager that it names; empty: none came."""

    certified: str
    name: str = field(default=CERTIFICATE, init=False)

    def check(self, name: str) -> None:
        """Check that an end is who its certificate says. Raises `EveryplaceError` AUTHENTICATE."""
        if self.certified != name:
            found = f"for {self.certified}" if self.certified else "missing"
            raise EveryplaceError(Code.AUTHENTICATE, f"{name} is not proved: its certificate is {found}")


@dataclass(frozen=True, slots=True)
class ByKey:
    """Both ends have a key. ``binding``: what names the line below, the same at both ends, such as the fingerprint of
    the certificate of the end that is called; a proof is worth nothing on another line."""

    key: bytes = field(repr=False)
    binding: bytes = b""
    name: str = field(default=KEY, init=False)

    def proof(self, role: bytes, *said: bytes) -> bytes:
        """Return the proof of one end. ``said``: bodies of the frames that both ends have seen."""
        text = b"".join(len(each).to_bytes(4, "big") + each for each in (role, self.binding, *said))
        return hmac.digest(self.key, text, "sha256")

    def check(self, proof: bytes, role: bytes, *said: bytes) -> None:
        """Check a proof in constant time. Raises `EveryplaceError` AUTHENTICATE."""
        if not hmac.compare_digest(proof, self.proof(role, *said)):
            raise EveryplaceError(Code.AUTHENTICATE, "the other end does not have the key")


Authenticator: TypeAlias = NoProof | ByCertificate | ByKey
CALLER, ANSWERER = b"caller", b"called"
"""Roles in a proof, so that none can be sent back."""
