"""A property and its types (mqi.md 15.3, jms-mapping.md 4.4)."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from typing import Final, TypeAlias

from mqbridge.mappings.rfh2 import FolderValue
from mqbridge.protocol.constants import MQTYPE
from mqbridge.protocol.errors import MQBridgeError

Value: TypeAlias = str | int | float | bool | bytes | None
"""Value of a property: ``bool`` for MQTYPE_BOOLEAN, ``bytes`` for BYTE_STRING, ``None`` for NULL, ``float`` for both
float types; a FLOAT32 is rounded to four bytes."""

TYPE_OF_DT: Final[dict[str, MQTYPE]] = {
    "string": MQTYPE.STRING,
    "boolean": MQTYPE.BOOLEAN,
    "bin.hex": MQTYPE.BYTE_STRING,
    "i1": MQTYPE.INT8,
    "i2": MQTYPE.INT16,
    "i4": MQTYPE.INT32,
    "i8": MQTYPE.INT64,
    "int": MQTYPE.INT64,
    "r4": MQTYPE.FLOAT32,
    "r8": MQTYPE.FLOAT64,
    "char": MQTYPE.STRING,
}
DT_OF_TYPE: Final[dict[MQTYPE, str]] = {kind: dt for dt, kind in TYPE_OF_DT.items() if dt not in ("int", "char")} | {
    MQTYPE.NULL: "string"
}
_BITS: Final = {MQTYPE.INT8: 8, MQTYPE.INT16: 16, MQTYPE.INT32: 32, MQTYPE.INT64: 64}
_CLASSES: Final[dict[MQTYPE, type]] = {
    MQTYPE.STRING: str,
    MQTYPE.BOOLEAN: bool,
    MQTYPE.BYTE_STRING: bytes,
    MQTYPE.FLOAT32: float,
    MQTYPE.FLOAT64: float,
}


class PropertyValueError(MQBridgeError):
    """A value that does not match the property's type."""


@dataclass(slots=True)
class Property:
    """``name``: full name, ``usr.`` left out. ``type``: MQTYPE; a null may have the type of what it is not."""

    name: str
    type: MQTYPE
    value: Value

    def __post_init__(self) -> None:
        self.type = MQTYPE(self.type)

    @classmethod
    def of(cls, name: str, value: Value) -> Property:
        """Return a property whose type follows from a Python value: INT64 for an int, FLOAT64 for a float."""
        if value is None:
            return cls(name, MQTYPE.NULL, None)
        if isinstance(value, bool):
            return cls(name, MQTYPE.BOOLEAN, value)
        kinds = {int: MQTYPE.INT64, float: MQTYPE.FLOAT64, bytes: MQTYPE.BYTE_STRING}
        return cls(name, kinds.get(type(value), MQTYPE.STRING), value)


def check_value(wanted: Property) -> None:
    """Raise `PropertyValueError` unless the value has the type and is in its range."""
    kind, value = wanted.type, wanted.value
    if value is None:
        return
    bits = _BITS.get(kind)
    if bits is not None:
        limit = 1 << (bits - 1)
        if isinstance(value, int) and not isinstance(value, bool) and -limit <= value < limit:
            return
    elif isinstance(value, _CLASSES.get(kind, type(None))):
        return
    raise PropertyValueError(f"property {wanted.name}: {value!r} is no {kind}")


def single(value: float) -> float:
    """Return a number rounded to FLOAT32; infinite beyond its range."""
    try:
        kept: float = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)
    return kept


def value_of(found: FolderValue) -> Value:
    """Return the value of a property in a folder."""
    value = found.value
    if value is None:
        return None
    if found.type == "bin.hex" and isinstance(value, str):
        return bytes.fromhex(value)
    if found.type == "r4" and isinstance(value, float):
        return single(value)
    return value


def folder_value(name: str, given: Property) -> FolderValue:
    """Return the folder element for a property; ``name`` is its name inside the folder."""
    value = given.value
    if isinstance(value, bytes):
        return FolderValue(name, "bin.hex", value.hex())
    if isinstance(value, float) and given.type == MQTYPE.FLOAT32:
        value = single(value)
    return FolderValue(name, DT_OF_TYPE[given.type], value)
