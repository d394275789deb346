"""Messages of queues as values for packets (M-165): the data, fields of the descriptor, properties."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import put_moment
from mqbridge.mappings.mq import has_format, unwrap
from mqbridge.mappings.properties import read_properties
from mqbridge.mappings.properties.removal import without_properties
from mqbridge.mappings.templates import BuildError, Protocol, Role, Value
from mqbridge.mappings.templates.fields import Field
from mqbridge.mappings.templates.script import On
from mqbridge.protocol.constants import MQFMT, ByteOrder
from mqbridge.protocol.errors import ConversionError, StructureError
from mqbridge.protocol.numbers import order_of
from mqbridge.protocol.text import decode_text

MESSAGE: Final = "message"
_ID_LENGTH: Final = 24
_WHOLE: Final = ("unsigned", "signed", "decimal", "packed", "base128")


def put_fields(protocol: Protocol, role: Role) -> Mapping[str, Field]:
    """Return the fields of the packets that a script sends for a message, by name and by mapping."""
    script = protocol.scripts[role]
    found: dict[str, Field] = {}
    for state in script.states.values():
        for rule in state.rules:
            for send in rule.send if rule.on is On.PUT else ():
                transaction = protocol.transactions[send.transaction]
                for field in transaction.fields.values():
                    found.setdefault(field.name, field)
                    if field.map:
                        found.setdefault(field.map, field)
    return found


def unwrapped(message: Message) -> tuple[Message, str, str]:
    """Return a message of a transmission queue without its MQXQH, and the names in it; others with blank names.

    Raises `BuildError` for a damaged one.
    """
    if not has_format(message.raw_md, MQFMT.XMIT_Q_HEADER):
        return message, "", ""
    try:
        found = unwrap(message)
    except (StructureError, ConversionError) as error:
        raise BuildError(MESSAGE, "", str(error)) from None
    return found.message, found.remote_q_name, found.remote_q_mgr_name


def values_of(
    message: Message, names: tuple[str, str], fields: Mapping[str, Field], ccsid: int, most: int
) -> dict[str, Value]:
    """Return the values of a message by names of fields and mappings.

    ``names``: queue and queue manager that it is for, blank if only the packet says so. ``ccsid``: of the queue
    manager. ``most``: longest packet in bytes. Raises `BuildError` for what no field can hold.
    """
    if len(message) > most:
        raise BuildError(MESSAGE, "", f"{len(message)} bytes of data; a packet has at most {most}")
    try:
        md = message.md
        values: dict[str, Value] = {}
        for each in read_properties(message):
            name = _named(each.name, fields)
            if name and each.value is not None:
                values[name] = _typed(name, each.value, fields[name])
        content = without_properties(message)
        data = content.data
    except (StructureError, ConversionError) as error:
        raise BuildError(MESSAGE, "", str(error)) from None
    values |= {name: text for name, text in zip(("queue", "target-manager"), names, strict=True) if text}
    if md.reply_to_q:
        values["reply-to"] = md.reply_to_q
    written = put_moment(md.put_date, md.put_time)
    if written is not None:
        values["time-stamp"] = written
    for name, number in (("priority", md.priority), ("expiry", md.expiry)):
        if name in fields:
            values[name] = number if number >= 0 or fields[name].kind == "signed" else 0
    for name, raw in (("message-id", md.msg_id), ("correlation-id", md.correl_id)):
        found = _id_for(raw, fields.get(name))
        if found is not None:
            values[name] = found
    if MESSAGE in fields:
        values[MESSAGE] = _data(content, data, fields[MESSAGE], ccsid)
    elif data:
        raise BuildError(MESSAGE, "", f"no field of the packet holds the {len(data)} bytes of data")
    return values


def _data(content: Message, data: bytes, field: Field, ccsid: int) -> Value:
    """Data that are text become text, unless the field has bytes; all others are given as they are."""
    if content.md.format != MQFMT.STRING or field.kind == "bytes":
        return data
    own = content.md.coded_char_set_id
    order = order_of(content.md.encoding)
    try:
        text = decode_text(data, own if own > 0 else ccsid, order=order or ByteOrder.BIG)
    except ConversionError as error:
        raise BuildError(MESSAGE, field.name, str(error)) from None
    return _typed(MESSAGE, text, field)


def _named(name: str, fields: Mapping[str, Field]) -> str:
    """The field or mapping that a property stands for, whose name may have hyphens; empty for none."""
    if name in fields:
        return name
    return next((each for each in fields if each.replace("-", "_") == name), "")


def _id_for(raw: bytes, field: Field | None) -> Value | None:
    """An id for a field that has room for all of it; None for any other, whose value is made otherwise."""
    if field is None:
        return None
    if field.kind == "bytes" and field.length == _ID_LENGTH:
        return raw
    if field.kind == "hex" and field.length == 2 * _ID_LENGTH:
        return raw.hex()
    return None


def _typed(name: str, value: Value, field: Field) -> Value:
    """A value of a message as one of the field's type. Raises `BuildError`."""
    try:
        if field.kind in _WHOLE and isinstance(value, str):
            return int(value)
        if field.kind in ("float", "time") and isinstance(value, str):
            return float(value)
    except ValueError:
        raise BuildError(MESSAGE, field.name, f"{name}: {value!r:.60} is no number") from None
    if field.kind in _WHOLE and isinstance(value, bool | float) and int(value) == value:
        return int(value)
    if field.kind == "text" and not isinstance(value, str | bytes):
        return str(value)
    if field.kind == "bytes" and isinstance(value, str):
        return value.encode()
    if field.kind == "hex" and isinstance(value, bytes):
        return value.hex()
    return value
