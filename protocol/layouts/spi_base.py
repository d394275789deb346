"""Records of SPQU, SPQI, SPPU, SPPO, SPGU, SPAU, SPAO, SPRU, SPNU, SPNO, SPBU, SPOU, SPOI, SPOO.

Made by ``make layouts`` from ``protocol/structures/spi_base.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Spqu(Record):
    """SPQU, 12 bytes, mq-wire.md 5.12."""

    KEYS: ClassVar[tuple[str, ...]] = ("struc_id", "version", "length")
    __slots__ = KEYS

    NAME: ClassVar[str] = "SPQU"
    SIZE: ClassVar[int] = 12

    struc_id: bytes
    version: int
    length: int

    def __init__(self, *, struc_id: bytes = b"SPQU", version: int = 1, length: int = 12) -> None:
        self.struc_id = struc_id
        self.version = version
        self.length = length

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.struc_id, self.version, self.length) = values
        return self

    def build(self) -> bytes:
        try:
            if len(self.struc_id) == 4:
                return self.LAYOUT.pack(self.struc_id, self.version, self.length)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class SpquBig(Spqu):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class SpquLittle(Spqu):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class Spqi(Record):
    """SPQI, 12 bytes, mq-wire.md 5.12."""

    KEYS: ClassVar[tuple[str, ...]] = ("struc_id", "version", "length")
    __slots__ = KEYS

    NAME: ClassVar[str] = "SPQI"
    SIZE: ClassVar[int] = 12

    struc_id: bytes
    version: int
    length: int

    def __init__(self, *, struc_id: bytes = b"SPQI", version: int = 1, length: int = 12) -> None:
        self.struc_id = struc_id
        self.version = version
        self.length = length

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.struc_id, self.version, self.length) = values
        return self

    def build(self) -> bytes:
        try:
            if len(self.struc_id) == 4:
                return self.LAYOUT.pack(self.struc_id, self.version, self.length)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class SpqiBig(Spqi):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class SpqiLittle(Spqi):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class Sppu(Record):
    """SPPU, 12 bytes, mq-wire.md 5.12."""

    KEYS: ClassVar[tuple[str, ...]] = ("struc_id", "version", "length")
    __slots__ = KEYS

    NAME: ClassVar[str] = "SPPU"
    SIZE: ClassVar[int] = 12

    struc_id: bytes
    version: int
    length: int

    def __init__(self, *, struc_id: bytes = b"SPPU", version: int = 1, length: int = 12) -> None:
        self.struc_id = struc_id
        self.version = version
        self.length = length

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.struc_id, self.version, self.length) = values
        return self

    def build(self) -> bytes:
        try:
            if len(self.struc_id) == 4:
                return self.LAYOUT.pack(self.struc_id, self.version, self.length)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class SppuBig(Sppu):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class SppuLittle(Sppu):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class Sppo(Record):
    """SPPO, 12 bytes, mq-wire.md 5.12."""

    KEYS: ClassVar[tuple[str, ...]] = ("struc_id", "version", "length")
    __slots__ = KEYS

    NAME: ClassVar[str] = "SPPO"
    SIZE: ClassVar[int] = 12

    struc_id: bytes
    version: int
    length: int

    def __init__(self, *, struc_id: bytes = b"SPPO", version: int = 1, length: int = 12) -> None:
        self.struc_id = struc_id
        self.version = version
        self.length = length

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.struc_id, self.version, self.length) = values
        return self

    def build(self) -> bytes:
        try:
            if len(self.struc_id) == 4:
                return self.LAYOUT.pack(self.struc_id, self.version, self.length)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class SppoBig(Sppo):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class SppoLittle(Sppo):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class Spgu(Record):
    """SPGU, 12 bytes, mq-wire.md 5.12."""

    KEYS: ClassVar[tuple[str, ...]] = ("struc_id", "version", "length")
    __slots__ = KEYS

    NAME: ClassVar[str] = "SPGU"
    SIZE: ClassVar[int] = 12

    struc_id: bytes
    version: int
    length: int

    def __init__(self, *, struc_id: bytes = b"SPGU", version: int = 1, length: int = 12) -> None:
        self.struc_id = struc_id
        self.version = version
        self.length = length

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.struc_id, self.version, self.length) = values
        return self

    def build(self) -> bytes:
        try:
            if len(self.struc_id) == 4:
                return self.LAYOUT.pack(self.struc_id, self.version, self.length)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class SpguBig(Spgu):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class SpguLittle(Spgu):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class Spau(Record):
    """SPAU, 12 bytes, mq-wire.md 5.12."""

    KEYS: ClassVar[tuple[str, ...]] = ("struc_id", "version", "length")
    __slots__ = KEYS

    NAME: ClassVar[str] = "SPAU"
    SIZE: ClassVar[int] = 12

    struc_id: bytes
    version: int
    length: int

    def __init__(self, *, struc_id: bytes = b"SPAU", version: int = 1, length: int = 12) -> None:
        self.struc_id = struc_id
        self.version = version
        self.length = length

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.struc_id, self.version, self.length) = values
        return self

    def build(self) -> bytes:
        try:
            if len(self.struc_id) == 4:
                return self.LAYOUT.pack(self.struc_id, self.version, self.length)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class SpauBig(Spau):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class SpauLittle(Spau):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class Spao(Record):
    """SPAO, 12 bytes, mq-wire.md 5.12."""

    KEYS: ClassVar[tuple[str, ...]] = ("struc_id", "version", "length")
    __slots__ = KEYS

    NAME: ClassVar[str] = "SPAO"
    SIZE: ClassVar[int] = 12

    struc_id: bytes
    version: int
    length: int

    def __init__(self, *, struc_id: bytes = b"SPAO", version: int = 1, length: int = 12) -> None:
        self.struc_id = struc_id
        self.version = version
        self.length = length

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.struc_id, self.version, self.length) = values
        return self

    def build(self) -> bytes:
        try:
            if len(self.struc_id) == 4:
                return self.LAYOUT.pack(self.struc_id, self.version, self.length)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class SpaoBig(Spao):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class SpaoLittle(Spao):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class Spru(Record):
    """SPRU, 12 bytes, mq-wire.md 5.12."""

    KEYS: ClassVar[tuple[str, ...]] = ("struc_id", "version", "length")
    __slots__ = KEYS

    NAME: ClassVar[str] = "SPRU"
    SIZE: ClassVar[int] = 12

    struc_id: bytes
    version: int
    length: int

    def __init__(self, *, struc_id: bytes = b"SPRU", version: int = 1, length: int = 12) -> None:
        self.struc_id = struc_id
        self.version = version
        self.length = length

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.struc_id, self.version, self.length) = values
        return self

    def build(self) -> bytes:
        try:
            if len(self.struc_id) == 4:
                return self.LAYOUT.pack(self.struc_id, self.version, self.length)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class SpruBig(Spru):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class SpruLittle(Spru):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class Spnu(Record):
    """SPNU, 12 bytes, mq-wire.md 5.12."""

    KEYS: ClassVar[tuple[str, ...]] = ("struc_id", "version", "length")
    __slots__ = KEYS

    NAME: ClassVar[str] = "SPNU"
    SIZE: ClassVar[int] = 12

    struc_id: bytes
    version: int
    length: int

    def __init__(self, *, struc_id: bytes = b"SPNU", version: int = 1, length: int = 12) -> None:
        self.struc_id = struc_id
        self.version = version
        self.length = length

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.struc_id, self.version, self.length) = values
        return self

    def build(self) -> bytes:
        try:
            if len(self.struc_id) == 4:
                return self.LAYOUT.pack(self.struc_id, self.version, self.length)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class SpnuBig(Spnu):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class SpnuLittle(Spnu):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class Spno(Record):
    """SPNO, 12 bytes, mq-wire.md 5.12."""

    KEYS: ClassVar[tuple[str, ...]] = ("struc_id", "version", "length")
    __slots__ = KEYS

    NAME: ClassVar[str] = "SPNO"
    SIZE: ClassVar[int] = 12

    struc_id: bytes
    version: int
    length: int

    def __init__(self, *, struc_id: bytes = b"SPNO", version: int = 1, length: int = 12) -> None:
        self.struc_id = struc_id
        self.version = version
        self.length = length

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.struc_id, self.version, self.length) = values
        return self

    def build(self) -> bytes:
        try:
            if len(self.struc_id) == 4:
                return self.LAYOUT.pack(self.struc_id, self.version, self.length)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class SpnoBig(Spno):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class SpnoLittle(Spno):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class Spbu(Record):
    """SPBU, 12 bytes, mq-wire.md 5.12."""

    KEYS: ClassVar[tuple[str, ...]] = ("struc_id", "version", "length")
    __slots__ = KEYS

    NAME: ClassVar[str] = "SPBU"
    SIZE: ClassVar[int] = 12

    struc_id: bytes
    version: int
    length: int

    def __init__(self, *, struc_id: bytes = b"SPBU", version: int = 1, length: int = 12) -> None:
        self.struc_id = struc_id
        self.version = version
        self.length = length

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.struc_id, self.version, self.length) = values
        return self

    def build(self) -> bytes:
        try:
            if len(self.struc_id) == 4:
                return self.LAYOUT.pack(self.struc_id, self.version, self.length)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class SpbuBig(Spbu):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class SpbuLittle(Spbu):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class Spou(Record):
    """SPOU, 12 bytes, mq-wire.md 5.12."""

    KEYS: ClassVar[tuple[str, ...]] = ("struc_id", "version", "length")
    __slots__ = KEYS

    NAME: ClassVar[str] = "SPOU"
    SIZE: ClassVar[int] = 12

    struc_id: bytes
    version: int
    length: int

    def __init__(self, *, struc_id: bytes = b"SPOU", version: int = 1, length: int = 12) -> None:
        self.struc_id = struc_id
        self.version = version
        self.length = length

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.struc_id, self.version, self.length) = values
        return self

    def build(self) -> bytes:
        try:
            if len(self.struc_id) == 4:
                return self.LAYOUT.pack(self.struc_id, self.version, self.length)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class SpouBig(Spou):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class SpouLittle(Spou):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class Spoi(Record):
    """SPOI, 12 bytes, mq-wire.md 5.12."""

    KEYS: ClassVar[tuple[str, ...]] = ("struc_id", "version", "length")
    __slots__ = KEYS

    NAME: ClassVar[str] = "SPOI"
    SIZE: ClassVar[int] = 12

    struc_id: bytes
    version: int
    length: int

    def __init__(self, *, struc_id: bytes = b"SPOI", version: int = 1, length: int = 12) -> None:
        self.struc_id = struc_id
        self.version = version
        self.length = length

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.struc_id, self.version, self.length) = values
        return self

    def build(self) -> bytes:
        try:
            if len(self.struc_id) == 4:
                return self.LAYOUT.pack(self.struc_id, self.version, self.length)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class SpoiBig(Spoi):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class SpoiLittle(Spoi):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class Spoo(Record):
    """SPOO, 12 bytes, mq-wire.md 5.12."""

    KEYS: ClassVar[tuple[str, ...]] = ("struc_id", "version", "length")
    __slots__ = KEYS

    NAME: ClassVar[str] = "SPOO"
    SIZE: ClassVar[int] = 12

    struc_id: bytes
    version: int
    length: int

    def __init__(self, *, struc_id: bytes = b"SPOO", version: int = 1, length: int = 12) -> None:
        self.struc_id = struc_id
        self.version = version
        self.length = length

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.struc_id, self.version, self.length) = values
        return self

    def build(self) -> bytes:
        try:
            if len(self.struc_id) == 4:
                return self.LAYOUT.pack(self.struc_id, self.version, self.length)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class SpooBig(Spoo):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4sLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class SpooLittle(Spoo):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4sLL")
