"""Values of properties, maps and streams: JMS's types and AMQP's.

Each type of JMS has one of AMQP. Types that JMS lacks become the next wider one, which loses nothing: ubyte a short,
ushort an int, uint and timestamp a long, ulong a long if it fits, symbol and uuid a String. The others are errors.
"""

from __future__ import annotations

import uuid
from typing import Final, cast

from mqbridge.mappings.jms import Typed

from .errors import AmqpMappingError
from .values import AmqpType, Array, Described, Scalar, Value

_SCALAR_OF_DT: Final = {
    "i1": AmqpType.BYTE,
    "i2": AmqpType.SHORT,
    "i4": AmqpType.INT,
    "r4": AmqpType.FLOAT,
    "char": AmqpType.CHAR,
}
_DT_OF_SCALAR: Final[dict[AmqpType, str]] = {kind: dt for dt, kind in _SCALAR_OF_DT.items()} | {
    AmqpType.UBYTE: "i2",
    AmqpType.USHORT: "i4",
    AmqpType.UINT: "i8",
    AmqpType.ULONG: "i8",
    AmqpType.TIMESTAMP: "i8",
    AmqpType.SYMBOL: "string",
}
_DT_OF_PLAIN: Final[dict[type, str]] = {
    bool: "boolean",
    int: "i8",
    float: "r8",
    str: "string",
    bytes: "bin.hex",
    type(None): "null",
}
_MAX_LONG: Final = (1 << 63) - 1
_MAX_CHAR: Final = 0xFFFF


def amqp_value(value: Typed) -> Value:
    """Return a value of JMS in AMQP's type."""
    kind = _SCALAR_OF_DT.get(value.dt)
    if kind is None or value.value is None:
        return value.value
    return Scalar(kind, value.value)


def jms_value(value: Value, place: str) -> Typed:
    """Return a value of AMQP in JMS's type. ``place``: what has it, for the text of the error.

    Raises `AmqpMappingError` for types that JMS does not have.
    """
    if isinstance(value, Scalar):
        dt = _DT_OF_SCALAR.get(value.type)
        if value.type is AmqpType.ULONG and cast(int, value.value) > _MAX_LONG:
            raise AmqpMappingError(f"{place} is an ulong beyond the range of a long")
        if value.type is AmqpType.CHAR and ord(cast(str, value.value)) > _MAX_CHAR:
            raise AmqpMappingError(f"{place} is a char that Java does not have")
        if dt is None:
            raise AmqpMappingError(f"{place} is a {value.type}, which JMS does not have")
        return Typed(value.value, dt)
    if isinstance(value, uuid.UUID):
        return Typed(str(value), "string")
    dt = _DT_OF_PLAIN.get(type(value))
    if dt is None:
        raise AmqpMappingError(f"{place} is {_name(value)}, which JMS does not have")
    return Typed(cast("str | int | float | bool | bytes | None", value), dt)


def _name(value: Value) -> str:
    if isinstance(value, Described):
        return "a described value"
    if isinstance(value, Array):
        return f"an array of {value.type}"
    return "a map" if isinstance(value, dict) else "a list"
