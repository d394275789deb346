"""Records of LPOO.

Made by ``make layouts`` from ``protocol/structures/lpoo.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Lpoo(Record):
    """LPOO, 88 bytes, mq-wire.md 5.12."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "struc_id",
        "version",
        "open_options",
        "lpi_options",
        "def_persistence",
        "def_put_response_type",
        "def_read_ahead",
        "property_control",
        "q_protect",
        "extra_offset",
        "extra_length",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "LPOO"
    SIZE: ClassVar[int] = 88

    struc_id: bytes
    version: int
    open_options: int
    lpi_options: int
    def_persistence: int
    def_put_response_type: int
    def_read_ahead: int
    property_control: int
    q_protect: bytes
    extra_offset: int
    extra_length: int

    def __init__(
        self,
        *,
        struc_id: bytes = b"LPOO",
        version: int = 3,
        open_options: int = 0,
        lpi_options: int = 0,
        def_persistence: int = -1,
        def_put_response_type: int = -1,
        def_read_ahead: int = -1,
        property_control: int = -1,
        q_protect: bytes = b" " * 48,
        extra_offset: int = 0,
        extra_length: int = 0,
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.open_options = open_options
        self.lpi_options = lpi_options
        self.def_persistence = def_persistence
        self.def_put_response_type = def_put_response_type
        self.def_read_ahead = def_read_ahead
        self.property_control = property_control
        self.q_protect = q_protect
        self.extra_offset = extra_offset
        self.extra_length = extra_length

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
            self.open_options,
            self.lpi_options,
            self.def_persistence,
            self.def_put_response_type,
            self.def_read_ahead,
            self.property_control,
            self.q_protect,
            self.extra_offset,
            self.extra_length,
        ) = values
        return self

    def build(self) -> bytes:
        try:
            if len(self.struc_id) == 4 and len(self.q_protect) == 48:
                return self.LAYOUT.pack(
                    self.struc_id,
                    self.version,
                    self.open_options,
                    self.lpi_options,
                    self.def_persistence,
                    self.def_put_response_type,
                    self.def_read_ahead,
                    self.property_control,
                    self.q_protect,
                    self.extra_offset,
                    self.extra_length,
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class LpooBig(Lpoo):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLLLllll48sLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class LpooLittle(Lpoo):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLLLllll48sLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class ShortLpoo(Record):
    """LPOO, 32 bytes, mq-wire.md 5.12."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "struc_id",
        "version",
        "open_options",
        "lpi_options",
        "def_persistence",
        "def_put_response_type",
        "def_read_ahead",
        "property_control",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "LPOO"
    SIZE: ClassVar[int] = 32

    struc_id: bytes
    version: int
    open_options: int
    lpi_options: int
    def_persistence: int
    def_put_response_type: int
    def_read_ahead: int
    property_control: int

    def __init__(
        self,
        *,
        struc_id: bytes = b"LPOO",
        version: int = 3,
        open_options: int = 0,
        lpi_options: int = 0,
        def_persistence: int = -1,
        def_put_response_type: int = -1,
        def_read_ahead: int = -1,
        property_control: int = -1,
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.open_options = open_options
        self.lpi_options = lpi_options
        self.def_persistence = def_persistence
        self.def_put_response_type = def_put_response_type
        self.def_read_ahead = def_read_ahead
        self.property_control = property_control

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
            self.open_options,
            self.lpi_options,
            self.def_persistence,
            self.def_put_response_type,
            self.def_read_ahead,
            self.property_control,
        ) = values
        return self

    def build(self) -> bytes:
        try:
            if len(self.struc_id) == 4:
                return self.LAYOUT.pack(
                    self.struc_id,
                    self.version,
                    self.open_options,
                    self.lpi_options,
                    self.def_persistence,
                    self.def_put_response_type,
                    self.def_read_ahead,
                    self.property_control,
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class ShortLpooBig(ShortLpoo):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLLLllll")


@mypyc_attr(allow_interpreted_subclasses=True)
class ShortLpooLittle(ShortLpoo):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLLLllll")
