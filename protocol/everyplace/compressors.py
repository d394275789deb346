"""Compressors of bodies: each alone, or with the history of the connection (E-250, E-447, E-465)."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Final, Protocol

from .errors import Code, EveryplaceError

ZLIB: Final = "zlib"
ZLIB_STREAM: Final = "zlib-stream"


class Compressor(Protocol):
    """Compresses what one end sends, and expands what it receives."""

    def compress(self, body: bytes) -> bytes:
        """Return a body compressed."""
        ...

    def expand(self, body: bytes, most: int) -> bytes:
        """Return what was compressed. Raises `EveryplaceError` DATA, TOO_LONG for more than ``most`` bytes."""
        ...


class Zlib:
    """Each body alone."""

    __slots__ = ()

    def compress(self, body: bytes) -> bytes:
        """Return a body compressed."""
        return zlib.compress(body)

    def expand(self, body: bytes, most: int) -> bytes:
        """Return what was compressed."""
        engine = zlib.decompressobj()
        found = _expand(engine.decompress, body, most)
        if not engine.eof or engine.unused_data:
            raise EveryplaceError(Code.DATA, "a compressed body is cut, or too long")
        return found


class ZlibStream:
    """All bodies of one direction are one stream, so that what was sent before costs little."""

    __slots__ = ("_deflate", "_inflate")

    def __init__(self) -> None:
        self._deflate = zlib.compressobj()
        self._inflate = zlib.decompressobj()

    def compress(self, body: bytes) -> bytes:
        """Return a body compressed."""
        return self._deflate.compress(body) + self._deflate.flush(zlib.Z_SYNC_FLUSH)

    def expand(self, body: bytes, most: int) -> bytes:
        """Return what was compressed."""
        found = _expand(self._inflate.decompress, body, most)
        if self._inflate.eof:
            raise EveryplaceError(Code.DATA, "the stream of compressed bodies has ended")
        return found


COMPRESSORS: Final[dict[str, Callable[[], Compressor]]] = {ZLIB_STREAM: ZlibStream, ZLIB: Zlib}
"""By name, best first."""


def _expand(decompress: Callable[[bytes, int], bytes], body: bytes, most: int) -> bytes:
    """Expand a body up to a limit, without making more than it in memory."""
    try:
        found = decompress(body, most + 1)
    except zlib.error:
        raise EveryplaceError(Code.DATA, "a body is not compressed as was agreed") from None
    if len(found) > most:
        raise EveryplaceError(Code.TOO_LONG, f"a compressed body has more than {most} bytes")
    return found
