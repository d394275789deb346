"""Records of MQCIH.

Made by ``make layouts`` from ``protocol/structures/cih.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Cih(Record):
    """MQCIH, 180 bytes, mq-wire.md 5.15."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "struc_id",
        "version",
        "struc_length",
        "encoding",
        "coded_char_set_id",
        "format",
        "flags",
        "return_code",
        "comp_code",
        "reason",
        "uow_control",
        "get_wait_interval",
        "link_type",
        "output_data_length",
        "facility_keep_time",
        "ads_descriptor",
        "conversational_task",
        "task_end_status",
        "facility",
        "function",
        "abend_code",
        "authenticator",
        "reserved1",
        "reply_to_format",
        "remote_sys_id",
        "remote_trans_id",
        "transaction_id",
        "facility_like",
        "attention_id",
        "start_code",
        "cancel_code",
        "next_transaction_id",
        "reserved2",
        "reserved3",
        "cursor_position",
        "error_offset",
        "input_item",
        "reserved4",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "CIH"
    SIZE: ClassVar[int] = 180

    struc_id: bytes
    version: int
    struc_length: int
    encoding: int
    coded_char_set_id: int
    format: bytes
    flags: int
    return_code: int
    comp_code: int
    reason: int
    uow_control: int
    get_wait_interval: int
    link_type: int
    output_data_length: int
    facility_keep_time: int
    ads_descriptor: int
    conversational_task: int
    task_end_status: int
    facility: bytes
    function: bytes
    abend_code: bytes
    authenticator: bytes
    reserved1: bytes
    reply_to_format: bytes
    remote_sys_id: bytes
    remote_trans_id: bytes
    transaction_id: bytes
    facility_like: bytes
    attention_id: bytes
    start_code: bytes
    cancel_code: bytes
    next_transaction_id: bytes
    reserved2: bytes
    reserved3: bytes
    cursor_position: int
    error_offset: int
    input_item: int
    reserved4: int

    def __init__(
        self,
        *,
        struc_id: bytes = b"CIH ",
        version: int = 2,
        struc_length: int = 180,
        encoding: int = 273,
        coded_char_set_id: int = 0,
        format: bytes = b" " * 8,
        flags: int = 0,
        return_code: int = 0,
        comp_code: int = 0,
        reason: int = 0,
        uow_control: int = 273,
        get_wait_interval: int = -2,
        link_type: int = 1,
        output_data_length: int = -1,
        facility_keep_time: int = 0,
        ads_descriptor: int = 0,
        conversational_task: int = 0,
        task_end_status: int = 0,
        facility: bytes = b"\0" * 8,
        function: bytes = b" " * 4,
        abend_code: bytes = b" " * 4,
        authenticator: bytes = b" " * 8,
        reserved1: bytes = b" " * 8,
        reply_to_format: bytes = b" " * 8,
        remote_sys_id: bytes = b" " * 4,
        remote_trans_id: bytes = b" " * 4,
        transaction_id: bytes = b" " * 4,
        facility_like: bytes = b" " * 4,
        attention_id: bytes = b" " * 4,
        start_code: bytes = b" " * 4,
        cancel_code: bytes = b" " * 4,
        next_transaction_id: bytes = b" " * 4,
        reserved2: bytes = b" " * 8,
        reserved3: bytes = b" " * 8,
        cursor_position: int = 0,
        error_offset: int = 0,
        input_item: int = 0,
        reserved4: int = 0,
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.struc_length = struc_length
        self.encoding = encoding
        self.coded_char_set_id = coded_char_set_id
        self.format = format
        self.flags = flags
        self.return_code = return_code
        self.comp_code = comp_code
        self.reason = reason
        self.uow_control = uow_control
        self.get_wait_interval = get_wait_interval
        self.link_type = link_type
        self.output_data_length = output_data_length
        self.facility_keep_time = facility_keep_time
        self.ads_descriptor = ads_descriptor
        self.conversational_task = conversational_task
        self.task_end_status = task_end_status
        self.facility = facility
        self.function = function
        self.abend_code = abend_code
        self.authenticator = authenticator
        self.reserved1 = reserved1
        self.reply_to_format = reply_to_format
        self.remote_sys_id = remote_sys_id
        self.remote_trans_id = remote_trans_id
        self.transaction_id = transaction_id
        self.facility_like = facility_like
        self.attention_id = attention_id
        self.start_code = start_code
        self.cancel_code = cancel_code
        self.next_transaction_id = next_transaction_id
        self.reserved2 = reserved2
        self.reserved3 = reserved3
        self.cursor_position = cursor_position
        self.error_offset = error_offset
        self.input_item = input_item
        self.reserved4 = reserved4

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
            self.struc_length,
            self.encoding,
            self.coded_char_set_id,
            self.format,
            self.flags,
            self.return_code,
            self.comp_code,
            self.reason,
            self.uow_control,
            self.get_wait_interval,
            self.link_type,
            self.output_data_length,
            self.facility_keep_time,
            self.ads_descriptor,
            self.conversational_task,
            self.task_end_status,
            self.facility,
            self.function,
            self.abend_code,
            self.authenticator,
            self.reserved1,
            self.reply_to_format,
            self.remote_sys_id,
            self.remote_trans_id,
            self.transaction_id,
            self.facility_like,
            self.attention_id,
            self.start_code,
            self.cancel_code,
            self.next_transaction_id,
            self.reserved2,
            self.reserved3,
            self.cursor_position,
            self.error_offset,
            self.input_item,
            self.reserved4,
        ) = values
        return self

    def build(self) -> bytes:
        try:
            if (
                len(self.struc_id) == 4
                and len(self.format) == 8
                and len(self.facility) == 8
                and len(self.function) == 4
                and len(self.abend_code) == 4
                and len(self.authenticator) == 8
                and len(self.reserved1) == 8
                and len(self.reply_to_format) == 8
                and len(self.remote_sys_id) == 4
                and len(self.remote_trans_id) == 4
                and len(self.transaction_id) == 4
                and len(self.facility_like) == 4
                and len(self.attention_id) == 4
                and len(self.start_code) == 4
                and len(self.cancel_code) == 4
                and len(self.next_transaction_id) == 4
                and len(self.reserved2) == 8
                and len(self.reserved3) == 8
            ):
                return self.LAYOUT.pack(
                    self.struc_id,
                    self.version,
                    self.struc_length,
                    self.encoding,
                    self.coded_char_set_id,
                    self.format,
                    self.flags,
                    self.return_code,
                    self.comp_code,
                    self.reason,
                    self.uow_control,
                    self.get_wait_interval,
                    self.link_type,
                    self.output_data_length,
                    self.facility_keep_time,
                    self.ads_descriptor,
                    self.conversational_task,
                    self.task_end_status,
                    self.facility,
                    self.function,
                    self.abend_code,
                    self.authenticator,
                    self.reserved1,
                    self.reply_to_format,
                    self.remote_sys_id,
                    self.remote_trans_id,
                    self.transaction_id,
                    self.facility_like,
                    self.attention_id,
                    self.start_code,
                    self.cancel_code,
                    self.next_transaction_id,
                    self.reserved2,
                    self.reserved3,
                    self.cursor_position,
                    self.error_offset,
                    self.input_item,
                    self.reserved4,
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class CihBig(Cih):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLLLl8sLLLLLlLlLLLL8s4s4s8s8s8s4s4s4s4s4s4s4s4s8s8sLLLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class CihLittle(Cih):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLLLl8sLLLLLlLlLLLL8s4s4s8s8s8s4s4s4s4s4s4s4s4s8s8sLLLL")

    def __init__(
        self,
        *,
        struc_id: bytes = b"CIH ",
        version: int = 2,
        struc_length: int = 180,
        encoding: int = 546,
        coded_char_set_id: int = 0,
        format: bytes = b" " * 8,
        flags: int = 0,
        return_code: int = 0,
        comp_code: int = 0,
        reason: int = 0,
        uow_control: int = 273,
        get_wait_interval: int = -2,
        link_type: int = 1,
        output_data_length: int = -1,
        facility_keep_time: int = 0,
        ads_descriptor: int = 0,
        conversational_task: int = 0,
        task_end_status: int = 0,
        facility: bytes = b"\0" * 8,
        function: bytes = b" " * 4,
        abend_code: bytes = b" " * 4,
        authenticator: bytes = b" " * 8,
        reserved1: bytes = b" " * 8,
        reply_to_format: bytes = b" " * 8,
        remote_sys_id: bytes = b" " * 4,
        remote_trans_id: bytes = b" " * 4,
        transaction_id: bytes = b" " * 4,
        facility_like: bytes = b" " * 4,
        attention_id: bytes = b" " * 4,
        start_code: bytes = b" " * 4,
        cancel_code: bytes = b" " * 4,
        next_transaction_id: bytes = b" " * 4,
        reserved2: bytes = b" " * 8,
        reserved3: bytes = b" " * 8,
        cursor_position: int = 0,
        error_offset: int = 0,
        input_item: int = 0,
        reserved4: int = 0,
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.struc_length = struc_length
        self.encoding = encoding
        self.coded_char_set_id = coded_char_set_id
        self.format = format
        self.flags = flags
        self.return_code = return_code
        self.comp_code = comp_code
        self.reason = reason
        self.uow_control = uow_control
        self.get_wait_interval = get_wait_interval
        self.link_type = link_type
        self.output_data_length = output_data_length
        self.facility_keep_time = facility_keep_time
        self.ads_descriptor = ads_descriptor
        self.conversational_task = conversational_task
        self.task_end_status = task_end_status
        self.facility = facility
        self.function = function
        self.abend_code = abend_code
        self.authenticator = authenticator
        self.reserved1 = reserved1
        self.reply_to_format = reply_to_format
        self.remote_sys_id = remote_sys_id
        self.remote_trans_id = remote_trans_id
        self.transaction_id = transaction_id
        self.facility_like = facility_like
        self.attention_id = attention_id
        self.start_code = start_code
        self.cancel_code = cancel_code
        self.next_transaction_id = next_transaction_id
        self.reserved2 = reserved2
        self.reserved3 = reserved3
        self.cursor_position = cursor_position
        self.error_offset = error_offset
        self.input_item = input_item
        self.reserved4 = reserved4


@mypyc_attr(allow_interpreted_subclasses=True)
class Cih1(Record):
    """MQCIH, 164 bytes, mq-wire.md 5.15."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "struc_id",
        "version",
        "struc_length",
        "encoding",
        "coded_char_set_id",
        "format",
        "flags",
        "return_code",
        "comp_code",
        "reason",
        "uow_control",
        "get_wait_interval",
        "link_type",
        "output_data_length",
        "facility_keep_time",
        "ads_descriptor",
        "conversational_task",
        "task_end_status",
        "facility",
        "function",
        "abend_code",
        "authenticator",
        "reserved1",
        "reply_to_format",
        "remote_sys_id",
        "remote_trans_id",
        "transaction_id",
        "facility_like",
        "attention_id",
        "start_code",
        "cancel_code",
        "next_transaction_id",
        "reserved2",
        "reserved3",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "CIH"
    SIZE: ClassVar[int] = 164

    struc_id: bytes
    version: int
    struc_length: int
    encoding: int
    coded_char_set_id: int
    format: bytes
    flags: int
    return_code: int
    comp_code: int
    reason: int
    uow_control: int
    get_wait_interval: int
    link_type: int
    output_data_length: int
    facility_keep_time: int
    ads_descriptor: int
    conversational_task: int
    task_end_status: int
    facility: bytes
    function: bytes
    abend_code: bytes
    authenticator: bytes
    reserved1: bytes
    reply_to_format: bytes
    remote_sys_id: bytes
    remote_trans_id: bytes
    transaction_id: bytes
    facility_like: bytes
    attention_id: bytes
    start_code: bytes
    cancel_code: bytes
    next_transaction_id: bytes
    reserved2: bytes
    reserved3: bytes

    def __init__(
        self,
        *,
        struc_id: bytes = b"CIH ",
        version: int = 2,
        struc_length: int = 180,
        encoding: int = 273,
        coded_char_set_id: int = 0,
        format: bytes = b" " * 8,
        flags: int = 0,
        return_code: int = 0,
        comp_code: int = 0,
        reason: int = 0,
        uow_control: int = 273,
        get_wait_interval: int = -2,
        link_type: int = 1,
        output_data_length: int = -1,
        facility_keep_time: int = 0,
        ads_descriptor: int = 0,
        conversational_task: int = 0,
        task_end_status: int = 0,
        facility: bytes = b"\0" * 8,
        function: bytes = b" " * 4,
        abend_code: bytes = b" " * 4,
        authenticator: bytes = b" " * 8,
        reserved1: bytes = b" " * 8,
        reply_to_format: bytes = b" " * 8,
        remote_sys_id: bytes = b" " * 4,
        remote_trans_id: bytes = b" " * 4,
        transaction_id: bytes = b" " * 4,
        facility_like: bytes = b" " * 4,
        attention_id: bytes = b" " * 4,
        start_code: bytes = b" " * 4,
        cancel_code: bytes = b" " * 4,
        next_transaction_id: bytes = b" " * 4,
        reserved2: bytes = b" " * 8,
        reserved3: bytes = b" " * 8,
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.struc_length = struc_length
        self.encoding = encoding
        self.coded_char_set_id = coded_char_set_id
        self.format = format
        self.flags = flags
        self.return_code = return_code
        self.comp_code = comp_code
        self.reason = reason
        self.uow_control = uow_control
        self.get_wait_interval = get_wait_interval
        self.link_type = link_type
        self.output_data_length = output_data_length
        self.facility_keep_time = facility_keep_time
        self.ads_descriptor = ads_descriptor
        self.conversational_task = conversational_task
        self.task_end_status = task_end_status
        self.facility = facility
        self.function = function
        self.abend_code = abend_code
        self.authenticator = authenticator
        self.reserved1 = reserved1
        self.reply_to_format = reply_to_format
        self.remote_sys_id = remote_sys_id
        self.remote_trans_id = remote_trans_id
        self.transaction_id = transaction_id
        self.facility_like = facility_like
        self.attention_id = attention_id
        self.start_code = start_code
        self.cancel_code = cancel_code
        self.next_transaction_id = next_transaction_id
        self.reserved2 = reserved2
        self.reserved3 = reserved3

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
            self.struc_length,
            self.encoding,
            self.coded_char_set_id,
            self.format,
            self.flags,
            self.return_code,
            self.comp_code,
            self.reason,
            self.uow_control,
            self.get_wait_interval,
            self.link_type,
            self.output_data_length,
            self.facility_keep_time,
            self.ads_descriptor,
            self.conversational_task,
            self.task_end_status,
            self.facility,
            self.function,
            self.abend_code,
            self.authenticator,
            self.reserved1,
            self.reply_to_format,
            self.remote_sys_id,
            self.remote_trans_id,
            self.transaction_id,
            self.facility_like,
            self.attention_id,
            self.start_code,
            self.cancel_code,
            self.next_transaction_id,
            self.reserved2,
            self.reserved3,
        ) = values
        return self

    def build(self) -> bytes:
        try:
            if (
                len(self.struc_id) == 4
                and len(self.format) == 8
                and len(self.facility) == 8
                and len(self.function) == 4
                and len(self.abend_code) == 4
                and len(self.authenticator) == 8
                and len(self.reserved1) == 8
                and len(self.reply_to_format) == 8
                and len(self.remote_sys_id) == 4
                and len(self.remote_trans_id) == 4
                and len(self.transaction_id) == 4
                and len(self.facility_like) == 4
                and len(self.attention_id) == 4
                and len(self.start_code) == 4
                and len(self.cancel_code) == 4
                and len(self.next_transaction_id) == 4
                and len(self.reserved2) == 8
                and len(self.reserved3) == 8
            ):
                return self.LAYOUT.pack(
                    self.struc_id,
                    self.version,
                    self.struc_length,
                    self.encoding,
                    self.coded_char_set_id,
                    self.format,
                    self.flags,
                    self.return_code,
                    self.comp_code,
                    self.reason,
                    self.uow_control,
                    self.get_wait_interval,
                    self.link_type,
                    self.output_data_length,
                    self.facility_keep_time,
                    self.ads_descriptor,
                    self.conversational_task,
                    self.task_end_status,
                    self.facility,
                    self.function,
                    self.abend_code,
                    self.authenticator,
                    self.reserved1,
                    self.reply_to_format,
                    self.remote_sys_id,
                    self.remote_trans_id,
                    self.transaction_id,
                    self.facility_like,
                    self.attention_id,
                    self.start_code,
                    self.cancel_code,
                    self.next_transaction_id,
                    self.reserved2,
                    self.reserved3,
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class Cih1Big(Cih1):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLLLl8sLLLLLlLlLLLL8s4s4s8s8s8s4s4s4s4s4s4s4s4s8s8s")


@mypyc_attr(allow_interpreted_subclasses=True)
class Cih1Little(Cih1):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLLLl8sLLLLLlLlLLLL8s4s4s8s8s8s4s4s4s4s4s4s4s4s8s8s")

    def __init__(
        self,
        *,
        struc_id: bytes = b"CIH ",
        version: int = 2,
        struc_length: int = 180,
        encoding: int = 546,
        coded_char_set_id: int = 0,
        format: bytes = b" " * 8,
        flags: int = 0,
        return_code: int = 0,
        comp_code: int = 0,
        reason: int = 0,
        uow_control: int = 273,
        get_wait_interval: int = -2,
        link_type: int = 1,
        output_data_length: int = -1,
        facility_keep_time: int = 0,
        ads_descriptor: int = 0,
        conversational_task: int = 0,
        task_end_status: int = 0,
        facility: bytes = b"\0" * 8,
        function: bytes = b" " * 4,
        abend_code: bytes = b" " * 4,
        authenticator: bytes = b" " * 8,
        reserved1: bytes = b" " * 8,
        reply_to_format: bytes = b" " * 8,
        remote_sys_id: bytes = b" " * 4,
        remote_trans_id: bytes = b" " * 4,
        transaction_id: bytes = b" " * 4,
        facility_like: bytes = b" " * 4,
        attention_id: bytes = b" " * 4,
        start_code: bytes = b" " * 4,
        cancel_code: bytes = b" " * 4,
        next_transaction_id: bytes = b" " * 4,
        reserved2: bytes = b" " * 8,
        reserved3: bytes = b" " * 8,
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.struc_length = struc_length
        self.encoding = encoding
        self.coded_char_set_id = coded_char_set_id
        self.format = format
        self.flags = flags
        self.return_code = return_code
        self.comp_code = comp_code
        self.reason = reason
        self.uow_control = uow_control
        self.get_wait_interval = get_wait_interval
        self.link_type = link_type
        self.output_data_length = output_data_length
        self.facility_keep_time = facility_keep_time
        self.ads_descriptor = ads_descriptor
        self.conversational_task = conversational_task
        self.task_end_status = task_end_status
        self.facility = facility
        self.function = function
        self.abend_code = abend_code
        self.authenticator = authenticator
        self.reserved1 = reserved1
        self.reply_to_format = reply_to_format
        self.remote_sys_id = remote_sys_id
        self.remote_trans_id = remote_trans_id
        self.transaction_id = transaction_id
        self.facility_like = facility_like
        self.attention_id = attention_id
        self.start_code = start_code
        self.cancel_code = cancel_code
        self.next_transaction_id = next_transaction_id
        self.reserved2 = reserved2
        self.reserved3 = reserved3
