"""The quick way from the bytes of a message, for what most messages consist of; it finds what `careful_codec` finds.

AMQP 1.0 part 1.6 has the encodings. Anything unusual, errors included, is left to the careful way: sections that
repeat, lists and maps in values, types that JMS does not have, lengths that do not fit.
"""

from __future__ import annotations

import struct
import uuid
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from mqbridge.mappings.amqp import AmqpMessage, AmqpProperties, AmqpType, BodyKind, Scalar, Value

Read: TypeAlias = Callable[[bytes, int], tuple[Any, int]]
"""Reads a value behind its code; returns it with the position behind it."""

_DESCRIBED: Final = b"\x00\x53"
_HEADER, _MESSAGE_ANNOTATIONS, _PROPERTIES, _APPLICATION_PROPERTIES, _DATA, _VALUE = 0x70, 0x72, 0x73, 0x74, 0x75, 0x77
_NULL, _LIST_0 = 0x40, 0x45
_UNUSUAL: Final = (KeyError, IndexError, TypeError, ValueError, struct.error)
"""What is raised for bytes that the careful way must judge."""
_BYTE_2: Final = struct.Struct(">BB").unpack_from
_WORD_2: Final = struct.Struct(">II").unpack_from
_WORD: Final = struct.Struct(">I").unpack_from


def quick_decoded(encoded: bytes) -> tuple[AmqpMessage, slice] | None:
    """Return a message and where its bare message stands, or None if only the careful way can read it."""
    try:
        return _decoded(encoded)
    except _UNUSUAL:
        return None


def _decoded(encoded: bytes) -> tuple[AmqpMessage, slice]:
    position, end, last, bare = 0, len(encoded), 0, -1
    header: list[Any] = []
    properties: list[Any] = []
    annotations: dict[str, Value] = {}
    application: dict[str, Value] = {}
    kind, body = BodyKind.NONE, None
    while position < end:
        code = encoded[position + 2]
        if encoded[position : position + 2] != _DESCRIBED or code <= last:
            raise ValueError(code)
        if bare < 0 and code >= _PROPERTIES:
            bare = position
        last = code
        position += 3
        if code == _PROPERTIES:
            properties, position = _fields(encoded, position, _PROPERTY_FIELDS)
        elif code == _APPLICATION_PROPERTIES:
            application, position = _map(encoded, position, _STRINGS)
        elif code == _DATA:
            kind = BodyKind.DATA
            body, position = _BINARIES[encoded[position]](encoded, position + 1)
        elif code == _VALUE and kind is BodyKind.NONE:
            kind = BodyKind.VALUE
            body, position = _VALUES[encoded[position]](encoded, position + 1)
        elif code == _HEADER:
            header, position = _fields(encoded, position, _HEADER_FIELDS)
        elif code == _MESSAGE_ANNOTATIONS:
            annotations, position = _map(encoded, position, _SYMBOLS)
        else:
            raise ValueError(code)
    if position != end:
        raise ValueError(position)
    durable, priority, ttl, first, count = [*header, None, None, None, None, None][:5]
    message = AmqpMessage(
        body_kind=kind,
        body=body,
        properties=AmqpProperties(*properties),
        application_properties=application,
        message_annotations=annotations,
        durable=bool(durable),
        priority=4 if priority is None else priority,
        ttl=ttl,
        first_acquirer=bool(first),
        delivery_count=count or 0,
    )
    return message, slice(bare, end) if bare >= 0 else slice(0, 0)


def _compound(encoded: bytes, position: int, code: int) -> tuple[int, int, int]:
    """Number of elements, where they begin and where they end, of a list or map with an 8 bit ``code``, or the 32 bit
    one above it."""
    found = encoded[position]
    if found == code:
        size, count = _BYTE_2(encoded, position + 1)
        return count, position + 3, position + 2 + size
    if found == code + 0x10:
        size, count = _WORD_2(encoded, position + 1)
        return count, position + 9, position + 5 + size
    raise ValueError(found)


def _fields(encoded: bytes, position: int, readers: tuple[dict[int, Read], ...]) -> tuple[list[Any], int]:
    if encoded[position] == _LIST_0:
        return [], position + 1
    count, position, end = _compound(encoded, position, 0xC0)
    if count > len(readers):
        raise ValueError(count)
    found: list[Any] = []
    for number in range(count):
        code = encoded[position]
        if code == _NULL:
            found.append(None)
            position += 1
        else:
            value, position = readers[number][code](encoded, position + 1)
            found.append(value)
    if position != end:
        raise ValueError(position)
    return found, end


def _map(encoded: bytes, position: int, keys: dict[int, Read]) -> tuple[dict[str, Value], int]:
    count, position, end = _compound(encoded, position, 0xC1)
    if count % 2:
        raise ValueError(count)
    found: dict[str, Value] = {}
    for _ in range(count // 2):
        key, position = keys[encoded[position]](encoded, position + 1)
        found[key], position = _VALUES[encoded[position]](encoded, position + 1)
    if position != end:
        raise ValueError(position)
    return found, end


def _constant(value: Any) -> Read:
    return lambda _, position: (value, position)


def _number(form: str) -> Read:
    read = struct.Struct(">" + form)
    unpack, size = read.unpack_from, read.size
    return lambda encoded, position: (unpack(encoded, position)[0], position + size)


def _small(convert: Callable[[bytes], Any]) -> Read:
    def read(encoded: bytes, position: int) -> tuple[Any, int]:
        end = position + 1 + encoded[position]
        if end > len(encoded):
            raise ValueError(end)
        return convert(encoded[position + 1 : end]), end

    return read


def _large(convert: Callable[[bytes], Any]) -> Read:
    def read(encoded: bytes, position: int) -> tuple[Any, int]:
        end = position + 4 + _WORD(encoded, position)[0]
        if end > len(encoded):
            raise ValueError(end)
        return convert(encoded[position + 4 : end]), end

    return read


def _uuid(encoded: bytes, position: int) -> tuple[uuid.UUID, int]:
    return uuid.UUID(bytes=encoded[position : position + 16]), position + 16


def _ascii(raw: bytes) -> str:
    return raw.decode("ascii")


def _typed(kind: AmqpType, readers: dict[int, Read]) -> dict[int, Read]:
    def typed(read: Read) -> Read:
        def read_typed(encoded: bytes, position: int) -> tuple[Scalar, int]:
            value, position = read(encoded, position)
            return Scalar(kind, value), position

        return read_typed

    return {code: typed(read) for code, read in readers.items()}


_BOOLEANS: Final[dict[int, Read]] = {0x41: _constant(True), 0x42: _constant(False)}
_UBYTES: Final[dict[int, Read]] = {0x50: _number("B")}
_UINTS: Final[dict[int, Read]] = {0x43: _constant(0), 0x52: _number("B"), 0x70: _number("I")}
_ULONGS: Final[dict[int, Read]] = {0x44: _constant(0), 0x53: _number("B"), 0x80: _number("Q")}
_TIMESTAMPS: Final[dict[int, Read]] = {0x83: _number("q")}
_BINARIES: Final[dict[int, Read]] = {0xA0: _small(bytes), 0xB0: _large(bytes)}
_STRINGS: Final[dict[int, Read]] = {0xA1: _small(bytes.decode), 0xB1: _large(bytes.decode)}
_SYMBOLS: Final[dict[int, Read]] = {0xA3: _small(_ascii), 0xB3: _large(_ascii)}
_VALUES: Final[dict[int, Read]] = {
    _NULL: _constant(None),
    **_BOOLEANS,
    0x55: _number("b"),
    0x81: _number("q"),
    0x82: _number("d"),
    0x98: _uuid,
    **_BINARIES,
    **_STRINGS,
    **_typed(AmqpType.SYMBOL, _SYMBOLS),
    **_typed(AmqpType.UBYTE, _UBYTES),
    **_typed(AmqpType.USHORT, {0x60: _number("H")}),
    **_typed(AmqpType.UINT, _UINTS),
    **_typed(AmqpType.ULONG, _ULONGS),
    **_typed(AmqpType.BYTE, {0x51: _number("b")}),
    **_typed(AmqpType.SHORT, {0x61: _number("h")}),
    **_typed(AmqpType.INT, {0x54: _number("b"), 0x71: _number("i")}),
    **_typed(AmqpType.FLOAT, {0x72: _number("f")}),
    **_typed(AmqpType.TIMESTAMP, _TIMESTAMPS),
}
_HEADER_FIELDS: Final = (_BOOLEANS, _UBYTES, _UINTS, _BOOLEANS, _UINTS)
_ID: Final = {**_STRINGS, **_BINARIES, 0x98: _uuid, **_ULONGS}
_TEXT: Final = {**_SYMBOLS, **_STRINGS}
_PROPERTY_FIELDS: Final = (
    _ID, _BINARIES, _STRINGS, _STRINGS, _STRINGS, _ID, _TEXT, _TEXT, _TIMESTAMPS, _TIMESTAMPS, _STRINGS, _UINTS,
    _STRINGS,
)  # fmt: skip
