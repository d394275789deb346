"""Reads the bodies of frames from front to back, and writes their texts."""

from __future__ import annotations

import struct

from .errors import DumpError
from .numbers import number as encoded
from .numbers import read_number


class BodyReader:
    """Where reading stands in a body. Everything raises `DumpError` where the body is cut or wrong."""

    __slots__ = ("at", "data")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def end(self) -> None:
        """Nothing may follow."""
        if self.at != len(self.data):
            raise DumpError(self.at, f"{len(self.data) - self.at} bytes too many")

    def count(self) -> int:
        """A length or count."""
        found = self.optional_count()
        if found is None:
            raise DumpError(self.at, "a length is null")
        return found

    def optional_count(self) -> int | None:
        """A length or count; None for null."""
        found, self.at = read_number(self.data, self.at, len(self.data))
        return found

    def fixed(self, length: int) -> bytes:
        """So many bytes."""
        end = self.at + length
        if end > len(self.data):
            raise DumpError(self.at, "it is cut")
        found = self.data[self.at : end]
        self.at = end
        return found

    def bytes(self) -> bytes:
        """A length and bytes."""
        return self.fixed(self.count())

    def text(self) -> str:
        """A length and UTF-8."""
        try:
            return self.bytes().decode()
        except UnicodeDecodeError:
            raise DumpError(self.at, "a text is not UTF-8") from None

    def unpack(self, layout: struct.Struct) -> int:
        """A number of fixed length."""
        end = self.at + layout.size
        if end > len(self.data):
            raise DumpError(self.at, "it is cut")
        found: int = layout.unpack_from(self.data, self.at)[0]
        self.at = end
        return found


def text_bytes(text: str) -> bytes:
    """Return the length and the UTF-8 of a text."""
    data = text.encode()
    return encoded(len(data)) + data
