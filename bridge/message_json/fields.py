"""Fields of a message descriptor by IBM's names, to and from plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from mqbridge.mappings.body import Body
from mqbridge.mappings.descriptor import reader
from mqbridge.mappings.message import Message
from mqbridge.mappings.mq import NATIVE_ORDER
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.constants.lengths import MQMD_LENGTH_1, MQMD_LENGTH_2
from mqbridge.protocol.errors import MQBridgeError
from mqbridge.protocol.structures import MD
from mqbridge.protocol.structures.md import MD_STRUC_IDS
from mqbridge.protocol.text import decode_field

from .errors import MessageFormError

STRUC_ID: Final = "MD  "
_KEPT_OUT: Final = frozenset(("struc_id", "version"))
"""Keys that are read and never taken over: the layout follows from the fields."""
_CCSID: Final = 1208
_MAX_NUMBER: Final = 2**32 - 1


@dataclass(slots=True)
class MdField:
    """One field: IBM's ``name``, ``key`` of the descriptor's attribute, ``kind`` char, bytes or a number, ``size``."""

    name: str
    key: str
    kind: str
    size: int


FIELDS: Final[tuple[MdField, ...]] = tuple(
    MdField(
        slot.field.name,
        slot.field.key,
        "number" if slot.length is None else "char" if slot.field.kind == "char" else "bytes",
        slot.size,
    )
    for slot in MD.slots
)
"""Every field of an MQMD of version 2, in order."""
_BY_NAME: Final = {field.name: field for field in FIELDS}
_BY_LOWER_NAME: Final = {field.name.lower(): field for field in FIELDS}


class _Layout:
    """The fields of an MQMD of one version and byte order: IBM's names of all, of the texts, and of the bytes."""

    __slots__ = ("length", "names", "of_bytes", "of_text", "read")

    def __init__(self, order: ByteOrder, length: int) -> None:
        slots = [slot for slot in MD.slots if slot.offset < length]
        fields = FIELDS[: len(slots)]
        self.length = length
        self.names = [field.name for field in fields]
        self.of_text = [field.name for field in fields if field.kind == "char" and field.key != "struc_id"]
        self.of_bytes = [field.name for field in fields if field.kind == "bytes"]
        self.read = reader(order, *(field.key for field in fields))


_LAYOUTS: Final = {
    (order, struc_id + version.to_bytes(4, order.endian)): _Layout(order, length)
    for order in ByteOrder
    for struc_id in MD_STRUC_IDS
    for version, length in ((1, MQMD_LENGTH_1), (2, MQMD_LENGTH_2))
}
"""By byte order, and StrucId with Version."""
_text: Final = lru_cache(maxsize=1024)(decode_field)
"""The text of a field; cached, because the names are the same in most messages of a queue."""


def field_values(message: Message) -> dict[str, Any]:
    """Return the descriptor as JSON values: text without padding, ids in hexadecimal, integers.

    Raises ``MQBridgeError`` for a malformed descriptor.
    """
    raw, ccsid = message.raw_md, message.ccsid
    layout = _LAYOUTS.get((message.order, raw[:8]))
    if layout is None or len(raw) < layout.length:
        layout = _LAYOUTS[message.order, message.md.build()[:8]]  # md raises what is wrong
    values: dict[str, Any] = dict(zip(layout.names, layout.read(raw), strict=True))
    for name in layout.of_text:
        values[name] = _text(values[name], ccsid)
    for name in layout.of_bytes:
        values[name] = values[name].hex()
    values["StrucId"] = STRUC_ID
    return values


def md_fields(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return keywords for ``Message.build`` from values by IBM's names, in IBM's or any case.

    Raises `MessageFormError` for an unknown name and a value that does not fit.
    """
    fields: dict[str, Any] = {}
    for name, value in values.items():
        field = _BY_NAME.get(name) or _BY_LOWER_NAME.get(name.lower())
        if field is None:
            raise MessageFormError(f"MQMD has no field {name!r}")
        if field.key not in _KEPT_OUT:
            fields[field.key] = _read(field, value)
    return fields


def _read(field: MdField, value: Any) -> Any:
    if field.kind == "number":
        if isinstance(value, str):
            try:
                value = int(value)
            except ValueError:
                raise MessageFormError(f"MQMD.{field.name}: {value[:40]!r} is no number") from None
        if not isinstance(value, int) or isinstance(value, bool) or abs(value) > _MAX_NUMBER:
            raise MessageFormError(f"MQMD.{field.name}: a whole number is expected")
        return value
    if not isinstance(value, str):
        raise MessageFormError(f"MQMD.{field.name}: text is expected")
    if field.kind == "char":
        return value
    try:
        raw = bytes.fromhex(value)
    except ValueError:
        raise MessageFormError(f"MQMD.{field.name}: {value[:60]!r} is not hexadecimal") from None
    if len(raw) > field.size:
        raise MessageFormError(f"MQMD.{field.name}: {len(raw)} bytes given, the field has {field.size}")
    return raw


def build_message(body: Body, fields: Mapping[str, Any]) -> Message:
    """Build a message with these fields. Raises `MessageFormError` for values that do not fit."""
    return Message(_descriptor(tuple(fields.items())), body, order=NATIVE_ORDER, ccsid=_CCSID)


@lru_cache(maxsize=256)
def _descriptor(fields: tuple[tuple[str, Any], ...]) -> bytes:
    """Return the descriptor's bytes; cached, because a program's messages often differ in their data only."""
    try:
        return Message.build(order=NATIVE_ORDER, ccsid=_CCSID, **dict(fields)).raw_md
    except MQBridgeError as error:
        raise MessageFormError(str(error)) from error
