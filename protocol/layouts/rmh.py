"""Records of MQRMH.

Made by ``make layouts`` from ``protocol/structures/rmh.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Rmh(Record):
    """MQRMH, 108 bytes, mq-wire.md 5.15."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "struc_id",
        "version",
        "struc_length",
        "encoding",
        "coded_char_set_id",
        "format",
        "flags",
        "object_type",
        "object_instance_id",
        "src_env_length",
        "src_env_offset",
        "src_name_length",
        "src_name_offset",
        "dest_env_length",
        "dest_env_offset",
        "dest_name_length",
        "dest_name_offset",
        "data_logical_length",
        "data_logical_offset",
        "data_logical_offset2",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "RMH"
    SIZE: ClassVar[int] = 108

    struc_id: bytes
    version: int
    struc_length: int
    encoding: int
    coded_char_set_id: int
    format: bytes
    flags: int
    object_type: bytes
    object_instance_id: bytes
    src_env_length: int
    src_env_offset: int
    src_name_length: int
    src_name_offset: int
    dest_env_length: int
    dest_env_offset: int
    dest_name_length: int
    dest_name_offset: int
    data_logical_length: int
    data_logical_offset: int
    data_logical_offset2: int

    def __init__(
        self,
        *,
        struc_id: bytes = b"RMH ",
        version: int = 1,
        struc_length: int = 108,
        encoding: int = 273,
        coded_char_set_id: int = 0,
        format: bytes = b" " * 8,
        flags: int = 0,
        object_type: bytes = b" " * 8,
        object_instance_id: bytes = b"\0" * 24,
        src_env_length: int = 0,
        src_env_offset: int = 0,
        src_name_length: int = 0,
        src_name_offset: int = 0,
        dest_env_length: int = 0,
        dest_env_offset: int = 0,
        dest_name_length: int = 0,
        dest_name_offset: int = 0,
        data_logical_length: int = 0,
        data_logical_offset: int = 0,
        data_logical_offset2: int = 0,
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.struc_length = struc_length
        self.encoding = encoding
        self.coded_char_set_id = coded_char_set_id
        self.format = format
        self.flags = flags
        self.object_type = object_type
        self.object_instance_id = object_instance_id
        self.src_env_length = src_env_length
        self.src_env_offset = src_env_offset
        self.src_name_length = src_name_length
        self.src_name_offset = src_name_offset
        self.dest_env_length = dest_env_length
        self.dest_env_offset = dest_env_offset
        self.dest_name_length = dest_name_length
        self.dest_name_offset = dest_name_offset
        self.data_logical_length = data_logical_length
        self.data_logical_offset = data_logical_offset
        self.data_logical_offset2 = data_logical_offset2

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
            self.object_type,
            self.object_instance_id,
            self.src_env_length,
            self.src_env_offset,
            self.src_name_length,
            self.src_name_offset,
            self.dest_env_length,
            self.dest_env_offset,
            self.dest_name_length,
            self.dest_name_offset,
            self.data_logical_length,
            self.data_logical_offset,
            self.data_logical_offset2,
        ) = values
        return self

    def build(self) -> bytes:
        try:
            if (
                len(self.struc_id) == 4
                and len(self.format) == 8
                and len(self.object_type) == 8
                and len(self.object_instance_id) == 24
            ):
                return self.LAYOUT.pack(
                    self.struc_id,
                    self.version,
                    self.struc_length,
                    self.encoding,
                    self.coded_char_set_id,
                    self.format,
                    self.flags,
                    self.object_type,
                    self.object_instance_id,
                    self.src_env_length,
                    self.src_env_offset,
                    self.src_name_length,
                    self.src_name_offset,
                    self.dest_env_length,
                    self.dest_env_offset,
                    self.dest_name_length,
                    self.dest_name_offset,
                    self.data_logical_length,
                    self.data_logical_offset,
                    self.data_logical_offset2,
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class RmhBig(Rmh):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLLLl8sL8s24sLLLLLLLLLLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class RmhLittle(Rmh):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLLLl8sL8s24sLLLLLLLLLLL")

    def __init__(
        self,
        *,
        struc_id: bytes = b"RMH ",
        version: int = 1,
        struc_length: int = 108,
        encoding: int = 546,
        coded_char_set_id: int = 0,
        format: bytes = b" " * 8,
        flags: int = 0,
        object_type: bytes = b" " * 8,
        object_instance_id: bytes = b"\0" * 24,
        src_env_length: int = 0,
        src_env_offset: int = 0,
        src_name_length: int = 0,
        src_name_offset: int = 0,
        dest_env_length: int = 0,
        dest_env_offset: int = 0,
        dest_name_length: int = 0,
        dest_name_offset: int = 0,
        data_logical_length: int = 0,
        data_logical_offset: int = 0,
        data_logical_offset2: int = 0,
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.struc_length = struc_length
        self.encoding = encoding
        self.coded_char_set_id = coded_char_set_id
        self.format = format
        self.flags = flags
        self.object_type = object_type
        self.object_instance_id = object_instance_id
        self.src_env_length = src_env_length
        self.src_env_offset = src_env_offset
        self.src_name_length = src_name_length
        self.src_name_offset = src_name_offset
        self.dest_env_length = dest_env_length
        self.dest_env_offset = dest_env_offset
        self.dest_name_length = dest_name_length
        self.dest_name_offset = dest_name_offset
        self.data_logical_length = data_logical_length
        self.data_logical_offset = data_logical_offset
        self.data_logical_offset2 = data_logical_offset2
