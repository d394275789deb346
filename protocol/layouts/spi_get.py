"""Records of SPGI, SPGO.

Made by ``make layouts`` from ``protocol/structures/spi_get.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Spgi(Record):
    """SPGI, 24 bytes, mq-wire.md 5.12."""

    KEYS: ClassVar[tuple[str, ...]] = ("struc_id", "version", "length", "batch_size", "batch_interval", "max_msg_size")
    __slots__ = KEYS

    NAME: ClassVar[str] = "SPGI"
    SIZE: ClassVar[int] = 24

    struc_id: bytes
    version: int
    length: int
    batch_size: int
    batch_interval: int
    max_msg_size: int

    def __init__(
        self,
        *,
        struc_id: bytes = b"SPGI",
        version: int = 1,
        length: int = 24,
        batch_size: int = 0,
        batch_interval: int = 0,
        max_msg_size: int = 0,
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.length = length
        self.batch_size = batch_size
        self.batch_interval = batch_interval
        self.max_msg_size = max_msg_size

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.struc_id, self.version, self.length, self.batch_size, self.batch_interval, self.max_msg_size) = values
        return self

    def build(self) -> bytes:
        try:
            if len(self.struc_id) == 4:
                return self.LAYOUT.pack(
                    self.struc_id, self.version, self.length, self.batch_size, self.batch_interval, self.max_msg_size
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class SpgiBig(Spgi):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLLLLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class SpgiLittle(Spgi):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLLLLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class Spgo(Record):
    """SPGO, 20 bytes, mq-wire.md 5.12."""

    KEYS: ClassVar[tuple[str, ...]] = ("struc_id", "version", "length", "options", "data_length")
    __slots__ = KEYS

    NAME: ClassVar[str] = "SPGO"
    SIZE: ClassVar[int] = 20

    struc_id: bytes
    version: int
    length: int
    options: int
    data_length: int

    def __init__(
        self, *, struc_id: bytes = b"SPGO", version: int = 1, length: int = 20, options: int = 0, data_length: int = 0
    ) -> None:
        self.struc_id = struc_id
        self.version = version
        self.length = length
        self.options = options
        self.data_length = data_length

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.struc_id, self.version, self.length, self.options, self.data_length) = values
        return self

    def build(self) -> bytes:
        try:
            if len(self.struc_id) == 4:
                return self.LAYOUT.pack(self.struc_id, self.version, self.length, self.options, self.data_length)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class SpgoBig(Spgo):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLLLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class SpgoLittle(Spgo):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLLLL")
