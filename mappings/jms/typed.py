"""Values with the types of JMS, by the names of the attribute ``dt`` (jms-mapping.md 4.4)."""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from mqbridge.mappings.properties.property import single

from .errors import JmsFormatError

Value: TypeAlias = str | int | float | bool | bytes | None

JMS_TYPES: Final[dict[str, str]] = {
    "string": "String",
    "boolean": "boolean",
    "i1": "byte",
    "i2": "short",
    "i4": "int",
    "i8": "long",
    "r4": "float",
    "r8": "double",
    "bin.hex": "byte[]",
    "char": "char",
    "null": "null",
}
"""Java's name of each type by its name in ``dt``; ``bin.hex`` and ``char`` are for bodies alone."""
PROPERTY_TYPES: Final = frozenset(JMS_TYPES).difference(("bin.hex", "char"))
"""Types that a property may have."""

_BITS: Final = {"i1": 8, "i2": 16, "i4": 32, "i8": 64}
_MAX_INT: Final = 1 << 31
_MAX_CHAR: Final = 0xFFFF


class Typed(NamedTuple):
    """A value and its type.

    ``value``: str for ``string`` and ``char`` (one UTF-16 unit), bool for ``boolean``, int for ``i1``, ``i2``, ``i4``
    and ``i8``, float for ``r4`` (rounded to four bytes) and ``r8``, bytes for ``bin.hex``, None for ``null``. It is
    checked by what takes it: `JmsMessage` or `typed`.
    """

    value: Value
    dt: str


def typed(value: Value | Typed) -> Typed:
    """Return a value with its type, checked.

    Without one it follows from the Python value: ``i4`` or, beyond its range, ``i8`` for an int; ``r8`` for a float;
    ``bin.hex`` for bytes. Raises `JmsFormatError` for a value that is not of its type, and for types unknown to JMS.
    """
    if isinstance(value, Typed):
        return _checked(*value)
    if value is None:
        return Typed(None, "null")
    if isinstance(value, bool):
        return Typed(value, "boolean")
    if isinstance(value, int):
        return _checked(value, "i4" if -_MAX_INT <= value < _MAX_INT else "i8")
    if isinstance(value, float):
        return Typed(value, "r8")
    if isinstance(value, str):
        return Typed(value, "string")
    if isinstance(value, bytes):
        return Typed(value, "bin.hex")
    raise JmsFormatError(f"{type(value).__name__} is no type of JMS")


def _checked(value: Value, dt: str) -> Typed:
    if value is None and dt in JMS_TYPES:
        return Typed(None, "null")
    bits = _BITS.get(dt)
    if bits is not None:
        limit = 1 << (bits - 1)
        if isinstance(value, int) and not isinstance(value, bool) and -limit <= value < limit:
            return Typed(value, dt)
    elif dt in ("r4", "r8") and isinstance(value, int | float) and not isinstance(value, bool):
        return Typed(single(float(value)) if dt == "r4" else float(value), dt)
    elif dt == "char":
        if isinstance(value, str) and len(value) == 1 and ord(value) <= _MAX_CHAR:
            return Typed(value, dt)
    elif isinstance(value, _CLASSES.get(dt, _NoValue)):
        return Typed(value, dt)
    if dt not in JMS_TYPES:
        raise JmsFormatError(f"{dt!r} is no type of JMS; they are {', '.join(JMS_TYPES)}")
    raise JmsFormatError(f"{str(value)[:60]!r} is no {JMS_TYPES[dt]}")


class _NoValue:
    """A class without instances."""


_CLASSES: Final[dict[str, type]] = {"string": str, "boolean": bool, "bin.hex": bytes}
