"""A byte source for capture files: plain or gzip, read in chunks, damage kept as a value.

``gzip.GzipFile`` raises at a cut and loses what it had unpacked by then; this source hands over every byte that was
whole and remembers what went wrong.
"""

from __future__ import annotations

import zlib
from typing import BinaryIO

GZIP_MAGIC = b"\x1f\x8b"

#: Bytes asked of the file at once, and the most that one step of unpacking may give (a gzip bomb costs no memory).
READ_SIZE = 1 << 20

_GZIP_WINDOW = 31  # zlib's notation for "expect a gzip header"


class ByteSource:
    """Bytes of a binary file object, unpacked where they are gzip (several members too).

    :meth:`read` gives the next piece, at most :data:`READ_SIZE` bytes, and ``b""`` at the end. ``fault`` is None, or
    a clause that says why the end came early.
    """

    __slots__ = ("_file", "_head", "_packed", "_unpacker", "fault")

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.fault: str | None = None
        self._head = self._read_file()
        while len(self._head) < len(GZIP_MAGIC) and (more := self._read_file()):
            self._head += more
        self._packed = b""
        self._unpacker = None
        if self._head[:2] == GZIP_MAGIC:
            self._packed, self._head = self._head, b""
            self._unpacker = zlib.decompressobj(_GZIP_WINDOW)

    def read(self) -> bytes:
        """Return the next piece, ``b""`` at the end or where the file cannot be read any further."""
        if self._unpacker is not None:
            return self._unpack()
        piece, self._head = self._head, b""
        return piece or self._read_file()

    def _read_file(self) -> bytes:
        try:
            return self._file.read(READ_SIZE) or b""
        except OSError as error:
            self.fault = f"the file cannot be read: {error.strerror or error}"
            return b""

    def _unpack(self) -> bytes:
        while self.fault is None:
            unpacker = self._unpacker
            assert unpacker is not None
            if unpacker.eof:
                rest = unpacker.unused_data or self._read_file()
                # Tools pad the end with NUL bytes; anything else that is no further member is passed over as gzip does.
                if not rest.startswith(GZIP_MAGIC):
                    return b""
                self._packed, self._unpacker = rest, zlib.decompressobj(_GZIP_WINDOW)
                continue
            if not self._packed:
                self._packed = self._read_file()
                if not self._packed:
                    self.fault = self.fault or "the gzip data ends too early"
                    return unpacker.flush()
            try:
                piece = unpacker.decompress(self._packed, READ_SIZE)
            except zlib.error as error:
                self.fault = f"the gzip data is damaged: {error}"
                return b""
            self._packed = unpacker.unconsumed_tail
            if piece:
                return piece
        return b""
