"""Unpacking of zstd block by block (RFC 8878 3.1): a block has at most 128 KiB, so bombs cost no memory.

Blocks are unpacked by the library; the frame around them is parsed here, because the library, given more than a block
at a time, loses at a fault what it has unpacked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"

#: Largest window that a frame may ask for: what ``zstd --ultra --long=27`` makes.
MAX_WINDOW_SIZE: Final = 1 << 27

_SKIPPABLE_MAGICS: Final = range(0x184D2A50, 0x184D2A60)
_MAGIC_LENGTH: Final = 4
_HEADER_MINIMUM: Final = 5  # magic and descriptor tell how long the header is
_BLOCK_HEADER_LENGTH: Final = 3
_CHECKSUM_LENGTH: Final = 4
_RUN_LENGTH_BLOCK: Final = 1
_READ_SIZE: Final = 1 << 16


def begins_zstd(head: bytes) -> bool:
    """Whether a file that begins with these 4 or more bytes is zstd: a frame, or a skippable frame."""
    return head[:4] == ZSTD_MAGIC or (len(head) >= 4 and int.from_bytes(head[:4], "little") in _SKIPPABLE_MAGICS)


class ZstdFrames:
    """Unpacked bytes of one or more zstd frames.

    ``head``: bytes read already. ``read_file``: returns up to that many more, ``b""`` at the end. ``fault``: None, or a
    clause that says why the bytes ended early.
    """

    __slots__ = ("_ended", "_frame", "_last", "_library", "_packed", "_read_file", "_trailer", "fault")

    def __init__(self, head: bytes, read_file: Callable[[int], bytes]) -> None:
        import zstandard

        self._library = zstandard
        self._read_file = read_file
        self._packed = bytearray(head)
        self._frame: Any = None  # the library's unpacker, None between two frames
        self._last = False  # whether the last block of the frame was unpacked
        self._trailer = 0
        self._ended = False
        self.fault: str | None = None

    def read(self) -> bytes:
        """Return the next piece, ``b""`` at the end or at a fault."""
        while not self._ended:
            try:
                piece = self._next_frame() if self._frame is None else self._next_block()
            except self._library.ZstdError as error:
                self._end(f"the zstd data is damaged: {error}")
                return b""
            if piece:
                return piece
        return b""

    def _end(self, fault: str | None) -> bytes:
        self._ended = True
        self.fault = fault
        return b""

    def _have(self, length: int) -> bool:
        while len(self._packed) < length:
            more = self._read_file(_READ_SIZE)
            if not more:
                return False
            self._packed += more
        return True

    def _take(self, length: int) -> bytes:
        taken = bytes(self._packed[:length])
        del self._packed[:length]
        return taken

    def _next_frame(self) -> bytes:
        if not self._have(1):
            return self._end(None)
        if not self._have(_MAGIC_LENGTH):
            return self._end("the zstd data ends too early")
        magic = int.from_bytes(self._packed[:_MAGIC_LENGTH], "little")
        if magic in _SKIPPABLE_MAGICS:
            return self._skip_frame()
        if self._packed[:_MAGIC_LENGTH] != ZSTD_MAGIC:
            return self._end("what follows a zstd frame is none")
        if not self._have(_HEADER_MINIMUM) or not self._have(length := _header_length(self._packed[4])):
            return self._end("the zstd data ends too early")
        head = self._take(length)
        self._trailer = _CHECKSUM_LENGTH if self._library.get_frame_parameters(head).has_checksum else 0
        self._frame = self._library.ZstdDecompressor(max_window_size=MAX_WINDOW_SIZE).decompressobj()
        self._last = False
        return bytes(self._frame.decompress(head))

    def _skip_frame(self) -> bytes:
        if not self._have(8):
            return self._end("the zstd data ends too early")
        left = 8 + int.from_bytes(self._packed[4:8], "little")
        while left and self._have(1):
            left -= len(self._take(min(left, len(self._packed))))
        return self._end("the zstd data ends too early") if left else b""

    def _next_block(self) -> bytes:
        if self._last:
            frame, self._frame = self._frame, None
            if not self._have(self._trailer):
                return self._end("the zstd data ends too early")
            return bytes(frame.decompress(self._take(self._trailer))) if self._trailer else b""
        if not self._have(_BLOCK_HEADER_LENGTH):
            return self._end("the zstd data ends too early")
        header = int.from_bytes(self._packed[:_BLOCK_HEADER_LENGTH], "little")
        size = 1 if header >> 1 & 3 == _RUN_LENGTH_BLOCK else header >> 3
        if not self._have(_BLOCK_HEADER_LENGTH + size):
            return self._end("the zstd data ends too early")
        self._last = bool(header & 1)
        return bytes(self._frame.decompress(self._take(_BLOCK_HEADER_LENGTH + size)))


def _header_length(descriptor: int) -> int:
    """Return the length of a frame header with its magic number (RFC 8878 3.1.1.1)."""
    single = bool(descriptor & 0x20)
    content_size = (1 if single else 0, 2, 4, 8)[descriptor >> 6]
    dictionary_id = (0, 1, 2, 4)[descriptor & 3]
    return _HEADER_MINIMUM + (not single) + dictionary_id + content_size
