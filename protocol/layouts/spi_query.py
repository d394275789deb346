"""Records of SPQO, SPIVerb.

Made by ``make layouts`` from ``protocol/structures/spi_query.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Spqo(Record):
    """SPQO, 16 bytes, mq-wire.md 5.12."""

    KEYS: ClassVar[tuple[str, ...]] = ("struc_id", "version", "length", "verb_count")
    __slots__ = KEYS

    NAME: ClassVar[str] = "SPQO"
    SIZE: ClassVar[int] = 16

    struc_id: bytes
    version: int
    length: int
    verb_count: int

    def __init__(self, *, struc_id: bytes = b"SPQO", version: int = 1, length: int = 16, verb_count: int = 0) -> None:
        self.struc_id = struc_id
        self.version = version
        self.length = length
        self.verb_count = verb_count

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.struc_id, self.version, self.length, self.verb_count) = values
        return self

    def build(self) -> bytes:
        try:
            if len(self.struc_id) == 4:
                return self.LAYOUT.pack(self.struc_id, self.version, self.length, self.verb_count)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class SpqoBig(Spqo):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class SpqoLittle(Spqo):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class VerbEntry(Record):
    """SPIVerb, 20 bytes, mq-wire.md 5.12."""

    KEYS: ClassVar[tuple[str, ...]] = ("verb", "max_in_out_version", "max_in_version", "max_out_version", "flags")
    __slots__ = KEYS

    NAME: ClassVar[str] = "SPIVerb"
    SIZE: ClassVar[int] = 20

    verb: int
    max_in_out_version: int
    max_in_version: int
    max_out_version: int
    flags: int

    def __init__(
        self,
        *,
        verb: int = 0,
        max_in_out_version: int = 0,
        max_in_version: int = 0,
        max_out_version: int = 0,
        flags: int = 0,
    ) -> None:
        self.verb = verb
        self.max_in_out_version = max_in_out_version
        self.max_in_version = max_in_version
        self.max_out_version = max_out_version
        self.flags = flags

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.verb, self.max_in_out_version, self.max_in_version, self.max_out_version, self.flags) = values
        return self

    def build(self) -> bytes:
        try:
            return self.LAYOUT.pack(
                self.verb, self.max_in_out_version, self.max_in_version, self.max_out_version, self.flags
            )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class VerbEntryBig(VerbEntry):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">LLLLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class VerbEntryLittle(VerbEntry):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<LLLLL")
