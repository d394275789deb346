"""Types of fields: their codes, words and values as bytes, mqe.md 1 (E-008 to E-016)."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from enum import IntEnum, unique
from typing import Any, Final, NamedTuple

from .errors import Code, DumpError, EveryplaceError
from .numbers import number, read_number

ARRAY: Final = 0x10
"""Bit of a code that makes it the code of an array."""


@unique
class FieldType(IntEnum):
    """Type of a field. Codes are IBM's (E-016); those of arrays have the bit `ARRAY` more."""

    UNTYPED = 0xC0
    """``bytes``"""
    ASCII = 0xC1
    UNICODE = 0xC2
    BOOLEAN = 0xC3
    BYTE = 0xC4
    """A number of 8 bits, with sign."""
    SHORT = 0xC5
    INT = 0xC6
    LONG = 0xC7
    """A number of 64 bits (C-02)."""
    FLOAT = 0xC8
    DOUBLE = 0xC9
    FIELDS = 0xCB
    ASCII_ARRAY = 0xD1
    UNICODE_ARRAY = 0xD2
    BYTE_ARRAY = 0xD4
    """``bytes``"""
    SHORT_ARRAY = 0xD5
    INT_ARRAY = 0xD6
    LONG_ARRAY = 0xD7
    FLOAT_ARRAY = 0xD8
    DOUBLE_ARRAY = 0xD9

    # That of Enum takes the hash of the name, in Python; types are looked up for each field.
    __hash__ = int.__hash__

    @property
    def is_array(self) -> bool:
        """Whether the value is an array."""
        return bool(self & ARRAY)

    @property
    def element(self) -> FieldType:
        """The type of the elements of an array; of others, the type itself."""
        return FieldType(self & ~ARRAY)

    @property
    def word(self) -> str:
        """The word of the string form (E-028), such as ``short``; ``short[]`` of an array."""
        return self.element.name.lower() + ("[]" if self.is_array else "")


WORDS: Final = {each.word: each for each in FieldType}
"""Types by their word."""


class _Scalar(NamedTuple):
    layout: struct.Struct
    python: tuple[type, ...]


_SCALARS: Final = {
    FieldType.BYTE: _Scalar(struct.Struct(">b"), (int,)),
    FieldType.SHORT: _Scalar(struct.Struct(">h"), (int,)),
    FieldType.INT: _Scalar(struct.Struct(">i"), (int,)),
    FieldType.LONG: _Scalar(struct.Struct(">q"), (int,)),
    FieldType.FLOAT: _Scalar(struct.Struct(">f"), (int, float)),
    FieldType.DOUBLE: _Scalar(struct.Struct(">d"), (int, float)),
}
SIZES: Final = {FieldType.BOOLEAN: 1, **{kind: each.layout.size for kind, each in _SCALARS.items()}}
"""Bytes of the values of types that have a fixed length."""


def encode(kind: FieldType, value: Any) -> bytes | None:
    """Return a value as the bytes of a dump; None, which is null, where the type has no fixed length.

    Fields are not encoded here. Raises `EveryplaceError` TYPE.
    """
    if value is None and kind not in SIZES:
        return None
    try:
        return _ENCODERS[kind](value)
    except (TypeError, ValueError, OverflowError, struct.error):
        raise EveryplaceError(Code.TYPE, f"{str(value)[:40]!r} is no {kind.word}") from None


def decode(kind: FieldType, data: bytes | None) -> Any:
    """Return the value of checked bytes: ``str``, ``bytes``, ``bool``, ``int``, ``float``, or a tuple of them."""
    return None if data is None else _DECODERS[kind](data)


def check(kind: FieldType, data: bytes, offset: int) -> None:
    """Check the bytes of a value that was received at ``offset``; fields are checked elsewhere. Raises `DumpError`."""
    checker = _CHECKERS.get(kind)
    if checker is not None:
        checker(data, offset)


def _check_boolean(data: bytes, offset: int) -> None:
    if data not in (b"\0", b"\1"):
        raise DumpError(offset, f"boolean {data[0]}")


def _check_ascii(data: bytes, offset: int) -> None:
    if not data.isascii():
        raise DumpError(offset, "text is not ASCII")


def _check_unicode(data: bytes, offset: int) -> None:
    try:
        data.decode()
    except UnicodeDecodeError:
        raise DumpError(offset, "text is not UTF-8") from None


def _check_texts(element: FieldType) -> Callable[[bytes, int], None]:
    def checked(data: bytes, offset: int) -> None:
        _check_elements(data, offset)
        at = 0
        while at < len(data):
            length, at = read_number(data, at, len(data), offset)
            if length is None or at + length > len(data):
                raise DumpError(offset + at, "a text of an array is cut")
            check(element, data[at : at + length], offset + at)
            at += length

    return checked


def _check_elements(data: bytes, offset: int) -> None:
    if not data:
        raise DumpError(offset, "an array without elements is null")


def _check_numbers(element: FieldType) -> Callable[[bytes, int], None]:
    size = SIZES[element]

    def checked(data: bytes, offset: int) -> None:
        _check_elements(data, offset)
        if len(data) % size:
            raise DumpError(offset, f"{len(data)} bytes are no {element.word}[]")

    return checked


def _boolean(value: Any) -> bytes:
    if not isinstance(value, bool):
        raise TypeError
    return b"\1" if value else b"\0"


def _raw(value: Any) -> bytes:
    if not isinstance(value, bytes | bytearray | memoryview):
        raise TypeError
    return bytes(value)


def _text(charset: str) -> Callable[[Any], bytes]:
    def encoded(value: Any) -> bytes:
        if not isinstance(value, str):
            raise TypeError
        return value.encode(charset)

    return encoded


def _scalar(kind: FieldType) -> Callable[[Any], bytes]:
    layout, python = _SCALARS[kind]

    def encoded(value: Any) -> bytes:
        if isinstance(value, bool) or not isinstance(value, python):
            raise TypeError
        return layout.pack(value)

    return encoded


def _elements(one: Callable[[Any], bytes], *, with_length: bool) -> Callable[[Any], bytes]:
    def encoded(values: Any) -> bytes:
        if not isinstance(values, Sequence) or isinstance(values, str | bytes):
            raise TypeError
        found = [one(each) for each in values]
        return b"".join([number(len(each)) + each for each in found] if with_length else found)

    return encoded


def _texts(data: bytes) -> tuple[str, ...]:
    found, at = [], 0
    while at < len(data):
        length, at = read_number(data, at, len(data), 0)
        assert length is not None
        found.append(data[at : at + length].decode())
        at += length
    return tuple(found)


def _reader(kind: FieldType) -> Callable[[bytes], Any]:
    layout = _SCALARS[kind].layout
    return lambda data: layout.unpack(data)[0]


def _array_reader(kind: FieldType) -> Callable[[bytes], tuple[Any, ...]]:
    layout = _SCALARS[kind].layout
    return lambda data: tuple(each for (each,) in layout.iter_unpack(data))


_ENCODERS: Final[dict[FieldType, Callable[[Any], bytes]]] = {
    FieldType.UNTYPED: _raw,
    FieldType.BYTE_ARRAY: _raw,
    FieldType.ASCII: _text("ascii"),
    FieldType.UNICODE: _text("utf-8"),
    FieldType.BOOLEAN: _boolean,
    FieldType.ASCII_ARRAY: _elements(_text("ascii"), with_length=True),
    FieldType.UNICODE_ARRAY: _elements(_text("utf-8"), with_length=True),
    **{kind: _scalar(kind) for kind in _SCALARS},
    **{
        FieldType(kind | ARRAY): _elements(_scalar(kind), with_length=False)
        for kind in _SCALARS
        if kind is not FieldType.BYTE
    },
}
_DECODERS: Final[dict[FieldType, Callable[[bytes], Any]]] = {
    FieldType.UNTYPED: bytes,
    FieldType.BYTE_ARRAY: bytes,
    FieldType.ASCII: bytes.decode,
    FieldType.UNICODE: bytes.decode,
    FieldType.BOOLEAN: lambda data: data == b"\1",
    FieldType.ASCII_ARRAY: _texts,
    FieldType.UNICODE_ARRAY: _texts,
    **{kind: _reader(kind) for kind in _SCALARS},
    **{FieldType(kind | ARRAY): _array_reader(kind) for kind in _SCALARS if kind is not FieldType.BYTE},
}
_CHECKERS: Final[dict[FieldType, Callable[[bytes, int], None]]] = {
    FieldType.ASCII: _check_ascii,
    FieldType.UNICODE: _check_unicode,
    FieldType.BOOLEAN: _check_boolean,
    FieldType.BYTE_ARRAY: _check_elements,
    FieldType.ASCII_ARRAY: _check_texts(FieldType.ASCII),
    FieldType.UNICODE_ARRAY: _check_texts(FieldType.UNICODE),
    **{FieldType(kind | ARRAY): _check_numbers(kind) for kind in _SCALARS if kind is not FieldType.BYTE},
}
