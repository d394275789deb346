"""Records of ID.

Made by ``make layouts`` from ``protocol/structures/initial_data.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Id(Record):
    """ID, 240 bytes, mq-wire.md 5.1."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "struc_id",
        "fap_level",
        "cap_flags1",
        "e_cap_flags1",
        "init_err_flags1",
        "reserved",
        "max_msgs_per_batch",
        "max_transmission_size",
        "max_message_size",
        "sequence_wrap",
        "channel_name",
        "cap_flags2",
        "e_cap_flags2",
        "ccsid",
        "q_mgr_name",
        "heartbeat_interval",
        "efl_length",
        "init_err_flags2",
        "reserved1",
        "hdr_comp_list",
        "msg_comp_list",
        "reserved2",
        "ssl_key_reset",
        "conv_per_socket",
        "cap_flags3",
        "e_cap_flags3",
        "reserved3",
        "process_id",
        "thread_id",
        "trace_id",
        "product_id",
        "q_mgr_identifier",
        "pal",
        "r",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "ID"
    SIZE: ClassVar[int] = 240

    struc_id: bytes
    fap_level: int
    cap_flags1: int
    e_cap_flags1: int
    init_err_flags1: int
    reserved: int
    max_msgs_per_batch: int
    max_transmission_size: int
    max_message_size: int
    sequence_wrap: int
    channel_name: bytes
    cap_flags2: int
    e_cap_flags2: int
    ccsid: int
    q_mgr_name: bytes
    heartbeat_interval: int
    efl_length: int
    init_err_flags2: int
    reserved1: int
    hdr_comp_list: bytes
    msg_comp_list: bytes
    reserved2: int
    ssl_key_reset: int
    conv_per_socket: int
    cap_flags3: int
    e_cap_flags3: int
    reserved3: int
    process_id: int
    thread_id: int
    trace_id: int
    product_id: bytes
    q_mgr_identifier: bytes
    pal: bytes
    r: bytes

    def __init__(
        self,
        *,
        struc_id: bytes = b"ID  ",
        fap_level: int = 1,
        cap_flags1: int = 0,
        e_cap_flags1: int = 0,
        init_err_flags1: int = 0,
        reserved: int = 0,
        max_msgs_per_batch: int = 0,
        max_transmission_size: int = 0,
        max_message_size: int = 0,
        sequence_wrap: int = 0,
        channel_name: bytes = b" " * 20,
        cap_flags2: int = 0,
        e_cap_flags2: int = 0,
        ccsid: int = 0,
        q_mgr_name: bytes = b" " * 48,
        heartbeat_interval: int = 0,
        efl_length: int = 0,
        init_err_flags2: int = 0,
        reserved1: int = 0,
        hdr_comp_list: bytes = b"\0\xff",
        msg_comp_list: bytes = b"\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
        reserved2: int = 0,
        ssl_key_reset: int = 0,
        conv_per_socket: int = 0,
        cap_flags3: int = 0,
        e_cap_flags3: int = 0,
        reserved3: int = 0,
        process_id: int = 0,
        thread_id: int = 0,
        trace_id: int = 0,
        product_id: bytes = b" " * 12,
        q_mgr_identifier: bytes = b" " * 48,
        pal: bytes = b"\xff" * 20,
        r: bytes = b"\0" * 12,
    ) -> None:
        self.struc_id = struc_id
        self.fap_level = fap_level
        self.cap_flags1 = cap_flags1
        self.e_cap_flags1 = e_cap_flags1
        self.init_err_flags1 = init_err_flags1
        self.reserved = reserved
        self.max_msgs_per_batch = max_msgs_per_batch
        self.max_transmission_size = max_transmission_size
        self.max_message_size = max_message_size
        self.sequence_wrap = sequence_wrap
        self.channel_name = channel_name
        self.cap_flags2 = cap_flags2
        self.e_cap_flags2 = e_cap_flags2
        self.ccsid = ccsid
        self.q_mgr_name = q_mgr_name
        self.heartbeat_interval = heartbeat_interval
        self.efl_length = efl_length
        self.init_err_flags2 = init_err_flags2
        self.reserved1 = reserved1
        self.hdr_comp_list = hdr_comp_list
        self.msg_comp_list = msg_comp_list
        self.reserved2 = reserved2
        self.ssl_key_reset = ssl_key_reset
        self.conv_per_socket = conv_per_socket
        self.cap_flags3 = cap_flags3
        self.e_cap_flags3 = e_cap_flags3
        self.reserved3 = reserved3
        self.process_id = process_id
        self.thread_id = thread_id
        self.trace_id = trace_id
        self.product_id = product_id
        self.q_mgr_identifier = q_mgr_identifier
        self.pal = pal
        self.r = r

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
            self.fap_level,
            self.cap_flags1,
            self.e_cap_flags1,
            self.init_err_flags1,
            self.reserved,
            self.max_msgs_per_batch,
            self.max_transmission_size,
            self.max_message_size,
            self.sequence_wrap,
            self.channel_name,
            self.cap_flags2,
            self.e_cap_flags2,
            self.ccsid,
            self.q_mgr_name,
            self.heartbeat_interval,
            self.efl_length,
            self.init_err_flags2,
            self.reserved1,
            self.hdr_comp_list,
            self.msg_comp_list,
            self.reserved2,
            self.ssl_key_reset,
            self.conv_per_socket,
            self.cap_flags3,
            self.e_cap_flags3,
            self.reserved3,
            self.process_id,
            self.thread_id,
            self.trace_id,
            self.product_id,
            self.q_mgr_identifier,
            self.pal,
            self.r,
        ) = values
        return self

    def build(self) -> bytes:
        try:
            if (
                len(self.struc_id) == 4
                and len(self.channel_name) == 20
                and len(self.q_mgr_name) == 48
                and len(self.hdr_comp_list) == 2
                and len(self.msg_comp_list) == 16
                and len(self.product_id) == 12
                and len(self.q_mgr_identifier) == 48
                and len(self.pal) == 20
                and len(self.r) == 12
            ):
                return self.LAYOUT.pack(
                    self.struc_id,
                    self.fap_level,
                    self.cap_flags1,
                    self.e_cap_flags1,
                    self.init_err_flags1,
                    self.reserved,
                    self.max_msgs_per_batch,
                    self.max_transmission_size,
                    self.max_message_size,
                    self.sequence_wrap,
                    self.channel_name,
                    self.cap_flags2,
                    self.e_cap_flags2,
                    self.ccsid,
                    self.q_mgr_name,
                    self.heartbeat_interval,
                    self.efl_length,
                    self.init_err_flags2,
                    self.reserved1,
                    self.hdr_comp_list,
                    self.msg_comp_list,
                    self.reserved2,
                    self.ssl_key_reset,
                    self.conv_per_socket,
                    self.cap_flags3,
                    self.e_cap_flags3,
                    self.reserved3,
                    self.process_id,
                    self.thread_id,
                    self.trace_id,
                    self.product_id,
                    self.q_mgr_identifier,
                    self.pal,
                    self.r,
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class IdBig(Id):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sBBBBHHLLL20sBBH48sLHBB2s16sHLlBBHLLL12s48s20s12s")


@mypyc_attr(allow_interpreted_subclasses=True)
class IdLittle(Id):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sBBBBHHLLL20sBBH48sLHBB2s16sHLlBBHLLL12s48s20s12s")
