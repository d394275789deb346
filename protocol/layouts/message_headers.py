"""Records of MESSAGE_DATA, MQXQH, MESSAGE_PREFIX.

Made by ``make layouts`` from ``protocol/structures/message_headers.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class SegmentHeaders(Record):
    """MESSAGE_DATA, 476 bytes, mq-wire.md 7.4."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "tsh_struc_id",
        "tsh_seg_length",
        "tsh_byte_order",
        "tsh_segment_type",
        "tsh_control_flags1",
        "tsh_control_flags2",
        "tsh_luwid",
        "tsh_encoding",
        "tsh_ccsid",
        "tsh_reserved",
        "msh_struc_id",
        "msh_sequence_number",
        "msh_data_length",
        "msh_unknown1",
        "msh_message_length",
        "xqh_struc_id",
        "xqh_version",
        "xqh_remote_q_name",
        "xqh_remote_q_mgr_name",
        "md_struc_id",
        "md_version",
        "md_report",
        "md_msg_type",
        "md_expiry",
        "md_feedback",
        "md_encoding",
        "md_coded_char_set_id",
        "md_format",
        "md_priority",
        "md_persistence",
        "md_msg_id",
        "md_correl_id",
        "md_backout_count",
        "md_reply_to_q",
        "md_reply_to_q_mgr",
        "md_user_identifier",
        "md_accounting_token",
        "md_appl_identity_data",
        "md_put_appl_type",
        "md_put_appl_name",
        "md_put_date",
        "md_put_time",
        "md_appl_origin_data",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "MESSAGE_DATA"
    SIZE: ClassVar[int] = 476

    tsh_struc_id: bytes
    tsh_seg_length: int
    tsh_byte_order: int
    tsh_segment_type: int
    tsh_control_flags1: int
    tsh_control_flags2: int
    tsh_luwid: bytes
    tsh_encoding: int
    tsh_ccsid: int
    tsh_reserved: int
    msh_struc_id: bytes
    msh_sequence_number: int
    msh_data_length: int
    msh_unknown1: int
    msh_message_length: int
    xqh_struc_id: bytes
    xqh_version: int
    xqh_remote_q_name: bytes
    xqh_remote_q_mgr_name: bytes
    md_struc_id: bytes
    md_version: int
    md_report: int
    md_msg_type: int
    md_expiry: int
    md_feedback: int
    md_encoding: int
    md_coded_char_set_id: int
    md_format: bytes
    md_priority: int
    md_persistence: int
    md_msg_id: bytes
    md_correl_id: bytes
    md_backout_count: int
    md_reply_to_q: bytes
    md_reply_to_q_mgr: bytes
    md_user_identifier: bytes
    md_accounting_token: bytes
    md_appl_identity_data: bytes
    md_put_appl_type: int
    md_put_appl_name: bytes
    md_put_date: bytes
    md_put_time: bytes
    md_appl_origin_data: bytes

    def __init__(
        self,
        *,
        tsh_struc_id: bytes = b"TSH ",
        tsh_seg_length: int = 28,
        tsh_byte_order: int = 1,
        tsh_segment_type: int = 0,
        tsh_control_flags1: int = 0,
        tsh_control_flags2: int = 0,
        tsh_luwid: bytes = b"\0" * 8,
        tsh_encoding: int = 546,
        tsh_ccsid: int = 437,
        tsh_reserved: int = 0,
        msh_struc_id: bytes = b"MSH ",
        msh_sequence_number: int = 0,
        msh_data_length: int = 0,
        msh_unknown1: int = 0,
        msh_message_length: int = 0,
        xqh_struc_id: bytes = b"XQH ",
        xqh_version: int = 1,
        xqh_remote_q_name: bytes = b" " * 48,
        xqh_remote_q_mgr_name: bytes = b" " * 48,
        md_struc_id: bytes = b"MD  ",
        md_version: int = 1,
        md_report: int = 0,
        md_msg_type: int = 8,
        md_expiry: int = -1,
        md_feedback: int = 0,
        md_encoding: int = 273,
        md_coded_char_set_id: int = 0,
        md_format: bytes = b" " * 8,
        md_priority: int = -1,
        md_persistence: int = 2,
        md_msg_id: bytes = b"\0" * 24,
        md_correl_id: bytes = b"\0" * 24,
        md_backout_count: int = 0,
        md_reply_to_q: bytes = b" " * 48,
        md_reply_to_q_mgr: bytes = b" " * 48,
        md_user_identifier: bytes = b" " * 12,
        md_accounting_token: bytes = b"\0" * 32,
        md_appl_identity_data: bytes = b" " * 32,
        md_put_appl_type: int = 0,
        md_put_appl_name: bytes = b" " * 28,
        md_put_date: bytes = b" " * 8,
        md_put_time: bytes = b" " * 8,
        md_appl_origin_data: bytes = b" " * 4,
    ) -> None:
        self.tsh_struc_id = tsh_struc_id
        self.tsh_seg_length = tsh_seg_length
        self.tsh_byte_order = tsh_byte_order
        self.tsh_segment_type = tsh_segment_type
        self.tsh_control_flags1 = tsh_control_flags1
        self.tsh_control_flags2 = tsh_control_flags2
        self.tsh_luwid = tsh_luwid
        self.tsh_encoding = tsh_encoding
        self.tsh_ccsid = tsh_ccsid
        self.tsh_reserved = tsh_reserved
        self.msh_struc_id = msh_struc_id
        self.msh_sequence_number = msh_sequence_number
        self.msh_data_length = msh_data_length
        self.msh_unknown1 = msh_unknown1
        self.msh_message_length = msh_message_length
        self.xqh_struc_id = xqh_struc_id
        self.xqh_version = xqh_version
        self.xqh_remote_q_name = xqh_remote_q_name
        self.xqh_remote_q_mgr_name = xqh_remote_q_mgr_name
        self.md_struc_id = md_struc_id
        self.md_version = md_version
        self.md_report = md_report
        self.md_msg_type = md_msg_type
        self.md_expiry = md_expiry
        self.md_feedback = md_feedback
        self.md_encoding = md_encoding
        self.md_coded_char_set_id = md_coded_char_set_id
        self.md_format = md_format
        self.md_priority = md_priority
        self.md_persistence = md_persistence
        self.md_msg_id = md_msg_id
        self.md_correl_id = md_correl_id
        self.md_backout_count = md_backout_count
        self.md_reply_to_q = md_reply_to_q
        self.md_reply_to_q_mgr = md_reply_to_q_mgr
        self.md_user_identifier = md_user_identifier
        self.md_accounting_token = md_accounting_token
        self.md_appl_identity_data = md_appl_identity_data
        self.md_put_appl_type = md_put_appl_type
        self.md_put_appl_name = md_put_appl_name
        self.md_put_date = md_put_date
        self.md_put_time = md_put_time
        self.md_appl_origin_data = md_appl_origin_data

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (
            self.tsh_struc_id,
            tsh_seg_length,
            self.tsh_byte_order,
            self.tsh_segment_type,
            self.tsh_control_flags1,
            self.tsh_control_flags2,
            self.tsh_luwid,
            self.tsh_encoding,
            self.tsh_ccsid,
            self.tsh_reserved,
            self.msh_struc_id,
            self.msh_sequence_number,
            self.msh_data_length,
            self.msh_unknown1,
            self.msh_message_length,
            self.xqh_struc_id,
            self.xqh_version,
            self.xqh_remote_q_name,
            self.xqh_remote_q_mgr_name,
            self.md_struc_id,
            self.md_version,
            self.md_report,
            self.md_msg_type,
            self.md_expiry,
            self.md_feedback,
            self.md_encoding,
            self.md_coded_char_set_id,
            self.md_format,
            self.md_priority,
            self.md_persistence,
            self.md_msg_id,
            self.md_correl_id,
            self.md_backout_count,
            self.md_reply_to_q,
            self.md_reply_to_q_mgr,
            self.md_user_identifier,
            self.md_accounting_token,
            self.md_appl_identity_data,
            self.md_put_appl_type,
            self.md_put_appl_name,
            self.md_put_date,
            self.md_put_time,
            self.md_appl_origin_data,
        ) = values
        self.tsh_seg_length = int.from_bytes(tsh_seg_length, "big")
        return self

    def build(self) -> bytes:
        try:
            if (
                len(self.tsh_struc_id) == 4
                and len(self.tsh_luwid) == 8
                and len(self.msh_struc_id) == 4
                and len(self.xqh_struc_id) == 4
                and len(self.xqh_remote_q_name) == 48
                and len(self.xqh_remote_q_mgr_name) == 48
                and len(self.md_struc_id) == 4
                and len(self.md_format) == 8
                and len(self.md_msg_id) == 24
                and len(self.md_correl_id) == 24
                and len(self.md_reply_to_q) == 48
                and len(self.md_reply_to_q_mgr) == 48
                and len(self.md_user_identifier) == 12
                and len(self.md_accounting_token) == 32
                and len(self.md_appl_identity_data) == 32
                and len(self.md_put_appl_name) == 28
                and len(self.md_put_date) == 8
                and len(self.md_put_time) == 8
                and len(self.md_appl_origin_data) == 4
            ):
                return self.LAYOUT.pack(
                    self.tsh_struc_id,
                    self.tsh_seg_length.to_bytes(4, "big"),
                    self.tsh_byte_order,
                    self.tsh_segment_type,
                    self.tsh_control_flags1,
                    self.tsh_control_flags2,
                    self.tsh_luwid,
                    self.tsh_encoding,
                    self.tsh_ccsid,
                    self.tsh_reserved,
                    self.msh_struc_id,
                    self.msh_sequence_number,
                    self.msh_data_length,
                    self.msh_unknown1,
                    self.msh_message_length,
                    self.xqh_struc_id,
                    self.xqh_version,
                    self.xqh_remote_q_name,
                    self.xqh_remote_q_mgr_name,
                    self.md_struc_id,
                    self.md_version,
                    self.md_report,
                    self.md_msg_type,
                    self.md_expiry,
                    self.md_feedback,
                    self.md_encoding,
                    self.md_coded_char_set_id,
                    self.md_format,
                    self.md_priority,
                    self.md_persistence,
                    self.md_msg_id,
                    self.md_correl_id,
                    self.md_backout_count,
                    self.md_reply_to_q,
                    self.md_reply_to_q_mgr,
                    self.md_user_identifier,
                    self.md_accounting_token,
                    self.md_appl_identity_data,
                    self.md_put_appl_type,
                    self.md_put_appl_name,
                    self.md_put_date,
                    self.md_put_time,
                    self.md_appl_origin_data,
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class SegmentHeadersBig(SegmentHeaders):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4s4sBBBB8sLHH4sLLLL4sL48s48s4sLLLlLLl8slL24s24sL48s48s12s32s32sl28s8s8s4s")


@mypyc_attr(allow_interpreted_subclasses=True)
class SegmentHeadersLittle(SegmentHeaders):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4s4sBBBB8sLHH4sLLLL4sL48s48s4sLLLlLLl8slL24s24sL48s48s12s32s32sl28s8s8s4s")

    def __init__(
        self,
        *,
        tsh_struc_id: bytes = b"TSH ",
        tsh_seg_length: int = 28,
        tsh_byte_order: int = 2,
        tsh_segment_type: int = 0,
        tsh_control_flags1: int = 0,
        tsh_control_flags2: int = 0,
        tsh_luwid: bytes = b"\0" * 8,
        tsh_encoding: int = 546,
        tsh_ccsid: int = 437,
        tsh_reserved: int = 0,
        msh_struc_id: bytes = b"MSH ",
        msh_sequence_number: int = 0,
        msh_data_length: int = 0,
        msh_unknown1: int = 0,
        msh_message_length: int = 0,
        xqh_struc_id: bytes = b"XQH ",
        xqh_version: int = 1,
        xqh_remote_q_name: bytes = b" " * 48,
        xqh_remote_q_mgr_name: bytes = b" " * 48,
        md_struc_id: bytes = b"MD  ",
        md_version: int = 1,
        md_report: int = 0,
        md_msg_type: int = 8,
        md_expiry: int = -1,
        md_feedback: int = 0,
        md_encoding: int = 546,
        md_coded_char_set_id: int = 0,
        md_format: bytes = b" " * 8,
        md_priority: int = -1,
        md_persistence: int = 2,
        md_msg_id: bytes = b"\0" * 24,
        md_correl_id: bytes = b"\0" * 24,
        md_backout_count: int = 0,
        md_reply_to_q: bytes = b" " * 48,
        md_reply_to_q_mgr: bytes = b" " * 48,
        md_user_identifier: bytes = b" " * 12,
        md_accounting_token: bytes = b"\0" * 32,
        md_appl_identity_data: bytes = b" " * 32,
        md_put_appl_type: int = 0,
        md_put_appl_name: bytes = b" " * 28,
        md_put_date: bytes = b" " * 8,
        md_put_time: bytes = b" " * 8,
        md_appl_origin_data: bytes = b" " * 4,
    ) -> None:
        self.tsh_struc_id = tsh_struc_id
        self.tsh_seg_length = tsh_seg_length
        self.tsh_byte_order = tsh_byte_order
        self.tsh_segment_type = tsh_segment_type
        self.tsh_control_flags1 = tsh_control_flags1
        self.tsh_control_flags2 = tsh_control_flags2
        self.tsh_luwid = tsh_luwid
        self.tsh_encoding = tsh_encoding
        self.tsh_ccsid = tsh_ccsid
        self.tsh_reserved = tsh_reserved
        self.msh_struc_id = msh_struc_id
        self.msh_sequence_number = msh_sequence_number
        self.msh_data_length = msh_data_length
        self.msh_unknown1 = msh_unknown1
        self.msh_message_length = msh_message_length
        self.xqh_struc_id = xqh_struc_id
        self.xqh_version = xqh_version
        self.xqh_remote_q_name = xqh_remote_q_name
        self.xqh_remote_q_mgr_name = xqh_remote_q_mgr_name
        self.md_struc_id = md_struc_id
        self.md_version = md_version
        self.md_report = md_report
        self.md_msg_type = md_msg_type
        self.md_expiry = md_expiry
        self.md_feedback = md_feedback
        self.md_encoding = md_encoding
        self.md_coded_char_set_id = md_coded_char_set_id
        self.md_format = md_format
        self.md_priority = md_priority
        self.md_persistence = md_persistence
        self.md_msg_id = md_msg_id
        self.md_correl_id = md_correl_id
        self.md_backout_count = md_backout_count
        self.md_reply_to_q = md_reply_to_q
        self.md_reply_to_q_mgr = md_reply_to_q_mgr
        self.md_user_identifier = md_user_identifier
        self.md_accounting_token = md_accounting_token
        self.md_appl_identity_data = md_appl_identity_data
        self.md_put_appl_type = md_put_appl_type
        self.md_put_appl_name = md_put_appl_name
        self.md_put_date = md_put_date
        self.md_put_time = md_put_time
        self.md_appl_origin_data = md_appl_origin_data


@mypyc_attr(allow_interpreted_subclasses=True)
class MessageHeaders(Record):
    """MESSAGE_DATA, 448 bytes, mq-wire.md 7.4."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "msh_struc_id",
        "msh_sequence_number",
        "msh_data_length",
        "msh_unknown1",
        "msh_message_length",
        "xqh_struc_id",
        "xqh_version",
        "xqh_remote_q_name",
        "xqh_remote_q_mgr_name",
        "md_struc_id",
        "md_version",
        "md_report",
        "md_msg_type",
        "md_expiry",
        "md_feedback",
        "md_encoding",
        "md_coded_char_set_id",
        "md_format",
        "md_priority",
        "md_persistence",
        "md_msg_id",
        "md_correl_id",
        "md_backout_count",
        "md_reply_to_q",
        "md_reply_to_q_mgr",
        "md_user_identifier",
        "md_accounting_token",
        "md_appl_identity_data",
        "md_put_appl_type",
        "md_put_appl_name",
        "md_put_date",
        "md_put_time",
        "md_appl_origin_data",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "MESSAGE_DATA"
    SIZE: ClassVar[int] = 448

    msh_struc_id: bytes
    msh_sequence_number: int
    msh_data_length: int
    msh_unknown1: int
    msh_message_length: int
    xqh_struc_id: bytes
    xqh_version: int
    xqh_remote_q_name: bytes
    xqh_remote_q_mgr_name: bytes
    md_struc_id: bytes
    md_version: int
    md_report: int
    md_msg_type: int
    md_expiry: int
    md_feedback: int
    md_encoding: int
    md_coded_char_set_id: int
    md_format: bytes
    md_priority: int
    md_persistence: int
    md_msg_id: bytes
    md_correl_id: bytes
    md_backout_count: int
    md_reply_to_q: bytes
    md_reply_to_q_mgr: bytes
    md_user_identifier: bytes
    md_accounting_token: bytes
    md_appl_identity_data: bytes
    md_put_appl_type: int
    md_put_appl_name: bytes
    md_put_date: bytes
    md_put_time: bytes
    md_appl_origin_data: bytes

    def __init__(
        self,
        *,
        msh_struc_id: bytes = b"MSH ",
        msh_sequence_number: int = 0,
        msh_data_length: int = 0,
        msh_unknown1: int = 0,
        msh_message_length: int = 0,
        xqh_struc_id: bytes = b"XQH ",
        xqh_version: int = 1,
        xqh_remote_q_name: bytes = b" " * 48,
        xqh_remote_q_mgr_name: bytes = b" " * 48,
        md_struc_id: bytes = b"MD  ",
        md_version: int = 1,
        md_report: int = 0,
        md_msg_type: int = 8,
        md_expiry: int = -1,
        md_feedback: int = 0,
        md_encoding: int = 273,
        md_coded_char_set_id: int = 0,
        md_format: bytes = b" " * 8,
        md_priority: int = -1,
        md_persistence: int = 2,
        md_msg_id: bytes = b"\0" * 24,
        md_correl_id: bytes = b"\0" * 24,
        md_backout_count: int = 0,
        md_reply_to_q: bytes = b" " * 48,
        md_reply_to_q_mgr: bytes = b" " * 48,
        md_user_identifier: bytes = b" " * 12,
        md_accounting_token: bytes = b"\0" * 32,
        md_appl_identity_data: bytes = b" " * 32,
        md_put_appl_type: int = 0,
        md_put_appl_name: bytes = b" " * 28,
        md_put_date: bytes = b" " * 8,
        md_put_time: bytes = b" " * 8,
        md_appl_origin_data: bytes = b" " * 4,
    ) -> None:
        self.msh_struc_id = msh_struc_id
        self.msh_sequence_number = msh_sequence_number
        self.msh_data_length = msh_data_length
        self.msh_unknown1 = msh_unknown1
        self.msh_message_length = msh_message_length
        self.xqh_struc_id = xqh_struc_id
        self.xqh_version = xqh_version
        self.xqh_remote_q_name = xqh_remote_q_name
        self.xqh_remote_q_mgr_name = xqh_remote_q_mgr_name
        self.md_struc_id = md_struc_id
        self.md_version = md_version
        self.md_report = md_report
        self.md_msg_type = md_msg_type
        self.md_expiry = md_expiry
        self.md_feedback = md_feedback
        self.md_encoding = md_encoding
        self.md_coded_char_set_id = md_coded_char_set_id
        self.md_format = md_format
        self.md_priority = md_priority
        self.md_persistence = md_persistence
        self.md_msg_id = md_msg_id
        self.md_correl_id = md_correl_id
        self.md_backout_count = md_backout_count
        self.md_reply_to_q = md_reply_to_q
        self.md_reply_to_q_mgr = md_reply_to_q_mgr
        self.md_user_identifier = md_user_identifier
        self.md_accounting_token = md_accounting_token
        self.md_appl_identity_data = md_appl_identity_data
        self.md_put_appl_type = md_put_appl_type
        self.md_put_appl_name = md_put_appl_name
        self.md_put_date = md_put_date
        self.md_put_time = md_put_time
        self.md_appl_origin_data = md_appl_origin_data

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (
            self.msh_struc_id,
            self.msh_sequence_number,
            self.msh_data_length,
            self.msh_unknown1,
            self.msh_message_length,
            self.xqh_struc_id,
            self.xqh_version,
            self.xqh_remote_q_name,
            self.xqh_remote_q_mgr_name,
            self.md_struc_id,
            self.md_version,
            self.md_report,
            self.md_msg_type,
            self.md_expiry,
            self.md_feedback,
            self.md_encoding,
            self.md_coded_char_set_id,
            self.md_format,
            self.md_priority,
            self.md_persistence,
            self.md_msg_id,
            self.md_correl_id,
            self.md_backout_count,
            self.md_reply_to_q,
            self.md_reply_to_q_mgr,
            self.md_user_identifier,
            self.md_accounting_token,
            self.md_appl_identity_data,
            self.md_put_appl_type,
            self.md_put_appl_name,
            self.md_put_date,
            self.md_put_time,
            self.md_appl_origin_data,
        ) = values
        return self

    def build(self) -> bytes:
        try:
            if (
                len(self.msh_struc_id) == 4
                and len(self.xqh_struc_id) == 4
                and len(self.xqh_remote_q_name) == 48
                and len(self.xqh_remote_q_mgr_name) == 48
                and len(self.md_struc_id) == 4
                and len(self.md_format) == 8
                and len(self.md_msg_id) == 24
                and len(self.md_correl_id) == 24
                and len(self.md_reply_to_q) == 48
                and len(self.md_reply_to_q_mgr) == 48
                and len(self.md_user_identifier) == 12
                and len(self.md_accounting_token) == 32
                and len(self.md_appl_identity_data) == 32
                and len(self.md_put_appl_name) == 28
                and len(self.md_put_date) == 8
                and len(self.md_put_time) == 8
                and len(self.md_appl_origin_data) == 4
            ):
                return self.LAYOUT.pack(
                    self.msh_struc_id,
                    self.msh_sequence_number,
                    self.msh_data_length,
                    self.msh_unknown1,
                    self.msh_message_length,
                    self.xqh_struc_id,
                    self.xqh_version,
                    self.xqh_remote_q_name,
                    self.xqh_remote_q_mgr_name,
                    self.md_struc_id,
                    self.md_version,
                    self.md_report,
                    self.md_msg_type,
                    self.md_expiry,
                    self.md_feedback,
                    self.md_encoding,
                    self.md_coded_char_set_id,
                    self.md_format,
                    self.md_priority,
                    self.md_persistence,
                    self.md_msg_id,
                    self.md_correl_id,
                    self.md_backout_count,
                    self.md_reply_to_q,
                    self.md_reply_to_q_mgr,
                    self.md_user_identifier,
                    self.md_accounting_token,
                    self.md_appl_identity_data,
                    self.md_put_appl_type,
                    self.md_put_appl_name,
                    self.md_put_date,
                    self.md_put_time,
                    self.md_appl_origin_data,
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class MessageHeadersBig(MessageHeaders):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLLLL4sL48s48s4sLLLlLLl8slL24s24sL48s48s12s32s32sl28s8s8s4s")


@mypyc_attr(allow_interpreted_subclasses=True)
class MessageHeadersLittle(MessageHeaders):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLLLL4sL48s48s4sLLLlLLl8slL24s24sL48s48s12s32s32sl28s8s8s4s")

    def __init__(
        self,
        *,
        msh_struc_id: bytes = b"MSH ",
        msh_sequence_number: int = 0,
        msh_data_length: int = 0,
        msh_unknown1: int = 0,
        msh_message_length: int = 0,
        xqh_struc_id: bytes = b"XQH ",
        xqh_version: int = 1,
        xqh_remote_q_name: bytes = b" " * 48,
        xqh_remote_q_mgr_name: bytes = b" " * 48,
        md_struc_id: bytes = b"MD  ",
        md_version: int = 1,
        md_report: int = 0,
        md_msg_type: int = 8,
        md_expiry: int = -1,
        md_feedback: int = 0,
        md_encoding: int = 546,
        md_coded_char_set_id: int = 0,
        md_format: bytes = b" " * 8,
        md_priority: int = -1,
        md_persistence: int = 2,
        md_msg_id: bytes = b"\0" * 24,
        md_correl_id: bytes = b"\0" * 24,
        md_backout_count: int = 0,
        md_reply_to_q: bytes = b" " * 48,
        md_reply_to_q_mgr: bytes = b" " * 48,
        md_user_identifier: bytes = b" " * 12,
        md_accounting_token: bytes = b"\0" * 32,
        md_appl_identity_data: bytes = b" " * 32,
        md_put_appl_type: int = 0,
        md_put_appl_name: bytes = b" " * 28,
        md_put_date: bytes = b" " * 8,
        md_put_time: bytes = b" " * 8,
        md_appl_origin_data: bytes = b" " * 4,
    ) -> None:
        self.msh_struc_id = msh_struc_id
        self.msh_sequence_number = msh_sequence_number
        self.msh_data_length = msh_data_length
        self.msh_unknown1 = msh_unknown1
        self.msh_message_length = msh_message_length
        self.xqh_struc_id = xqh_struc_id
        self.xqh_version = xqh_version
        self.xqh_remote_q_name = xqh_remote_q_name
        self.xqh_remote_q_mgr_name = xqh_remote_q_mgr_name
        self.md_struc_id = md_struc_id
        self.md_version = md_version
        self.md_report = md_report
        self.md_msg_type = md_msg_type
        self.md_expiry = md_expiry
        self.md_feedback = md_feedback
        self.md_encoding = md_encoding
        self.md_coded_char_set_id = md_coded_char_set_id
        self.md_format = md_format
        self.md_priority = md_priority
        self.md_persistence = md_persistence
        self.md_msg_id = md_msg_id
        self.md_correl_id = md_correl_id
        self.md_backout_count = md_backout_count
        self.md_reply_to_q = md_reply_to_q
        self.md_reply_to_q_mgr = md_reply_to_q_mgr
        self.md_user_identifier = md_user_identifier
        self.md_accounting_token = md_accounting_token
        self.md_appl_identity_data = md_appl_identity_data
        self.md_put_appl_type = md_put_appl_type
        self.md_put_appl_name = md_put_appl_name
        self.md_put_date = md_put_date
        self.md_put_time = md_put_time
        self.md_appl_origin_data = md_appl_origin_data


@mypyc_attr(allow_interpreted_subclasses=True)
class TransmissionHeaders(Record):
    """MQXQH, 428 bytes, mq-wire.md 5.14."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "xqh_struc_id",
        "xqh_version",
        "xqh_remote_q_name",
        "xqh_remote_q_mgr_name",
        "md_struc_id",
        "md_version",
        "md_report",
        "md_msg_type",
        "md_expiry",
        "md_feedback",
        "md_encoding",
        "md_coded_char_set_id",
        "md_format",
        "md_priority",
        "md_persistence",
        "md_msg_id",
        "md_correl_id",
        "md_backout_count",
        "md_reply_to_q",
        "md_reply_to_q_mgr",
        "md_user_identifier",
        "md_accounting_token",
        "md_appl_identity_data",
        "md_put_appl_type",
        "md_put_appl_name",
        "md_put_date",
        "md_put_time",
        "md_appl_origin_data",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "MQXQH"
    SIZE: ClassVar[int] = 428

    xqh_struc_id: bytes
    xqh_version: int
    xqh_remote_q_name: bytes
    xqh_remote_q_mgr_name: bytes
    md_struc_id: bytes
    md_version: int
    md_report: int
    md_msg_type: int
    md_expiry: int
    md_feedback: int
    md_encoding: int
    md_coded_char_set_id: int
    md_format: bytes
    md_priority: int
    md_persistence: int
    md_msg_id: bytes
    md_correl_id: bytes
    md_backout_count: int
    md_reply_to_q: bytes
    md_reply_to_q_mgr: bytes
    md_user_identifier: bytes
    md_accounting_token: bytes
    md_appl_identity_data: bytes
    md_put_appl_type: int
    md_put_appl_name: bytes
    md_put_date: bytes
    md_put_time: bytes
    md_appl_origin_data: bytes

    def __init__(
        self,
        *,
        xqh_struc_id: bytes = b"XQH ",
        xqh_version: int = 1,
        xqh_remote_q_name: bytes = b" " * 48,
        xqh_remote_q_mgr_name: bytes = b" " * 48,
        md_struc_id: bytes = b"MD  ",
        md_version: int = 1,
        md_report: int = 0,
        md_msg_type: int = 8,
        md_expiry: int = -1,
        md_feedback: int = 0,
        md_encoding: int = 273,
        md_coded_char_set_id: int = 0,
        md_format: bytes = b" " * 8,
        md_priority: int = -1,
        md_persistence: int = 2,
        md_msg_id: bytes = b"\0" * 24,
        md_correl_id: bytes = b"\0" * 24,
        md_backout_count: int = 0,
        md_reply_to_q: bytes = b" " * 48,
        md_reply_to_q_mgr: bytes = b" " * 48,
        md_user_identifier: bytes = b" " * 12,
        md_accounting_token: bytes = b"\0" * 32,
        md_appl_identity_data: bytes = b" " * 32,
        md_put_appl_type: int = 0,
        md_put_appl_name: bytes = b" " * 28,
        md_put_date: bytes = b" " * 8,
        md_put_time: bytes = b" " * 8,
        md_appl_origin_data: bytes = b" " * 4,
    ) -> None:
        self.xqh_struc_id = xqh_struc_id
        self.xqh_version = xqh_version
        self.xqh_remote_q_name = xqh_remote_q_name
        self.xqh_remote_q_mgr_name = xqh_remote_q_mgr_name
        self.md_struc_id = md_struc_id
        self.md_version = md_version
        self.md_report = md_report
        self.md_msg_type = md_msg_type
        self.md_expiry = md_expiry
        self.md_feedback = md_feedback
        self.md_encoding = md_encoding
        self.md_coded_char_set_id = md_coded_char_set_id
        self.md_format = md_format
        self.md_priority = md_priority
        self.md_persistence = md_persistence
        self.md_msg_id = md_msg_id
        self.md_correl_id = md_correl_id
        self.md_backout_count = md_backout_count
        self.md_reply_to_q = md_reply_to_q
        self.md_reply_to_q_mgr = md_reply_to_q_mgr
        self.md_user_identifier = md_user_identifier
        self.md_accounting_token = md_accounting_token
        self.md_appl_identity_data = md_appl_identity_data
        self.md_put_appl_type = md_put_appl_type
        self.md_put_appl_name = md_put_appl_name
        self.md_put_date = md_put_date
        self.md_put_time = md_put_time
        self.md_appl_origin_data = md_appl_origin_data

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (
            self.xqh_struc_id,
            self.xqh_version,
            self.xqh_remote_q_name,
            self.xqh_remote_q_mgr_name,
            self.md_struc_id,
            self.md_version,
            self.md_report,
            self.md_msg_type,
            self.md_expiry,
            self.md_feedback,
            self.md_encoding,
            self.md_coded_char_set_id,
            self.md_format,
            self.md_priority,
            self.md_persistence,
            self.md_msg_id,
            self.md_correl_id,
            self.md_backout_count,
            self.md_reply_to_q,
            self.md_reply_to_q_mgr,
            self.md_user_identifier,
            self.md_accounting_token,
            self.md_appl_identity_data,
            self.md_put_appl_type,
            self.md_put_appl_name,
            self.md_put_date,
            self.md_put_time,
            self.md_appl_origin_data,
        ) = values
        return self

    def build(self) -> bytes:
        try:
            if (
                len(self.xqh_struc_id) == 4
                and len(self.xqh_remote_q_name) == 48
                and len(self.xqh_remote_q_mgr_name) == 48
                and len(self.md_struc_id) == 4
                and len(self.md_format) == 8
                and len(self.md_msg_id) == 24
                and len(self.md_correl_id) == 24
                and len(self.md_reply_to_q) == 48
                and len(self.md_reply_to_q_mgr) == 48
                and len(self.md_user_identifier) == 12
                and len(self.md_accounting_token) == 32
                and len(self.md_appl_identity_data) == 32
                and len(self.md_put_appl_name) == 28
                and len(self.md_put_date) == 8
                and len(self.md_put_time) == 8
                and len(self.md_appl_origin_data) == 4
            ):
                return self.LAYOUT.pack(
                    self.xqh_struc_id,
                    self.xqh_version,
                    self.xqh_remote_q_name,
                    self.xqh_remote_q_mgr_name,
                    self.md_struc_id,
                    self.md_version,
                    self.md_report,
                    self.md_msg_type,
                    self.md_expiry,
                    self.md_feedback,
                    self.md_encoding,
                    self.md_coded_char_set_id,
                    self.md_format,
                    self.md_priority,
                    self.md_persistence,
                    self.md_msg_id,
                    self.md_correl_id,
                    self.md_backout_count,
                    self.md_reply_to_q,
                    self.md_reply_to_q_mgr,
                    self.md_user_identifier,
                    self.md_accounting_token,
                    self.md_appl_identity_data,
                    self.md_put_appl_type,
                    self.md_put_appl_name,
                    self.md_put_date,
                    self.md_put_time,
                    self.md_appl_origin_data,
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class TransmissionHeadersBig(TransmissionHeaders):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sL48s48s4sLLLlLLl8slL24s24sL48s48s12s32s32sl28s8s8s4s")


@mypyc_attr(allow_interpreted_subclasses=True)
class TransmissionHeadersLittle(TransmissionHeaders):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sL48s48s4sLLLlLLl8slL24s24sL48s48s12s32s32sl28s8s8s4s")

    def __init__(
        self,
        *,
        xqh_struc_id: bytes = b"XQH ",
        xqh_version: int = 1,
        xqh_remote_q_name: bytes = b" " * 48,
        xqh_remote_q_mgr_name: bytes = b" " * 48,
        md_struc_id: bytes = b"MD  ",
        md_version: int = 1,
        md_report: int = 0,
        md_msg_type: int = 8,
        md_expiry: int = -1,
        md_feedback: int = 0,
        md_encoding: int = 546,
        md_coded_char_set_id: int = 0,
        md_format: bytes = b" " * 8,
        md_priority: int = -1,
        md_persistence: int = 2,
        md_msg_id: bytes = b"\0" * 24,
        md_correl_id: bytes = b"\0" * 24,
        md_backout_count: int = 0,
        md_reply_to_q: bytes = b" " * 48,
        md_reply_to_q_mgr: bytes = b" " * 48,
        md_user_identifier: bytes = b" " * 12,
        md_accounting_token: bytes = b"\0" * 32,
        md_appl_identity_data: bytes = b" " * 32,
        md_put_appl_type: int = 0,
        md_put_appl_name: bytes = b" " * 28,
        md_put_date: bytes = b" " * 8,
        md_put_time: bytes = b" " * 8,
        md_appl_origin_data: bytes = b" " * 4,
    ) -> None:
        self.xqh_struc_id = xqh_struc_id
        self.xqh_version = xqh_version
        self.xqh_remote_q_name = xqh_remote_q_name
        self.xqh_remote_q_mgr_name = xqh_remote_q_mgr_name
        self.md_struc_id = md_struc_id
        self.md_version = md_version
        self.md_report = md_report
        self.md_msg_type = md_msg_type
        self.md_expiry = md_expiry
        self.md_feedback = md_feedback
        self.md_encoding = md_encoding
        self.md_coded_char_set_id = md_coded_char_set_id
        self.md_format = md_format
        self.md_priority = md_priority
        self.md_persistence = md_persistence
        self.md_msg_id = md_msg_id
        self.md_correl_id = md_correl_id
        self.md_backout_count = md_backout_count
        self.md_reply_to_q = md_reply_to_q
        self.md_reply_to_q_mgr = md_reply_to_q_mgr
        self.md_user_identifier = md_user_identifier
        self.md_accounting_token = md_accounting_token
        self.md_appl_identity_data = md_appl_identity_data
        self.md_put_appl_type = md_put_appl_type
        self.md_put_appl_name = md_put_appl_name
        self.md_put_date = md_put_date
        self.md_put_time = md_put_time
        self.md_appl_origin_data = md_appl_origin_data


@mypyc_attr(allow_interpreted_subclasses=True)
class MessagePrefix(Record):
    """MESSAGE_PREFIX, 48 bytes, mq-wire.md 7.4."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "tsh_struc_id",
        "tsh_seg_length",
        "tsh_byte_order",
        "tsh_segment_type",
        "tsh_control_flags1",
        "tsh_control_flags2",
        "tsh_luwid",
        "tsh_encoding",
        "tsh_ccsid",
        "tsh_reserved",
        "msh_struc_id",
        "msh_sequence_number",
        "msh_data_length",
        "msh_unknown1",
        "msh_message_length",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "MESSAGE_PREFIX"
    SIZE: ClassVar[int] = 48

    tsh_struc_id: bytes
    tsh_seg_length: int
    tsh_byte_order: int
    tsh_segment_type: int
    tsh_control_flags1: int
    tsh_control_flags2: int
    tsh_luwid: bytes
    tsh_encoding: int
    tsh_ccsid: int
    tsh_reserved: int
    msh_struc_id: bytes
    msh_sequence_number: int
    msh_data_length: int
    msh_unknown1: int
    msh_message_length: int

    def __init__(
        self,
        *,
        tsh_struc_id: bytes = b"TSH ",
        tsh_seg_length: int = 28,
        tsh_byte_order: int = 1,
        tsh_segment_type: int = 0,
        tsh_control_flags1: int = 0,
        tsh_control_flags2: int = 0,
        tsh_luwid: bytes = b"\0" * 8,
        tsh_encoding: int = 546,
        tsh_ccsid: int = 437,
        tsh_reserved: int = 0,
        msh_struc_id: bytes = b"MSH ",
        msh_sequence_number: int = 0,
        msh_data_length: int = 0,
        msh_unknown1: int = 0,
        msh_message_length: int = 0,
    ) -> None:
        self.tsh_struc_id = tsh_struc_id
        self.tsh_seg_length = tsh_seg_length
        self.tsh_byte_order = tsh_byte_order
        self.tsh_segment_type = tsh_segment_type
        self.tsh_control_flags1 = tsh_control_flags1
        self.tsh_control_flags2 = tsh_control_flags2
        self.tsh_luwid = tsh_luwid
        self.tsh_encoding = tsh_encoding
        self.tsh_ccsid = tsh_ccsid
        self.tsh_reserved = tsh_reserved
        self.msh_struc_id = msh_struc_id
        self.msh_sequence_number = msh_sequence_number
        self.msh_data_length = msh_data_length
        self.msh_unknown1 = msh_unknown1
        self.msh_message_length = msh_message_length

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (
            self.tsh_struc_id,
            tsh_seg_length,
            self.tsh_byte_order,
            self.tsh_segment_type,
            self.tsh_control_flags1,
            self.tsh_control_flags2,
            self.tsh_luwid,
            self.tsh_encoding,
            self.tsh_ccsid,
            self.tsh_reserved,
            self.msh_struc_id,
            self.msh_sequence_number,
            self.msh_data_length,
            self.msh_unknown1,
            self.msh_message_length,
        ) = values
        self.tsh_seg_length = int.from_bytes(tsh_seg_length, "big")
        return self

    def build(self) -> bytes:
        try:
            if len(self.tsh_struc_id) == 4 and len(self.tsh_luwid) == 8 and len(self.msh_struc_id) == 4:
                return self.LAYOUT.pack(
                    self.tsh_struc_id,
                    self.tsh_seg_length.to_bytes(4, "big"),
                    self.tsh_byte_order,
                    self.tsh_segment_type,
                    self.tsh_control_flags1,
                    self.tsh_control_flags2,
                    self.tsh_luwid,
                    self.tsh_encoding,
                    self.tsh_ccsid,
                    self.tsh_reserved,
                    self.msh_struc_id,
                    self.msh_sequence_number,
                    self.msh_data_length,
                    self.msh_unknown1,
                    self.msh_message_length,
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class MessagePrefixBig(MessagePrefix):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4s4sBBBB8sLHH4sLLLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class MessagePrefixLittle(MessagePrefix):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4s4sBBBB8sLHH4sLLLL")

    def __init__(
        self,
        *,
        tsh_struc_id: bytes = b"TSH ",
        tsh_seg_length: int = 28,
        tsh_byte_order: int = 2,
        tsh_segment_type: int = 0,
        tsh_control_flags1: int = 0,
        tsh_control_flags2: int = 0,
        tsh_luwid: bytes = b"\0" * 8,
        tsh_encoding: int = 546,
        tsh_ccsid: int = 437,
        tsh_reserved: int = 0,
        msh_struc_id: bytes = b"MSH ",
        msh_sequence_number: int = 0,
        msh_data_length: int = 0,
        msh_unknown1: int = 0,
        msh_message_length: int = 0,
    ) -> None:
        self.tsh_struc_id = tsh_struc_id
        self.tsh_seg_length = tsh_seg_length
        self.tsh_byte_order = tsh_byte_order
        self.tsh_segment_type = tsh_segment_type
        self.tsh_control_flags1 = tsh_control_flags1
        self.tsh_control_flags2 = tsh_control_flags2
        self.tsh_luwid = tsh_luwid
        self.tsh_encoding = tsh_encoding
        self.tsh_ccsid = tsh_ccsid
        self.tsh_reserved = tsh_reserved
        self.msh_struc_id = msh_struc_id
        self.msh_sequence_number = msh_sequence_number
        self.msh_data_length = msh_data_length
        self.msh_unknown1 = msh_unknown1
        self.msh_message_length = msh_message_length
