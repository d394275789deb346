"""Records of SPBI, SPBO, LSD.

Made by ``make layouts`` from ``protocol/structures/spi_subscribe.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Spbi(Record):
    """SPBI, 16 bytes, client-observed.md 6.2."""

    KEYS: ClassVar[tuple[str, ...]] = ("struc_id", "version", "length", "subscription_handle")
    __slots__ = KEYS

    NAME: ClassVar[str] = "SPBI"
    SIZE: ClassVar[int] = 16

    struc_id: bytes
    version: int
    length: int
    subscription_handle: int

    def __init__(
        self, *, struc_id: bytes = b"SPBI", version: int = 1, length: int = 16, subscription_handle: int = 0
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.length = length
        self.subscription_handle = subscription_handle

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.struc_id, self.version, self.length, self.subscription_handle) = values
        return self

    def build(self) -> bytes:
        try:
            if len(self.struc_id) == 4:
                return self.LAYOUT.pack(self.struc_id, self.version, self.length, self.subscription_handle)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class SpbiBig(Spbi):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLLl")


@mypyc_attr(allow_interpreted_subclasses=True)
class SpbiLittle(Spbi):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLLl")


@mypyc_attr(allow_interpreted_subclasses=True)
class Spbo(Record):
    """SPBO, 16 bytes, client-observed.md 6.2."""

    KEYS: ClassVar[tuple[str, ...]] = ("struc_id", "version", "length", "subscription_handle")
    __slots__ = KEYS

    NAME: ClassVar[str] = "SPBO"
    SIZE: ClassVar[int] = 16

    struc_id: bytes
    version: int
    length: int
    subscription_handle: int

    def __init__(
        self, *, struc_id: bytes = b"SPBO", version: int = 1, length: int = 16, subscription_handle: int = 0
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.length = length
        self.subscription_handle = subscription_handle

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.struc_id, self.version, self.length, self.subscription_handle) = values
        return self

    def build(self) -> bytes:
        try:
            if len(self.struc_id) == 4:
                return self.LAYOUT.pack(self.struc_id, self.version, self.length, self.subscription_handle)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class SpboBig(Spbo):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLLl")


@mypyc_attr(allow_interpreted_subclasses=True)
class SpboLittle(Spbo):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLLl")


@mypyc_attr(allow_interpreted_subclasses=True)
class Lsd(Record):
    """LSD, 196 bytes, client-observed.md 6.2."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "struc_id",
        "version",
        "options",
        "string_vs_ptr",
        "string_vs_offset",
        "string_vs_buf_size",
        "string_vs_length",
        "string_vsccsid",
        "sub_id",
        "unknown1",
        "open_options",
        "unknown2",
        "q_name",
        "unknown3",
        "unknown4",
        "unknown5",
        "unknown6",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "LSD"
    SIZE: ClassVar[int] = 196

    struc_id: bytes
    version: int
    options: int
    string_vs_ptr: int
    string_vs_offset: int
    string_vs_buf_size: int
    string_vs_length: int
    string_vsccsid: int
    sub_id: bytes
    unknown1: int
    open_options: int
    unknown2: bytes
    q_name: bytes
    unknown3: bytes
    unknown4: int
    unknown5: int
    unknown6: int

    def __init__(
        self,
        *,
        struc_id: bytes = b"LSD ",
        version: int = 1,
        options: int = 0,
        string_vs_ptr: int = 0,
        string_vs_offset: int = 0,
        string_vs_buf_size: int = 0,
        string_vs_length: int = 0,
        string_vsccsid: int = 1208,
        sub_id: bytes = b"\0" * 24,
        unknown1: int = 0,
        open_options: int = 0,
        unknown2: bytes = b" " * 48,
        q_name: bytes = b" " * 48,
        unknown3: bytes = b"\0" * 24,
        unknown4: int = 3,
        unknown5: int = 0,
        unknown6: int = 1,
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.options = options
        self.string_vs_ptr = string_vs_ptr
        self.string_vs_offset = string_vs_offset
        self.string_vs_buf_size = string_vs_buf_size
        self.string_vs_length = string_vs_length
        self.string_vsccsid = string_vsccsid
        self.sub_id = sub_id
        self.unknown1 = unknown1
        self.open_options = open_options
        self.unknown2 = unknown2
        self.q_name = q_name
        self.unknown3 = unknown3
        self.unknown4 = unknown4
        self.unknown5 = unknown5
        self.unknown6 = unknown6

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
            self.string_vs_ptr,
            self.string_vs_offset,
            self.string_vs_buf_size,
            self.string_vs_length,
            self.string_vsccsid,
            self.sub_id,
            self.unknown1,
            self.open_options,
            self.unknown2,
            self.q_name,
            self.unknown3,
            self.unknown4,
            self.unknown5,
            self.unknown6,
        ) = values
        return self

    def build(self) -> bytes:
        try:
            if (
                len(self.struc_id) == 4
                and len(self.sub_id) == 24
                and len(self.unknown2) == 48
                and len(self.q_name) == 48
                and len(self.unknown3) == 24
            ):
                return self.LAYOUT.pack(
                    self.struc_id,
                    self.version,
                    self.options,
                    self.string_vs_ptr,
                    self.string_vs_offset,
                    self.string_vs_buf_size,
                    self.string_vs_length,
                    self.string_vsccsid,
                    self.sub_id,
                    self.unknown1,
                    self.open_options,
                    self.unknown2,
                    self.q_name,
                    self.unknown3,
                    self.unknown4,
                    self.unknown5,
                    self.unknown6,
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class LsdBig(Lsd):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLLLLLll24sLL48s48s24sLLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class LsdLittle(Lsd):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLLLLLll24sLL48s48s24sLLL")
