"""Records of SPI.

Made by ``make layouts`` from ``protocol/structures/spi.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Spi(Record):
    """SPI, 12 bytes, mq-wire.md 5.12."""

    KEYS: ClassVar[tuple[str, ...]] = ("verb", "version", "max_reply_size")
    __slots__ = KEYS

    NAME: ClassVar[str] = "SPI"
    SIZE: ClassVar[int] = 12

    verb: int
    version: int
    max_reply_size: int

    def __init__(self, *, verb: int = 0, version: int = 1, max_reply_size: int = 0) -> None:
        self.verb = verb
        self.version = version
        self.max_reply_size = max_reply_size

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.verb, self.version, self.max_reply_size) = values
        return self

    def build(self) -> bytes:
        try:
            return self.LAYOUT.pack(self.verb, self.version, self.max_reply_size)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class SpiBig(Spi):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">LLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class SpiLittle(Spi):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<LLL")
