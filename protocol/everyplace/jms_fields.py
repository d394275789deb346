"""Fields of JMS messages, mqe.md 22 (E-555 to E-562)."""

from __future__ import annotations

import hashlib
import re
from enum import Enum, unique
from typing import Final

from .errors import Code, EveryplaceError
from .field_types import FieldType
from .uid import MessageUid

VERSION: Final = 1
JMS_VERSION: Final = "MQe_JMS_VERSION"
"""Its presence marks a JMS message."""
JMS_CLASS: Final = "MQe_JMS_CLASS"
JMS_BODY: Final = "MQe_JMS_BODY"
JMS_HEADER: Final = "MQe_JMS_HEADER"
"""Header fields that no property of messages can say."""
JMS_PROPERTIES: Final = "MQe_JMS_PROPERTIES"
JMSX_PROPERTIES: Final = "MQe_JMSX_PROPERTIES"
PROVIDER_PROPERTIES: Final = "MQe_JMS_PS_PROPERTIES"
FIELDS: Final = (
    JMS_VERSION,
    JMS_CLASS,
    JMS_BODY,
    JMS_HEADER,
    JMS_PROPERTIES,
    JMSX_PROPERTIES,
    PROVIDER_PROPERTIES,
)

# In the fields object of headers. The last two are ours.
DELIVERY_MODE: Final = "MQe_JMS_DELIVERYMODE"
REDELIVERED: Final = "MQe_JMS_REDELIVERED"
TYPE: Final = "MQe_JMS_TYPE"
CORRELATION_ID: Final = "MQe_JMS_CORRELATIONID"
"""Of a text that Msg_CorrelID does not give back."""
TIMESTAMP: Final = "MQe_JMS_TIMESTAMP"
"""When another provider sent it; Msg_Time is when it came to Everyplace."""

RECEIVED_AT: Final = "JMSXRcvTimestamp"
ID: Final = "ID:"
ID_LENGTH: Final = 24
_WORDS: Final = frozenset(("NULL", "TRUE", "FALSE", "NOT", "AND", "OR", "BETWEEN", "LIKE", "IN", "IS"))
_IDENTIFIER: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")


@unique
class JmsKind(Enum):
    """Kind of a JMS message; the value is its class in `JMS_CLASS` (E-556)."""

    TEXT = "jms_text"
    BYTES = "jms_bytes"
    OBJECT = "jms_object"
    """The body is a Java serialization stream."""
    NONE = "jms_null"
    """A message without body."""
    MAP = "jms_map"
    """Not supported (E-538)."""
    STREAM = "jms_stream"
    """Not supported (E-538)."""


PROPERTY_TYPES: Final = (
    FieldType.BOOLEAN,
    FieldType.BYTE,
    FieldType.SHORT,
    FieldType.INT,
    FieldType.LONG,
    FieldType.FLOAT,
    FieldType.DOUBLE,
    FieldType.UNICODE,
    FieldType.ASCII,
)
"""Types of properties (E-543)."""


def check_identifier(name: str) -> None:
    """Check the name of a property (E-546). Raises `EveryplaceError` SYNTAX."""
    if not _IDENTIFIER.fullmatch(name) or name.upper() in _WORDS:
        raise EveryplaceError(Code.SYNTAX, f"{name[:40]!r} can name no property")


def message_id(msg_id: bytes | None, uid: MessageUid | None) -> str | None:
    """Return JMSMessageID: Msg_MsgID, else a hash of the UID; None where there is neither (E-559, C-12).

    MQ's own id stands in Msg_MsgID, so what answers a message of MQ names it as MQ does.
    """
    if msg_id is None:
        if uid is None:
            return None
        msg_id = hashlib.sha256(str(uid).encode("ascii")).digest()
    return ID + msg_id[:ID_LENGTH].ljust(ID_LENGTH, b"\0").hex()


def correlation_bytes(text: str) -> bytes:
    """Return Msg_CorrelID for JMSCorrelationID: the bytes of ``ID:`` and hexadecimal digits, else UTF-8 (E-557)."""
    if text.startswith(ID):
        try:
            return bytes.fromhex(text[len(ID) :])
        except ValueError:
            pass
    return text.encode()


def correlation_text(data: bytes) -> str:
    """Return JMSCorrelationID for Msg_CorrelID: its text, or ``ID:`` and hexadecimal digits where it is none."""
    try:
        text = data.rstrip(b"\0").decode()
    except UnicodeDecodeError:
        return ID + data.hex()
    return text if text.isprintable() and text else ID + data.hex()
