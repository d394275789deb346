"""Records of MQOD.

Made by ``make layouts`` from ``protocol/structures/od.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Od(Record):
    """MQOD, 400 bytes, mq-wire.md 5.6."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "struc_id",
        "version",
        "object_type",
        "object_name",
        "object_q_mgr_name",
        "dynamic_q_name",
        "alternate_user_id",
        "recs_present",
        "known_dest_count",
        "unknown_dest_count",
        "invalid_dest_count",
        "object_rec_offset",
        "response_rec_offset",
        "object_rec_ptr",
        "response_rec_ptr",
        "alternate_security_id",
        "resolved_q_name",
        "resolved_q_mgr_name",
        "object_string_vs_ptr",
        "object_string_vs_offset",
        "object_string_vs_buf_size",
        "object_string_vs_length",
        "object_string_vsccsid",
        "selection_string_vs_ptr",
        "selection_string_vs_offset",
        "selection_string_vs_buf_size",
        "selection_string_vs_length",
        "selection_string_vsccsid",
        "res_object_string_vs_ptr",
        "res_object_string_vs_offset",
        "res_object_string_vs_buf_size",
        "res_object_string_vs_length",
        "res_object_string_vsccsid",
        "resolved_type",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "OD"
    SIZE: ClassVar[int] = 400

    struc_id: bytes
    version: int
    object_type: int
    object_name: bytes
    object_q_mgr_name: bytes
    dynamic_q_name: bytes
    alternate_user_id: bytes
    recs_present: int
    known_dest_count: int
    unknown_dest_count: int
    invalid_dest_count: int
    object_rec_offset: int
    response_rec_offset: int
    object_rec_ptr: int
    response_rec_ptr: int
    alternate_security_id: bytes
    resolved_q_name: bytes
    resolved_q_mgr_name: bytes
    object_string_vs_ptr: int
    object_string_vs_offset: int
    object_string_vs_buf_size: int
    object_string_vs_length: int
    object_string_vsccsid: int
    selection_string_vs_ptr: int
    selection_string_vs_offset: int
    selection_string_vs_buf_size: int
    selection_string_vs_length: int
    selection_string_vsccsid: int
    res_object_string_vs_ptr: int
    res_object_string_vs_offset: int
    res_object_string_vs_buf_size: int
    res_object_string_vs_length: int
    res_object_string_vsccsid: int
    resolved_type: int

    def __init__(
        self,
        *,
        struc_id: bytes = b"OD  ",
        version: int = 1,
        object_type: int = 1,
        object_name: bytes = b" " * 48,
        object_q_mgr_name: bytes = b" " * 48,
        dynamic_q_name: bytes = b" " * 48,
        alternate_user_id: bytes = b" " * 12,
        recs_present: int = 0,
        known_dest_count: int = 0,
        unknown_dest_count: int = 0,
        invalid_dest_count: int = 0,
        object_rec_offset: int = 0,
        response_rec_offset: int = 0,
        object_rec_ptr: int = 0,
        response_rec_ptr: int = 0,
        alternate_security_id: bytes = b"\0" * 40,
        resolved_q_name: bytes = b" " * 48,
        resolved_q_mgr_name: bytes = b" " * 48,
        object_string_vs_ptr: int = 0,
        object_string_vs_offset: int = 0,
        object_string_vs_buf_size: int = 0,
        object_string_vs_length: int = 0,
        object_string_vsccsid: int = 1208,
        selection_string_vs_ptr: int = 0,
        selection_string_vs_offset: int = 0,
        selection_string_vs_buf_size: int = 0,
        selection_string_vs_length: int = 0,
        selection_string_vsccsid: int = 1208,
        res_object_string_vs_ptr: int = 0,
        res_object_string_vs_offset: int = 0,
        res_object_string_vs_buf_size: int = 0,
        res_object_string_vs_length: int = 0,
        res_object_string_vsccsid: int = 1208,
        resolved_type: int = 0,
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.object_type = object_type
        self.object_name = object_name
        self.object_q_mgr_name = object_q_mgr_name
        self.dynamic_q_name = dynamic_q_name
        self.alternate_user_id = alternate_user_id
        self.recs_present = recs_present
        self.known_dest_count = known_dest_count
        self.unknown_dest_count = unknown_dest_count
        self.invalid_dest_count = invalid_dest_count
        self.object_rec_offset = object_rec_offset
        self.response_rec_offset = response_rec_offset
        self.object_rec_ptr = object_rec_ptr
        self.response_rec_ptr = response_rec_ptr
        self.alternate_security_id = alternate_security_id
        self.resolved_q_name = resolved_q_name
        self.resolved_q_mgr_name = resolved_q_mgr_name
        self.object_string_vs_ptr = object_string_vs_ptr
        self.object_string_vs_offset = object_string_vs_offset
        self.object_string_vs_buf_size = object_string_vs_buf_size
        self.object_string_vs_length = object_string_vs_length
        self.object_string_vsccsid = object_string_vsccsid
        self.selection_string_vs_ptr = selection_string_vs_ptr
        self.selection_string_vs_offset = selection_string_vs_offset
        self.selection_string_vs_buf_size = selection_string_vs_buf_size
        self.selection_string_vs_length = selection_string_vs_length
        self.selection_string_vsccsid = selection_string_vsccsid
        self.res_object_string_vs_ptr = res_object_string_vs_ptr
        self.res_object_string_vs_offset = res_object_string_vs_offset
        self.res_object_string_vs_buf_size = res_object_string_vs_buf_size
        self.res_object_string_vs_length = res_object_string_vs_length
        self.res_object_string_vsccsid = res_object_string_vsccsid
        self.resolved_type = resolved_type

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
            self.object_type,
            self.object_name,
            self.object_q_mgr_name,
            self.dynamic_q_name,
            self.alternate_user_id,
            self.recs_present,
            self.known_dest_count,
            self.unknown_dest_count,
            self.invalid_dest_count,
            self.object_rec_offset,
            self.response_rec_offset,
            self.object_rec_ptr,
            self.response_rec_ptr,
            self.alternate_security_id,
            self.resolved_q_name,
            self.resolved_q_mgr_name,
            self.object_string_vs_ptr,
            self.object_string_vs_offset,
            self.object_string_vs_buf_size,
            self.object_string_vs_length,
            self.object_string_vsccsid,
            self.selection_string_vs_ptr,
            self.selection_string_vs_offset,
            self.selection_string_vs_buf_size,
            self.selection_string_vs_length,
            self.selection_string_vsccsid,
            self.res_object_string_vs_ptr,
            self.res_object_string_vs_offset,
            self.res_object_string_vs_buf_size,
            self.res_object_string_vs_length,
            self.res_object_string_vsccsid,
            self.resolved_type,
        ) = values
        return self

    def build(self) -> bytes:
        try:
            if (
                len(self.struc_id) == 4
                and len(self.object_name) == 48
                and len(self.object_q_mgr_name) == 48
                and len(self.dynamic_q_name) == 48
                and len(self.alternate_user_id) == 12
                and len(self.alternate_security_id) == 40
                and len(self.resolved_q_name) == 48
                and len(self.resolved_q_mgr_name) == 48
            ):
                return self.LAYOUT.pack(
                    self.struc_id,
                    self.version,
                    self.object_type,
                    self.object_name,
                    self.object_q_mgr_name,
                    self.dynamic_q_name,
                    self.alternate_user_id,
                    self.recs_present,
                    self.known_dest_count,
                    self.unknown_dest_count,
                    self.invalid_dest_count,
                    self.object_rec_offset,
                    self.response_rec_offset,
                    self.object_rec_ptr,
                    self.response_rec_ptr,
                    self.alternate_security_id,
                    self.resolved_q_name,
                    self.resolved_q_mgr_name,
                    self.object_string_vs_ptr,
                    self.object_string_vs_offset,
                    self.object_string_vs_buf_size,
                    self.object_string_vs_length,
                    self.object_string_vsccsid,
                    self.selection_string_vs_ptr,
                    self.selection_string_vs_offset,
                    self.selection_string_vs_buf_size,
                    self.selection_string_vs_length,
                    self.selection_string_vsccsid,
                    self.res_object_string_vs_ptr,
                    self.res_object_string_vs_offset,
                    self.res_object_string_vs_buf_size,
                    self.res_object_string_vs_length,
                    self.res_object_string_vsccsid,
                    self.resolved_type,
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class OdBig(Od):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLL48s48s48s12sLLLLLLLL40s48s48sLLLllLLLllLLLllL")


@mypyc_attr(allow_interpreted_subclasses=True)
class OdLittle(Od):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLL48s48s48s12sLLLLLLLL40s48s48sLLLllLLLllLLLllL")
