"""Baseline for a durable store: an append-only log with CRC32 and one `fdatasync` a commit.

It keeps its index in memory, never frees space and has no transactions, so it does less than a store must do. The
figure is the ratio of a store's rate to its own.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable
from pathlib import Path
from zlib import crc32

_HEADER = struct.Struct(">IIQ")
_TOMBSTONE = 0xFFFFFFFF


class AppendLog:
    """Messages by position in one growing file."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        self._end = os.fstat(self._file).st_size
        self._index: dict[int, tuple[int, int]] = {}

    def put(self, messages: Iterable[tuple[int, bytes]]) -> None:
        """Appends (position, body) pairs with one write and one sync."""
        pieces: list[bytes] = []
        end = self._end
        header_length = _HEADER.size
        for position, body in messages:
            length = len(body)
            pieces.append(_HEADER.pack(crc32(body), length, position))
            pieces.append(body)
            self._index[position] = (end + header_length, length)
            end += header_length + length
        os.write(self._file, b"".join(pieces))
        os.fdatasync(self._file)
        self._end = end

    def get(self, position: int) -> bytes:
        """Read one body."""
        offset, length = self._index[position]
        return os.pread(self._file, length, offset)

    def delete(self, positions: Iterable[int]) -> None:
        """Appends tombstones with one write and one sync."""
        pieces: list[bytes] = []
        for position in positions:
            del self._index[position]
            pieces.append(_HEADER.pack(0, _TOMBSTONE, position))
        data = b"".join(pieces)
        os.write(self._file, data)
        os.fdatasync(self._file)
        self._end += len(data)

    def close(self) -> None:
        os.close(self._file)
