"""Records of REQMSG.

Made by ``make layouts`` from ``protocol/structures/request_msgs.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Reqmsg(Record):
    """REQMSG, 40 bytes, mq-wire.md 5.11."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "version",
        "object_handle",
        "received_bytes",
        "requested_bytes",
        "max_msg_length",
        "get_msg_options",
        "wait_interval",
        "queue_status",
        "request_flags",
        "global_message_index",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "REQMSG"
    SIZE: ClassVar[int] = 40

    version: int
    object_handle: int
    received_bytes: int
    requested_bytes: int
    max_msg_length: int
    get_msg_options: int
    wait_interval: int
    queue_status: int
    request_flags: int
    global_message_index: int

    def __init__(
        self,
        *,
        version: int = 1,
        object_handle: int = 0,
        received_bytes: int = 0,
        requested_bytes: int = 0,
        max_msg_length: int = 0,
        get_msg_options: int = 0,
        wait_interval: int = 0,
        queue_status: int = 0,
        request_flags: int = 0,
        global_message_index: int = 0,
    ) -> None:
        self.version = version
        self.object_handle = object_handle
        self.received_bytes = received_bytes
        self.requested_bytes = requested_bytes
        self.max_msg_length = max_msg_length
        self.get_msg_options = get_msg_options
        self.wait_interval = wait_interval
        self.queue_status = queue_status
        self.request_flags = request_flags
        self.global_message_index = global_message_index

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
            self.received_bytes,
            self.requested_bytes,
            self.max_msg_length,
            self.get_msg_options,
            self.wait_interval,
            self.queue_status,
            self.request_flags,
            self.global_message_index,
        ) = values
        return self

    def build(self) -> bytes:
        try:
            return self.LAYOUT.pack(
                self.version,
                self.object_handle,
                self.received_bytes,
                self.requested_bytes,
                self.max_msg_length,
                self.get_msg_options,
                self.wait_interval,
                self.queue_status,
                self.request_flags,
                self.global_message_index,
            )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class ReqmsgBig(Reqmsg):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">LlLLlLlLLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class ReqmsgLittle(Reqmsg):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<LlLLlLlLLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class ReqmsgSelection(Record):
    """REQMSG, 64 bytes, mq-wire.md 5.11."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "version",
        "object_handle",
        "received_bytes",
        "requested_bytes",
        "max_msg_length",
        "get_msg_options",
        "wait_interval",
        "queue_status",
        "request_flags",
        "global_message_index",
        "selection_index",
        "mqmd_version",
        "ccsid",
        "encoding",
        "msg_seq_number",
        "offset",
        "match_options",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "REQMSG"
    SIZE: ClassVar[int] = 64

    version: int
    object_handle: int
    received_bytes: int
    requested_bytes: int
    max_msg_length: int
    get_msg_options: int
    wait_interval: int
    queue_status: int
    request_flags: int
    global_message_index: int
    selection_index: int
    mqmd_version: int
    ccsid: int
    encoding: int
    msg_seq_number: int
    offset: int
    match_options: int

    def __init__(
        self,
        *,
        version: int = 1,
        object_handle: int = 0,
        received_bytes: int = 0,
        requested_bytes: int = 0,
        max_msg_length: int = 0,
        get_msg_options: int = 0,
        wait_interval: int = 0,
        queue_status: int = 0,
        request_flags: int = 0,
        global_message_index: int = 0,
        selection_index: int = 0,
        mqmd_version: int = 1,
        ccsid: int = 0,
        encoding: int = 0,
        msg_seq_number: int = 0,
        offset: int = 0,
        match_options: int = 0,
    ) -> None:
        self.version = version
        self.object_handle = object_handle
        self.received_bytes = received_bytes
        self.requested_bytes = requested_bytes
        self.max_msg_length = max_msg_length
        self.get_msg_options = get_msg_options
        self.wait_interval = wait_interval
        self.queue_status = queue_status
        self.request_flags = request_flags
        self.global_message_index = global_message_index
        self.selection_index = selection_index
        self.mqmd_version = mqmd_version
        self.ccsid = ccsid
        self.encoding = encoding
        self.msg_seq_number = msg_seq_number
        self.offset = offset
        self.match_options = match_options

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
            self.received_bytes,
            self.requested_bytes,
            self.max_msg_length,
            self.get_msg_options,
            self.wait_interval,
            self.queue_status,
            self.request_flags,
            self.global_message_index,
            self.selection_index,
            self.mqmd_version,
            self.ccsid,
            self.encoding,
            self.msg_seq_number,
            self.offset,
            self.match_options,
        ) = values
        return self

    def build(self) -> bytes:
        try:
            return self.LAYOUT.pack(
                self.version,
                self.object_handle,
                self.received_bytes,
                self.requested_bytes,
                self.max_msg_length,
                self.get_msg_options,
                self.wait_interval,
                self.queue_status,
                self.request_flags,
                self.global_message_index,
                self.selection_index,
                self.mqmd_version,
                self.ccsid,
                self.encoding,
                self.msg_seq_number,
                self.offset,
                self.match_options,
            )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class ReqmsgSelectionBig(ReqmsgSelection):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">LlLLlLlLLLHHlLLLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class ReqmsgSelectionLittle(ReqmsgSelection):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<LlLLlLlLLLHHlLLLL")
