"""Bounded retention of a message's data while it is observed piece by piece."""

from __future__ import annotations

import hashlib
from typing import Any, Final

from mqbridge.protocol.chain import walk_descriptor
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer
from mqbridge.protocol.structures import MD1

MAX_KEPT_DATA: Final = 1 << 20
"""Bytes of one message that an observer keeps; of a longer one it keeps that many, and a digest of all."""

MAX_UNSETTLED_DATA: Final = 16 << 20
"""Total bytes that an observer keeps of all messages with a pending outcome."""

Source = tuple[bytes, ByteOrder, int]
"""A raw descriptor, the byte order of its integers, the CCSID of its text."""


class KeptData:
    """Data of one message. ``length``: bytes so far. ``limit``: maximum kept. ``source``: the descriptor in front, None
    to ignore headers."""

    __slots__ = ("_hash", "_kept", "_source", "length", "limit")

    def __init__(self, limit: int = MAX_KEPT_DATA, source: Source | None = None) -> None:
        self.limit = limit
        self.length = 0
        self._source = source
        self._kept = bytearray()  # a list of short pieces would need many times their length in memory
        self._hash: Any = None  # of all data, once they exceed what is kept

    def add(self, data: Buffer) -> None:
        """Add the next bytes."""
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
        """Whether fewer bytes are kept than were received."""
        return len(self._kept) < self.length

    def data(self) -> bytes:
        """The bytes that are kept, from the beginning."""
        return bytes(self._kept)

    def digest(self) -> bytes:
        """Return the SHA-256 of everything behind the headers if not all bytes are kept; else empty. Empty too if the
        headers extend beyond the kept bytes, or are malformed."""
        return self._hash.digest() if self._hash is not None else b""

    def _begin_hash(self) -> None:
        kept = self.data()
        body = headers_end(self._source, kept)
        if body is not None:
            self._hash = hashlib.sha256(kept[body:])


def headers_end(source: Source | None, data: Buffer) -> int | None:
    """Return the offset of the body in data behind a descriptor; None if the headers do not determine it."""
    if source is None or len(source[0]) < MD1.size:
        return 0
    descriptor, order, ccsid = source
    chain = walk_descriptor(MD1.codec(order).parse(descriptor), data, default_ccsid=ccsid)
    return chain.body_offset if chain.stopped is None else None
