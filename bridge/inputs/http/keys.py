"""Idempotency keys of messages that were taken: which, when, and a digest of the body."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from enum import Enum
from hashlib import sha256
from typing import Final

LONGEST_KEY: Final = 255
"""Characters of a key."""
MAX_KEYS: Final = 100_000
"""Keys that are known; of more the oldest is forgotten."""
_MARK: Final = struct.Struct(">d16s")
"""Mark of an identity: seconds since the epoch, and the digest."""
_DIGEST: Final = 16
_ANY: Final = b""
"""Digest of a record without a mark, which another kind of input has left."""


class Known(Enum):
    """What is known of a key."""

    NEW = "new"
    SAME = "same"
    """It came with this body."""
    OTHER = "other"
    """It came with another body."""


def identity_of(user: str, key: str) -> bytes:
    """Return the identity of a message, by its sender and key."""
    return sha256(f"{user}\0{key}".encode()).digest()


class TakenKeys:
    """The keys of one input, oldest first. ``marks``: by identity, as the route has kept them."""

    def __init__(self, marks: Mapping[bytes, bytes], now: float) -> None:
        found = [(identity, *_read(mark, now)) for identity, mark in marks.items()]
        found.sort(key=lambda each: each[1])
        self._taken = {identity: (time, digest) for identity, time, digest in found}

    def known(self, identity: bytes, body: bytes) -> Known:
        """Return what is known of a key that comes with a body."""
        taken = self._taken.get(identity)
        if taken is None:
            return Known.NEW
        return Known.SAME if taken[1] in (_ANY, _digest(body)) else Known.OTHER

    @staticmethod
    def mark(body: bytes, now: float) -> bytes:
        """Return the mark to keep with the identity of a message."""
        return _MARK.pack(now, _digest(body))

    def add(self, identity: bytes, mark: bytes, now: float) -> None:
        """Know a message that was taken."""
        self._taken[identity] = _read(mark, now)

    def forget(self, before: float) -> list[bytes]:
        """Forget what was taken before a time, and the oldest of too many. Returns their identities."""
        gone = []
        for identity, (time, _) in self._taken.items():
            if time >= before and len(self._taken) - len(gone) <= MAX_KEYS:
                break
            gone.append(identity)
        for identity in gone:
            del self._taken[identity]
        return gone


def _digest(body: bytes) -> bytes:
    return sha256(body).digest()[:_DIGEST]


def _read(mark: bytes, now: float) -> tuple[float, bytes]:
    """Return time and digest of a mark; a time in the future, before the clock was set back, is now."""
    if len(mark) != _MARK.size:
        return now, _ANY
    time, digest = _MARK.unpack(mark)
    return min(time, now), digest
