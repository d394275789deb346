"""Packets of a partner as messages: what it begins, and its answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from mqbridge.mappings.message import Message
from mqbridge.mappings.properties import Property, PropertyNameError, check_name
from mqbridge.mappings.properties.writing import with_properties
from mqbridge.mappings.templates import Protocol, Value, Values
from mqbridge.protocol.constants import MQFMT, MQMT, MQPER, MQRO

_UTF_8: Final = 1208
_ID_LENGTH: Final = 24
_HIGHEST: Final = 9
_NAME_LENGTH: Final = 48
_LARGEST: Final = (1 << 63) - 1


def delivered(protocol: Protocol, values: Values, form: tuple[str, int], reply_to: str) -> Message:
    """Return the message for what a partner begins, persistent.

    ``form``: Format and CCSID of data that are bytes. ``reply_to``: ReplyToQ where the packet has none.
    """
    mapped = _mapped(protocol, values)
    fields: dict[str, Any] = {"persistence": int(MQPER.PERSISTENT), "reply_to_q": reply_to}
    for name, (key, placed) in _PLACES.items():
        value = placed(mapped[name]) if name in mapped else None
        if value is not None:
            fields[key] = value
            del mapped[name]
    return _message(mapped, form, fields)


def answer(protocol: Protocol, values: Values, form: tuple[str, int], request: Message) -> Message:
    """Return the message for an answer, with the ids that the request's report options ask for (mqi.md 2.4)."""
    mapped, asked = _mapped(protocol, values), request.md
    fields: dict[str, Any] = {
        "msg_type": int(MQMT.REPLY),
        "persistence": asked.persistence,
        "correl_id": asked.correl_id if asked.report & MQRO.PASS_CORREL_ID else asked.msg_id,
    }
    if asked.report & MQRO.PASS_MSG_ID:
        fields["msg_id"] = asked.msg_id
    if 0 <= asked.priority <= _HIGHEST:
        fields["priority"] = asked.priority
    if asked.report & MQRO.PASS_DISCARD_AND_EXPIRY:
        fields["expiry"] = asked.expiry
    return _message(mapped, form, fields)


def _mapped(protocol: Protocol, values: Values) -> dict[str, Value]:
    """Values by what they are for a message."""
    transaction = protocol.transactions.get(values.transaction)
    if transaction is None:
        return {}
    return {each: values.fields[name] for each, name in transaction.maps.items() if name in values.fields}


def _message(mapped: dict[str, Value], form: tuple[str, int], fields: dict[str, Any]) -> Message:
    data = mapped.get("message", b"")
    if isinstance(data, bytes):
        body, name, ccsid = data, form[0] or str(MQFMT.NONE), form[1]
    else:
        body, name, ccsid = str(data).encode(), str(MQFMT.STRING), _UTF_8
    message = Message.build(body, ccsid=_UTF_8, format=name, coded_char_set_id=ccsid, **fields)
    properties = [
        Property.of(_property_name(each), _property_value(value)) for each, value in mapped.items() if each != "message"
    ]
    return with_properties(message, properties) if properties else message


def _priority(value: Value) -> int | None:
    return value if isinstance(value, int) and 0 <= value <= _HIGHEST else None


def _expiry(value: Value) -> int | None:
    return value if isinstance(value, int) and 0 < value < 1 << 31 else None


def _queue_name(value: Value) -> str | None:
    return value if isinstance(value, str) and 0 < len(value) <= _NAME_LENGTH and value.isascii() else None


def _id(value: Value) -> bytes | None:
    """An id that fits a descriptor: 24 bytes, or fewer and NUL behind them."""
    if isinstance(value, str):
        try:
            value = bytes.fromhex(value)
        except ValueError:
            return None
    if isinstance(value, bytes) and 0 < len(value) <= _ID_LENGTH and any(value):
        return value.ljust(_ID_LENGTH, b"\0")
    return None


_PLACES: Final[dict[str, tuple[str, Callable[[Value], Any]]]] = {
    "priority": ("priority", _priority),
    "expiry": ("expiry", _expiry),
    "reply-to": ("reply_to_q", _queue_name),
    "message-id": ("msg_id", _id),
    "correlation-id": ("correl_id", _id),
}
"""Fields of the descriptor for what a packet says; values that they cannot hold become properties."""


def _property_name(name: str) -> str:
    """The name of a property for a mapping; one that is a word of selectors gets a low line."""
    made = name.replace("-", "_")
    try:
        check_name(made)
    except PropertyNameError:
        return made + "_"
    return made


def _property_value(value: Value) -> Value:
    return str(value) if isinstance(value, int) and abs(value) > _LARGEST else value
