"""Records of MQIIH, IMS.

Made by ``make layouts`` from ``protocol/structures/iih.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Iih(Record):
    """MQIIH, 84 bytes, mq-wire.md 5.15."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "struc_id",
        "version",
        "struc_length",
        "encoding",
        "coded_char_set_id",
        "format",
        "flags",
        "l_term_override",
        "mfs_map_name",
        "reply_to_format",
        "authenticator",
        "tran_instance_id",
        "tran_state",
        "commit_mode",
        "security_scope",
        "reserved",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "IIH"
    SIZE: ClassVar[int] = 84

    struc_id: bytes
    version: int
    struc_length: int
    encoding: int
    coded_char_set_id: int
    format: bytes
    flags: int
    l_term_override: bytes
    mfs_map_name: bytes
    reply_to_format: bytes
    authenticator: bytes
    tran_instance_id: bytes
    tran_state: bytes
    commit_mode: bytes
    security_scope: bytes
    reserved: bytes

    def __init__(
        self,
        *,
        struc_id: bytes = b"IIH ",
        version: int = 1,
        struc_length: int = 84,
        encoding: int = 273,
        coded_char_set_id: int = 0,
        format: bytes = b" " * 8,
        flags: int = 0,
        l_term_override: bytes = b" " * 8,
        mfs_map_name: bytes = b" " * 8,
        reply_to_format: bytes = b" " * 8,
        authenticator: bytes = b" " * 8,
        tran_instance_id: bytes = b"\0" * 16,
        tran_state: bytes = b" ",
        commit_mode: bytes = b"0",
        security_scope: bytes = b"C",
        reserved: bytes = b" ",
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.struc_length = struc_length
        self.encoding = encoding
        self.coded_char_set_id = coded_char_set_id
        self.format = format
        self.flags = flags
        self.l_term_override = l_term_override
        self.mfs_map_name = mfs_map_name
        self.reply_to_format = reply_to_format
        self.authenticator = authenticator
        self.tran_instance_id = tran_instance_id
        self.tran_state = tran_state
        self.commit_mode = commit_mode
        self.security_scope = security_scope
        self.reserved = reserved

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
            self.l_term_override,
            self.mfs_map_name,
            self.reply_to_format,
            self.authenticator,
            self.tran_instance_id,
            self.tran_state,
            self.commit_mode,
            self.security_scope,
            self.reserved,
        ) = values
        return self

    def build(self) -> bytes:
        try:
            if (
                len(self.struc_id) == 4
                and len(self.format) == 8
                and len(self.l_term_override) == 8
                and len(self.mfs_map_name) == 8
                and len(self.reply_to_format) == 8
                and len(self.authenticator) == 8
                and len(self.tran_instance_id) == 16
                and len(self.tran_state) == 1
                and len(self.commit_mode) == 1
                and len(self.security_scope) == 1
                and len(self.reserved) == 1
            ):
                return self.LAYOUT.pack(
                    self.struc_id,
                    self.version,
                    self.struc_length,
                    self.encoding,
                    self.coded_char_set_id,
                    self.format,
                    self.flags,
                    self.l_term_override,
                    self.mfs_map_name,
                    self.reply_to_format,
                    self.authenticator,
                    self.tran_instance_id,
                    self.tran_state,
                    self.commit_mode,
                    self.security_scope,
                    self.reserved,
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class IihBig(Iih):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLLLl8sL8s8s8s8s16s1s1s1s1s")


@mypyc_attr(allow_interpreted_subclasses=True)
class IihLittle(Iih):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLLLl8sL8s8s8s8s16s1s1s1s1s")

    def __init__(
        self,
        *,
        struc_id: bytes = b"IIH ",
        version: int = 1,
        struc_length: int = 84,
        encoding: int = 546,
        coded_char_set_id: int = 0,
        format: bytes = b" " * 8,
        flags: int = 0,
        l_term_override: bytes = b" " * 8,
        mfs_map_name: bytes = b" " * 8,
        reply_to_format: bytes = b" " * 8,
        authenticator: bytes = b" " * 8,
        tran_instance_id: bytes = b"\0" * 16,
        tran_state: bytes = b" ",
        commit_mode: bytes = b"0",
        security_scope: bytes = b"C",
        reserved: bytes = b" ",
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.struc_length = struc_length
        self.encoding = encoding
        self.coded_char_set_id = coded_char_set_id
        self.format = format
        self.flags = flags
        self.l_term_override = l_term_override
        self.mfs_map_name = mfs_map_name
        self.reply_to_format = reply_to_format
        self.authenticator = authenticator
        self.tran_instance_id = tran_instance_id
        self.tran_state = tran_state
        self.commit_mode = commit_mode
        self.security_scope = security_scope
        self.reserved = reserved


@mypyc_attr(allow_interpreted_subclasses=True)
class ImsSegment(Record):
    """IMS, 12 bytes, mq-wire.md 5.15."""

    KEYS: ClassVar[tuple[str, ...]] = ("ll", "zz", "transaction_code")
    __slots__ = KEYS

    NAME: ClassVar[str] = "IMS"
    SIZE: ClassVar[int] = 12

    ll: int
    zz: int
    transaction_code: bytes

    def __init__(self, *, ll: int = 12, zz: int = 0, transaction_code: bytes = b" " * 8) -> None:
        self.ll = ll
        self.zz = zz
        self.transaction_code = transaction_code

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.ll, self.zz, self.transaction_code) = values
        return self

    def build(self) -> bytes:
        try:
            if len(self.transaction_code) == 8:
                return self.LAYOUT.pack(self.ll, self.zz, self.transaction_code)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class ImsSegmentBig(ImsSegment):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">HH8s")


@mypyc_attr(allow_interpreted_subclasses=True)
class ImsSegmentLittle(ImsSegment):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<HH8s")
