"""Byte source of capture files: plain, gzip or zstd, read in pieces, with damage kept as a value.

``gzip.GzipFile`` raises at a cut and loses what it has unpacked; this source returns every complete byte and remembers
what went wrong.
"""

from __future__ import annotations

import zlib
from typing import BinaryIO

from mqbridge.captures.reading.zstd_frames import ZstdFrames, begins_zstd

GZIP_MAGIC = b"\x1f\x8b"

#: Bytes requested of the file at once, and the limit of one step of unpacking (gzip bombs cost no memory). They stay
#: in the processor's cache while they are parsed: a MiB at once is a third slower.
READ_SIZE = 1 << 18

# Packed bytes unpacked in one step; small, because a damaged step is unpacked byte by byte.
_PACKED_SIZE = 1 << 14

_GZIP_WINDOW = 31  # zlib's notation for "expect a gzip header"
_HEAD_LENGTH = 4  # bytes that tell the kind of a file


def is_packed(head: bytes) -> bool:
    """Whether a file that begins with these 4 or more bytes is compressed in a supported way."""
    return head[:2] == GZIP_MAGIC or begins_zstd(head)


class ByteSource:
    """Bytes of a binary file object, unpacked if they are gzip or zstd (also several members or frames).

    ``fault``: None, or a clause that says why the bytes ended early.
    """

    __slots__ = ("_file", "_head", "_packed", "_unpacker", "_zstd", "fault")

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.fault: str | None = None
        self._head = b""
        while len(self._head) < _HEAD_LENGTH and (more := self._read_file(_PACKED_SIZE)):
            self._head += more
        self._packed = b""
        self._unpacker = None
        self._zstd = ZstdFrames(self._head, self._read_file) if begins_zstd(self._head) else None
        if self._head[:2] == GZIP_MAGIC:
            self._packed, self._head = self._head, b""
            self._unpacker = zlib.decompressobj(_GZIP_WINDOW)

    def read(self) -> bytes:
        """Return the next piece, at most :data:`READ_SIZE` bytes; ``b""`` at the end, or where the file cannot be read
        further."""
        if self._zstd is not None:
            piece = self._zstd.read()
            self.fault = self.fault or self._zstd.fault
            return piece
        if self._unpacker is not None:
            return self._unpack()
        piece, self._head = self._head, b""
        return piece or self._read_file(READ_SIZE)

    def _read_file(self, size: int) -> bytes:
        try:
            return self._file.read(size) or b""
        except OSError as error:
            self.fault = f"the file cannot be read: {error.strerror or error}"
            return b""

    def _unpack(self) -> bytes:
        while self.fault is None:
            unpacker = self._unpacker
            assert unpacker is not None
            if unpacker.eof:
                rest = self._packed or self._read_file(_PACKED_SIZE)
                # Tools pad the end with NUL bytes; like gzip, skip what is no further member.
                if not rest.startswith(GZIP_MAGIC):
                    return b""
                self._packed, self._unpacker = rest, zlib.decompressobj(_GZIP_WINDOW)
                continue
            if not self._packed:
                self._packed = self._read_file(_PACKED_SIZE)
                if not self._packed:
                    self.fault = self.fault or "the gzip data ends too early"
                    return unpacker.flush()
            before, packed = unpacker.copy(), self._packed
            try:
                piece = unpacker.decompress(packed, READ_SIZE)
            except zlib.error as error:
                self.fault = f"the gzip data is damaged: {error}"
                return _unpack_to_the_damage(before, packed)
            self._packed = unpacker.unconsumed_tail or unpacker.unused_data
            if piece:
                return piece
        return b""


def _unpack_to_the_damage(unpacker: zlib._Decompress, packed: bytes) -> bytes:
    """Unpack a damaged piece byte by byte up to the fault."""
    pieces = []
    try:
        for position in range(len(packed)):
            pieces.append(unpacker.decompress(packed[position : position + 1]))
    except zlib.error:
        pass
    return b"".join(pieces)
