"""Values of AMQP's types, written into proton's trees and read from them."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any, Final

import proton

from mqbridge.mappings.amqp import AmqpFormatError, AmqpType, Array, Described, Scalar, Value

MAX_DEPTH: Final = 64
"""Depth to which values are nested at most."""

_PUT: Final[dict[AmqpType, Callable[[Any, Any], None]]] = {
    AmqpType.BYTE: proton.Data.put_byte,
    AmqpType.SHORT: proton.Data.put_short,
    AmqpType.INT: proton.Data.put_int,
    AmqpType.UBYTE: proton.Data.put_ubyte,
    AmqpType.USHORT: proton.Data.put_ushort,
    AmqpType.UINT: proton.Data.put_uint,
    AmqpType.ULONG: proton.Data.put_ulong,
    AmqpType.FLOAT: proton.Data.put_float,
    AmqpType.CHAR: proton.Data.put_char,
    AmqpType.TIMESTAMP: proton.Data.put_timestamp,
    AmqpType.SYMBOL: proton.Data.put_symbol,
    AmqpType.DECIMAL32: proton.Data.put_decimal32,
    AmqpType.DECIMAL64: proton.Data.put_decimal64,
    AmqpType.DECIMAL128: proton.Data.put_decimal128,
}
_PUT_PLAIN: Final[dict[type, Callable[[Any, Any], None]]] = {
    bool: proton.Data.put_bool,
    int: proton.Data.put_long,
    float: proton.Data.put_double,
    str: proton.Data.put_string,
    bytes: proton.Data.put_binary,
    uuid.UUID: proton.Data.put_uuid,
}
_ELEMENTS: Final[dict[str, int]] = {str(kind): getattr(proton.Data, kind.name) for kind in AmqpType} | {
    "null": proton.Data.NULL,
    "boolean": proton.Data.BOOL,
    "long": proton.Data.LONG,
    "double": proton.Data.DOUBLE,
    "string": proton.Data.STRING,
    "binary": proton.Data.BINARY,
    "uuid": proton.Data.UUID,
    "list": proton.Data.LIST,
    "map": proton.Data.MAP,
    "array": proton.Data.ARRAY,
}
_ELEMENT_NAMES: Final = {number: name for name, number in _ELEMENTS.items()}


def put_value(data: Any, value: Value, depth: int = 0) -> None:
    """Write a value as the next node. Raises `AmqpFormatError` if it is nested too deeply, and what proton raises."""
    if value is None:
        data.put_null()
    elif (put := _PUT_PLAIN.get(type(value))) is not None:
        put(data, value)
    elif isinstance(value, Scalar):
        _PUT[value.type](data, value.value)
    elif depth >= MAX_DEPTH:
        raise AmqpFormatError(f"values are nested deeper than {MAX_DEPTH}")
    elif isinstance(value, list):
        put_list(data, value, depth + 1)
    elif isinstance(value, dict):
        data.put_map()
        data.enter()
        for key, each in value.items():
            put_value(data, key, depth + 1)
            put_value(data, each, depth + 1)
        data.exit()
    elif isinstance(value, Described):
        data.put_described()
        data.enter()
        put_value(data, value.descriptor, depth + 1)
        put_value(data, value.value, depth + 1)
        data.exit()
    elif isinstance(value, Array):
        data.put_array(False, _ELEMENTS[value.type])
        data.enter()
        for each in value.elements:
            put_value(data, each, depth + 1)
        data.exit()
    else:
        raise AmqpFormatError(f"AMQP has no type for {type(value).__name__}")


def put_list(data: Any, values: list[Value], depth: int = 0) -> None:
    """Write a list as the next node."""
    data.put_list()
    data.enter()
    for each in values:
        put_value(data, each, depth)
    data.exit()


def get_value(data: Any, depth: int = 0) -> Value:
    """Read the current node. Raises `AmqpFormatError` if it is nested too deeply, and what proton raises."""
    reader = _GET.get(data.type())
    if reader is None:
        raise AmqpFormatError("a value has no type")
    if depth > MAX_DEPTH:
        raise AmqpFormatError(f"values are nested deeper than {MAX_DEPTH}")
    return reader(data, depth)


def get_elements(data: Any, depth: int = 0) -> list[Value]:
    """Read the elements of the current list."""
    values = []
    data.enter()
    while data.next() is not None:
        values.append(get_value(data, depth + 1))
    data.exit()
    return values


def _map(data: Any, depth: int) -> Value:
    values: dict[Value, Value] = {}
    data.enter()
    while data.next() is not None:
        key = get_value(data, depth + 1)
        if isinstance(key, (list, dict)):
            raise AmqpFormatError("a key of a map is no plain value")
        if data.next() is None:
            raise AmqpFormatError("a map has a key without a value")
        values[key] = get_value(data, depth + 1)
    data.exit()
    return values


def _described(data: Any, depth: int) -> Value:
    data.enter()
    parts: list[Value] = []
    while data.next() is not None:
        parts.append(get_value(data, depth + 1))
    data.exit()
    if len(parts) != 2:
        raise AmqpFormatError("a described value is not whole")
    return Described(parts[0], parts[1])


def _array(data: Any, depth: int) -> Value:
    _, described, kind = data.get_array()
    name = _ELEMENT_NAMES.get(kind)
    if described or name is None:
        raise AmqpFormatError("an array of described values")
    return Array(name, tuple(get_elements(data, depth)))


def _plain(get: Callable[[Any], Any], convert: Callable[[Any], Value]) -> Callable[[Any, int], Value]:
    return lambda data, _: convert(get(data))


def _scalar(kind: AmqpType, get: Callable[[Any], Any], convert: Callable[[Any], Any]) -> Callable[[Any, int], Value]:
    return lambda data, _: Scalar(kind, convert(get(data)))


_GET: Final[dict[int | None, Callable[[Any, int], Value]]] = {
    proton.Data.NULL: lambda *_: None,
    proton.Data.BOOL: _plain(proton.Data.get_bool, bool),
    proton.Data.LONG: _plain(proton.Data.get_long, int),
    proton.Data.DOUBLE: _plain(proton.Data.get_double, float),
    proton.Data.STRING: _plain(proton.Data.get_string, str),
    proton.Data.BINARY: _plain(proton.Data.get_binary, bytes),
    proton.Data.UUID: _plain(proton.Data.get_uuid, lambda value: value),
    proton.Data.BYTE: _scalar(AmqpType.BYTE, proton.Data.get_byte, int),
    proton.Data.SHORT: _scalar(AmqpType.SHORT, proton.Data.get_short, int),
    proton.Data.INT: _scalar(AmqpType.INT, proton.Data.get_int, int),
    proton.Data.UBYTE: _scalar(AmqpType.UBYTE, proton.Data.get_ubyte, int),
    proton.Data.USHORT: _scalar(AmqpType.USHORT, proton.Data.get_ushort, int),
    proton.Data.UINT: _scalar(AmqpType.UINT, proton.Data.get_uint, int),
    proton.Data.ULONG: _scalar(AmqpType.ULONG, proton.Data.get_ulong, int),
    proton.Data.FLOAT: _scalar(AmqpType.FLOAT, proton.Data.get_float, float),
    proton.Data.CHAR: _scalar(AmqpType.CHAR, proton.Data.get_char, str),
    proton.Data.TIMESTAMP: _scalar(AmqpType.TIMESTAMP, proton.Data.get_timestamp, int),
    proton.Data.SYMBOL: _scalar(AmqpType.SYMBOL, proton.Data.get_symbol, str),
    proton.Data.DECIMAL32: _scalar(AmqpType.DECIMAL32, proton.Data.get_decimal32, int),
    proton.Data.DECIMAL64: _scalar(AmqpType.DECIMAL64, proton.Data.get_decimal64, int),
    proton.Data.DECIMAL128: _scalar(AmqpType.DECIMAL128, proton.Data.get_decimal128, bytes),
    proton.Data.LIST: get_elements,
    proton.Data.MAP: _map,
    proton.Data.DESCRIBED: _described,
    proton.Data.ARRAY: _array,
}
