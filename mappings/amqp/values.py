"""Values of AMQP's types.

These types are plain Python: null is ``None``, boolean ``bool``, long ``int``, double ``float``, string ``str``, binary
``bytes``, uuid ``uuid.UUID``, list ``list``, map ``dict``. All others are values of this module.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias


class AmqpType(StrEnum):
    """The primitive types that Python lacks."""

    BYTE = "byte"
    SHORT = "short"
    INT = "int"
    UBYTE = "ubyte"
    USHORT = "ushort"
    UINT = "uint"
    ULONG = "ulong"
    FLOAT = "float"
    CHAR = "char"
    TIMESTAMP = "timestamp"
    SYMBOL = "symbol"
    DECIMAL32 = "decimal32"
    DECIMAL64 = "decimal64"
    DECIMAL128 = "decimal128"


class Scalar(NamedTuple):
    """A value of a primitive type that Python lacks.

    ``value``: ``float`` for a float, ``str`` for a char and a symbol, the bits as ``bytes`` for a decimal128, else an
    ``int`` (a timestamp: milliseconds since 1970; a decimal32 and a decimal64: the bits).
    """

    type: AmqpType
    value: int | float | str | bytes


@dataclass(frozen=True, slots=True)
class Described:
    """A value with a descriptor."""

    descriptor: Value
    value: Value


@dataclass(frozen=True, slots=True)
class Array:
    """Elements of one type. ``type``: its name in AMQP."""

    type: str
    elements: tuple[Value, ...]


Compound: TypeAlias = "Described | Array | list[Value] | dict[Value, Value]"
Value: TypeAlias = "bool | int | float | str | bytes | uuid.UUID | Scalar | Compound | None"

RANGES: Final[dict[AmqpType, tuple[int, int]]] = {
    AmqpType.BYTE: (-(1 << 7), (1 << 7) - 1),
    AmqpType.SHORT: (-(1 << 15), (1 << 15) - 1),
    AmqpType.INT: (-(1 << 31), (1 << 31) - 1),
    AmqpType.UBYTE: (0, (1 << 8) - 1),
    AmqpType.USHORT: (0, (1 << 16) - 1),
    AmqpType.UINT: (0, (1 << 32) - 1),
    AmqpType.ULONG: (0, (1 << 64) - 1),
    AmqpType.TIMESTAMP: (-(1 << 63), (1 << 63) - 1),
}
"""Least and greatest value of each type of whole numbers."""
