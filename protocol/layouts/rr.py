"""Records of MQRR.

Made by ``make layouts`` from ``protocol/structures/rr.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Rr(Record):
    """MQRR, 8 bytes, mq-wire.md 5.6."""

    KEYS: ClassVar[tuple[str, ...]] = ("comp_code", "reason")
    __slots__ = KEYS

    NAME: ClassVar[str] = "RR"
    SIZE: ClassVar[int] = 8

    comp_code: int
    reason: int

    def __init__(self, *, comp_code: int = 0, reason: int = 0) -> None:
        self.comp_code = comp_code
        self.reason = reason

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.comp_code, self.reason) = values
        return self

    def build(self) -> bytes:
        try:
            return self.LAYOUT.pack(self.comp_code, self.reason)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class RrBig(Rr):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">LL")


@mypyc_attr(allow_interpreted_subclasses=True)
class RrLittle(Rr):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<LL")
