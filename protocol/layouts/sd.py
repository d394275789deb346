"""Records of MQSD.

Made by ``make layouts`` from ``protocol/structures/sd.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Sd(Record):
    """MQSD, 312 bytes, mq-wire.md 5.17."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "struc_id",
        "version",
        "options",
        "object_name",
        "alternate_user_id",
        "alternate_security_id",
        "sub_expiry",
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
        "sub_user_data_vs_ptr",
        "sub_user_data_vs_offset",
        "sub_user_data_vs_buf_size",
        "sub_user_data_vs_length",
        "sub_user_data_vsccsid",
        "sub_correl_id",
        "pub_priority",
        "pub_accounting_token",
        "pub_appl_identity_data",
        "selection_string_vs_ptr",
        "selection_string_vs_offset",
        "selection_string_vs_buf_size",
        "selection_string_vs_length",
        "selection_string_vsccsid",
        "sub_level",
        "res_object_string_vs_ptr",
        "res_object_string_vs_offset",
        "res_object_string_vs_buf_size",
        "res_object_string_vs_length",
        "res_object_string_vsccsid",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "SD"
    SIZE: ClassVar[int] = 312

    struc_id: bytes
    version: int
    options: int
    object_name: bytes
    alternate_user_id: bytes
    alternate_security_id: bytes
    sub_expiry: int
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
    sub_user_data_vs_ptr: int
    sub_user_data_vs_offset: int
    sub_user_data_vs_buf_size: int
    sub_user_data_vs_length: int
    sub_user_data_vsccsid: int
    sub_correl_id: bytes
    pub_priority: int
    pub_accounting_token: bytes
    pub_appl_identity_data: bytes
    selection_string_vs_ptr: int
    selection_string_vs_offset: int
    selection_string_vs_buf_size: int
    selection_string_vs_length: int
    selection_string_vsccsid: int
    sub_level: int
    res_object_string_vs_ptr: int
    res_object_string_vs_offset: int
    res_object_string_vs_buf_size: int
    res_object_string_vs_length: int
    res_object_string_vsccsid: int

    def __init__(
        self,
        *,
        struc_id: bytes = b"SD  ",
        version: int = 1,
        options: int = 0,
        object_name: bytes = b" " * 48,
        alternate_user_id: bytes = b" " * 12,
        alternate_security_id: bytes = b"\0" * 40,
        sub_expiry: int = -1,
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
        sub_user_data_vs_ptr: int = 0,
        sub_user_data_vs_offset: int = 0,
        sub_user_data_vs_buf_size: int = 0,
        sub_user_data_vs_length: int = 0,
        sub_user_data_vsccsid: int = 1208,
        sub_correl_id: bytes = b"\0" * 24,
        pub_priority: int = -3,
        pub_accounting_token: bytes = b"\0" * 32,
        pub_appl_identity_data: bytes = b" " * 32,
        selection_string_vs_ptr: int = 0,
        selection_string_vs_offset: int = 0,
        selection_string_vs_buf_size: int = 0,
        selection_string_vs_length: int = 0,
        selection_string_vsccsid: int = 1208,
        sub_level: int = 1,
        res_object_string_vs_ptr: int = 0,
        res_object_string_vs_offset: int = 0,
        res_object_string_vs_buf_size: int = 0,
        res_object_string_vs_length: int = 0,
        res_object_string_vsccsid: int = 1208,
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.options = options
        self.object_name = object_name
        self.alternate_user_id = alternate_user_id
        self.alternate_security_id = alternate_security_id
        self.sub_expiry = sub_expiry
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
        self.sub_user_data_vs_ptr = sub_user_data_vs_ptr
        self.sub_user_data_vs_offset = sub_user_data_vs_offset
        self.sub_user_data_vs_buf_size = sub_user_data_vs_buf_size
        self.sub_user_data_vs_length = sub_user_data_vs_length
        self.sub_user_data_vsccsid = sub_user_data_vsccsid
        self.sub_correl_id = sub_correl_id
        self.pub_priority = pub_priority
        self.pub_accounting_token = pub_accounting_token
        self.pub_appl_identity_data = pub_appl_identity_data
        self.selection_string_vs_ptr = selection_string_vs_ptr
        self.selection_string_vs_offset = selection_string_vs_offset
        self.selection_string_vs_buf_size = selection_string_vs_buf_size
        self.selection_string_vs_length = selection_string_vs_length
        self.selection_string_vsccsid = selection_string_vsccsid
        self.sub_level = sub_level
        self.res_object_string_vs_ptr = res_object_string_vs_ptr
        self.res_object_string_vs_offset = res_object_string_vs_offset
        self.res_object_string_vs_buf_size = res_object_string_vs_buf_size
        self.res_object_string_vs_length = res_object_string_vs_length
        self.res_object_string_vsccsid = res_object_string_vsccsid

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
            self.options,
            self.object_name,
            self.alternate_user_id,
            self.alternate_security_id,
            self.sub_expiry,
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
            self.sub_user_data_vs_ptr,
            self.sub_user_data_vs_offset,
            self.sub_user_data_vs_buf_size,
            self.sub_user_data_vs_length,
            self.sub_user_data_vsccsid,
            self.sub_correl_id,
            self.pub_priority,
            self.pub_accounting_token,
            self.pub_appl_identity_data,
            self.selection_string_vs_ptr,
            self.selection_string_vs_offset,
            self.selection_string_vs_buf_size,
            self.selection_string_vs_length,
            self.selection_string_vsccsid,
            self.sub_level,
            self.res_object_string_vs_ptr,
            self.res_object_string_vs_offset,
            self.res_object_string_vs_buf_size,
            self.res_object_string_vs_length,
            self.res_object_string_vsccsid,
        ) = values
        return self

    def build(self) -> bytes:
        try:
            if (
                len(self.struc_id) == 4
                and len(self.object_name) == 48
                and len(self.alternate_user_id) == 12
                and len(self.alternate_security_id) == 40
                and len(self.sub_correl_id) == 24
                and len(self.pub_accounting_token) == 32
                and len(self.pub_appl_identity_data) == 32
            ):
                return self.LAYOUT.pack(
                    self.struc_id,
                    self.version,
                    self.options,
                    self.object_name,
                    self.alternate_user_id,
                    self.alternate_security_id,
                    self.sub_expiry,
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
                    self.sub_user_data_vs_ptr,
                    self.sub_user_data_vs_offset,
                    self.sub_user_data_vs_buf_size,
                    self.sub_user_data_vs_length,
                    self.sub_user_data_vsccsid,
                    self.sub_correl_id,
                    self.pub_priority,
                    self.pub_accounting_token,
                    self.pub_appl_identity_data,
                    self.selection_string_vs_ptr,
                    self.selection_string_vs_offset,
                    self.selection_string_vs_buf_size,
                    self.selection_string_vs_length,
                    self.selection_string_vsccsid,
                    self.sub_level,
                    self.res_object_string_vs_ptr,
                    self.res_object_string_vs_offset,
                    self.res_object_string_vs_buf_size,
                    self.res_object_string_vs_length,
                    self.res_object_string_vsccsid,
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class SdBig(Sd):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLL48s12s40slLLLllLLLllLLLll24sl32s32sLLLlllLLLll")


@mypyc_attr(allow_interpreted_subclasses=True)
class SdLittle(Sd):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLL48s12s40slLLLllLLLllLLLll24sl32s32sLLLlllLLLll")
