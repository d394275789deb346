"""Messages with a delivery delay, as they are stored until they are due.

An MQRFH2 in front of the data holds the due time and the destination. The descriptor is unchanged except for the fields
that describe this header, so ids, priority, persistence, expiry and group remain those of the message.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mqbridge.protocol.constants import MQFMT
from mqbridge.protocol.errors import MQBridgeError, StructureError
from mqbridge.protocol.structures.rfh2 import RFH2, make_rfh2, parse_rfh2
from mqbridge.protocol.text import encode_field

from .body import joined, read_slice, without_front
from .message import Message
from .rfh2 import FolderValue, read_folder, write_folder

DELAY_QUEUE: Final = "SYSTEM.DDELAY.LOCAL.QUEUE"
"""Queue of delayed messages."""
FOLDER: Final = "delay"
_CCSID: Final = 1208
_MAX_HEADER: Final = 1 << 17
"""Longest header in bytes: a topic string of 10,240 characters in UTF-8, escaped."""


_MAX_DUE: Final = 2**63 - 1
_MAX_LEVEL: Final = 9


@dataclass(slots=True)
class DelayedMessage:
    """Due time and destination of a delayed message.

    ``due``: milliseconds since the epoch. ``queue_name``, ``queue_manager_name``: as opened; or ``topic``, a topic
    string. ``options``: MQPMO bits that still apply. ``pub_level``: of a publication.
    """

    due: int
    queue_name: str = ""
    queue_manager_name: str = ""
    topic: str | None = None
    options: int = 0
    pub_level: int = 9


def delayed_message(message: Message, delayed: DelayedMessage) -> Message:
    """Return the message as it is stored. Raises ``MQBridgeError`` for what cannot be encoded."""
    values = [
        FolderValue("due", "i8", delayed.due),
        FolderValue("options", "i4", delayed.options),
        FolderValue("level", "i4", delayed.pub_level),
    ]
    if delayed.topic is None:
        values.append(FolderValue("queue", "string", delayed.queue_name))
        values.append(FolderValue("manager", "string", delayed.queue_manager_name))
    else:
        # As hexadecimal digits: every character comes back as it was, blanks too.
        values.append(FolderValue("topic", "bin.hex", delayed.topic.encode().hex()))
    md, order = message.md, message.order
    header = make_rfh2(
        order,
        [write_folder(FOLDER, values).encode()],
        struc_id=encode_field("RFH", 4, message.ccsid),
        encoding=md.encoding,
        coded_char_set_id=md.coded_char_set_id,
        format=md.record.format,
        name_value_ccsid=_CCSID,
    )
    kept = message.copy(joined(header.build(), message.body))
    kept.md.set(encoding=order.encoding, coded_char_set_id=message.ccsid, format=MQFMT.RF_HEADER_2)
    return kept


def when_due(kept: Message) -> tuple[DelayedMessage, Message]:
    """Return due time and destination of a stored message, and the message itself. Raises ``MQBridgeError`` for any
    other."""
    if kept.md.format != MQFMT.RF_HEADER_2:
        raise StructureError("RFH2", 0, "the message has another format")
    front = read_slice(kept.body, 0, RFH2.size)
    length = RFH2.codec(kept.order).parse(front).struc_length
    if length > _MAX_HEADER:
        raise StructureError("RFH2", 8, f"StrucLength is {length}")
    header = parse_rfh2(read_slice(kept.body, 0, length), 0, kept.order)
    folder = read_folder(header.folders[0].decode("utf-8", "replace")) if header.folders else None
    if folder is None or folder.name != FOLDER:
        raise StructureError("RFH2", RFH2.size, f"no folder {FOLDER}")
    values = {value.name: value.value for value in folder.values}
    try:
        due, level = int(values["due"] or 0), int(values["level"] or 0)
        if not 0 <= due <= _MAX_DUE or not 0 <= level <= _MAX_LEVEL:
            raise ValueError(f"due {due}, level {level}")
        topic = bytes.fromhex(str(values["topic"])).decode() if "topic" in values else None
        delayed = DelayedMessage(
            due,
            str(values.get("queue", "")),
            str(values.get("manager", "")),
            topic,
            int(values["options"] or 0),
            level,
        )
    except (KeyError, ValueError) as error:
        raise MQBridgeError(f"folder {FOLDER}: {error!r}") from error
    message = kept.copy(without_front(kept.body, length))
    record = header.record
    message.md.set(encoding=record.encoding, coded_char_set_id=record.coded_char_set_id)
    message.md.change("format", record.format)
    return delayed, message
