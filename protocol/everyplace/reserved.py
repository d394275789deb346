"""The properties that Everyplace gives a meaning (E-044 to E-061), and their one-byte names in dumps.

IBM's one-byte names are not public (O-02); these are ours. A number is never given twice.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from .field_types import FieldType


class Reserved(NamedTuple):
    """One property. ``name``: IBM's constant. ``number``: its name in a dump, 0 to 127. ``types``: those that it may
    have. ``indexed``: whether it is kept in memory for each message (E-068)."""

    name: str
    number: int
    types: tuple[FieldType, ...]
    indexed: bool = False


_BYTES: Final = (FieldType.UNTYPED, FieldType.BYTE_ARRAY)
_TEXT: Final = (FieldType.ASCII, FieldType.UNICODE)

ORIGIN: Final = "Msg_OriginQMgr"
TIME: Final = "Msg_Time"
MSG_ID: Final = "Msg_MsgID"
CORREL_ID: Final = "Msg_CorrelID"
PRIORITY: Final = "Msg_Priority"
EXPIRE_TIME: Final = "Msg_ExpireTime"
LOCK_ID: Final = "Msg_LockID"
REPLY_TO_Q: Final = "Msg_ReplyToQ"
REPLY_TO_Q_MGR: Final = "Msg_ReplyToQMgr"
RESEND: Final = "Msg_Resend"
STYLE: Final = "Msg_Style"
WRAP_MSG: Final = "Msg_WrapMsg"
BACKOUT_COUNT: Final = "Msg_BackoutCount"
ADMIN_ACTION: Final = "Admin_Action"
ADMIN_ERRORS: Final = "Admin_Errors"
ADMIN_PARAMS: Final = "Admin_Params"
ADMIN_REASON: Final = "Admin_Reason"
ADMIN_RC: Final = "Admin_RC"
ADMIN_TARGET: Final = "Admin_TargetQMgr"
ADMIN_MAX_ATTEMPTS: Final = "Admin_MaxAttempts"
SELECTOR: Final = "MQe_JMS_SELECTOR"
"""Field of a filter alone: a selector of JMS (E-552)."""

PROPERTIES: Final = (
    Reserved(ORIGIN, 0, (FieldType.ASCII,), indexed=True),
    Reserved(TIME, 1, (FieldType.LONG,), indexed=True),
    Reserved(MSG_ID, 2, _BYTES, indexed=True),
    Reserved(CORREL_ID, 3, _BYTES, indexed=True),
    Reserved(PRIORITY, 4, (FieldType.BYTE, FieldType.INT), indexed=True),
    Reserved(EXPIRE_TIME, 5, (FieldType.INT, FieldType.LONG), indexed=True),
    Reserved(RESEND, 6, (FieldType.BOOLEAN,), indexed=True),
    Reserved(LOCK_ID, 7, (FieldType.LONG,)),
    Reserved(REPLY_TO_Q, 8, _TEXT),
    Reserved(REPLY_TO_Q_MGR, 9, _TEXT),
    Reserved(STYLE, 10, (FieldType.BYTE,)),
    Reserved(WRAP_MSG, 11, _BYTES),
    Reserved(BACKOUT_COUNT, 12, (FieldType.INT,)),
    Reserved(ADMIN_ACTION, 13, (FieldType.INT,)),
    Reserved(ADMIN_ERRORS, 14, (FieldType.FIELDS,)),
    Reserved(ADMIN_PARAMS, 15, (FieldType.FIELDS,)),
    Reserved(ADMIN_REASON, 16, (FieldType.UNICODE,)),
    Reserved(ADMIN_RC, 17, (FieldType.BYTE,)),
    Reserved(ADMIN_TARGET, 18, (FieldType.ASCII,)),
    Reserved(ADMIN_MAX_ATTEMPTS, 19, (FieldType.INT,)),
)
BY_NAME: Final = {each.name: each for each in PROPERTIES}
BY_NUMBER: Final = {each.number: each for each in PROPERTIES}
INDEXED: Final = tuple(each.name for each in PROPERTIES if each.indexed)
"""Names of the index fields, in the order in which they stand first in a dump."""
