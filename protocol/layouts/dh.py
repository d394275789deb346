"""Records of MQDH, MQOR.

Made by ``make layouts`` from ``protocol/structures/dh.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Dh(Record):
    """MQDH, 48 bytes, mq-wire.md 5.15."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "struc_id",
        "version",
        "struc_length",
        "encoding",
        "coded_char_set_id",
        "format",
        "flags",
        "put_msg_rec_fields",
        "recs_present",
        "object_rec_offset",
        "put_msg_rec_offset",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "DH"
    SIZE: ClassVar[int] = 48

    struc_id: bytes
    version: int
    struc_length: int
    encoding: int
    coded_char_set_id: int
    format: bytes
    flags: int
    put_msg_rec_fields: int
    recs_present: int
    object_rec_offset: int
    put_msg_rec_offset: int

    def __init__(
        self,
        *,
        struc_id: bytes = b"DH  ",
        version: int = 1,
        struc_length: int = 48,
        encoding: int = 273,
        coded_char_set_id: int = 0,
        format: bytes = b" " * 8,
        flags: int = 0,
        put_msg_rec_fields: int = 0,
        recs_present: int = 0,
        object_rec_offset: int = 0,
        put_msg_rec_offset: int = 0,
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.struc_length = struc_length
        self.encoding = encoding
        self.coded_char_set_id = coded_char_set_id
        self.format = format
        self.flags = flags
        self.put_msg_rec_fields = put_msg_rec_fields
        self.recs_present = recs_present
        self.object_rec_offset = object_rec_offset
        self.put_msg_rec_offset = put_msg_rec_offset

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
            self.put_msg_rec_fields,
            self.recs_present,
            self.object_rec_offset,
            self.put_msg_rec_offset,
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
                    self.put_msg_rec_fields,
                    self.recs_present,
                    self.object_rec_offset,
                    self.put_msg_rec_offset,
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class DhBig(Dh):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLLLl8sLLLLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class DhLittle(Dh):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLLLl8sLLLLL")

    def __init__(
        self,
        *,
        struc_id: bytes = b"DH  ",
        version: int = 1,
        struc_length: int = 48,
        encoding: int = 546,
        coded_char_set_id: int = 0,
        format: bytes = b" " * 8,
        flags: int = 0,
        put_msg_rec_fields: int = 0,
        recs_present: int = 0,
        object_rec_offset: int = 0,
        put_msg_rec_offset: int = 0,
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.struc_length = struc_length
        self.encoding = encoding
        self.coded_char_set_id = coded_char_set_id
        self.format = format
        self.flags = flags
        self.put_msg_rec_fields = put_msg_rec_fields
        self.recs_present = recs_present
        self.object_rec_offset = object_rec_offset
        self.put_msg_rec_offset = put_msg_rec_offset


@mypyc_attr(allow_interpreted_subclasses=True)
class Or(Record):
    """MQOR, 96 bytes, mq-wire.md 5.6."""

    KEYS: ClassVar[tuple[str, ...]] = ("object_name", "object_q_mgr_name")
    __slots__ = KEYS

    NAME: ClassVar[str] = "OR"
    SIZE: ClassVar[int] = 96

    object_name: bytes
    object_q_mgr_name: bytes

    def __init__(self, *, object_name: bytes = b" " * 48, object_q_mgr_name: bytes = b" " * 48) -> None:
        self.object_name = object_name
        self.object_q_mgr_name = object_q_mgr_name

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.object_name, self.object_q_mgr_name) = values
        return self

    def build(self) -> bytes:
        try:
            if len(self.object_name) == 48 and len(self.object_q_mgr_name) == 48:
                return self.LAYOUT.pack(self.object_name, self.object_q_mgr_name)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class OrBig(Or):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">48s48s")


@mypyc_attr(allow_interpreted_subclasses=True)
class OrLittle(Or):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<48s48s")
