"""Subscribe options, callbacks and status inquiries, mq-wire.md 9.14, mqi.md 16.3."""

from __future__ import annotations

from .base import MQFlags, MQInt


class MQSO(MQFlags):
    """Subscribe options, mq-wire.md 9.14."""

    NONE = 0x00000000
    NON_DURABLE = 0x00000000
    READ_AHEAD_AS_Q_DEF = 0x00000000
    ALTER = 0x00000001
    CREATE = 0x00000002
    RESUME = 0x00000004
    DURABLE = 0x00000008
    GROUP_SUB = 0x00000010
    MANAGED = 0x00000020
    SET_IDENTITY_CONTEXT = 0x00000040
    NO_MULTICAST = 0x00000080
    FIXED_USERID = 0x00000100
    ANY_USERID = 0x00000200
    PUBLICATIONS_ON_REQUEST = 0x00000800
    NEW_PUBLICATIONS_ONLY = 0x00001000
    FAIL_IF_QUIESCING = 0x00002000
    ALTERNATE_USER_AUTHORITY = 0x00040000
    WILDCARD_CHAR = 0x00100000
    WILDCARD_TOPIC = 0x00200000
    SET_CORREL_ID = 0x00400000
    SCOPE_QMGR = 0x04000000
    NO_READ_AHEAD = 0x08000000
    READ_AHEAD = 0x10000000


class MQSRO(MQFlags):
    """Options of a request for retained publications."""

    NONE = 0
    FAIL_IF_QUIESCING = 0x2000


class MQSR(MQInt):
    """Action of MQSUBRQ, client-observed.md O-069."""

    ACTION_PUBLICATION = 1


class MQOP(MQFlags):
    """Operation of a callback or control call, mq-wire.md 9.14."""

    START = 0x00000001
    START_WAIT = 0x00000002
    STOP = 0x00000004
    REGISTER = 0x00000100
    DEREGISTER = 0x00000200
    SUSPEND = 0x00010000
    RESUME = 0x00020000


class MQSTAT(MQInt):
    """Type of an MQSTAT inquiry, mq-wire.md 9.14."""

    TYPE_ASYNC_ERROR = 0
    TYPE_RECONNECTION = 1
    TYPE_RECONNECTION_ERROR = 2


class MQCBT(MQInt):
    """Type of a callback function, mqi.md 16.3."""

    MESSAGE_CONSUMER = 1
    EVENT_HANDLER = 2


class MQCBCT(MQInt):
    """Reason for a callback, mqi.md 16.3."""

    START_CALL = 1
    STOP_CALL = 2
    REGISTER_CALL = 3
    DEREGISTER_CALL = 4
    EVENT_CALL = 5
    MSG_REMOVED = 6
    MSG_NOT_REMOVED = 7


class MQCS(MQInt):
    """State of a consumer, mqi.md 16.3."""

    NONE = 0
    SUSPENDED_TEMPORARY = 1
    SUSPENDED_USER_ACTION = 2
    SUSPENDED = 3
    STOPPED = 4
