"""Records of SPNI.

Made by ``make layouts`` from ``protocol/structures/spi_notify.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Spni(Record):
    """SPNI, 44 bytes, mq-wire.md 5.12."""

    KEYS: ClassVar[tuple[str, ...]] = ("struc_id", "version", "length", "options", "reason", "connection_id")
    __slots__ = KEYS

    NAME: ClassVar[str] = "SPNI"
    SIZE: ClassVar[int] = 44

    struc_id: bytes
    version: int
    length: int
    options: int
    reason: int
    connection_id: bytes

    def __init__(
        self,
        *,
        struc_id: bytes = b"SPNI",
        version: int = 1,
        length: int = 44,
        options: int = 1,
        reason: int = 0,
        connection_id: bytes = b"\0" * 24,
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.length = length
        self.options = options
        self.reason = reason
        self.connection_id = connection_id

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.struc_id, self.version, self.length, self.options, self.reason, self.connection_id) = values
        return self

    def build(self) -> bytes:
        try:
            if len(self.struc_id) == 4 and len(self.connection_id) == 24:
                return self.LAYOUT.pack(
                    self.struc_id, self.version, self.length, self.options, self.reason, self.connection_id
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class SpniBig(Spni):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLLLL24s")


@mypyc_attr(allow_interpreted_subclasses=True)
class SpniLittle(Spni):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLLLL24s")
