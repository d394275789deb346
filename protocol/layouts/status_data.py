"""Records of STATUS.

Made by ``make layouts`` from ``protocol/structures/status_data.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Status(Record):
    """STATUS, 12 bytes, mq-wire.md 5.14."""

    KEYS: ClassVar[tuple[str, ...]] = ("length", "code", "value")
    __slots__ = KEYS

    NAME: ClassVar[str] = "STATUS"
    SIZE: ClassVar[int] = 12

    length: int
    code: int
    value: int

    def __init__(self, *, length: int = 8, code: int = 0, value: int = 0) -> None:
        self.length = length
        self.code = code
        self.value = value

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.length, self.code, self.value) = values
        return self

    def build(self) -> bytes:
        try:
            return self.LAYOUT.pack(self.length, self.code, self.value)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class StatusBig(Status):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">LLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class StatusLittle(Status):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<LLL")
