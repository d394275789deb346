"""Records of INQ.

Made by ``make layouts`` from ``protocol/structures/inq.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class InqHead(Record):
    """INQ, 12 bytes, mq-wire.md 5.10."""

    KEYS: ClassVar[tuple[str, ...]] = ("selector_count", "int_attr_count", "char_attr_length")
    __slots__ = KEYS

    NAME: ClassVar[str] = "INQ"
    SIZE: ClassVar[int] = 12

    selector_count: int
    int_attr_count: int
    char_attr_length: int

    def __init__(self, *, selector_count: int = 0, int_attr_count: int = 0, char_attr_length: int = 0) -> None:
        self.selector_count = selector_count
        self.int_attr_count = int_attr_count
        self.char_attr_length = char_attr_length

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.selector_count, self.int_attr_count, self.char_attr_length) = values
        return self

    def build(self) -> bytes:
        try:
            return self.LAYOUT.pack(self.selector_count, self.int_attr_count, self.char_attr_length)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class InqHeadBig(InqHead):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">LLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class InqHeadLittle(InqHead):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<LLL")
