"""A structure as plain data: fields by IBM's names, text decoded, ids in hexadecimal.

The form is that of ``mqbridge decode --json``: ``{"structure", "offset", "length", "fields", "names"}``; ``"hex"`` in
place of the fields for unparsed bytes. Passwords are never shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from construct import Array, Struct

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.constants.base import MQFlags, MQInt, MQText
from mqbridge.protocol.errors import ConversionError, StructureError
from mqbridge.protocol.fields import Field
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.text import decode_field, decode_text, is_ebcdic

Shown = dict[str, Any]
"""One structure, ready for JSON."""

MASK: Final = "********"
"""Text shown in place of a password."""

MAX_ELEMENTS: Final = 1 << 16
"""Maximum number of elements shown of a truncated array."""

EBCDIC: Final = 500
LATIN_1: Final = 819


def readable_ccsid(ccsid: int, *, ebcdic: bool = False) -> int:
    """Return the CCSID if its text can be decoded, otherwise one in which names are legible: 500 or 819."""
    try:
        decode_text(b"", ccsid)
    except ConversionError:
        return EBCDIC if ebcdic or is_ebcdic(ccsid) else LATIN_1
    return EBCDIC if ebcdic and not is_ebcdic(ccsid) else ccsid


def show_hex(name: str, offset: int, data: bytes) -> Shown:
    """Return bytes without structure, in hexadecimal."""
    return {"structure": name, "offset": offset, "length": len(data), "hex": data.hex()}


def show_values(
    name: str,
    offset: int,
    length: int,
    fields: list[tuple[Field, Any]],
    ccsid: int,
    *,
    order: ByteOrder = ByteOrder.BIG,
) -> Shown:
    """Return a structure from its raw values. ``ccsid``: of character fields; must be decodable."""
    values: dict[str, Any] = {}
    names: dict[str, str] = {}
    for field, raw in fields:
        value = values[field.name] = _value(field, raw, ccsid, order)
        named = name_of(field, value)
        if named is not None:
            names[field.name] = named
    shown: Shown = {"structure": name, "offset": offset, "length": length, "fields": values}
    if names:
        shown["names"] = names
    return shown


def show(
    structure: Structure[Any],
    data: bytes,
    start: int,
    end: int,
    order: ByteOrder,
    ccsid: int,
    base: int,
    name: str = "",
) -> tuple[Shown, StructureError | None]:
    """Parse the structure from ``start`` to at most ``end`` in ``data``; return it, and the error if it is malformed.

    Offsets shown are those in ``data`` plus ``base``. A truncated structure is shown with its complete fields.
    """
    there = data[start:end]
    read, length, error = _read(structure, there, order)
    fields = [(field, value) for field in structure.fields if (value := read.get(field.key)) is not None]
    shown = show_values(name or structure.name, base + start, length, fields, ccsid, order=order)
    if error is not None:
        error = StructureError(shown["structure"], base + start + error.offset, error.reason)
    return shown, error


def _read(
    structure: Structure[Any], there: bytes, order: ByteOrder
) -> tuple[Mapping[str, Any], int, StructureError | None]:
    """Return raw values by attribute name, their length in bytes, and the error if some are missing."""
    try:
        size = structure.size
    except TypeError:
        return _read_variable(structure, there, order)
    if len(there) >= size:
        return structure.codec(order).parse(there).as_dict(), size, None
    whole = [slot for slot in structure.slots if slot.offset + slot.size <= len(there)]
    padded = structure.codec(order).parse(there.ljust(size, b"\0"))
    values = {slot.field.key: getattr(padded, slot.field.key) for slot in whole}
    return values, len(there), _error_of(structure, there, order)


def _read_variable(
    structure: Structure[Any], there: bytes, order: ByteOrder
) -> tuple[Mapping[str, Any], int, StructureError | None]:
    error = _error_of(structure, there, order)
    subcons = structure.grammar(order).subcons
    for count in range(len(subcons), 0, -1):
        first = _parse_first(subcons[:count], there, order)
        if first is None:
            continue
        values, length = first
        if error is not None and count < len(subcons):
            values = _with_whole_elements(subcons[: count + 1], there, order) or values
        return values, len(there) if error else length, error
    return {}, len(there), error


def _parse_first(subcons: list[Any], there: bytes, order: ByteOrder) -> tuple[Mapping[str, Any], int] | None:
    """Return the values of the first parts of a structure, and their length in bytes; None if they are incomplete."""
    first = Structure("", lambda _: Struct(*subcons))
    try:
        values = first.parse(there, 0, order)
    except StructureError:
        return None
    return values, len(first.build(values, order))


def _with_whole_elements(subcons: list[Any], there: bytes, order: ByteOrder) -> Mapping[str, Any] | None:
    """Return the values with the complete elements of the last part, an array; None if it is not an array."""
    *before, last = subcons
    array = last
    while not isinstance(array, Array) and hasattr(array, "subcon"):
        array = array.subcon
    if not isinstance(array, Array):
        return None
    found: Mapping[str, Any] | None = None
    least, most = 0, min(len(there), MAX_ELEMENTS)
    while least < most:
        middle = (least + most + 1) // 2
        first = _parse_first([*before, last.name / Array(middle, array.subcon)], there, order)
        if first is None:
            most = middle - 1
        else:
            least, found = middle, first[0]
    return found


def _error_of(structure: Structure[Any], there: bytes, order: ByteOrder) -> StructureError | None:
    try:
        structure.parse(there, 0, order)
    except StructureError as error:
        return error
    return None


def _value(field: Field, raw: Any, ccsid: int, order: ByteOrder) -> Any:
    if field.secret:
        return masked(raw)
    if field.kind == "char" and isinstance(raw, bytes):
        if field.key == "struc_id":
            return struc_id_text(raw)
        return decode_field(raw, ccsid, order=order)
    return _plain(raw)


def masked(raw: Any) -> str:
    """Return the text shown in place of a confidential value; empty for an empty value."""
    return MASK if bytes(raw).strip(b" \0") else ""


def struc_id_text(raw: bytes) -> str:
    """Return the text of a StrucId, in ASCII or EBCDIC as its first byte indicates."""
    return decode_text(raw, EBCDIC if raw[:1] >= b"\x80" else LATIN_1)


def _plain(raw: Any) -> Any:
    """Return any parsed value as plain data, with bytes in hexadecimal."""
    if isinstance(raw, bytes | bytearray):
        return raw.hex()
    if isinstance(raw, Mapping):
        return {key: _plain(value) for key, value in raw.items() if not key.startswith("_")}
    if isinstance(raw, list | tuple):
        return [_plain(value) for value in raw]
    return raw


def name_of(field: Field, value: Any) -> str | None:
    """Return the name of a field's value; None if it has none."""
    family = field.names
    if family is None or not isinstance(value, int | str):
        return None
    if not isinstance(family, type):
        named = family(value) if isinstance(value, int) else ""
        return named if named and named != str(value) else None
    if issubclass(family, MQText):
        text = family(str(value))
        return text.mq_name if text and text.known else None
    if not isinstance(value, int):
        return None
    if issubclass(family, MQFlags):
        shown = str(family(value))
        return shown if any(not part.startswith("0x") for part in shown.split(" | ")) and shown != "0" else None
    if issubclass(family, MQInt):
        member = family(value)
        return str(member) if member.known else None
    return None
