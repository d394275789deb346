"""Records of MQRFH2.

Made by ``make layouts`` from ``protocol/structures/rfh2.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Rfh2(Record):
    """MQRFH2, 36 bytes, mq-wire.md 5.15."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "struc_id",
        "version",
        "struc_length",
        "encoding",
        "coded_char_set_id",
        "format",
        "flags",
        "name_value_ccsid",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "RFH2"
    SIZE: ClassVar[int] = 36

    struc_id: bytes
    version: int
    struc_length: int
    encoding: int
    coded_char_set_id: int
    format: bytes
    flags: int
    name_value_ccsid: int

    def __init__(
        self,
        *,
        struc_id: bytes = b"RFH ",
        version: int = 2,
        struc_length: int = 36,
        encoding: int = 273,
        coded_char_set_id: int = -2,
        format: bytes = b" " * 8,
        flags: int = 0,
        name_value_ccsid: int = 1208,
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.struc_length = struc_length
        self.encoding = encoding
        self.coded_char_set_id = coded_char_set_id
        self.format = format
        self.flags = flags
        self.name_value_ccsid = name_value_ccsid

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
            self.name_value_ccsid,
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
                    self.name_value_ccsid,
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class Rfh2Big(Rfh2):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLLLl8sLl")


@mypyc_attr(allow_interpreted_subclasses=True)
class Rfh2Little(Rfh2):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLLLl8sLl")

    def __init__(
        self,
        *,
        struc_id: bytes = b"RFH ",
        version: int = 2,
        struc_length: int = 36,
        encoding: int = 546,
        coded_char_set_id: int = -2,
        format: bytes = b" " * 8,
        flags: int = 0,
        name_value_ccsid: int = 1208,
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.struc_length = struc_length
        self.encoding = encoding
        self.coded_char_set_id = coded_char_set_id
        self.format = format
        self.flags = flags
        self.name_value_ccsid = name_value_ccsid
