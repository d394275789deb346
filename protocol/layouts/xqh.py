"""Records of MQXQH.

Made by ``make layouts`` from ``protocol/structures/xqh.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Xqh(Record):
    """MQXQH, 104 bytes, mq-wire.md 5.14."""

    KEYS: ClassVar[tuple[str, ...]] = ("struc_id", "version", "remote_q_name", "remote_q_mgr_name")
    __slots__ = KEYS

    NAME: ClassVar[str] = "XQH"
    SIZE: ClassVar[int] = 104

    struc_id: bytes
    version: int
    remote_q_name: bytes
    remote_q_mgr_name: bytes

    def __init__(
        self,
        *,
        struc_id: bytes = b"XQH ",
        version: int = 1,
        remote_q_name: bytes = b" " * 48,
        remote_q_mgr_name: bytes = b" " * 48,
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.remote_q_name = remote_q_name
        self.remote_q_mgr_name = remote_q_mgr_name

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.struc_id, self.version, self.remote_q_name, self.remote_q_mgr_name) = values
        return self

    def build(self) -> bytes:
        try:
            if len(self.struc_id) == 4 and len(self.remote_q_name) == 48 and len(self.remote_q_mgr_name) == 48:
                return self.LAYOUT.pack(self.struc_id, self.version, self.remote_q_name, self.remote_q_mgr_name)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class XqhBig(Xqh):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sL48s48s")


@mypyc_attr(allow_interpreted_subclasses=True)
class XqhLittle(Xqh):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sL48s48s")
