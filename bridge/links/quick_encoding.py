"""The quick way to the bytes of a message, for what most messages consist of: those that `careful_codec` writes.

AMQP 1.0 part 1.6 has the encodings; of those that a value can have, the one is written that proton writes.
"""

from __future__ import annotations

import struct
import uuid
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from mqbridge.mappings.amqp import AmqpMessage, AmqpProperties, AmqpType, BodyKind, Scalar, Value

_LONG: Final = struct.Struct(">Bq").pack
_DOUBLE: Final = struct.Struct(">Bd").pack
_FLOAT: Final = struct.Struct(">Bf").pack
_BYTE: Final = struct.Struct(">Bb").pack
_UBYTE: Final = struct.Struct(">BB").pack
_SHORT: Final = struct.Struct(">Bh").pack
_USHORT: Final = struct.Struct(">BH").pack
_INT: Final = struct.Struct(">Bi").pack
_UINT: Final = struct.Struct(">BI").pack
_ULONG: Final = struct.Struct(">BQ").pack
_COMPOUND: Final = struct.Struct(">3sBII").pack
_NULL: Final = b"\x40"
_LIST, _MAP = 0xD0, 0xD1
_HEADER: Final = b"\x00\x53\x70"
_MESSAGE_ANNOTATIONS: Final = b"\x00\x53\x72"
_PROPERTIES: Final = b"\x00\x53\x73"
_APPLICATION_PROPERTIES: Final = b"\x00\x53\x74"
_BODIES: Final = {BodyKind.DATA: b"\x00\x53\x75", BodyKind.VALUE: b"\x00\x53\x77"}
_SMALL: Final = 256
_REMEMBERED: Final = 255
"""Longest text whose encoding is remembered, in characters."""
_UNUSUAL: Final = (KeyError, TypeError, ValueError, OverflowError, struct.error)
"""What is raised for values of other types or ranges."""


def quick_encoded(message: AmqpMessage) -> bytes | None:
    """Return the bytes of a message, or None if only the careful way can write it, or say why it cannot be written."""
    if message.delivery_annotations or message.footer:
        return None
    kind = message.body_kind
    try:
        parts = [_header(message)]
        if message.message_annotations:
            parts.append(_map(_MESSAGE_ANNOTATIONS, message.message_annotations, _symbol_key))
        parts.append(_properties(message.properties))
        if message.application_properties:
            parts.append(_map(_APPLICATION_PROPERTIES, message.application_properties, _string_key))
        if kind is not BodyKind.NONE:
            body = message.body
            if kind is BodyKind.DATA and type(body) is not bytes:
                return None
            parts += (_BODIES[kind], _WRITERS[type(body)](body))
    except _UNUSUAL:
        return None
    return b"".join(parts)


def _header(message: AmqpMessage) -> bytes:
    if message.first_acquirer or message.delivery_count or message.ttl is not None:
        return _list(
            _HEADER,
            [
                b"\x41" if message.durable else _NULL,
                _NULL if message.priority == 4 else _UBYTE(0x50, message.priority),
                _NULL if message.ttl is None else _uint(message.ttl),
                b"\x41" if message.first_acquirer else _NULL,
                _uint(message.delivery_count) if message.delivery_count else _NULL,
            ],
        )
    return _short_header(bool(message.durable), message.priority)


@lru_cache(maxsize=64)
def _short_header(durable: bool, priority: int) -> bytes:
    return _list(_HEADER, [b"\x41" if durable else _NULL, _NULL if priority == 4 else _UBYTE(0x50, priority)])


def _list(section: bytes, fields: list[bytes]) -> bytes:
    """A section of fields, without the absent ones at the end; nothing if all are absent."""
    while fields and fields[-1] is _NULL:
        fields.pop()
    if not fields:
        return b""
    content = b"".join(fields)
    return _COMPOUND(section, _LIST, len(content) + 4, len(fields)) + content


def _map(section: bytes, values: Mapping[str, Value], key_of: Callable[[str], bytes]) -> bytes:
    parts: list[bytes] = []
    for key, value in values.items():
        parts += (key_of(key), _WRITERS[type(value)](value))
    content = b"".join(parts)
    return _COMPOUND(section, _MAP, len(content) + 4, len(parts)) + content


def _properties(properties: AmqpProperties) -> bytes:
    given = properties
    identifier, correlation = given.message_id, given.correlation_id
    return _list(
        _PROPERTIES,
        [
            _NULL if identifier is None else _IDENTIFIERS[type(identifier)](identifier),
            _NULL if given.user_id is None else _binary(given.user_id),
            _NULL if given.to is None else _string_key(given.to),
            _NULL if given.subject is None else _string(given.subject),
            _NULL if given.reply_to is None else _string_key(given.reply_to),
            _NULL if correlation is None else _IDENTIFIERS[type(correlation)](correlation),
            _NULL if given.content_type is None else _symbol_key(given.content_type),
            _NULL if given.content_encoding is None else _symbol_key(given.content_encoding),
            _NULL if given.absolute_expiry_time is None else _LONG(0x83, given.absolute_expiry_time),
            _NULL if given.creation_time is None else _LONG(0x83, given.creation_time),
            _NULL if given.group_id is None else _string(given.group_id),
            _NULL if given.group_sequence is None else _uint(given.group_sequence),
            _NULL if given.reply_to_group_id is None else _string(given.reply_to_group_id),
        ],
    )


def _binary(value: bytes) -> bytes:
    length = len(value)
    return (_UBYTE(0xA0, length) if length < _SMALL else _UINT(0xB0, length)) + value


def _string(value: str) -> bytes:
    raw = value.encode()
    length = len(raw)
    return (_UBYTE(0xA1, length) if length < _SMALL else _UINT(0xB1, length)) + raw


def _symbol(value: str) -> bytes:
    raw = value.encode("ascii")
    length = len(raw)
    return (_UBYTE(0xA3, length) if length < _SMALL else _UINT(0xB3, length)) + raw


_remembered_string = lru_cache(maxsize=1024)(_string)
_remembered_symbol = lru_cache(maxsize=1024)(_symbol)


def _string_key(value: str) -> bytes:
    """A text that comes again and again, such as an address or the name of a property."""
    return _remembered_string(value) if len(value) <= _REMEMBERED else _string(value)


def _symbol_key(value: str) -> bytes:
    return _remembered_symbol(value) if len(value) <= _REMEMBERED else _symbol(value)


def _long(value: int) -> bytes:
    return _BYTE(0x55, value) if -128 <= value < 128 else _LONG(0x81, value)


def _int(value: int) -> bytes:
    return _BYTE(0x54, value) if -128 <= value < 128 else _INT(0x71, value)


def _uint(value: int) -> bytes:
    if not value:
        return b"\x43"
    return _UBYTE(0x52, value) if value < _SMALL else _UINT(0x70, value)


def _ulong(value: int) -> bytes:
    if not value:
        return b"\x44"
    return _UBYTE(0x53, value) if value < _SMALL else _ULONG(0x80, value)


def _scalar(value: Scalar) -> bytes:
    return _SCALARS[value.type](value.value)


_SCALARS: Final[dict[AmqpType, Callable[[Any], bytes]]] = {
    AmqpType.BYTE: lambda value: _BYTE(0x51, value),
    AmqpType.SHORT: lambda value: _SHORT(0x61, value),
    AmqpType.INT: _int,
    AmqpType.UBYTE: lambda value: _UBYTE(0x50, value),
    AmqpType.USHORT: lambda value: _USHORT(0x60, value),
    AmqpType.UINT: _uint,
    AmqpType.ULONG: _ulong,
    AmqpType.FLOAT: lambda value: _FLOAT(0x72, value),
    AmqpType.TIMESTAMP: lambda value: _LONG(0x83, value),
    AmqpType.SYMBOL: _symbol,
}
_WRITERS: Final[dict[type, Callable[[Any], bytes]]] = {
    type(None): lambda _: _NULL,
    bool: lambda value: b"\x41" if value else b"\x42",
    int: _long,
    float: lambda value: _DOUBLE(0x82, value),
    str: _string,
    bytes: _binary,
    uuid.UUID: lambda value: b"\x98" + value.bytes,
    Scalar: _scalar,
}
_IDENTIFIERS: Final[dict[type, Callable[[Any], bytes]]] = {
    int: _ulong,
    str: _string,
    bytes: _binary,
    uuid.UUID: _WRITERS[uuid.UUID],
}
