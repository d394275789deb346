"""Records of ASYNC.

Made by ``make layouts`` from ``protocol/structures/async_message.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class AsyncMore(Record):
    """ASYNC, 24 bytes, mq-wire.md 5.11."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "version",
        "object_handle",
        "message_index",
        "global_message_index",
        "segment_length",
        "segment_index",
        "selection_index",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "ASYNC"
    SIZE: ClassVar[int] = 24

    version: int
    object_handle: int
    message_index: int
    global_message_index: int
    segment_length: int
    segment_index: int
    selection_index: int

    def __init__(
        self,
        *,
        version: int = 1,
        object_handle: int = 0,
        message_index: int = 0,
        global_message_index: int = 0,
        segment_length: int = 0,
        segment_index: int = 0,
        selection_index: int = 0,
    ) -> None:
        self.version = version
        self.object_handle = object_handle
        self.message_index = message_index
        self.global_message_index = global_message_index
        self.segment_length = segment_length
        self.segment_index = segment_index
        self.selection_index = selection_index

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (
            self.version,
            self.object_handle,
            self.message_index,
            self.global_message_index,
            self.segment_length,
            self.segment_index,
            self.selection_index,
        ) = values
        return self

    def build(self) -> bytes:
        try:
            return self.LAYOUT.pack(
                self.version,
                self.object_handle,
                self.message_index,
                self.global_message_index,
                self.segment_length,
                self.segment_index,
                self.selection_index,
            )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class AsyncMoreBig(AsyncMore):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">LlLLLHH")


@mypyc_attr(allow_interpreted_subclasses=True)
class AsyncMoreLittle(AsyncMore):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<LlLLLHH")


@mypyc_attr(allow_interpreted_subclasses=True)
class Async(Record):
    """ASYNC, 55 bytes, mq-wire.md 5.11."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "version",
        "object_handle",
        "message_index",
        "global_message_index",
        "segment_length",
        "segment_index",
        "selection_index",
        "reason_code",
        "total_msg_length",
        "actual_msg_length",
        "msg_token",
        "status",
        "resolved_q_name_length",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "ASYNC"
    SIZE: ClassVar[int] = 55

    version: int
    object_handle: int
    message_index: int
    global_message_index: int
    segment_length: int
    segment_index: int
    selection_index: int
    reason_code: int
    total_msg_length: int
    actual_msg_length: int
    msg_token: bytes
    status: int
    resolved_q_name_length: int

    def __init__(
        self,
        *,
        version: int = 1,
        object_handle: int = 0,
        message_index: int = 0,
        global_message_index: int = 0,
        segment_length: int = 0,
        segment_index: int = 0,
        selection_index: int = 0,
        reason_code: int = 0,
        total_msg_length: int = 0,
        actual_msg_length: int = 0,
        msg_token: bytes = b"\0" * 16,
        status: int = 0,
        resolved_q_name_length: int = 0,
    ) -> None:
        self.version = version
        self.object_handle = object_handle
        self.message_index = message_index
        self.global_message_index = global_message_index
        self.segment_length = segment_length
        self.segment_index = segment_index
        self.selection_index = selection_index
        self.reason_code = reason_code
        self.total_msg_length = total_msg_length
        self.actual_msg_length = actual_msg_length
        self.msg_token = msg_token
        self.status = status
        self.resolved_q_name_length = resolved_q_name_length

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (
            self.version,
            self.object_handle,
            self.message_index,
            self.global_message_index,
            self.segment_length,
            self.segment_index,
            self.selection_index,
            self.reason_code,
            self.total_msg_length,
            self.actual_msg_length,
            self.msg_token,
            self.status,
            self.resolved_q_name_length,
        ) = values
        return self

    def build(self) -> bytes:
        try:
            if len(self.msg_token) == 16:
                return self.LAYOUT.pack(
                    self.version,
                    self.object_handle,
                    self.message_index,
                    self.global_message_index,
                    self.segment_length,
                    self.segment_index,
                    self.selection_index,
                    self.reason_code,
                    self.total_msg_length,
                    self.actual_msg_length,
                    self.msg_token,
                    self.status,
                    self.resolved_q_name_length,
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class AsyncBig(Async):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">LlLLLHHLLL16sHB")


@mypyc_attr(allow_interpreted_subclasses=True)
class AsyncLittle(Async):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<LlLLLHHLLL16sHB")
