"""The data of a message as it passes, piece by piece, without ever holding more than a limit."""

from __future__ import annotations

import hashlib
from typing import Final

from protocol.grammar import Buffer

MAX_KEPT_DATA: Final = 1 << 20
"""Bytes of one message that an observer keeps; of a longer one it keeps the first so many, and the digest of all."""

MAX_UNSETTLED_DATA: Final = 16 << 20
"""Bytes that an observer keeps of all messages together whose fate is not known yet."""


class KeptData:
    """Data of one message. ``length``: bytes so far. ``limit``: how many are kept."""

    __slots__ = ("_hash", "_kept", "_pieces", "length", "limit")

    def __init__(self, limit: int = MAX_KEPT_DATA) -> None:
        self.limit = limit
        self.length = 0
        self._kept = 0
        self._pieces: list[bytes] = []
        self._hash = hashlib.sha256()

    def add(self, data: Buffer) -> None:
        """Take the next bytes."""
        self.length += len(data)
        self._hash.update(data)
        room = self.limit - self._kept
        if room > 0:
            piece = bytes(data[:room])
            self._kept += len(piece)
            self._pieces.append(piece)

    @property
    def cut(self) -> bool:
        """Whether fewer bytes are kept than came."""
        return self._kept < self.length

    def data(self) -> bytes:
        """What was kept, from the beginning on."""
        return b"".join(self._pieces)

    def digest(self) -> bytes:
        """SHA-256 of all that came, where fewer were kept; else empty: the data are there."""
        return self._hash.digest() if self.cut else b""
