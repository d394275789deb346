"""Values of programmable command format messages (PCF), mq-wire.md 5.16, and of events."""

from __future__ import annotations

from .base import MQInt


class MQCFT(MQInt):
    """Type of a PCF header or parameter, mq-wire.md 5.16."""

    NONE = 0
    COMMAND = 1
    RESPONSE = 2
    INTEGER = 3
    STRING = 4
    INTEGER_LIST = 5
    STRING_LIST = 6
    EVENT = 7
    USER = 8
    BYTE_STRING = 9
    TRACE_ROUTE = 10
    REPORT = 12
    INTEGER_FILTER = 13
    STRING_FILTER = 14
    BYTE_STRING_FILTER = 15
    COMMAND_XR = 16
    XR_MSG = 17
    XR_ITEM = 18
    XR_SUMMARY = 19
    GROUP = 20
    STATISTICS = 21
    ACCOUNTING = 22
    INTEGER64 = 23
    INTEGER64_LIST = 25
    APP_ACTIVITY = 26
    STATUS = 27


class MQCFC(MQInt):
    """Whether this is the last message of a reply, mq-wire.md 5.16."""

    NOT_LAST = 0
    LAST = 1


class MQCFOP(MQInt):
    """Operator of a filter parameter. Bits: 1 less, 2 equal, 4 greater, 8 contains, 16 generic."""

    LESS = 1
    EQUAL = 2
    NOT_GREATER = 3
    GREATER = 4
    NOT_EQUAL = 5
    NOT_LESS = 6
    CONTAINS = 10
    EXCLUDES = 13
    LIKE = 18
    NOT_LIKE = 21
    CONTAINS_GEN = 26
    EXCLUDES_GEN = 29


class MQRQ(MQInt):
    """Reason qualifier of an event."""

    CONN_NOT_AUTHORIZED = 1
    OPEN_NOT_AUTHORIZED = 2
    CLOSE_NOT_AUTHORIZED = 3
    CMD_NOT_AUTHORIZED = 4
    Q_MGR_STOPPING = 5
    Q_MGR_QUIESCING = 6
    CHANNEL_STOPPED_OK = 7
    CHANNEL_STOPPED_ERROR = 8
    CHANNEL_STOPPED_RETRY = 9
    CHANNEL_STOPPED_DISABLED = 10
    SSL_HANDSHAKE_ERROR = 13
    SSL_CIPHER_SPEC_ERROR = 14
    SSL_CLIENT_AUTH_ERROR = 15
    SSL_PEER_NAME_ERROR = 16
    SUB_NOT_AUTHORIZED = 17
    SUB_DEST_NOT_AUTHORIZED = 18
    SSL_UNKNOWN_REVOCATION = 19
    CHANNEL_BLOCKED_ADDRESS = 21
    CHANNEL_BLOCKED_USERID = 22
    CHANNEL_BLOCKED_NOACCESS = 23
    CSP_NOT_AUTHORIZED = 29


class MQEVO(MQInt):
    """Origin of the command reported by an event."""

    OTHER = 0
    CONSOLE = 1
    INIT = 2
    MSG = 3
    MQSET = 4
    INTERNAL = 5
    MQSUB = 6
    CTLMSG = 7
    REST = 8
