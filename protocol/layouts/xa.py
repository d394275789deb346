"""Records of XA.

Made by ``make layouts`` from ``protocol/structures/xa.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Xa(Record):
    """XA, 16 bytes, mq-wire.md 5.13."""

    KEYS: ClassVar[tuple[str, ...]] = ("length", "return_value", "tm_flags", "rm_id")
    __slots__ = KEYS

    NAME: ClassVar[str] = "XA"
    SIZE: ClassVar[int] = 16

    length: int
    return_value: int
    tm_flags: int
    rm_id: int

    def __init__(self, *, length: int = 0, return_value: int = 0, tm_flags: int = 0, rm_id: int = 0) -> None:
        self.length = length
        self.return_value = return_value
        self.tm_flags = tm_flags
        self.rm_id = rm_id

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (length, self.return_value, self.tm_flags, self.rm_id) = values
        self.length = int.from_bytes(length, "big")
        return self

    def build(self) -> bytes:
        try:
            return self.LAYOUT.pack(self.length.to_bytes(4, "big"), self.return_value, self.tm_flags, self.rm_id)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class XaBig(Xa):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4slLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class XaLittle(Xa):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4slLL")
