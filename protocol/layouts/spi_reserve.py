"""Records of SPRI, SPRO.

Made by ``make layouts`` from ``protocol/structures/spi_reserve.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Spri(Record):
    """SPRI, 20 bytes, client-observed.md 4."""

    KEYS: ClassVar[tuple[str, ...]] = ("struc_id", "version", "length", "tag_length", "count")
    __slots__ = KEYS

    NAME: ClassVar[str] = "SPRI"
    SIZE: ClassVar[int] = 20

    struc_id: bytes
    version: int
    length: int
    tag_length: int
    count: int

    def __init__(
        self, *, struc_id: bytes = b"SPRI", version: int = 1, length: int = 20, tag_length: int = 24, count: int = 0
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.length = length
        self.tag_length = tag_length
        self.count = count

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.struc_id, self.version, self.length, self.tag_length, self.count) = values
        return self

    def build(self) -> bytes:
        try:
            if len(self.struc_id) == 4:
                return self.LAYOUT.pack(self.struc_id, self.version, self.length, self.tag_length, self.count)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class SpriBig(Spri):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLLLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class SpriLittle(Spri):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLLLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class Spro(Record):
    """SPRO, 44 bytes, client-observed.md 4."""

    KEYS: ClassVar[tuple[str, ...]] = ("struc_id", "version", "length", "count", "increment_position", "first_id")
    __slots__ = KEYS

    NAME: ClassVar[str] = "SPRO"
    SIZE: ClassVar[int] = 44

    struc_id: bytes
    version: int
    length: int
    count: int
    increment_position: int
    first_id: bytes

    def __init__(
        self,
        *,
        struc_id: bytes = b"SPRO",
        version: int = 1,
        length: int = 44,
        count: int = 0,
        increment_position: int = 0,
        first_id: bytes = b"\0" * 24,
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.length = length
        self.count = count
        self.increment_position = increment_position
        self.first_id = first_id

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.struc_id, self.version, self.length, self.count, self.increment_position, self.first_id) = values
        return self

    def build(self) -> bytes:
        try:
            if len(self.struc_id) == 4 and len(self.first_id) == 24:
                return self.LAYOUT.pack(
                    self.struc_id, self.version, self.length, self.count, self.increment_position, self.first_id
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class SproBig(Spro):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLLLL24s")


@mypyc_attr(allow_interpreted_subclasses=True)
class SproLittle(Spro):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLLLL24s")
