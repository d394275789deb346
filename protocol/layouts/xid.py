"""Records of XID, XACount.

Made by ``make layouts`` from ``protocol/structures/xid.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class XidHead(Record):
    """XID, 6 bytes, mq-wire.md 5.13."""

    KEYS: ClassVar[tuple[str, ...]] = ("format_id", "gtrid_length", "bqual_length")
    __slots__ = KEYS

    NAME: ClassVar[str] = "XID"
    SIZE: ClassVar[int] = 6

    format_id: int
    gtrid_length: int
    bqual_length: int

    def __init__(self, *, format_id: int = 0, gtrid_length: int = 0, bqual_length: int = 0) -> None:
        self.format_id = format_id
        self.gtrid_length = gtrid_length
        self.bqual_length = bqual_length

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.format_id, self.gtrid_length, self.bqual_length) = values
        return self

    def build(self) -> bytes:
        try:
            return self.LAYOUT.pack(self.format_id, self.gtrid_length, self.bqual_length)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class XidHeadBig(XidHead):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">lBB")


@mypyc_attr(allow_interpreted_subclasses=True)
class XidHeadLittle(XidHead):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<lBB")


@mypyc_attr(allow_interpreted_subclasses=True)
class XaCount(Record):
    """XACount, 4 bytes, mq-wire.md 5.13."""

    KEYS: ClassVar[tuple[str, ...]] = ("count",)
    __slots__ = KEYS

    NAME: ClassVar[str] = "XACount"
    SIZE: ClassVar[int] = 4

    count: int

    def __init__(self, *, count: int = 0) -> None:
        self.count = count

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.count,) = values
        return self

    def build(self) -> bytes:
        try:
            return self.LAYOUT.pack(self.count)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class XaCountBig(XaCount):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">L")


@mypyc_attr(allow_interpreted_subclasses=True)
class XaCountLittle(XaCount):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<L")
