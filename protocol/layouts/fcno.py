"""Records of FCNO.

Made by ``make layouts`` from ``protocol/structures/fcno.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Fcno(Record):
    """FCNO, 212 bytes, mq-wire.md 5.5."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "struc_id",
        "version",
        "cap_flag",
        "conn_tag",
        "product_id24",
        "q_mgr_identifier",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "FCNO"
    SIZE: ClassVar[int] = 212

    struc_id: bytes
    version: int
    cap_flag: int
    conn_tag: bytes
    product_id24: bytes
    q_mgr_identifier: bytes

    def __init__(
        self,
        *,
        struc_id: bytes = b"FCNO",
        version: int = 1,
        cap_flag: int = 0,
        conn_tag: bytes = b"\0" * 128,
        product_id24: bytes = b" " * 24,
        q_mgr_identifier: bytes = b" " * 48,
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.cap_flag = cap_flag
        self.conn_tag = conn_tag
        self.product_id24 = product_id24
        self.q_mgr_identifier = q_mgr_identifier

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.struc_id, self.version, self.cap_flag, self.conn_tag, self.product_id24, self.q_mgr_identifier) = values
        return self

    def build(self) -> bytes:
        try:
            if (
                len(self.struc_id) == 4
                and len(self.conn_tag) == 128
                and len(self.product_id24) == 24
                and len(self.q_mgr_identifier) == 48
            ):
                return self.LAYOUT.pack(
                    self.struc_id, self.version, self.cap_flag, self.conn_tag, self.product_id24, self.q_mgr_identifier
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class FcnoBig(Fcno):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLL128s24s48s")


@mypyc_attr(allow_interpreted_subclasses=True)
class FcnoLittle(Fcno):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLL128s24s48s")


@mypyc_attr(allow_interpreted_subclasses=True)
class Fcno3(Record):
    """FCNO, 340 bytes, mq-wire.md 5.5."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "struc_id",
        "version",
        "cap_flag",
        "conn_tag",
        "ret_conn_tag",
        "product_id24",
        "q_mgr_identifier",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "FCNO"
    SIZE: ClassVar[int] = 340

    struc_id: bytes
    version: int
    cap_flag: int
    conn_tag: bytes
    ret_conn_tag: bytes
    product_id24: bytes
    q_mgr_identifier: bytes

    def __init__(
        self,
        *,
        struc_id: bytes = b"FCNO",
        version: int = 1,
        cap_flag: int = 0,
        conn_tag: bytes = b"\0" * 128,
        ret_conn_tag: bytes = b"\0" * 128,
        product_id24: bytes = b" " * 24,
        q_mgr_identifier: bytes = b" " * 48,
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.cap_flag = cap_flag
        self.conn_tag = conn_tag
        self.ret_conn_tag = ret_conn_tag
        self.product_id24 = product_id24
        self.q_mgr_identifier = q_mgr_identifier

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
            self.cap_flag,
            self.conn_tag,
            self.ret_conn_tag,
            self.product_id24,
            self.q_mgr_identifier,
        ) = values
        return self

    def build(self) -> bytes:
        try:
            if (
                len(self.struc_id) == 4
                and len(self.conn_tag) == 128
                and len(self.ret_conn_tag) == 128
                and len(self.product_id24) == 24
                and len(self.q_mgr_identifier) == 48
            ):
                return self.LAYOUT.pack(
                    self.struc_id,
                    self.version,
                    self.cap_flag,
                    self.conn_tag,
                    self.ret_conn_tag,
                    self.product_id24,
                    self.q_mgr_identifier,
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class Fcno3Big(Fcno3):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLL128s128s24s48s")


@mypyc_attr(allow_interpreted_subclasses=True)
class Fcno3Little(Fcno3):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLL128s128s24s48s")


@mypyc_attr(allow_interpreted_subclasses=True)
class Fcno4(Record):
    """FCNO, 352 bytes, client-observed.md 1.1."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "struc_id",
        "version",
        "cap_flag",
        "conn_tag",
        "ret_conn_tag",
        "unknown1",
        "unknown2",
        "unknown3",
        "lost_connection_id",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "FCNO"
    SIZE: ClassVar[int] = 352

    struc_id: bytes
    version: int
    cap_flag: int
    conn_tag: bytes
    ret_conn_tag: bytes
    unknown1: int
    unknown2: int
    unknown3: bytes
    lost_connection_id: bytes

    def __init__(
        self,
        *,
        struc_id: bytes = b"FCNO",
        version: int = 1,
        cap_flag: int = 0,
        conn_tag: bytes = b"\0" * 128,
        ret_conn_tag: bytes = b"\0" * 128,
        unknown1: int = 0,
        unknown2: int = -1,
        unknown3: bytes = b"\0" * 56,
        lost_connection_id: bytes = b"\0" * 20,
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.cap_flag = cap_flag
        self.conn_tag = conn_tag
        self.ret_conn_tag = ret_conn_tag
        self.unknown1 = unknown1
        self.unknown2 = unknown2
        self.unknown3 = unknown3
        self.lost_connection_id = lost_connection_id

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
            self.cap_flag,
            self.conn_tag,
            self.ret_conn_tag,
            self.unknown1,
            self.unknown2,
            self.unknown3,
            self.lost_connection_id,
        ) = values
        return self

    def build(self) -> bytes:
        try:
            if (
                len(self.struc_id) == 4
                and len(self.conn_tag) == 128
                and len(self.ret_conn_tag) == 128
                and len(self.unknown3) == 56
                and len(self.lost_connection_id) == 20
            ):
                return self.LAYOUT.pack(
                    self.struc_id,
                    self.version,
                    self.cap_flag,
                    self.conn_tag,
                    self.ret_conn_tag,
                    self.unknown1,
                    self.unknown2,
                    self.unknown3,
                    self.lost_connection_id,
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class Fcno4Big(Fcno4):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLL128s128sLl56s20s")


@mypyc_attr(allow_interpreted_subclasses=True)
class Fcno4Little(Fcno4):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLL128s128sLl56s20s")
