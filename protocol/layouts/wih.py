"""Records of MQWIH.

Made by ``make layouts`` from ``protocol/structures/wih.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Wih(Record):
    """MQWIH, 120 bytes, mq-wire.md 5.15."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "struc_id",
        "version",
        "struc_length",
        "encoding",
        "coded_char_set_id",
        "format",
        "flags",
        "service_name",
        "service_step",
        "msg_token",
        "reserved",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "WIH"
    SIZE: ClassVar[int] = 120

    struc_id: bytes
    version: int
    struc_length: int
    encoding: int
    coded_char_set_id: int
    format: bytes
    flags: int
    service_name: bytes
    service_step: bytes
    msg_token: bytes
    reserved: bytes

    def __init__(
        self,
        *,
        struc_id: bytes = b"WIH ",
        version: int = 1,
        struc_length: int = 120,
        encoding: int = 273,
        coded_char_set_id: int = 0,
        format: bytes = b" " * 8,
        flags: int = 0,
        service_name: bytes = b" " * 32,
        service_step: bytes = b" " * 8,
        msg_token: bytes = b"\0" * 16,
        reserved: bytes = b" " * 32,
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.struc_length = struc_length
        self.encoding = encoding
        self.coded_char_set_id = coded_char_set_id
        self.format = format
        self.flags = flags
        self.service_name = service_name
        self.service_step = service_step
        self.msg_token = msg_token
        self.reserved = reserved

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
            self.service_name,
            self.service_step,
            self.msg_token,
            self.reserved,
        ) = values
        return self

    def build(self) -> bytes:
        try:
            if (
                len(self.struc_id) == 4
                and len(self.format) == 8
                and len(self.service_name) == 32
                and len(self.service_step) == 8
                and len(self.msg_token) == 16
                and len(self.reserved) == 32
            ):
                return self.LAYOUT.pack(
                    self.struc_id,
                    self.version,
                    self.struc_length,
                    self.encoding,
                    self.coded_char_set_id,
                    self.format,
                    self.flags,
                    self.service_name,
                    self.service_step,
                    self.msg_token,
                    self.reserved,
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class WihBig(Wih):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLLLl8sL32s8s16s32s")


@mypyc_attr(allow_interpreted_subclasses=True)
class WihLittle(Wih):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLLLl8sL32s8s16s32s")

    def __init__(
        self,
        *,
        struc_id: bytes = b"WIH ",
        version: int = 1,
        struc_length: int = 120,
        encoding: int = 546,
        coded_char_set_id: int = 0,
        format: bytes = b" " * 8,
        flags: int = 0,
        service_name: bytes = b" " * 32,
        service_step: bytes = b" " * 8,
        msg_token: bytes = b"\0" * 16,
        reserved: bytes = b" " * 32,
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.struc_length = struc_length
        self.encoding = encoding
        self.coded_char_set_id = coded_char_set_id
        self.format = format
        self.flags = flags
        self.service_name = service_name
        self.service_step = service_step
        self.msg_token = msg_token
        self.reserved = reserved
