"""Records of MSH.

Made by ``make layouts`` from ``protocol/structures/msh.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Msh(Record):
    """MSH, 20 bytes, mq-wire.md 5.14."""

    KEYS: ClassVar[tuple[str, ...]] = ("struc_id", "sequence_number", "data_length", "unknown1", "message_length")
    __slots__ = KEYS

    NAME: ClassVar[str] = "MSH"
    SIZE: ClassVar[int] = 20

    struc_id: bytes
    sequence_number: int
    data_length: int
    unknown1: int
    message_length: int

    def __init__(
        self,
        *,
        struc_id: bytes = b"MSH ",
        sequence_number: int = 0,
        data_length: int = 0,
        unknown1: int = 0,
        message_length: int = 0,
    ) -> None:
        self.struc_id = struc_id
        self.sequence_number = sequence_number
        self.data_length = data_length
        self.unknown1 = unknown1
        self.message_length = message_length

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.struc_id, self.sequence_number, self.data_length, self.unknown1, self.message_length) = values
        return self

    def build(self) -> bytes:
        try:
            if len(self.struc_id) == 4:
                return self.LAYOUT.pack(
                    self.struc_id, self.sequence_number, self.data_length, self.unknown1, self.message_length
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class MshBig(Msh):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLLLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class MshLittle(Msh):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLLLL")
