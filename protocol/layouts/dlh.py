"""Records of MQDLH.

Made by ``make layouts`` from ``protocol/structures/dlh.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Dlh(Record):
    """MQDLH, 172 bytes, mq-wire.md 5.15."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "struc_id",
        "version",
        "reason",
        "dest_q_name",
        "dest_q_mgr_name",
        "encoding",
        "coded_char_set_id",
        "format",
        "put_appl_type",
        "put_appl_name",
        "put_date",
        "put_time",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "DLH"
    SIZE: ClassVar[int] = 172

    struc_id: bytes
    version: int
    reason: int
    dest_q_name: bytes
    dest_q_mgr_name: bytes
    encoding: int
    coded_char_set_id: int
    format: bytes
    put_appl_type: int
    put_appl_name: bytes
    put_date: bytes
    put_time: bytes

    def __init__(
        self,
        *,
        struc_id: bytes = b"DLH ",
        version: int = 1,
        reason: int = 0,
        dest_q_name: bytes = b" " * 48,
        dest_q_mgr_name: bytes = b" " * 48,
        encoding: int = 273,
        coded_char_set_id: int = 0,
        format: bytes = b" " * 8,
        put_appl_type: int = 0,
        put_appl_name: bytes = b" " * 28,
        put_date: bytes = b" " * 8,
        put_time: bytes = b" " * 8,
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.reason = reason
        self.dest_q_name = dest_q_name
        self.dest_q_mgr_name = dest_q_mgr_name
        self.encoding = encoding
        self.coded_char_set_id = coded_char_set_id
        self.format = format
        self.put_appl_type = put_appl_type
        self.put_appl_name = put_appl_name
        self.put_date = put_date
        self.put_time = put_time

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
            self.reason,
            self.dest_q_name,
            self.dest_q_mgr_name,
            self.encoding,
            self.coded_char_set_id,
            self.format,
            self.put_appl_type,
            self.put_appl_name,
            self.put_date,
            self.put_time,
        ) = values
        return self

    def build(self) -> bytes:
        try:
            if (
                len(self.struc_id) == 4
                and len(self.dest_q_name) == 48
                and len(self.dest_q_mgr_name) == 48
                and len(self.format) == 8
                and len(self.put_appl_name) == 28
                and len(self.put_date) == 8
                and len(self.put_time) == 8
            ):
                return self.LAYOUT.pack(
                    self.struc_id,
                    self.version,
                    self.reason,
                    self.dest_q_name,
                    self.dest_q_mgr_name,
                    self.encoding,
                    self.coded_char_set_id,
                    self.format,
                    self.put_appl_type,
                    self.put_appl_name,
                    self.put_date,
                    self.put_time,
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class DlhBig(Dlh):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLL48s48sLl8sl28s8s8s")


@mypyc_attr(allow_interpreted_subclasses=True)
class DlhLittle(Dlh):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLL48s48sLl8sl28s8s8s")

    def __init__(
        self,
        *,
        struc_id: bytes = b"DLH ",
        version: int = 1,
        reason: int = 0,
        dest_q_name: bytes = b" " * 48,
        dest_q_mgr_name: bytes = b" " * 48,
        encoding: int = 546,
        coded_char_set_id: int = 0,
        format: bytes = b" " * 8,
        put_appl_type: int = 0,
        put_appl_name: bytes = b" " * 28,
        put_date: bytes = b" " * 8,
        put_time: bytes = b" " * 8,
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.reason = reason
        self.dest_q_name = dest_q_name
        self.dest_q_mgr_name = dest_q_mgr_name
        self.encoding = encoding
        self.coded_char_set_id = coded_char_set_id
        self.format = format
        self.put_appl_type = put_appl_type
        self.put_appl_name = put_appl_name
        self.put_date = put_date
        self.put_time = put_time
