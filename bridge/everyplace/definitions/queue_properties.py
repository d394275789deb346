"""Properties of queues, a row for each (mqe.md 6.2, E-096 to E-126).

Definitions, administration messages, inquiries and the documentation are made from these rows.
"""

from __future__ import annotations

from enum import Enum, unique
from typing import Any, Final, NamedTuple

from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.message import DEFAULT_PRIORITY

from .queue_kinds import QueueKind

_LOCAL, _REMOTE, _STORE_AND_FORWARD, _HOME_SERVER, _ADMINISTRATION, _BRIDGE = QueueKind
_EVERY: Final = frozenset(QueueKind)
_STORED: Final = frozenset({_LOCAL, _REMOTE, _STORE_AND_FORWARD, _ADMINISTRATION})
_TARGETS: Final = frozenset({_LOCAL, _REMOTE, _ADMINISTRATION, _BRIDGE})
_SENDING: Final = frozenset({_REMOTE, _STORE_AND_FORWARD, _HOME_SERVER})
_MQ: Final = frozenset({_BRIDGE})

SYNCHRONOUS, ASYNCHRONOUS = 0, 1
"""Values of Queue_Mode."""
NO_LIMIT: Final = -1


@unique
class Alterable(Enum):
    """When a property may be given a value."""

    NEVER = "when the queue is created"
    EMPTY = "while the queue is inactive and empty"
    """E-139"""
    ALWAYS = "always"
    READ_ONLY = "never; it is inquired"


class Property(NamedTuple):
    """One property. ``field``: its field in administration messages. ``constant``: IBM's name. ``types``: those that
    are accepted; the first is given back. ``default``: of a new queue."""

    field: str
    constant: str
    types: tuple[FieldType, ...]
    default: Any
    queues: frozenset[QueueKind] = _EVERY
    alterable: Alterable = Alterable.ALWAYS


_ASCII: Final = (FieldType.ASCII, FieldType.UNICODE)
_INT: Final = (FieldType.INT,)
_LONG: Final = (FieldType.LONG, FieldType.INT)

CLASS: Final = Property("admtype", "Admin_Class", _ASCII, "", alterable=Alterable.NEVER)
NAME: Final = Property("admname", "Admin_Name", (FieldType.ASCII,), "", alterable=Alterable.NEVER)
ACTIVE: Final = Property("qact", "Queue_Active", (FieldType.BOOLEAN,), default=False, alterable=Alterable.READ_ONLY)
ATTRIBUTE_RULE: Final = Property("qar", "Queue_AttRule", _ASCII, "")
AUTHENTICATOR: Final = Property("qau", "Queue_Authenticator", _ASCII, "", _EVERY - _MQ)
BRIDGE_NAME: Final = Property("q-mq-bridge", "Queue_BridgeName", _ASCII, "", _MQ)
CLIENT_CONNECTION: Final = Property("q-mq-client-con", "Queue_ClientConnection", _ASCII, "", _MQ)
CLOSE_IDLE: Final = Property("qcwi", "Queue_CloseIdle", (FieldType.BOOLEAN,), default=False, queues=_SENDING)
CREATION_DATE: Final = Property("qcd", "Queue_CreationDate", (FieldType.LONG,), 0, alterable=Alterable.READ_ONLY)
COMPRESSOR: Final = Property("qco", "Queue_Compressor", _ASCII, "", _EVERY - _MQ)
CRYPTOR: Final = Property("qcr", "Queue_Cryptor", _ASCII, "", _EVERY - _MQ)
CURRENT_SIZE: Final = Property("qcs", "Queue_CurrentSize", _INT, 0, _STORED, Alterable.READ_ONLY)
DESCRIPTION: Final = Property("qd", "Queue_Description", (FieldType.UNICODE, FieldType.ASCII), "")
EXPIRY: Final = Property("qe", "Queue_Expiry", _LONG, 0)
FILE_DESCRIPTOR: Final = Property("qfd", "Queue_FileDesc", _ASCII, "MsgLog:", _STORED, Alterable.EMPTY)
MAX_IDLE_TIME: Final = Property("q-mq-max-idle-time", "Queue_MaxIdleTime", _INT, 300, _MQ)
MAX_MSG_SIZE: Final = Property("qms", "Queue_MaxMsgSize", _INT, NO_LIMIT, _STORED | _MQ)
MAX_Q_SIZE: Final = Property("qmqs", "Queue_MaxQSize", _INT, NO_LIMIT, _STORED)
MODE: Final = Property("qm", "Queue_Mode", (FieldType.BYTE,), SYNCHRONOUS, _EVERY, Alterable.EMPTY)
MQ_QUEUE_MANAGER: Final = Property("q-mq-q-mgr", "Queue_MQMgr", _ASCII, "", _MQ)
PRIORITY: Final = Property("qp", "Queue_Priority", (FieldType.BYTE, FieldType.INT), DEFAULT_PRIORITY)
ALIASES: Final = Property("qanl", "Queue_QAliasNameList", (FieldType.ASCII_ARRAY,), (), _TARGETS)
OWNER: Final = Property("qqmn", "Queue_QMgrName", (FieldType.ASCII,), "", alterable=Alterable.NEVER)
ENTRIES: Final = Property("qqmnl", "Queue_QMgrNameList", (FieldType.ASCII_ARRAY,), (), frozenset({_STORE_AND_FORWARD}))
REMOTE_QUEUE: Final = Property("q-mq-remote-q", "Queue_RemoteQName", _ASCII, "", _MQ)
RULE: Final = Property("qr", "Queue_Rule", _ASCII, "")
POLL_INTERVAL: Final = Property("qti", "Queue_QTimerInterval", _LONG, 0, frozenset({_HOME_SERVER}))
TARGET_REGISTRY: Final = Property("qtr", "Queue_TargetRegistry", (FieldType.BYTE,), 0)
TRANSPORTER: Final = Property("qtc", "Queue_Transporter", _ASCII, "", _SENDING)
TRANSFORMER: Final = Property("q-mq-transformer", "Queue_Transformer", _ASCII, "", _MQ)

PROPERTIES: Final = (
    CLASS,
    NAME,
    ACTIVE,
    ATTRIBUTE_RULE,
    AUTHENTICATOR,
    BRIDGE_NAME,
    CLIENT_CONNECTION,
    CLOSE_IDLE,
    CREATION_DATE,
    COMPRESSOR,
    CRYPTOR,
    CURRENT_SIZE,
    DESCRIPTION,
    EXPIRY,
    FILE_DESCRIPTOR,
    MAX_IDLE_TIME,
    MAX_MSG_SIZE,
    MAX_Q_SIZE,
    MODE,
    MQ_QUEUE_MANAGER,
    PRIORITY,
    ALIASES,
    OWNER,
    ENTRIES,
    REMOTE_QUEUE,
    RULE,
    POLL_INTERVAL,
    TARGET_REGISTRY,
    TRANSPORTER,
    TRANSFORMER,
)
BY_FIELD: Final = {each.field: each for each in PROPERTIES}
