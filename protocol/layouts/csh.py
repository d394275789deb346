"""Records of CSH.

Made by ``make layouts`` from ``protocol/structures/csh.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Csh(Record):
    """CSH, 4 bytes, client-observed.md 1."""

    KEYS: ClassVar[tuple[str, ...]] = ("length", "unknown", "msg_compression")
    __slots__ = KEYS

    NAME: ClassVar[str] = "CSH"
    SIZE: ClassVar[int] = 4

    length: int
    unknown: int
    msg_compression: int

    def __init__(self, *, length: int = 8, unknown: int = 0, msg_compression: int = 0) -> None:
        self.length = length
        self.unknown = unknown
        self.msg_compression = msg_compression

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (length, self.unknown, self.msg_compression) = values
        self.length = int.from_bytes(length, "big")
        return self

    def build(self) -> bytes:
        try:
            return self.LAYOUT.pack(self.length.to_bytes(2, "big"), self.unknown, self.msg_compression)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class CshBig(Csh):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">2sBB")


@mypyc_attr(allow_interpreted_subclasses=True)
class CshLittle(Csh):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<2sBB")
