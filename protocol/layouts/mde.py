"""Records of MQMDE.

Made by ``make layouts`` from ``protocol/structures/mde.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Mde(Record):
    """MQMDE, 72 bytes, mq-wire.md 5.15."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "struc_id",
        "version",
        "struc_length",
        "encoding",
        "coded_char_set_id",
        "format",
        "flags",
        "group_id",
        "msg_seq_number",
        "offset",
        "msg_flags",
        "original_length",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "MDE"
    SIZE: ClassVar[int] = 72

    struc_id: bytes
    version: int
    struc_length: int
    encoding: int
    coded_char_set_id: int
    format: bytes
    flags: int
    group_id: bytes
    msg_seq_number: int
    offset: int
    msg_flags: int
    original_length: int

    def __init__(
        self,
        *,
        struc_id: bytes = b"MDE ",
        version: int = 2,
        struc_length: int = 72,
        encoding: int = 273,
        coded_char_set_id: int = 0,
        format: bytes = b" " * 8,
        flags: int = 0,
        group_id: bytes = b"\0" * 24,
        msg_seq_number: int = 1,
        offset: int = 0,
        msg_flags: int = 0,
        original_length: int = -1,
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.struc_length = struc_length
        self.encoding = encoding
        self.coded_char_set_id = coded_char_set_id
        self.format = format
        self.flags = flags
        self.group_id = group_id
        self.msg_seq_number = msg_seq_number
        self.offset = offset
        self.msg_flags = msg_flags
        self.original_length = original_length

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
            self.group_id,
            self.msg_seq_number,
            self.offset,
            self.msg_flags,
            self.original_length,
        ) = values
        return self

    def build(self) -> bytes:
        try:
            if len(self.struc_id) == 4 and len(self.format) == 8 and len(self.group_id) == 24:
                return self.LAYOUT.pack(
                    self.struc_id,
                    self.version,
                    self.struc_length,
                    self.encoding,
                    self.coded_char_set_id,
                    self.format,
                    self.flags,
                    self.group_id,
                    self.msg_seq_number,
                    self.offset,
                    self.msg_flags,
                    self.original_length,
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class MdeBig(Mde):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLLLl8sL24sLLLl")


@mypyc_attr(allow_interpreted_subclasses=True)
class MdeLittle(Mde):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLLLl8sL24sLLLl")

    def __init__(
        self,
        *,
        struc_id: bytes = b"MDE ",
        version: int = 2,
        struc_length: int = 72,
        encoding: int = 546,
        coded_char_set_id: int = 0,
        format: bytes = b" " * 8,
        flags: int = 0,
        group_id: bytes = b"\0" * 24,
        msg_seq_number: int = 1,
        offset: int = 0,
        msg_flags: int = 0,
        original_length: int = -1,
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.struc_length = struc_length
        self.encoding = encoding
        self.coded_char_set_id = coded_char_set_id
        self.format = format
        self.flags = flags
        self.group_id = group_id
        self.msg_seq_number = msg_seq_number
        self.offset = offset
        self.msg_flags = msg_flags
        self.original_length = original_length
