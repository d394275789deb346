"""Properties of queues, a row for each (mqe.md 6.2, E-096 to E-126).

Definitions, administration messages, inquiries and the documentation are made from these rows.
"""

from __future__ import annotations

from typing import Final

from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.message import DEFAULT_PRIORITY

from .properties import ASCII, INT, LONG, NAMES, Alterable, Property, by_field
from .queue_kinds import QueueKind

_LOCAL, _REMOTE, _STORE_AND_FORWARD, _HOME_SERVER, _ADMINISTRATION, _BRIDGE = QueueKind
_EVERY: Final = frozenset(QueueKind)
_STORED: Final = frozenset({_LOCAL, _REMOTE, _STORE_AND_FORWARD, _ADMINISTRATION})
_TARGETS: Final = frozenset({_LOCAL, _REMOTE, _ADMINISTRATION, _BRIDGE})
_SENDING: Final = frozenset({_REMOTE, _STORE_AND_FORWARD, _HOME_SERVER})
_MQ: Final = frozenset({_BRIDGE})

SYNCHRONOUS, ASYNCHRONOUS = 0, 1
"""Values of Queue_Mode."""
MODES: Final = ("synchronous", "asynchronous")
REGISTRIES: Final = ("none", "queue-manager", "queue")
"""Whose registry gives the security identity (E-123)."""
NO_LIMIT: Final = -1


CLASS: Final = Property("admtype", "Admin_Class", ASCII, "", alterable=Alterable.NEVER, attribute="class")
NAME: Final = Property("admname", "Admin_Name", ASCII, "", alterable=Alterable.NEVER, attribute="name")
ACTIVE: Final = Property(
    "qact", "Queue_Active", (FieldType.BOOLEAN,), default=False, alterable=Alterable.READ_ONLY, attribute="active"
)
ATTRIBUTE_RULE: Final = Property("qar", "Queue_AttRule", ASCII, "", attribute="attribute_rule")
AUTHENTICATOR: Final = Property("qau", "Queue_Authenticator", ASCII, "", _EVERY - _MQ, attribute="authenticator")
BRIDGE_NAME: Final = Property("q-mq-bridge", "Queue_BridgeName", ASCII, "", _MQ, attribute="bridge_name")
CLIENT_CONNECTION: Final = Property(
    "q-mq-client-con", "Queue_ClientConnection", ASCII, "", _MQ, attribute="client_connection"
)
CLOSE_IDLE: Final = Property(
    "qcwi", "Queue_CloseIdle", (FieldType.BOOLEAN,), default=False, queues=_SENDING, attribute="close_idle"
)
CREATION_DATE: Final = Property(
    "qcd", "Queue_CreationDate", (FieldType.LONG,), 0, alterable=Alterable.READ_ONLY, attribute="creation_date"
)
COMPRESSOR: Final = Property("qco", "Queue_Compressor", ASCII, "", _EVERY - _MQ, attribute="compressor")
CRYPTOR: Final = Property("qcr", "Queue_Cryptor", ASCII, "", _EVERY - _MQ, Alterable.EMPTY, "cryptor")
CURRENT_SIZE: Final = Property(
    "qcs", "Queue_CurrentSize", INT, 0, _STORED, Alterable.READ_ONLY, attribute="current_size"
)
DESCRIPTION: Final = Property(
    "qd", "Queue_Description", (FieldType.UNICODE, FieldType.ASCII), "", attribute="description"
)
EXPIRY: Final = Property("qe", "Queue_Expiry", LONG, 0, attribute="expiry")
FILE_DESCRIPTOR: Final = Property(
    "qfd", "Queue_FileDesc", ASCII, "MsgLog:", _STORED, Alterable.EMPTY, attribute="store"
)
MAX_IDLE_TIME: Final = Property("q-mq-max-idle-time", "Queue_MaxIdleTime", INT, 300, _MQ, attribute="max_idle_time")
MAX_MSG_SIZE: Final = Property("qms", "Queue_MaxMsgSize", INT, NO_LIMIT, _STORED | _MQ, attribute="max_message_size")
MAX_Q_SIZE: Final = Property("qmqs", "Queue_MaxQSize", INT, NO_LIMIT, _STORED, attribute="max_size")
MODE: Final = Property(
    "qm", "Queue_Mode", (FieldType.BYTE,), SYNCHRONOUS, _EVERY, Alterable.EMPTY, attribute="mode", choices=MODES
)
MQ_QUEUE_MANAGER: Final = Property("q-mq-q-mgr", "Queue_MQMgr", ASCII, "", _MQ, attribute="mq_queue_manager")
PRIORITY: Final = Property(
    "qp", "Queue_Priority", (FieldType.BYTE, FieldType.INT), DEFAULT_PRIORITY, attribute="priority"
)
ALIASES: Final = Property("qanl", "Queue_QAliasNameList", NAMES, (), _TARGETS, attribute="aliases")
OWNER: Final = Property("qqmn", "Queue_QMgrName", ASCII, "", alterable=Alterable.NEVER, attribute="owner")
ENTRIES: Final = Property(
    "qqmnl", "Queue_QMgrNameList", NAMES, (), frozenset({_STORE_AND_FORWARD}), attribute="entries"
)
REMOTE_QUEUE: Final = Property("q-mq-remote-q", "Queue_RemoteQName", ASCII, "", _MQ, attribute="remote_queue")
RULE: Final = Property("qr", "Queue_Rule", ASCII, "", attribute="rule")
POLL_INTERVAL: Final = Property(
    "qti", "Queue_QTimerInterval", LONG, 0, frozenset({_HOME_SERVER, _ADMINISTRATION}), attribute="poll_interval"
)
TARGET_REGISTRY: Final = Property(
    "qtr",
    "Queue_TargetRegistry",
    (FieldType.BYTE,),
    0,
    alterable=Alterable.EMPTY,
    attribute="target_registry",
    choices=REGISTRIES,
)
TRANSPORTER: Final = Property("qtc", "Queue_Transporter", ASCII, "", _SENDING, attribute="transporter")
TRANSFORMER: Final = Property("q-mq-transformer", "Queue_Transformer", ASCII, "", _MQ, attribute="transformer")

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
BY_FIELD: Final = by_field(PROPERTIES)
PLUG_INS: Final = (RULE, AUTHENTICATOR, CRYPTOR, COMPRESSOR, TRANSFORMER)
"""Those whose values are names of registered plug-ins."""
