"""Records of NOTIF.

Made by ``make layouts`` from ``protocol/structures/notification.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Notif(Record):
    """NOTIF, 16 bytes, mq-wire.md 5.11."""

    KEYS: ClassVar[tuple[str, ...]] = ("version", "object_handle", "code", "value")
    __slots__ = KEYS

    NAME: ClassVar[str] = "NOTIF"
    SIZE: ClassVar[int] = 16

    version: int
    object_handle: int
    code: int
    value: int

    def __init__(self, *, version: int = 1, object_handle: int = 0, code: int = 0, value: int = 0) -> None:
        self.version = version
        self.object_handle = object_handle
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
        (self.version, self.object_handle, self.code, self.value) = values
        return self

    def build(self) -> bytes:
        try:
            return self.LAYOUT.pack(self.version, self.object_handle, self.code, self.value)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class NotifBig(Notif):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">LlLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class NotifLittle(Notif):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<LlLL")
