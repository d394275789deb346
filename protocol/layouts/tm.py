"""Records of MQTM.

Made by ``make layouts`` from ``protocol/structures/tm.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Tm(Record):
    """MQTM, 684 bytes, mq-wire.md 5.15."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "struc_id",
        "version",
        "q_name",
        "process_name",
        "trigger_data",
        "appl_type",
        "appl_id",
        "env_data",
        "user_data",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "TM"
    SIZE: ClassVar[int] = 684

    struc_id: bytes
    version: int
    q_name: bytes
    process_name: bytes
    trigger_data: bytes
    appl_type: int
    appl_id: bytes
    env_data: bytes
    user_data: bytes

    def __init__(
        self,
        *,
        struc_id: bytes = b"TM  ",
        version: int = 1,
        q_name: bytes = b" " * 48,
        process_name: bytes = b" " * 48,
        trigger_data: bytes = b" " * 64,
        appl_type: int = 0,
        appl_id: bytes = b" " * 256,
        env_data: bytes = b" " * 128,
        user_data: bytes = b" " * 128,
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.q_name = q_name
        self.process_name = process_name
        self.trigger_data = trigger_data
        self.appl_type = appl_type
        self.appl_id = appl_id
        self.env_data = env_data
        self.user_data = user_data

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
            self.q_name,
            self.process_name,
            self.trigger_data,
            self.appl_type,
            self.appl_id,
            self.env_data,
            self.user_data,
        ) = values
        return self

    def build(self) -> bytes:
        try:
            if (
                len(self.struc_id) == 4
                and len(self.q_name) == 48
                and len(self.process_name) == 48
                and len(self.trigger_data) == 64
                and len(self.appl_id) == 256
                and len(self.env_data) == 128
                and len(self.user_data) == 128
            ):
                return self.LAYOUT.pack(
                    self.struc_id,
                    self.version,
                    self.q_name,
                    self.process_name,
                    self.trigger_data,
                    self.appl_type,
                    self.appl_id,
                    self.env_data,
                    self.user_data,
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class TmBig(Tm):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sL48s48s64sL256s128s128s")


@mypyc_attr(allow_interpreted_subclasses=True)
class TmLittle(Tm):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sL48s48s64sL256s128s128s")
