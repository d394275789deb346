"""Records of OpenOptions, CloseOptions, DataLength, StatusType, Action.

Made by ``make layouts`` from ``protocol/structures/words.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class OpenOptions(Record):
    """OpenOptions, 4 bytes, mq-wire.md 5.6."""

    KEYS: ClassVar[tuple[str, ...]] = ("options",)
    __slots__ = KEYS

    NAME: ClassVar[str] = "OpenOptions"
    SIZE: ClassVar[int] = 4

    options: int

    def __init__(self, *, options: int = 0) -> None:
        self.options = options

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.options,) = values
        return self

    def build(self) -> bytes:
        try:
            return self.LAYOUT.pack(self.options)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class OpenOptionsBig(OpenOptions):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">L")


@mypyc_attr(allow_interpreted_subclasses=True)
class OpenOptionsLittle(OpenOptions):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<L")


@mypyc_attr(allow_interpreted_subclasses=True)
class CloseOptions(Record):
    """CloseOptions, 4 bytes, mq-wire.md 5.6."""

    KEYS: ClassVar[tuple[str, ...]] = ("options",)
    __slots__ = KEYS

    NAME: ClassVar[str] = "CloseOptions"
    SIZE: ClassVar[int] = 4

    options: int

    def __init__(self, *, options: int = 0) -> None:
        self.options = options

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.options,) = values
        return self

    def build(self) -> bytes:
        try:
            return self.LAYOUT.pack(self.options)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class CloseOptionsBig(CloseOptions):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">L")


@mypyc_attr(allow_interpreted_subclasses=True)
class CloseOptionsLittle(CloseOptions):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<L")


@mypyc_attr(allow_interpreted_subclasses=True)
class DataLength(Record):
    """DataLength, 4 bytes, mq-wire.md 5.8."""

    KEYS: ClassVar[tuple[str, ...]] = ("data_length",)
    __slots__ = KEYS

    NAME: ClassVar[str] = "DataLength"
    SIZE: ClassVar[int] = 4

    data_length: int

    def __init__(self, *, data_length: int = 0) -> None:
        self.data_length = data_length

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.data_length,) = values
        return self

    def build(self) -> bytes:
        try:
            return self.LAYOUT.pack(self.data_length)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class DataLengthBig(DataLength):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">L")


@mypyc_attr(allow_interpreted_subclasses=True)
class DataLengthLittle(DataLength):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<L")


@mypyc_attr(allow_interpreted_subclasses=True)
class StatusType(Record):
    """StatusType, 4 bytes, client-observed.md 4."""

    KEYS: ClassVar[tuple[str, ...]] = ("type",)
    __slots__ = KEYS

    NAME: ClassVar[str] = "StatusType"
    SIZE: ClassVar[int] = 4

    type: int

    def __init__(self, *, type: int = 0) -> None:
        self.type = type

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.type,) = values
        return self

    def build(self) -> bytes:
        try:
            return self.LAYOUT.pack(self.type)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class StatusTypeBig(StatusType):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">L")


@mypyc_attr(allow_interpreted_subclasses=True)
class StatusTypeLittle(StatusType):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<L")


@mypyc_attr(allow_interpreted_subclasses=True)
class SubrqAction(Record):
    """Action, 4 bytes, client-observed.md 4."""

    KEYS: ClassVar[tuple[str, ...]] = ("action",)
    __slots__ = KEYS

    NAME: ClassVar[str] = "Action"
    SIZE: ClassVar[int] = 4

    action: int

    def __init__(self, *, action: int = 0) -> None:
        self.action = action

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.action,) = values
        return self

    def build(self) -> bytes:
        try:
            return self.LAYOUT.pack(self.action)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class SubrqActionBig(SubrqAction):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">L")


@mypyc_attr(allow_interpreted_subclasses=True)
class SubrqActionLittle(SubrqAction):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<L")
