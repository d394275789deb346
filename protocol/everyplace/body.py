"""The fields of a dump as bytes, mqe.md 2: the quick codec, which `protocol.everyplace.grammars` describes.

::

    body   type string (length, ASCII), count, fields
    field  name, code of the type (one byte), value
    name   0x00-0x7F: the number of a reserved name; 0x80 + n: n characters follow (1 to 126);
           0xFF: two bytes of length and the characters follow
    value  of a fixed length, big-endian; else length and bytes, or 255 for null

Lengths and counts are those of `numbers`. Fields stand in ascending order of the bytes of their names, so the index
fields come first, equal objects have equal bytes, and no name comes twice.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from .errors import Code, DumpError, EveryplaceError
from .field_types import SIZES, FieldType, check
from .names import MAX_TYPE_NAME, check_field_name
from .numbers import NULL_NUMBER, number, read_number
from .reserved import BY_NAME, BY_NUMBER, INDEXED

MAX_DEPTH: Final = 32
"""Most fields objects inside each other."""
MAX_FIELDS: Final = 10_000
"""Most fields of one object, those inside fields counted as well."""
NAMED: Final = 0x80
LONG_NAME: Final = 0xFF
_SHORT_NAME: Final = 126
_FEW: Final = 16
"""Most names of fields whose order is remembered."""
_U16: Final = struct.Struct(">H")
_TYPES: Final = {int(each): each for each in FieldType}
_INDEXED: Final = frozenset(INDEXED)


class Encoded(NamedTuple):
    """A field as it stands in a dump. ``data``: the bytes of its value; None: null."""

    type: FieldType
    data: bytes | None


@lru_cache(maxsize=4096)
def encoded_name(name: str) -> bytes:
    """Return the bytes of the name of a field."""
    reserved = BY_NAME.get(name)
    if reserved is not None:
        return bytes([reserved.number])
    text = name.encode("ascii")
    if len(text) <= _SHORT_NAME:
        return bytes([NAMED + len(text)]) + text
    return bytes([LONG_NAME]) + _U16.pack(len(text)) + text


@lru_cache(maxsize=4096)
def _checked_name(data: bytes) -> str:
    """Return the name that received characters are. Raises `EveryplaceError`."""
    name = data.decode("latin-1")
    check_field_name(name)
    if name in BY_NAME:
        raise EveryplaceError(Code.SYNTAX, f"name {name!r} is not in its shortest form")
    return name


def body_of(type_name: str, fields: Mapping[str, Encoded]) -> bytes:
    """Return the bytes of fields that are valid. Raises `EveryplaceError` TOO_LONG for too many."""
    if len(fields) > MAX_FIELDS:
        raise EveryplaceError(Code.TOO_LONG, f"{len(fields)} fields; {MAX_FIELDS} are allowed")
    parts = [_head(type_name, len(fields))]
    for name in _in_order(fields):
        _append(parts, name, fields[name])
    return b"".join(parts)


def body_and_index(type_name: str, fields: Mapping[str, Encoded]) -> tuple[bytes, bytes]:
    """Return `body_of` fields, and that of its index fields alone without a type string, which are encoded once.

    Raises `EveryplaceError` TOO_LONG.
    """
    if len(fields) > MAX_FIELDS:
        raise EveryplaceError(Code.TOO_LONG, f"{len(fields)} fields; {MAX_FIELDS} are allowed")
    parts = [_head(type_name, len(fields))]
    index, count = 0, 0
    for name in _in_order(fields):
        _append(parts, name, fields[name])
        if name in _INDEXED:
            index, count = len(parts), count + 1
    return b"".join(parts), _head("", count) + b"".join(parts[1:index])


@lru_cache(maxsize=256)
def _head(type_name: str, count: int) -> bytes:
    """What stands before the fields."""
    return number(len(type_name)) + type_name.encode("ascii") + number(count)


def _in_order(names: Collection[str]) -> Sequence[str]:
    """Return names of fields as they stand in a body."""
    return _few_in_order(tuple(names)) if len(names) <= _FEW else sorted(names, key=encoded_name)


@lru_cache(maxsize=256)
def _few_in_order(names: tuple[str, ...]) -> Sequence[str]:
    """The same for few names: messages of a program have mostly the same ones."""
    return sorted(names, key=encoded_name)


def _append(parts: list[bytes], name: str, field: Encoded) -> None:
    """Add the bytes of a field."""
    kind, data = field
    parts.append(_named(name, kind))
    if kind not in SIZES:
        # An array without elements comes back as null (E-022).
        if data is None or (not data and kind.is_array):
            parts.append(NULL_NUMBER)
            return
        parts.append(number(len(data)))
    assert data is not None
    parts.append(data)


@lru_cache(maxsize=4096)
def _named(name: str, kind: FieldType) -> bytes:
    """What stands before the value of a field, and its length."""
    return encoded_name(name) + bytes([kind])


def read_body(data: bytes, start: int = 0) -> tuple[str, dict[str, Encoded]]:
    """Return type string and fields of bytes that must end with them. Raises `DumpError`."""
    reader = _Reader(data, MAX_FIELDS)
    found = reader.object(start, len(data), 1)
    if reader.at != len(data):
        raise DumpError(reader.at, f"{len(data) - reader.at} bytes more than the fields")
    return found


def read_index(data: bytes, start: int = 0) -> dict[str, Encoded]:
    """Return the index fields of bytes that `read_body` has accepted, without looking at the others (E-068)."""
    reader = _Reader(data, MAX_FIELDS)
    return reader.index(start, len(data))


class _Reader:
    """Reads bytes once, from front to back. ``at``: where it is."""

    __slots__ = ("at", "data", "left")

    def __init__(self, data: bytes, most: int) -> None:
        self.data = data
        self.left = most
        self.at = 0

    def head(self, start: int, end: int) -> tuple[str, int]:
        """Read type string and count."""
        length, at = read_number(self.data, start, end)
        if length is None or length > MAX_TYPE_NAME or at + length > end:
            raise DumpError(start, "the type string is cut or too long")
        text = self.data[at : at + length]
        if not text.isascii() or not text.decode().isprintable():
            raise DumpError(start, "the type string is not in printable ASCII")
        count, self.at = read_number(self.data, at + length, end)
        if count is None or count > self.left:
            raise DumpError(at + length, "too many fields")
        self.left -= count
        return text.decode(), count

    def object(self, start: int, end: int, depth: int) -> tuple[str, dict[str, Encoded]]:
        """Read a body, which may end before ``end``."""
        if depth > MAX_DEPTH:
            raise DumpError(start, f"fields objects are nested deeper than {MAX_DEPTH}")
        type_name, count = self.head(start, end)
        fields: dict[str, Encoded] = {}
        data, before = self.data, b""
        for _ in range(count):
            began = self.at
            name, at = self._name(end)
            spelled = data[began:at]
            if spelled <= before:
                raise DumpError(began, "fields are not in order, or one comes twice")
            before = spelled
            kind, value_at, value_end = self._value(at, end)
            if value_end < 0:
                fields[name] = Encoded(kind, None)
                continue
            value = data[value_at:value_end]
            if kind is FieldType.FIELDS:
                self.object(value_at, value_end, depth + 1)
                if self.at != value_end:
                    raise DumpError(self.at, "a fields object is longer than its fields")
            else:
                check(kind, value, value_at)
            self.at = value_end
            fields[name] = Encoded(kind, value)
        return type_name, fields

    def index(self, start: int, end: int) -> dict[str, Encoded]:
        """Read the index fields, which stand first."""
        _, count = self.head(start, end)
        found = {}
        for _ in range(count):
            reserved = BY_NUMBER.get(self.data[self.at])
            if reserved is None or not reserved.indexed:
                break
            kind, value_at, value_end = self._value(self.at + 1, end)
            found[reserved.name] = Encoded(kind, None if value_end < 0 else self.data[value_at:value_end])
            self.at = max(value_at, value_end)
        return found

    def _name(self, end: int) -> tuple[str, int]:
        """Read a name. Returns it and the position behind it."""
        data, at = self.data, self.at
        if at >= end:
            raise DumpError(at, "a field is missing")
        first = data[at]
        if first < NAMED:
            reserved = BY_NUMBER.get(first)
            if reserved is None:
                raise DumpError(at, f"there is no reserved name {first}")
            return reserved.name, at + 1
        if first < LONG_NAME:
            length, begin = first - NAMED, at + 1
        else:
            if at + 3 > end:
                raise DumpError(at, "the length of a name is cut")
            length, begin = _U16.unpack_from(data, at + 1)[0], at + 3
        stop = begin + length
        if stop > end:
            raise DumpError(at, "a name is cut")
        if first == LONG_NAME and length <= _SHORT_NAME:
            raise DumpError(at, "a name is not in its shortest form")
        try:
            return _checked_name(data[begin:stop]), stop
        except EveryplaceError as error:
            raise DumpError(at, error.text) from None

    def _value(self, at: int, end: int) -> tuple[FieldType, int, int]:
        """Read type and length of a value. Returns the type and where its bytes begin and end; -1 for null."""
        if at >= end:
            raise DumpError(at, "a type is missing")
        kind = _TYPES.get(self.data[at])
        if kind is None:
            raise DumpError(at, f"there is no type {self.data[at]:#04x}")
        size = SIZES.get(kind)
        begin = at + 1
        if size is None:
            size, begin = read_number(self.data, begin, end)
            if size is None:
                self.at = begin
                return kind, begin, -1
        if begin + size > end:
            raise DumpError(at, "a value is cut")
        return kind, begin, begin + size
