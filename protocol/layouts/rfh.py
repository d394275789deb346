"""Records of MQRFH.

Made by ``make layouts`` from ``protocol/structures/rfh.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Rfh(Record):
    """MQRFH, 32 bytes, mq-wire.md 5.15."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "struc_id",
        "version",
        "struc_length",
        "encoding",
        "coded_char_set_id",
        "format",
        "flags",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "RFH"
    SIZE: ClassVar[int] = 32

    struc_id: bytes
    version: int
    struc_length: int
    encoding: int
    coded_char_set_id: int
    format: bytes
    flags: int

    def __init__(
        self,
        *,
        struc_id: bytes = b"RFH ",
        version: int = 1,
        struc_length: int = 32,
        encoding: int = 273,
        coded_char_set_id: int = 0,
        format: bytes = b" " * 8,
        flags: int = 0,
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.struc_length = struc_length
        self.encoding = encoding
        self.coded_char_set_id = coded_char_set_id
        self.format = format
        self.flags = flags

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (
            self.struc_id,
            self.version,
            self.struc_length,
            self.encoding,
            self.coded_char_set_id,
            self.format,
            self.flags,
        ) = values
        return self

    def build(self) -> bytes:
        try:
            if len(self.struc_id) == 4 and len(self.format) == 8:
                return self.LAYOUT.pack(
                    self.struc_id,
                    self.version,
                    self.struc_length,
                    self.encoding,
                    self.coded_char_set_id,
                    self.format,
                    self.flags,
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class RfhBig(Rfh):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLLLl8sL")


@mypyc_attr(allow_interpreted_subclasses=True)
class RfhLittle(Rfh):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLLLl8sL")

    def __init__(
        self,
        *,
        struc_id: bytes = b"RFH ",
        version: int = 1,
        struc_length: int = 32,
        encoding: int = 546,
        coded_char_set_id: int = 0,
        format: bytes = b" " * 8,
        flags: int = 0,
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.struc_length = struc_length
        self.encoding = encoding
        self.coded_char_set_id = coded_char_set_id
        self.format = format
        self.flags = flags
