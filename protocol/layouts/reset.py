"""Records of RESET.

Made by ``make layouts`` from ``protocol/structures/reset.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Reset(Record):
    """RESET, 8 bytes, mq-wire.md 5.14."""

    KEYS: ClassVar[tuple[str, ...]] = ("length", "sequence_number")
    __slots__ = KEYS

    NAME: ClassVar[str] = "RESET"
    SIZE: ClassVar[int] = 8

    length: int
    sequence_number: int

    def __init__(self, *, length: int = 8, sequence_number: int = 0) -> None:
        self.length = length
        self.sequence_number = sequence_number

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.length, self.sequence_number) = values
        return self

    def build(self) -> bytes:
        try:
            return self.LAYOUT.pack(self.length, self.sequence_number)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class ResetBig(Reset):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">LL")


@mypyc_attr(allow_interpreted_subclasses=True)
class ResetLittle(Reset):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<LL")
