"""Fields of TLS messages: numbers and vectors with their lengths in front (RFC 8446 3)."""

from __future__ import annotations

from collections.abc import Callable


class TlsFields:
    """Takes fields off the front of bytes. ``missing`` makes the error to raise if they end too early; without it
    missing fields are 0 or empty."""

    __slots__ = ("_data", "_missing", "_position")

    def __init__(self, data: bytes, missing: Callable[[], Exception] | None = None) -> None:
        self._data = data
        self._missing = missing
        self._position = 0

    def __bool__(self) -> bool:
        return self._position < len(self._data)

    def take(self, length: int) -> bytes:
        """Take bytes."""
        end = self._position + length
        if end > len(self._data) and self._missing is not None:
            raise self._missing()
        taken = self._data[self._position : end]
        self._position = end
        return taken

    def number(self, size: int) -> int:
        """Take a big-endian number of ``size`` bytes."""
        return int.from_bytes(self.take(size), "big")

    def vector(self, size: int) -> bytes:
        """Take bytes behind their length, a number of ``size`` bytes."""
        return self.take(self.number(size))
