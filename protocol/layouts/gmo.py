"""Records of MQGMO.

Made by ``make layouts`` from ``protocol/structures/gmo.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Gmo(Record):
    """MQGMO, 112 bytes, mq-wire.md 5.9."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "struc_id",
        "version",
        "options",
        "wait_interval",
        "signal1",
        "signal2",
        "resolved_q_name",
        "match_options",
        "group_status",
        "segment_status",
        "segmentation",
        "reserved1",
        "msg_token",
        "returned_length",
        "reserved2",
        "msg_handle",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "GMO"
    SIZE: ClassVar[int] = 112

    struc_id: bytes
    version: int
    options: int
    wait_interval: int
    signal1: int
    signal2: int
    resolved_q_name: bytes
    match_options: int
    group_status: bytes
    segment_status: bytes
    segmentation: bytes
    reserved1: bytes
    msg_token: bytes
    returned_length: int
    reserved2: int
    msg_handle: int

    def __init__(
        self,
        *,
        struc_id: bytes = b"GMO ",
        version: int = 1,
        options: int = 0,
        wait_interval: int = 0,
        signal1: int = 0,
        signal2: int = 0,
        resolved_q_name: bytes = b" " * 48,
        match_options: int = 3,
        group_status: bytes = b" ",
        segment_status: bytes = b" ",
        segmentation: bytes = b" ",
        reserved1: bytes = b" ",
        msg_token: bytes = b"\0" * 16,
        returned_length: int = -1,
        reserved2: int = 0,
        msg_handle: int = 0,
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.options = options
        self.wait_interval = wait_interval
        self.signal1 = signal1
        self.signal2 = signal2
        self.resolved_q_name = resolved_q_name
        self.match_options = match_options
        self.group_status = group_status
        self.segment_status = segment_status
        self.segmentation = segmentation
        self.reserved1 = reserved1
        self.msg_token = msg_token
        self.returned_length = returned_length
        self.reserved2 = reserved2
        self.msg_handle = msg_handle

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
            self.wait_interval,
            self.signal1,
            self.signal2,
            self.resolved_q_name,
            self.match_options,
            self.group_status,
            self.segment_status,
            self.segmentation,
            self.reserved1,
            self.msg_token,
            self.returned_length,
            self.reserved2,
            self.msg_handle,
        ) = values
        return self

    def build(self) -> bytes:
        try:
            if (
                len(self.struc_id) == 4
                and len(self.resolved_q_name) == 48
                and len(self.group_status) == 1
                and len(self.segment_status) == 1
                and len(self.segmentation) == 1
                and len(self.reserved1) == 1
                and len(self.msg_token) == 16
            ):
                return self.LAYOUT.pack(
                    self.struc_id,
                    self.version,
                    self.options,
                    self.wait_interval,
                    self.signal1,
                    self.signal2,
                    self.resolved_q_name,
                    self.match_options,
                    self.group_status,
                    self.segment_status,
                    self.segmentation,
                    self.reserved1,
                    self.msg_token,
                    self.returned_length,
                    self.reserved2,
                    self.msg_handle,
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class GmoBig(Gmo):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLLlLL48sL1s1s1s1s16sllQ")


@mypyc_attr(allow_interpreted_subclasses=True)
class GmoLittle(Gmo):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLLlLL48sL1s1s1s1s16sllQ")
