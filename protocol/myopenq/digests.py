"""Digests of packets, and time stamps that never let two of them be equal (M-016 to M-018, M-091, M-093)."""

from __future__ import annotations

import hashlib
import hmac
from typing import Final

from .codes import Code, MoqError

DIGEST_SIZE: Final = 32
"""Hexadecimal digits of a digest."""
MOST_CONTENTS: Final = 10_000
"""Contents of which `Stamps` knows the last stamp."""


def digest(signed: bytes, secret: bytes = b"") -> str:
    """Return the digest of the bytes behind the digest field: MD5, or with a secret HMAC-SHA-256 cut to 32 digits."""
    if secret:
        return hmac.new(secret, signed, hashlib.sha256).hexdigest()[:DIGEST_SIZE]
    return hashlib.md5(signed, usedforsecurity=False).hexdigest()


def verify(given: str, signed: bytes, secret: bytes = b"") -> None:
    """Compare the digest of a packet, in whichever case (M-018); without a secret an empty one is right (M-052).

    Raises `MoqError` 2002 for one that does not match, 4002 where a secret is demanded and this is not its digest.
    """
    if not given and not secret:
        return
    if not hmac.compare_digest(given.lower().encode("latin-1"), digest(signed, secret).encode()):
        raise MoqError(Code.NOT_AUTHENTICATED if secret else Code.WRONG_DIGEST)


class Stamps:
    """Time stamps for one sender: seconds of its clock, raised where equal contents would get the same one (M-091).

    ``highest``: the highest that was given; what comes after a restart is above it.
    """

    __slots__ = ("_floor", "_last", "highest")

    def __init__(self, highest: int = -1) -> None:
        self.highest = highest
        self._floor = highest + 1
        self._last: dict[bytes, int] = {}

    def stamp(self, content: bytes, now: int) -> int:
        """Return the stamp for a packet with this content, which never had the same; ``now`` in seconds."""
        key = hashlib.sha256(content).digest()
        stamp = max(now, self._floor, self._last.get(key, -1) + 1)
        if len(self._last) >= MOST_CONTENTS:
            self._last.clear()
            self._floor = self.highest + 1
            stamp = max(stamp, self._floor)
        self._last[key] = stamp
        self.highest = max(self.highest, stamp)
        return stamp
