"""Fast readers and writers of the values of PCF parameters, by type, mq-wire.md 5.16.

They are written by hand because messages have many, varied parameters; a property test compares them with the grammars
of :mod:`protocol.structures.pcf_parameters`. A reader takes the bytes behind Type, StrucLength and
Parameter and gives value, rest, ccsid, operator, string_length and reserved of a
:class:`~protocol.structures.pcf.Parameter`, as many of them as the type needs; a writer does the reverse.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, Final

from mqbridge.protocol.constants import MQCFT, ByteOrder

from .pcf_parameters import MAX_EMPTY_STRINGS


class ShortParameterError(Exception):
    """The stated contents of a parameter do not fit into its StrucLength."""


class PcfLayouts:
    """The ``struct`` layouts of one byte order."""

    def __init__(self, sign: str) -> None:
        self.sign = sign
        self.begin = struct.Struct(sign + "III")
        self.value = struct.Struct(sign + "i")
        self.number = struct.Struct(sign + "I")
        self.ccsid_length = struct.Struct(sign + "iI")
        self.ccsid_count_length = struct.Struct(sign + "iII")
        self.operator_value = struct.Struct(sign + "Ii")
        self.operator_ccsid_length = struct.Struct(sign + "IiI")
        self.operator_length = struct.Struct(sign + "II")
        self.reserved_value = struct.Struct(sign + "Iq")


FORMS: Final = {order: PcfLayouts(order.prefix) for order in ByteOrder}


def _cut(data: bytes, start: int, length: int) -> tuple[bytes, bytes]:
    """Return ``length`` bytes at ``start``, and the rest."""
    end = start + length
    if end > len(data):
        raise ShortParameterError
    return data[start:end], data[end:]


def _read_integer(forms: PcfLayouts, data: bytes) -> tuple[Any, ...]:
    return forms.value.unpack_from(data)[0], data[4:]


def _write_integer(forms: PcfLayouts, parameter: Any) -> bytes:
    return forms.value.pack(parameter.value)


def _read_string(forms: PcfLayouts, data: bytes) -> tuple[Any, ...]:
    ccsid, length = forms.ccsid_length.unpack_from(data)
    return *_cut(data, 8, length), ccsid


def _write_string(forms: PcfLayouts, parameter: Any) -> bytes:
    return forms.ccsid_length.pack(parameter.ccsid, len(parameter.value)) + bytes(parameter.value)


def _read_integers(forms: PcfLayouts, data: bytes, size: int, code: str) -> tuple[Any, ...]:
    count = forms.number.unpack_from(data)[0]
    values, rest = _cut(data, 4, size * count)
    return list(struct.unpack(f"{forms.sign}{count}{code}", values)), rest


def _read_integer_list(forms: PcfLayouts, data: bytes) -> tuple[Any, ...]:
    return _read_integers(forms, data, 4, "i")


def _read_integer64_list(forms: PcfLayouts, data: bytes) -> tuple[Any, ...]:
    return _read_integers(forms, data, 8, "q")


def _write_integer_list(forms: PcfLayouts, parameter: Any) -> bytes:
    return struct.pack(f"{forms.sign}I{len(parameter.value)}i", len(parameter.value), *parameter.value)


def _write_integer64_list(forms: PcfLayouts, parameter: Any) -> bytes:
    return struct.pack(f"{forms.sign}I{len(parameter.value)}q", len(parameter.value), *parameter.value)


def _read_string_list(forms: PcfLayouts, data: bytes) -> tuple[Any, ...]:
    ccsid, count, length = forms.ccsid_count_length.unpack_from(data)
    if not length and count > MAX_EMPTY_STRINGS:
        raise ShortParameterError
    text, rest = _cut(data, 12, count * length)
    texts = [text[at * length : (at + 1) * length] for at in range(count)]
    return texts, rest, ccsid, 0, length


def _write_string_list(forms: PcfLayouts, parameter: Any) -> bytes:
    length = parameter.string_length
    if any(len(text) != length for text in parameter.value):
        raise TypeError(f"each text needs {length} bytes")
    return forms.ccsid_count_length.pack(parameter.ccsid, len(parameter.value), length) + b"".join(parameter.value)


def _read_byte_string(forms: PcfLayouts, data: bytes) -> tuple[Any, ...]:
    return _cut(data, 4, forms.number.unpack_from(data)[0])


def _write_byte_string(forms: PcfLayouts, parameter: Any) -> bytes:
    return forms.number.pack(len(parameter.value)) + bytes(parameter.value)


def _read_integer_filter(forms: PcfLayouts, data: bytes) -> tuple[Any, ...]:
    operator, value = forms.operator_value.unpack_from(data)
    return value, data[8:], 0, operator


def _write_integer_filter(forms: PcfLayouts, parameter: Any) -> bytes:
    return forms.operator_value.pack(parameter.operator, parameter.value)


def _read_string_filter(forms: PcfLayouts, data: bytes) -> tuple[Any, ...]:
    operator, ccsid, length = forms.operator_ccsid_length.unpack_from(data)
    return *_cut(data, 12, length), ccsid, operator


def _write_string_filter(forms: PcfLayouts, parameter: Any) -> bytes:
    value = bytes(parameter.value)
    return forms.operator_ccsid_length.pack(parameter.operator, parameter.ccsid, len(value)) + value


def _read_byte_string_filter(forms: PcfLayouts, data: bytes) -> tuple[Any, ...]:
    operator, length = forms.operator_length.unpack_from(data)
    return *_cut(data, 8, length), 0, operator


def _write_byte_string_filter(forms: PcfLayouts, parameter: Any) -> bytes:
    return forms.operator_length.pack(parameter.operator, len(parameter.value)) + bytes(parameter.value)


def _read_group(forms: PcfLayouts, data: bytes) -> tuple[Any, ...]:
    return forms.number.unpack_from(data)[0], data[4:]


def _write_group(forms: PcfLayouts, parameter: Any) -> bytes:
    return forms.number.pack(len(parameter.value))


def _read_integer64(forms: PcfLayouts, data: bytes) -> tuple[Any, ...]:
    reserved, value = forms.reserved_value.unpack_from(data)
    return value, data[12:], 0, 0, 0, reserved


def _write_integer64(forms: PcfLayouts, parameter: Any) -> bytes:
    return forms.reserved_value.pack(parameter.reserved, parameter.value)


def read_unknown(_: PcfLayouts, data: bytes) -> tuple[Any, ...]:
    """Read a parameter of unknown type: all its bytes are the value."""
    return (data,)


def write_unknown(_: PcfLayouts, parameter: Any) -> bytes:
    """Write a parameter of unknown type."""
    return bytes(parameter.value)


READERS: Final[dict[int, Callable[[PcfLayouts, bytes], tuple[Any, ...]]]] = {
    MQCFT.INTEGER: _read_integer,
    MQCFT.STRING: _read_string,
    MQCFT.INTEGER_LIST: _read_integer_list,
    MQCFT.STRING_LIST: _read_string_list,
    MQCFT.BYTE_STRING: _read_byte_string,
    MQCFT.INTEGER_FILTER: _read_integer_filter,
    MQCFT.STRING_FILTER: _read_string_filter,
    MQCFT.BYTE_STRING_FILTER: _read_byte_string_filter,
    MQCFT.GROUP: _read_group,
    MQCFT.INTEGER64: _read_integer64,
    MQCFT.INTEGER64_LIST: _read_integer64_list,
}
"""Type to reader; the value of a group is the number of its parameters. Raises ``ShortParameterError`` or
``struct.error`` when the parameter is shorter than it states."""

WRITERS: Final[dict[int, Callable[[PcfLayouts, Any], bytes]]] = {
    MQCFT.INTEGER: _write_integer,
    MQCFT.STRING: _write_string,
    MQCFT.INTEGER_LIST: _write_integer_list,
    MQCFT.STRING_LIST: _write_string_list,
    MQCFT.BYTE_STRING: _write_byte_string,
    MQCFT.INTEGER_FILTER: _write_integer_filter,
    MQCFT.STRING_FILTER: _write_string_filter,
    MQCFT.BYTE_STRING_FILTER: _write_byte_string_filter,
    MQCFT.GROUP: _write_group,
    MQCFT.INTEGER64: _write_integer64,
    MQCFT.INTEGER64_LIST: _write_integer64_list,
}
"""Writer by type. They raise ``struct.error`` or ``TypeError`` for a value that does not fit."""
