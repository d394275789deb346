"""Records of MQSTS.

Made by ``make layouts`` from ``protocol/structures/sts.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Stat(Record):
    """MQSTS, 272 bytes, mq-wire.md 5.17."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "struc_id",
        "version",
        "comp_code",
        "reason",
        "put_success_count",
        "put_warning_count",
        "put_failure_count",
        "object_type",
        "object_name",
        "object_q_mgr_name",
        "resolved_object_name",
        "resolved_q_mgr_name",
        "object_string_vs_ptr",
        "object_string_vs_offset",
        "object_string_vs_buf_size",
        "object_string_vs_length",
        "object_string_vsccsid",
        "sub_name_vs_ptr",
        "sub_name_vs_offset",
        "sub_name_vs_buf_size",
        "sub_name_vs_length",
        "sub_name_vsccsid",
        "open_options",
        "sub_options",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "STAT"
    SIZE: ClassVar[int] = 272

    struc_id: bytes
    version: int
    comp_code: int
    reason: int
    put_success_count: int
    put_warning_count: int
    put_failure_count: int
    object_type: int
    object_name: bytes
    object_q_mgr_name: bytes
    resolved_object_name: bytes
    resolved_q_mgr_name: bytes
    object_string_vs_ptr: int
    object_string_vs_offset: int
    object_string_vs_buf_size: int
    object_string_vs_length: int
    object_string_vsccsid: int
    sub_name_vs_ptr: int
    sub_name_vs_offset: int
    sub_name_vs_buf_size: int
    sub_name_vs_length: int
    sub_name_vsccsid: int
    open_options: int
    sub_options: int

    def __init__(
        self,
        *,
        struc_id: bytes = b"STAT",
        version: int = 1,
        comp_code: int = 0,
        reason: int = 0,
        put_success_count: int = 0,
        put_warning_count: int = 0,
        put_failure_count: int = 0,
        object_type: int = 0,
        object_name: bytes = b" " * 48,
        object_q_mgr_name: bytes = b" " * 48,
        resolved_object_name: bytes = b" " * 48,
        resolved_q_mgr_name: bytes = b" " * 48,
        object_string_vs_ptr: int = 0,
        object_string_vs_offset: int = 0,
        object_string_vs_buf_size: int = 0,
        object_string_vs_length: int = 0,
        object_string_vsccsid: int = 1208,
        sub_name_vs_ptr: int = 0,
        sub_name_vs_offset: int = 0,
        sub_name_vs_buf_size: int = 0,
        sub_name_vs_length: int = 0,
        sub_name_vsccsid: int = 1208,
        open_options: int = 0,
        sub_options: int = 0,
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.comp_code = comp_code
        self.reason = reason
        self.put_success_count = put_success_count
        self.put_warning_count = put_warning_count
        self.put_failure_count = put_failure_count
        self.object_type = object_type
        self.object_name = object_name
        self.object_q_mgr_name = object_q_mgr_name
        self.resolved_object_name = resolved_object_name
        self.resolved_q_mgr_name = resolved_q_mgr_name
        self.object_string_vs_ptr = object_string_vs_ptr
        self.object_string_vs_offset = object_string_vs_offset
        self.object_string_vs_buf_size = object_string_vs_buf_size
        self.object_string_vs_length = object_string_vs_length
        self.object_string_vsccsid = object_string_vsccsid
        self.sub_name_vs_ptr = sub_name_vs_ptr
        self.sub_name_vs_offset = sub_name_vs_offset
        self.sub_name_vs_buf_size = sub_name_vs_buf_size
        self.sub_name_vs_length = sub_name_vs_length
        self.sub_name_vsccsid = sub_name_vsccsid
        self.open_options = open_options
        self.sub_options = sub_options

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
            self.comp_code,
            self.reason,
            self.put_success_count,
            self.put_warning_count,
            self.put_failure_count,
            self.object_type,
            self.object_name,
            self.object_q_mgr_name,
            self.resolved_object_name,
            self.resolved_q_mgr_name,
            self.object_string_vs_ptr,
            self.object_string_vs_offset,
            self.object_string_vs_buf_size,
            self.object_string_vs_length,
            self.object_string_vsccsid,
            self.sub_name_vs_ptr,
            self.sub_name_vs_offset,
            self.sub_name_vs_buf_size,
            self.sub_name_vs_length,
            self.sub_name_vsccsid,
            self.open_options,
            self.sub_options,
        ) = values
        return self

    def build(self) -> bytes:
        try:
            if (
                len(self.struc_id) == 4
                and len(self.object_name) == 48
                and len(self.object_q_mgr_name) == 48
                and len(self.resolved_object_name) == 48
                and len(self.resolved_q_mgr_name) == 48
            ):
                return self.LAYOUT.pack(
                    self.struc_id,
                    self.version,
                    self.comp_code,
                    self.reason,
                    self.put_success_count,
                    self.put_warning_count,
                    self.put_failure_count,
                    self.object_type,
                    self.object_name,
                    self.object_q_mgr_name,
                    self.resolved_object_name,
                    self.resolved_q_mgr_name,
                    self.object_string_vs_ptr,
                    self.object_string_vs_offset,
                    self.object_string_vs_buf_size,
                    self.object_string_vs_length,
                    self.object_string_vsccsid,
                    self.sub_name_vs_ptr,
                    self.sub_name_vs_offset,
                    self.sub_name_vs_buf_size,
                    self.sub_name_vs_length,
                    self.sub_name_vsccsid,
                    self.open_options,
                    self.sub_options,
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class StatBig(Stat):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLLLLLLL48s48s48s48sLLLllLLLllLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class StatLittle(Stat):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLLLLLLL48s48s48s48sLLLllLLLllLL")
