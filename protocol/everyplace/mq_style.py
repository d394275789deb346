"""MQ-style messages: message objects whose fields are those of an MQMD, mqe.md 18.4 (E-428, E-432, E-435).

What a program sets is what an MQ program sees; what it leaves out has the default of `MQ_FIELDS`. A text for MQ
programs is made by `text_message`.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from .errors import Code, EveryplaceError
from .field_types import FieldType
from .fields import Fields
from .message import Message
from .reserved import (
    BACKOUT_COUNT,
    CORREL_ID,
    EXPIRE_TIME,
    MSG_ID,
    ORIGIN,
    PRIORITY,
    REPLY_TO_Q,
    REPLY_TO_Q_MGR,
    RESEND,
    STYLE,
    TIME,
)

MQ_STYLE: Final = "MQeMQMsgObject"
"""Type string of MQ-style messages."""
DATA: Final = "MQ_Data"
"""Field of the payload; without it there are no data."""
STRING: Final = "MQSTR"
UTF_8: Final = 1208
PERSISTENT: Final = 1
ID_LENGTH: Final = 24
"""Most bytes of a message or correlation id that MQ is to know."""

_BYTES: Final = (FieldType.UNTYPED, FieldType.BYTE_ARRAY)
_TEXT: Final = (FieldType.ASCII, FieldType.UNICODE)
_INT: Final = (FieldType.INT,)


class MqField(NamedTuple):
    """One field that is mapped as it is. ``field``: its name in messages; ``key``: in descriptors of the project.
    ``types``: those that are accepted; the first is written. ``default``: of a message without it. ``length``: of the
    text or the bytes in an MQMD, 0 for numbers."""

    field: str
    key: str
    types: tuple[FieldType, ...]
    default: int | str | bytes
    length: int = 0

    def of(self, message: Fields) -> Any:
        """Return its value in a message, or the default. Raises `EveryplaceError` TYPE."""
        value = message.get(self.field, *self.types) if self.field in message else None
        return self.default if value is None else value


REPORT: Final = MqField("MQ_Report", "report", _INT, 0)
MSG_TYPE: Final = MqField("MQ_MsgType", "msg_type", _INT, 8)
FEEDBACK: Final = MqField("MQ_Feedback", "feedback", _INT, 0)
ENCODING: Final = MqField("MQ_Encoding", "encoding", _INT, 273)
CODED_CHAR_SET_ID: Final = MqField("MQ_CodedCharSetId", "coded_char_set_id", _INT, UTF_8)
FORMAT: Final = MqField("MQ_Format", "format", _TEXT, "", 8)
PERSISTENCE: Final = MqField("MQ_Persistence", "persistence", _INT, PERSISTENT)
GROUP_ID: Final = MqField("MQ_GroupId", "group_id", _BYTES, b"", ID_LENGTH)
MSG_SEQ_NUMBER: Final = MqField("MQ_MsgSeqNumber", "msg_seq_number", _INT, 1)
OFFSET: Final = MqField("MQ_Offset", "offset", _INT, 0)
MSG_FLAGS: Final = MqField("MQ_MsgFlags", "msg_flags", _INT, 0)
ORIGINAL_LENGTH: Final = MqField("MQ_OriginalLength", "original_length", _INT, -1)

MQ_FIELDS: Final = (
    REPORT,
    MSG_TYPE,
    FEEDBACK,
    ENCODING,
    CODED_CHAR_SET_ID,
    FORMAT,
    PERSISTENCE,
    MqField("MQ_UserIdentifier", "user_identifier", _TEXT, "", 12),
    MqField("MQ_AccountingToken", "accounting_token", _BYTES, b"", 32),
    MqField("MQ_ApplIdentityData", "appl_identity_data", _TEXT, "", 32),
    MqField("MQ_PutApplType", "put_appl_type", _INT, 0),
    MqField("MQ_PutApplName", "put_appl_name", _TEXT, "", 28),
    MqField("MQ_PutDate", "put_date", _TEXT, "", 8),
    MqField("MQ_PutTime", "put_time", _TEXT, "", 8),
    MqField("MQ_ApplOriginData", "appl_origin_data", _TEXT, "", 4),
    GROUP_ID,
    MSG_SEQ_NUMBER,
    OFFSET,
    MSG_FLAGS,
    ORIGINAL_LENGTH,
)
"""Fields of an MQMD that have no property of Everyplace, in the order of the MQMD. Those from GroupId on are of
version 2. A message is persistent unless it says otherwise: a device keeps every message on disk."""

_CHARSETS: Final = {UTF_8: "utf-8", 819: "latin-1", 437: "cp437", 850: "cp850", 1252: "cp1252", 37: "cp037"}
"""CCSIDs that are read without the conversions of a queue manager."""

IN_HEADER: Final = frozenset(
    (ORIGIN, TIME, MSG_ID, CORREL_ID, PRIORITY, EXPIRE_TIME, RESEND, BACKOUT_COUNT, REPLY_TO_Q, REPLY_TO_Q_MGR, STYLE)
)
"""Properties of every message that an MQMD can say, or that mean nothing beyond Everyplace."""
OWN: Final = frozenset({DATA, *(each.field for each in MQ_FIELDS)})
"""Fields of MQ-style messages alone."""


def is_mq_style(message: Fields) -> bool:
    """Whether an MQMD and data can say all of a message: its type is `MQ_STYLE`, and it has no other fields."""
    return message.type == MQ_STYLE and all(name in OWN or name in IN_HEADER for name in message)


def text_message(text: str) -> Message:
    """Return the MQ-style message that an MQ program gets as a text: MQSTR in UTF-8."""
    message = Message(MQ_STYLE)
    message.put(FORMAT.field, STRING, FieldType.ASCII)
    if text:
        message.put(DATA, text.encode(), FieldType.BYTE_ARRAY)
    return message


def data_of(message: Fields) -> bytes:
    """Return the payload of an MQ-style message. Raises `EveryplaceError` TYPE."""
    found = message.get(DATA, *_BYTES) if DATA in message else None
    return found or b""


def text_of(message: Fields) -> str:
    """Return the text of an MQ-style message. Raises `EveryplaceError` TYPE if it is none, DATA if its CCSID is not
    known here."""
    if message.type != MQ_STYLE or str(FORMAT.of(message)).rstrip() != STRING:
        raise EveryplaceError(Code.TYPE, "the message is no text")
    ccsid = CODED_CHAR_SET_ID.of(message)
    charset = _CHARSETS.get(ccsid)
    try:
        if charset is None:
            raise ValueError
        return data_of(message).decode(charset)
    except ValueError:
        raise EveryplaceError(Code.DATA, f"the text in CCSID {ccsid} cannot be read here") from None
