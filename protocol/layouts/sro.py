"""Records of MQSRO.

Made by ``make layouts`` from ``protocol/structures/sro.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Sro(Record):
    """MQSRO, 16 bytes, mq-wire.md 5.17."""

    KEYS: ClassVar[tuple[str, ...]] = ("struc_id", "version", "options", "num_pubs")
    __slots__ = KEYS

    NAME: ClassVar[str] = "SRO"
    SIZE: ClassVar[int] = 16

    struc_id: bytes
    version: int
    options: int
    num_pubs: int

    def __init__(self, *, struc_id: bytes = b"SRO ", version: int = 1, options: int = 0, num_pubs: int = 0) -> None:
        self.struc_id = struc_id
        self.version = version
        self.options = options
        self.num_pubs = num_pubs

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.struc_id, self.version, self.options, self.num_pubs) = values
        return self

    def build(self) -> bytes:
        try:
            if len(self.struc_id) == 4:
                return self.LAYOUT.pack(self.struc_id, self.version, self.options, self.num_pubs)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class SroBig(Sro):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class SroLittle(Sro):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLLL")
