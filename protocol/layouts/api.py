"""Records of API.

Made by ``make layouts`` from ``protocol/structures/api.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Api(Record):
    """API, 16 bytes, mq-wire.md 5.4."""

    KEYS: ClassVar[tuple[str, ...]] = ("reply_length", "comp_code", "reason", "object_handle")
    __slots__ = KEYS

    NAME: ClassVar[str] = "API"
    SIZE: ClassVar[int] = 16

    reply_length: int
    comp_code: int
    reason: int
    object_handle: int

    def __init__(self, *, reply_length: int = 0, comp_code: int = 0, reason: int = 0, object_handle: int = 0) -> None:
        self.reply_length = reply_length
        self.comp_code = comp_code
        self.reason = reason
        self.object_handle = object_handle

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (reply_length, self.comp_code, self.reason, self.object_handle) = values
        self.reply_length = int.from_bytes(reply_length, "big")
        return self

    def build(self) -> bytes:
        try:
            return self.LAYOUT.pack(
                self.reply_length.to_bytes(4, "big"), self.comp_code, self.reason, self.object_handle
            )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class ApiBig(Api):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLLl")


@mypyc_attr(allow_interpreted_subclasses=True)
class ApiLittle(Api):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLLl")
