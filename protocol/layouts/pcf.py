"""Records of MQCFH.

Made by ``make layouts`` from ``protocol/structures/pcf.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Cfh(Record):
    """MQCFH, 36 bytes, mq-wire.md 5.16."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "type",
        "struc_length",
        "version",
        "command",
        "msg_seq_number",
        "control",
        "comp_code",
        "reason",
        "parameter_count",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "CFH"
    SIZE: ClassVar[int] = 36

    type: int
    struc_length: int
    version: int
    command: int
    msg_seq_number: int
    control: int
    comp_code: int
    reason: int
    parameter_count: int

    def __init__(
        self,
        *,
        type: int = 1,
        struc_length: int = 36,
        version: int = 1,
        command: int = 0,
        msg_seq_number: int = 1,
        control: int = 1,
        comp_code: int = 0,
        reason: int = 0,
        parameter_count: int = 0,
    ) -> None:
        self.type = type
        self.struc_length = struc_length
        self.version = version
        self.command = command
        self.msg_seq_number = msg_seq_number
        self.control = control
        self.comp_code = comp_code
        self.reason = reason
        self.parameter_count = parameter_count

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (
            self.type,
            self.struc_length,
            self.version,
            self.command,
            self.msg_seq_number,
            self.control,
            self.comp_code,
            self.reason,
            self.parameter_count,
        ) = values
        return self

    def build(self) -> bytes:
        try:
            return self.LAYOUT.pack(
                self.type,
                self.struc_length,
                self.version,
                self.command,
                self.msg_seq_number,
                self.control,
                self.comp_code,
                self.reason,
                self.parameter_count,
            )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class CfhBig(Cfh):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">LLLLLLLLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class CfhLittle(Cfh):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<LLLLLLLLL")
