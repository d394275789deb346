"""Fields of messages of Everyplace as fields of the MQMD: the table of E-435, both ways.

Fields that an MQMD has alone are rows of `protocol.everyplace.mq_style.MQ_FIELDS`; those that are properties of every
message of Everyplace have a conversion each here.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from mqbridge.mappings.descriptor import Descriptor
from mqbridge.protocol.constants import MQEI, MQMT, MQPRI
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.message import Message as EveryplaceMessage
from mqbridge.protocol.everyplace.message import Style
from mqbridge.protocol.everyplace.mq_style import ID_LENGTH, MQ_FIELDS, MSG_TYPE, MqField
from mqbridge.protocol.everyplace.names import MAX_MQ_NAME
from mqbridge.protocol.everyplace.reserved import BACKOUT_COUNT
from mqbridge.protocol.structures import MD

DescriptorValues: TypeAlias = dict[str, Any]
"""Fields of a descriptor by their keys; those that are absent have the default."""

MILLISECONDS: Final = 100
"""In a tenth of a second."""
MAX_EXPIRY: Final = 2**31 - 1
_MAX_RELATIVE: Final = 2**31 - 1
_NO_ID: Final = bytes(ID_LENGTH)
_TYPES: Final = {Style.DATAGRAM: MQMT.DATAGRAM, Style.REQUEST: MQMT.REQUEST, Style.REPLY: MQMT.REPLY}
_STYLES: Final = {int(found): style for style, found in _TYPES.items()}
_UNSIGNED: Final = frozenset(slot.field.key for slot in MD.slots if slot.code in ("I", "L"))
_SIGN: Final = 2**31
_ROWS: Final = {row.field: row for row in MQ_FIELDS}
_SAID_DEFAULTS: Final = {
    row.key: row.default for row in MQ_FIELDS if row.key in ("encoding", "coded_char_set_id", "persistence")
}
"""Of messages of Everyplace; a new MQMD has others."""


def common_values(message: EveryplaceMessage, now: float) -> DescriptorValues:
    """Return what properties of a message are in a descriptor, whatever its data are.

    Raises `EveryplaceError` BRIDGE_ID_TOO_LONG, TOO_LONG for names, SYNTAX or TYPE for wrong properties.
    """
    message.check()
    queue, queue_manager = message.reply_to
    values: DescriptorValues = {
        **_SAID_DEFAULTS,
        "msg_type": int(_TYPES[message.style]),
        "priority": int(MQPRI.AS_Q_DEF) if message.priority is None else message.priority,
        "expiry": _expiry(message, now),
        "msg_id": _id(message.msg_id, "message id"),
        "correl_id": _id(message.correl_id, "correlation id"),
    }
    for key, name, what in (
        ("reply_to_q", queue, "reply-to queue"),
        ("reply_to_q_mgr", queue_manager, "reply-to queue manager"),
    ):
        if name:
            if not name.isascii() or len(name) > MAX_MQ_NAME:
                text = f"{what} {name[:60]!r}: MQ's names have up to {MAX_MQ_NAME} characters of ASCII"
                raise EveryplaceError(Code.TOO_LONG, text)
            values[key] = name
    return values


def style_values(message: EveryplaceMessage) -> DescriptorValues:
    """Return what an MQ-style message says of the fields that an MQMD has alone. Raises `EveryplaceError` TYPE."""
    values: DescriptorValues = {}
    for name in message:
        row = _ROWS.get(name)
        if row is not None:
            value = row.of(message)
            values[row.key] = value + 2 * _SIGN if row.key in _UNSIGNED and value < 0 else value
            if isinstance(value, bytes) and len(value) > row.length:
                raise EveryplaceError(Code.TOO_LONG, f"{row.field} has {len(value)} bytes; {row.length} are allowed")
    return values


def read_common(message: EveryplaceMessage, descriptor: Descriptor, now: float) -> None:
    """Give a message the properties that a descriptor says; what is a default there stays absent."""
    if descriptor.msg_id != _NO_ID:
        message.msg_id = descriptor.msg_id
    if descriptor.correl_id != _NO_ID:
        message.correl_id = descriptor.correl_id
    if 0 <= descriptor.priority <= 9:
        message.priority = descriptor.priority
    style = _STYLES.get(descriptor.msg_type, Style.DATAGRAM)
    if style is not Style.DATAGRAM:
        message.style = style
    message.reply_to = _ascii(descriptor.reply_to_q), _ascii(descriptor.reply_to_q_mgr)
    if descriptor.backout_count:
        message.put(BACKOUT_COUNT, min(descriptor.backout_count, _SIGN - 1), FieldType.INT)
    if descriptor.expiry >= 0:
        milliseconds = descriptor.expiry * MILLISECONDS
        if milliseconds <= _MAX_RELATIVE:
            message.expire_after(milliseconds)
        else:
            message.expire_at(int(now * 1000) + milliseconds)


def read_own(message: EveryplaceMessage, descriptor: Descriptor) -> None:
    """Give an MQ-style message the fields that an MQMD has alone and that differ from the default."""
    for row in MQ_FIELDS:
        value = getattr(descriptor, row.key)
        if isinstance(value, bytes):
            value = value.rstrip(b"\0")
        elif isinstance(value, str):
            value = value.rstrip()
        elif value >= _SIGN:
            value -= 2 * _SIGN
        if value != row.default and not (row is MSG_TYPE and value in _STYLES):
            message.put(row.field, value, _type(row, value))


def _type(row: MqField, value: Any) -> FieldType:
    """The type to write: texts that are not ASCII are unicode."""
    return FieldType.UNICODE if isinstance(value, str) and not value.isascii() else row.types[0]


def _expiry(message: EveryplaceMessage, now: float) -> int:
    expires = message.expires
    if expires is None:
        return int(MQEI.UNLIMITED)
    remaining = expires - int(now * 1000)
    return min(max(-(-remaining // MILLISECONDS), 1), MAX_EXPIRY)


def _id(value: bytes | None, what: str) -> bytes:
    if value is None:
        return _NO_ID
    if len(value) > ID_LENGTH:
        raise EveryplaceError(
            Code.BRIDGE_ID_TOO_LONG, f"the {what} has {len(value)} bytes; an MQMD has {ID_LENGTH} for it"
        )
    return value.ljust(ID_LENGTH, b"\0")


def _ascii(name: str) -> str:
    """A name of MQ, which has no other characters; of a foreign one they are lost."""
    return name.rstrip().encode("ascii", "replace").decode()
