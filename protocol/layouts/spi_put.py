"""Records of SPPI.

Made by ``make layouts`` from ``protocol/structures/spi_put.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Sppi(Record):
    """SPPI, 32 bytes, client-observed.md 6.2."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "struc_id",
        "version",
        "length",
        "options",
        "data_length",
        "unknown1",
        "unknown2",
        "delivery_delay",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "SPPI"
    SIZE: ClassVar[int] = 32

    struc_id: bytes
    version: int
    length: int
    options: int
    data_length: int
    unknown1: int
    unknown2: int
    delivery_delay: int

    def __init__(
        self,
        *,
        struc_id: bytes = b"SPPI",
        version: int = 3,
        length: int = 32,
        options: int = 0,
        data_length: int = 0,
        unknown1: int = 0,
        unknown2: int = 0,
        delivery_delay: int = 0,
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.length = length
        self.options = options
        self.data_length = data_length
        self.unknown1 = unknown1
        self.unknown2 = unknown2
        self.delivery_delay = delivery_delay

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (
            self.struc_id,
            self.version,
            self.length,
            self.options,
            self.data_length,
            self.unknown1,
            self.unknown2,
            self.delivery_delay,
        ) = values
        return self

    def build(self) -> bytes:
        try:
            if len(self.struc_id) == 4:
                return self.LAYOUT.pack(
                    self.struc_id,
                    self.version,
                    self.length,
                    self.options,
                    self.data_length,
                    self.unknown1,
                    self.unknown2,
                    self.delivery_delay,
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class SppiBig(Sppi):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLLLLLLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class SppiLittle(Sppi):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLLLLLLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class ShortSppi(Record):
    """SPPI, 20 bytes, client-observed.md 6.2."""

    KEYS: ClassVar[tuple[str, ...]] = ("struc_id", "version", "length", "options", "data_length")
    __slots__ = KEYS

    NAME: ClassVar[str] = "SPPI"
    SIZE: ClassVar[int] = 20

    struc_id: bytes
    version: int
    length: int
    options: int
    data_length: int

    def __init__(
        self, *, struc_id: bytes = b"SPPI", version: int = 3, length: int = 32, options: int = 0, data_length: int = 0
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.length = length
        self.options = options
        self.data_length = data_length

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.struc_id, self.version, self.length, self.options, self.data_length) = values
        return self

    def build(self) -> bytes:
        try:
            if len(self.struc_id) == 4:
                return self.LAYOUT.pack(self.struc_id, self.version, self.length, self.options, self.data_length)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class ShortSppiBig(ShortSppi):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLLLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class ShortSppiLittle(ShortSppi):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLLLL")
