"""Records of MQTMC2.

Made by ``make layouts`` from ``protocol/structures/tmc2.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Tmc2(Record):
    """MQTMC2, 732 bytes, mq-wire.md 5.15."""

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
        "q_mgr_name",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "TMC2"
    SIZE: ClassVar[int] = 732

    struc_id: bytes
    version: bytes
    q_name: bytes
    process_name: bytes
    trigger_data: bytes
    appl_type: bytes
    appl_id: bytes
    env_data: bytes
    user_data: bytes
    q_mgr_name: bytes

    def __init__(
        self,
        *,
        struc_id: bytes = b"TMC ",
        version: bytes = b"   2",
        q_name: bytes = b" " * 48,
        process_name: bytes = b" " * 48,
        trigger_data: bytes = b" " * 64,
        appl_type: bytes = b" " * 4,
        appl_id: bytes = b" " * 256,
        env_data: bytes = b" " * 128,
        user_data: bytes = b" " * 128,
        q_mgr_name: bytes = b" " * 48,
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
        self.q_mgr_name = q_mgr_name

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
            self.q_mgr_name,
        ) = values
        return self

    def build(self) -> bytes:
        try:
            if (
                len(self.struc_id) == 4
                and len(self.version) == 4
                and len(self.q_name) == 48
                and len(self.process_name) == 48
                and len(self.trigger_data) == 64
                and len(self.appl_type) == 4
                and len(self.appl_id) == 256
                and len(self.env_data) == 128
                and len(self.user_data) == 128
                and len(self.q_mgr_name) == 48
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
                    self.q_mgr_name,
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class Tmc2Big(Tmc2):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4s4s48s48s64s4s256s128s128s48s")


@mypyc_attr(allow_interpreted_subclasses=True)
class Tmc2Little(Tmc2):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4s4s48s48s64s4s256s128s128s48s")
