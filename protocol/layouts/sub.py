"""Records of SUB.

Made by ``make layouts`` from ``protocol/structures/sub.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Sub(Record):
    """SUB, 8 bytes, client-observed.md 4."""

    KEYS: ClassVar[tuple[str, ...]] = ("subscription_handle", "unknown")
    __slots__ = KEYS

    NAME: ClassVar[str] = "SUB"
    SIZE: ClassVar[int] = 8

    subscription_handle: int
    unknown: int

    def __init__(self, *, subscription_handle: int = -1, unknown: int = 0) -> None:
        self.subscription_handle = subscription_handle
        self.unknown = unknown

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.subscription_handle, self.unknown) = values
        return self

    def build(self) -> bytes:
        try:
            return self.LAYOUT.pack(self.subscription_handle, self.unknown)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class SubBig(Sub):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">lL")


@mypyc_attr(allow_interpreted_subclasses=True)
class SubLittle(Sub):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<lL")
