"""Records of MQPMO.

Made by ``make layouts`` from ``protocol/structures/pmo.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Pmo(Record):
    """MQPMO, 176 bytes, mq-wire.md 5.8."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "struc_id",
        "version",
        "options",
        "timeout",
        "context",
        "known_dest_count",
        "unknown_dest_count",
        "invalid_dest_count",
        "resolved_q_name",
        "resolved_q_mgr_name",
        "recs_present",
        "put_msg_rec_fields",
        "put_msg_rec_offset",
        "response_rec_offset",
        "put_msg_rec_ptr",
        "response_rec_ptr",
        "original_msg_handle",
        "new_msg_handle",
        "action",
        "pub_level",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "PMO"
    SIZE: ClassVar[int] = 176

    struc_id: bytes
    version: int
    options: int
    timeout: int
    context: int
    known_dest_count: int
    unknown_dest_count: int
    invalid_dest_count: int
    resolved_q_name: bytes
    resolved_q_mgr_name: bytes
    recs_present: int
    put_msg_rec_fields: int
    put_msg_rec_offset: int
    response_rec_offset: int
    put_msg_rec_ptr: int
    response_rec_ptr: int
    original_msg_handle: int
    new_msg_handle: int
    action: int
    pub_level: int

    def __init__(
        self,
        *,
        struc_id: bytes = b"PMO ",
        version: int = 1,
        options: int = 0,
        timeout: int = -1,
        context: int = 0,
        known_dest_count: int = 0,
        unknown_dest_count: int = 0,
        invalid_dest_count: int = 0,
        resolved_q_name: bytes = b" " * 48,
        resolved_q_mgr_name: bytes = b" " * 48,
        recs_present: int = 0,
        put_msg_rec_fields: int = 0,
        put_msg_rec_offset: int = 0,
        response_rec_offset: int = 0,
        put_msg_rec_ptr: int = 0,
        response_rec_ptr: int = 0,
        original_msg_handle: int = 0,
        new_msg_handle: int = 0,
        action: int = 0,
        pub_level: int = 9,
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.options = options
        self.timeout = timeout
        self.context = context
        self.known_dest_count = known_dest_count
        self.unknown_dest_count = unknown_dest_count
        self.invalid_dest_count = invalid_dest_count
        self.resolved_q_name = resolved_q_name
        self.resolved_q_mgr_name = resolved_q_mgr_name
        self.recs_present = recs_present
        self.put_msg_rec_fields = put_msg_rec_fields
        self.put_msg_rec_offset = put_msg_rec_offset
        self.response_rec_offset = response_rec_offset
        self.put_msg_rec_ptr = put_msg_rec_ptr
        self.response_rec_ptr = response_rec_ptr
        self.original_msg_handle = original_msg_handle
        self.new_msg_handle = new_msg_handle
        self.action = action
        self.pub_level = pub_level

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
            self.timeout,
            self.context,
            self.known_dest_count,
            self.unknown_dest_count,
            self.invalid_dest_count,
            self.resolved_q_name,
            self.resolved_q_mgr_name,
            self.recs_present,
            self.put_msg_rec_fields,
            self.put_msg_rec_offset,
            self.response_rec_offset,
            self.put_msg_rec_ptr,
            self.response_rec_ptr,
            self.original_msg_handle,
            self.new_msg_handle,
            self.action,
            self.pub_level,
        ) = values
        return self

    def build(self) -> bytes:
        try:
            if len(self.struc_id) == 4 and len(self.resolved_q_name) == 48 and len(self.resolved_q_mgr_name) == 48:
                return self.LAYOUT.pack(
                    self.struc_id,
                    self.version,
                    self.options,
                    self.timeout,
                    self.context,
                    self.known_dest_count,
                    self.unknown_dest_count,
                    self.invalid_dest_count,
                    self.resolved_q_name,
                    self.resolved_q_mgr_name,
                    self.recs_present,
                    self.put_msg_rec_fields,
                    self.put_msg_rec_offset,
                    self.response_rec_offset,
                    self.put_msg_rec_ptr,
                    self.response_rec_ptr,
                    self.original_msg_handle,
                    self.new_msg_handle,
                    self.action,
                    self.pub_level,
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class PmoBig(Pmo):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLLlLLLL48s48sLLLLLLQQLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class PmoLittle(Pmo):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLLlLLLL48s48sLLLLLLQQLL")
