"""Records of MQMD.

Made by ``make layouts`` from ``protocol/structures/md.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Md(Record):
    """MQMD, 364 bytes, mq-wire.md 5.7."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "struc_id",
        "version",
        "report",
        "msg_type",
        "expiry",
        "feedback",
        "encoding",
        "coded_char_set_id",
        "format",
        "priority",
        "persistence",
        "msg_id",
        "correl_id",
        "backout_count",
        "reply_to_q",
        "reply_to_q_mgr",
        "user_identifier",
        "accounting_token",
        "appl_identity_data",
        "put_appl_type",
        "put_appl_name",
        "put_date",
        "put_time",
        "appl_origin_data",
        "group_id",
        "msg_seq_number",
        "offset",
        "msg_flags",
        "original_length",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "MD"
    SIZE: ClassVar[int] = 364

    struc_id: bytes
    version: int
    report: int
    msg_type: int
    expiry: int
    feedback: int
    encoding: int
    coded_char_set_id: int
    format: bytes
    priority: int
    persistence: int
    msg_id: bytes
    correl_id: bytes
    backout_count: int
    reply_to_q: bytes
    reply_to_q_mgr: bytes
    user_identifier: bytes
    accounting_token: bytes
    appl_identity_data: bytes
    put_appl_type: int
    put_appl_name: bytes
    put_date: bytes
    put_time: bytes
    appl_origin_data: bytes
    group_id: bytes
    msg_seq_number: int
    offset: int
    msg_flags: int
    original_length: int

    def __init__(
        self,
        *,
        struc_id: bytes = b"MD  ",
        version: int = 1,
        report: int = 0,
        msg_type: int = 8,
        expiry: int = -1,
        feedback: int = 0,
        encoding: int = 273,
        coded_char_set_id: int = 0,
        format: bytes = b" " * 8,
        priority: int = -1,
        persistence: int = 2,
        msg_id: bytes = b"\0" * 24,
        correl_id: bytes = b"\0" * 24,
        backout_count: int = 0,
        reply_to_q: bytes = b" " * 48,
        reply_to_q_mgr: bytes = b" " * 48,
        user_identifier: bytes = b" " * 12,
        accounting_token: bytes = b"\0" * 32,
        appl_identity_data: bytes = b" " * 32,
        put_appl_type: int = 0,
        put_appl_name: bytes = b" " * 28,
        put_date: bytes = b" " * 8,
        put_time: bytes = b" " * 8,
        appl_origin_data: bytes = b" " * 4,
        group_id: bytes = b"\0" * 24,
        msg_seq_number: int = 1,
        offset: int = 0,
        msg_flags: int = 0,
        original_length: int = -1,
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.report = report
        self.msg_type = msg_type
        self.expiry = expiry
        self.feedback = feedback
        self.encoding = encoding
        self.coded_char_set_id = coded_char_set_id
        self.format = format
        self.priority = priority
        self.persistence = persistence
        self.msg_id = msg_id
        self.correl_id = correl_id
        self.backout_count = backout_count
        self.reply_to_q = reply_to_q
        self.reply_to_q_mgr = reply_to_q_mgr
        self.user_identifier = user_identifier
        self.accounting_token = accounting_token
        self.appl_identity_data = appl_identity_data
        self.put_appl_type = put_appl_type
        self.put_appl_name = put_appl_name
        self.put_date = put_date
        self.put_time = put_time
        self.appl_origin_data = appl_origin_data
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
            self.report,
            self.msg_type,
            self.expiry,
            self.feedback,
            self.encoding,
            self.coded_char_set_id,
            self.format,
            self.priority,
            self.persistence,
            self.msg_id,
            self.correl_id,
            self.backout_count,
            self.reply_to_q,
            self.reply_to_q_mgr,
            self.user_identifier,
            self.accounting_token,
            self.appl_identity_data,
            self.put_appl_type,
            self.put_appl_name,
            self.put_date,
            self.put_time,
            self.appl_origin_data,
            self.group_id,
            self.msg_seq_number,
            self.offset,
            self.msg_flags,
            self.original_length,
        ) = values
        return self

    def build(self) -> bytes:
        try:
            if (
                len(self.struc_id) == 4
                and len(self.format) == 8
                and len(self.msg_id) == 24
                and len(self.correl_id) == 24
                and len(self.reply_to_q) == 48
                and len(self.reply_to_q_mgr) == 48
                and len(self.user_identifier) == 12
                and len(self.accounting_token) == 32
                and len(self.appl_identity_data) == 32
                and len(self.put_appl_name) == 28
                and len(self.put_date) == 8
                and len(self.put_time) == 8
                and len(self.appl_origin_data) == 4
                and len(self.group_id) == 24
            ):
                return self.LAYOUT.pack(
                    self.struc_id,
                    self.version,
                    self.report,
                    self.msg_type,
                    self.expiry,
                    self.feedback,
                    self.encoding,
                    self.coded_char_set_id,
                    self.format,
                    self.priority,
                    self.persistence,
                    self.msg_id,
                    self.correl_id,
                    self.backout_count,
                    self.reply_to_q,
                    self.reply_to_q_mgr,
                    self.user_identifier,
                    self.accounting_token,
                    self.appl_identity_data,
                    self.put_appl_type,
                    self.put_appl_name,
                    self.put_date,
                    self.put_time,
                    self.appl_origin_data,
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
class MdBig(Md):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLLLlLLl8slL24s24sL48s48s12s32s32sl28s8s8s4s24sLLLl")


@mypyc_attr(allow_interpreted_subclasses=True)
class MdLittle(Md):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLLLlLLl8slL24s24sL48s48s12s32s32sl28s8s8s4s24sLLLl")

    def __init__(
        self,
        *,
        struc_id: bytes = b"MD  ",
        version: int = 1,
        report: int = 0,
        msg_type: int = 8,
        expiry: int = -1,
        feedback: int = 0,
        encoding: int = 546,
        coded_char_set_id: int = 0,
        format: bytes = b" " * 8,
        priority: int = -1,
        persistence: int = 2,
        msg_id: bytes = b"\0" * 24,
        correl_id: bytes = b"\0" * 24,
        backout_count: int = 0,
        reply_to_q: bytes = b" " * 48,
        reply_to_q_mgr: bytes = b" " * 48,
        user_identifier: bytes = b" " * 12,
        accounting_token: bytes = b"\0" * 32,
        appl_identity_data: bytes = b" " * 32,
        put_appl_type: int = 0,
        put_appl_name: bytes = b" " * 28,
        put_date: bytes = b" " * 8,
        put_time: bytes = b" " * 8,
        appl_origin_data: bytes = b" " * 4,
        group_id: bytes = b"\0" * 24,
        msg_seq_number: int = 1,
        offset: int = 0,
        msg_flags: int = 0,
        original_length: int = -1,
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.report = report
        self.msg_type = msg_type
        self.expiry = expiry
        self.feedback = feedback
        self.encoding = encoding
        self.coded_char_set_id = coded_char_set_id
        self.format = format
        self.priority = priority
        self.persistence = persistence
        self.msg_id = msg_id
        self.correl_id = correl_id
        self.backout_count = backout_count
        self.reply_to_q = reply_to_q
        self.reply_to_q_mgr = reply_to_q_mgr
        self.user_identifier = user_identifier
        self.accounting_token = accounting_token
        self.appl_identity_data = appl_identity_data
        self.put_appl_type = put_appl_type
        self.put_appl_name = put_appl_name
        self.put_date = put_date
        self.put_time = put_time
        self.appl_origin_data = appl_origin_data
        self.group_id = group_id
        self.msg_seq_number = msg_seq_number
        self.offset = offset
        self.msg_flags = msg_flags
        self.original_length = original_length


@mypyc_attr(allow_interpreted_subclasses=True)
class Md1(Record):
    """MQMD, 324 bytes, mq-wire.md 5.7."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "struc_id",
        "version",
        "report",
        "msg_type",
        "expiry",
        "feedback",
        "encoding",
        "coded_char_set_id",
        "format",
        "priority",
        "persistence",
        "msg_id",
        "correl_id",
        "backout_count",
        "reply_to_q",
        "reply_to_q_mgr",
        "user_identifier",
        "accounting_token",
        "appl_identity_data",
        "put_appl_type",
        "put_appl_name",
        "put_date",
        "put_time",
        "appl_origin_data",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "MD"
    SIZE: ClassVar[int] = 324

    struc_id: bytes
    version: int
    report: int
    msg_type: int
    expiry: int
    feedback: int
    encoding: int
    coded_char_set_id: int
    format: bytes
    priority: int
    persistence: int
    msg_id: bytes
    correl_id: bytes
    backout_count: int
    reply_to_q: bytes
    reply_to_q_mgr: bytes
    user_identifier: bytes
    accounting_token: bytes
    appl_identity_data: bytes
    put_appl_type: int
    put_appl_name: bytes
    put_date: bytes
    put_time: bytes
    appl_origin_data: bytes

    def __init__(
        self,
        *,
        struc_id: bytes = b"MD  ",
        version: int = 1,
        report: int = 0,
        msg_type: int = 8,
        expiry: int = -1,
        feedback: int = 0,
        encoding: int = 273,
        coded_char_set_id: int = 0,
        format: bytes = b" " * 8,
        priority: int = -1,
        persistence: int = 2,
        msg_id: bytes = b"\0" * 24,
        correl_id: bytes = b"\0" * 24,
        backout_count: int = 0,
        reply_to_q: bytes = b" " * 48,
        reply_to_q_mgr: bytes = b" " * 48,
        user_identifier: bytes = b" " * 12,
        accounting_token: bytes = b"\0" * 32,
        appl_identity_data: bytes = b" " * 32,
        put_appl_type: int = 0,
        put_appl_name: bytes = b" " * 28,
        put_date: bytes = b" " * 8,
        put_time: bytes = b" " * 8,
        appl_origin_data: bytes = b" " * 4,
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.report = report
        self.msg_type = msg_type
        self.expiry = expiry
        self.feedback = feedback
        self.encoding = encoding
        self.coded_char_set_id = coded_char_set_id
        self.format = format
        self.priority = priority
        self.persistence = persistence
        self.msg_id = msg_id
        self.correl_id = correl_id
        self.backout_count = backout_count
        self.reply_to_q = reply_to_q
        self.reply_to_q_mgr = reply_to_q_mgr
        self.user_identifier = user_identifier
        self.accounting_token = accounting_token
        self.appl_identity_data = appl_identity_data
        self.put_appl_type = put_appl_type
        self.put_appl_name = put_appl_name
        self.put_date = put_date
        self.put_time = put_time
        self.appl_origin_data = appl_origin_data

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
            self.report,
            self.msg_type,
            self.expiry,
            self.feedback,
            self.encoding,
            self.coded_char_set_id,
            self.format,
            self.priority,
            self.persistence,
            self.msg_id,
            self.correl_id,
            self.backout_count,
            self.reply_to_q,
            self.reply_to_q_mgr,
            self.user_identifier,
            self.accounting_token,
            self.appl_identity_data,
            self.put_appl_type,
            self.put_appl_name,
            self.put_date,
            self.put_time,
            self.appl_origin_data,
        ) = values
        return self

    def build(self) -> bytes:
        try:
            if (
                len(self.struc_id) == 4
                and len(self.format) == 8
                and len(self.msg_id) == 24
                and len(self.correl_id) == 24
                and len(self.reply_to_q) == 48
                and len(self.reply_to_q_mgr) == 48
                and len(self.user_identifier) == 12
                and len(self.accounting_token) == 32
                and len(self.appl_identity_data) == 32
                and len(self.put_appl_name) == 28
                and len(self.put_date) == 8
                and len(self.put_time) == 8
                and len(self.appl_origin_data) == 4
            ):
                return self.LAYOUT.pack(
                    self.struc_id,
                    self.version,
                    self.report,
                    self.msg_type,
                    self.expiry,
                    self.feedback,
                    self.encoding,
                    self.coded_char_set_id,
                    self.format,
                    self.priority,
                    self.persistence,
                    self.msg_id,
                    self.correl_id,
                    self.backout_count,
                    self.reply_to_q,
                    self.reply_to_q_mgr,
                    self.user_identifier,
                    self.accounting_token,
                    self.appl_identity_data,
                    self.put_appl_type,
                    self.put_appl_name,
                    self.put_date,
                    self.put_time,
                    self.appl_origin_data,
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class Md1Big(Md1):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLLLlLLl8slL24s24sL48s48s12s32s32sl28s8s8s4s")


@mypyc_attr(allow_interpreted_subclasses=True)
class Md1Little(Md1):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLLLlLLl8slL24s24sL48s48s12s32s32sl28s8s8s4s")

    def __init__(
        self,
        *,
        struc_id: bytes = b"MD  ",
        version: int = 1,
        report: int = 0,
        msg_type: int = 8,
        expiry: int = -1,
        feedback: int = 0,
        encoding: int = 546,
        coded_char_set_id: int = 0,
        format: bytes = b" " * 8,
        priority: int = -1,
        persistence: int = 2,
        msg_id: bytes = b"\0" * 24,
        correl_id: bytes = b"\0" * 24,
        backout_count: int = 0,
        reply_to_q: bytes = b" " * 48,
        reply_to_q_mgr: bytes = b" " * 48,
        user_identifier: bytes = b" " * 12,
        accounting_token: bytes = b"\0" * 32,
        appl_identity_data: bytes = b" " * 32,
        put_appl_type: int = 0,
        put_appl_name: bytes = b" " * 28,
        put_date: bytes = b" " * 8,
        put_time: bytes = b" " * 8,
        appl_origin_data: bytes = b" " * 4,
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.report = report
        self.msg_type = msg_type
        self.expiry = expiry
        self.feedback = feedback
        self.encoding = encoding
        self.coded_char_set_id = coded_char_set_id
        self.format = format
        self.priority = priority
        self.persistence = persistence
        self.msg_id = msg_id
        self.correl_id = correl_id
        self.backout_count = backout_count
        self.reply_to_q = reply_to_q
        self.reply_to_q_mgr = reply_to_q_mgr
        self.user_identifier = user_identifier
        self.accounting_token = accounting_token
        self.appl_identity_data = appl_identity_data
        self.put_appl_type = put_appl_type
        self.put_appl_name = put_appl_name
        self.put_date = put_date
        self.put_time = put_time
        self.appl_origin_data = appl_origin_data
