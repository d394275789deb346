"""The data of a message as it passes, piece by piece, without ever holding more than a limit."""

from __future__ import annotations

import hashlib
from typing import Any, Final

from mqbridge.protocol.chain import walk_descriptor
from mqbridge.protocol.grammar import Buffer
from mqbridge.protocol.numbers import ByteOrder
from mqbridge.protocol.structures import MD1

MAX_KEPT_DATA: Final = 1 << 20
"""Bytes of one message that an observer keeps; of a longer one it keeps the first so many, and the digest of all."""

MAX_UNSETTLED_DATA: Final = 16 << 20
"""Bytes that an observer keeps of all messages together whose fate is not known yet."""

Source = tuple[bytes, ByteOrder, int]
"""A descriptor as it stood, the byte order of its integers, the CCSID of its text."""


class KeptData:
    """Data of one message. ``length``: bytes so far. ``limit``: how many are kept. ``source``: the descriptor in front,
    None where what it says of headers shall not matter."""

    __slots__ = ("_hash", "_kept", "_source", "length", "limit")

    def __init__(self, limit: int = MAX_KEPT_DATA, source: Source | None = None) -> None:
        self.limit = limit
        self.length = 0
        self._source = source
        self._kept = bytearray()  # a list of short pieces would take many times their length
        self._hash: Any = None  # runs when there is more than is kept

    def add(self, data: Buffer) -> None:
        """Take the next bytes."""
        length = len(data)
        if self.length == len(self._kept):
            room = self.limit - self.length
            self._kept += data[:room]
            if length > room:
                self._begin_hash()
                data = data[room:]
        if self._hash is not None:
            self._hash.update(data)
        self.length += length

    @property
    def cut(self) -> bool:
        """Whether fewer bytes are kept than came."""
        return len(self._kept) < self.length

    def data(self) -> bytes:
        """What was kept, from the beginning on."""
        return bytes(self._kept)

    def digest(self) -> bytes:
        """SHA-256 of all that came behind the headers, where fewer bytes were kept than came; else empty: the data are
        there. Empty too where the headers go on behind what was kept, or are malformed."""
        return self._hash.digest() if self._hash is not None else b""

    def _begin_hash(self) -> None:
        kept = self.data()
        body = headers_end(self._source, kept)
        if body is not None:
            self._hash = hashlib.sha256(kept[body:])


def headers_end(source: Source | None, data: Buffer) -> int | None:
    """Where in the data behind a descriptor the body begins; None where the headers do not say."""
    if source is None or len(source[0]) < MD1.size:
        return 0
    descriptor, order, ccsid = source
    chain = walk_descriptor(MD1.codec(order).parse(descriptor), data, default_ccsid=ccsid)
    return chain.body_offset if chain.stopped is None else None
