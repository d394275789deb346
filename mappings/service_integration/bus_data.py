"""Folder ``sib`` of an MQRFH2: what a bus keeps there of a message while MQ carries it (jms-mapping.md 8.4)."""

from __future__ import annotations

from binascii import unhexlify
from dataclasses import dataclass, fields
from typing import Final

from mqbridge.mappings.inferred import BUS_FORMAT_OF_BYTES, BUS_FORMAT_OF_TEXT
from mqbridge.mappings.message import Message
from mqbridge.mappings.properties import Property, PropertyView
from mqbridge.mappings.properties.writing import with_properties
from mqbridge.protocol.constants import MQFMT, MQTYPE

_FOLDER: Final = "sib"
_NAMES: Final = {
    "reply_topic": "RTopic",
    "reply_priority": "RPri",
    "reply_persistence": "RPer",
    "reply_time_to_live": "RTTL",
    "user": "JsApiUserId",
    "destination": "JsDst",
    "format": "JsFmt",
    "system_message_id": "JsSysMsgId",
}


@dataclass(frozen=True, slots=True)
class BusData:
    """Fields of a message on a bus that MQ has not; None: no value.

    ``reply_time_to_live``: milliseconds. ``destination``: the serialized destination of the bus, opaque.
    """

    reply_topic: str | None = None
    reply_priority: int | None = None
    reply_persistence: str | None = None
    reply_time_to_live: int | None = None
    user: str | None = None
    destination: bytes | None = None
    format: str | None = None
    system_message_id: str | None = None


def bus_data_of(message: Message) -> BusData:
    """Return the bus's fields of a message that comes from MQ.

    Those that its MQRFH2 does not have are a best guess from the descriptor, or have no value; so has one whose text
    is no number, or no hexadecimal digits.
    """
    folder = PropertyView.of(message).folder(_FOLDER) if message.md.format == MQFMT.RF_HEADER_2 else {}
    found = {key: folder.get(name) for key, name in _NAMES.items()}
    texts = {key: None if value is None else str(value) for key, value in found.items()}
    user = texts["user"]
    guess = BUS_FORMAT_OF_TEXT if message.md.format == MQFMT.STRING else BUS_FORMAT_OF_BYTES
    return BusData(
        reply_topic=texts["reply_topic"],
        reply_priority=_number(texts["reply_priority"]),
        reply_persistence=texts["reply_persistence"],
        reply_time_to_live=_number(texts["reply_time_to_live"]),
        user=(message.md.user_identifier or None) if user is None else user,
        destination=_bytes(texts["destination"]),
        format=texts["format"] or (guess if message.md.format != MQFMT.RF_HEADER_2 else None),
        system_message_id=texts["system_message_id"],
    )


def with_bus_data(message: Message, data: BusData) -> Message:
    """Return the message with folder ``sib``; the same one if there is no value, or no MQRFH2 to hold it."""
    if message.md.format != MQFMT.RF_HEADER_2:
        return message
    values = [(_NAMES[each.name], getattr(data, each.name)) for each in fields(data)]
    written = [
        Property(f"{_FOLDER}.{name}", MQTYPE.STRING, value.hex() if isinstance(value, bytes) else str(value))
        for name, value in values
        if value is not None
    ]
    return with_properties(message, written) if written else message


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 19 else None


def _bytes(text: str | None) -> bytes | None:
    try:
        return None if text is None else unhexlify(text)
    except ValueError:
        return None
