"""Records of UID.

Made by ``make layouts`` from ``protocol/structures/userid.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Uid(Record):
    """UID, 132 bytes, mq-wire.md 5.2."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "struc_id",
        "user_id",
        "password",
        "long_user_id",
        "sid_length",
        "sid_type",
        "security_id",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "UID"
    SIZE: ClassVar[int] = 132

    struc_id: bytes
    user_id: bytes
    password: bytes
    long_user_id: bytes
    sid_length: int
    sid_type: int
    security_id: bytes

    def __init__(
        self,
        *,
        struc_id: bytes = b"UID ",
        user_id: bytes = b" " * 12,
        password: bytes = b" " * 12,
        long_user_id: bytes = b" " * 64,
        sid_length: int = 0,
        sid_type: int = 0,
        security_id: bytes = b"\0" * 38,
    ) -> None:
        self.struc_id = struc_id
        self.user_id = user_id
        self.password = password
        self.long_user_id = long_user_id
        self.sid_length = sid_length
        self.sid_type = sid_type
        self.security_id = security_id

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
            self.user_id,
            self.password,
            self.long_user_id,
            self.sid_length,
            self.sid_type,
            self.security_id,
        ) = values
        return self

    def build(self) -> bytes:
        try:
            if (
                len(self.struc_id) == 4
                and len(self.user_id) == 12
                and len(self.password) == 12
                and len(self.long_user_id) == 64
                and len(self.security_id) == 38
            ):
                return self.LAYOUT.pack(
                    self.struc_id,
                    self.user_id,
                    self.password,
                    self.long_user_id,
                    self.sid_length,
                    self.sid_type,
                    self.security_id,
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class UidBig(Uid):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4s12s12s64sBB38s")


@mypyc_attr(allow_interpreted_subclasses=True)
class UidLittle(Uid):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4s12s12s64sBB38s")
