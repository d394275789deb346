"""Records of SPAI.

Made by ``make layouts`` from ``protocol/structures/spi_activate.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Spai(Record):
    """SPAI, 136 bytes, mq-wire.md 5.12."""

    KEYS: ClassVar[tuple[str, ...]] = ("struc_id", "version", "length", "mode", "unknown1", "unknown2", "msg_id")
    __slots__ = KEYS

    NAME: ClassVar[str] = "SPAI"
    SIZE: ClassVar[int] = 136

    struc_id: bytes
    version: int
    length: int
    mode: int
    unknown1: bytes
    unknown2: bytes
    msg_id: bytes

    def __init__(
        self,
        *,
        struc_id: bytes = b"SPAI",
        version: int = 1,
        length: int = 136,
        mode: int = 1,
        unknown1: bytes = b" " * 48,
        unknown2: bytes = b" " * 48,
        msg_id: bytes = b"\0" * 24,
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.length = length
        self.mode = mode
        self.unknown1 = unknown1
        self.unknown2 = unknown2
        self.msg_id = msg_id

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.struc_id, self.version, self.length, self.mode, self.unknown1, self.unknown2, self.msg_id) = values
        return self

    def build(self) -> bytes:
        try:
            if (
                len(self.struc_id) == 4
                and len(self.unknown1) == 48
                and len(self.unknown2) == 48
                and len(self.msg_id) == 24
            ):
                return self.LAYOUT.pack(
                    self.struc_id, self.version, self.length, self.mode, self.unknown1, self.unknown2, self.msg_id
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class SpaiBig(Spai):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLLL48s48s24s")


@mypyc_attr(allow_interpreted_subclasses=True)
class SpaiLittle(Spai):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLLL48s48s24s")
