"""Codes of the flows between a client and a queue manager, mq-wire.md 5.11 and 5.12."""

from __future__ import annotations

from .base import WireFlags, WireInt


class NotificationCode(WireInt):
    """Code of a NOTIFICATION segment, mq-wire.md 5.11."""

    GET_INHIBITED = 1
    GET_ALLOWED = 2
    CONN_STATE = 3
    CONN_STATE_REPLY = 4
    Q_STATE = 5
    Q_STATE_REPLY = 6
    QM_QUIESCING = 7
    TXN_ALLOWED = 8
    TXN_REVOKE = 9
    TXN_REVOKE_REPLY = 10
    CHECK_MSG = 11
    BROWSE_FIRST = 12
    MESSAGE_TOO_LARGE = 13
    STREAMING_FAILURE = 14
    CLIENT_ASYNC_EMPTY = 15
    STREAMING_TXN_PAUSED = 16
    RECONNECTION_COMPLETE = 17


class SpiVerb(WireInt):
    """Verb of an SPI call, mq-wire.md 5.12."""

    QUERY = 1
    PUT = 2
    GET = 3
    ACTIVATE = 4
    SYNCHPOINT = 5
    RESERVE = 6
    SUBSCRIBE = 7
    NOTIFY = 11
    OPEN = 12


class SocketAction(WireInt):
    """Type of a SOCKET_ACTION segment, mq-wire.md 5.11."""

    START_CONVERSATION = 1
    END_CONVERSATION = 2
    CONVERSATION_QUIESCING = 3
    Q_MGR_QUIESCING = 7
    CONVERSATION_STARTED = 8


class RequestFlags(WireFlags):
    """RequestFlags of REQUEST_MSGS, client-observed.md O-083."""

    NONE = 0x00
    LISTENER = 0x01
    CHECK = 0x02
    SINGLE = 0x04
    WAITING = 0x08
    SELECTION = 0x10


class MessageStatus(WireFlags):
    """Status of ASYNC_MESSAGE: what IBM's client makes GroupStatus, SegmentStatus and Segmentation of the MQGMO from;
    each bit was tried on it. The meaning of the lowest, which a queue manager was seen to send, is not known."""

    SEEN = 0x01
    SEGMENTATION_ALLOWED = 0x02
    SEGMENT = 0x04
    LAST_SEGMENT = 0x08
    MSG_IN_GROUP = 0x10
    LAST_MSG_IN_GROUP = 0x20


class ConnectionState(WireInt):
    """Value of NOTIFICATION CONN_STATE: whether messages may be sent to listeners, client-observed.md O-092, O-093."""

    STOPPED = 0
    STARTED = 2
    SUSPENDED = 3


class SpiOptions(WireFlags):
    """Options of an SPI put or get, mq-wire.md 5.12."""

    NONE = 0x00
    BLANK_PADDED = 0x01
    SYNCPOINT = 0x02
    DEFERRED = 0x04


class LpiOptions(WireFlags):
    """LpiOptions of an SPI open, mq-wire.md 5.12; what 0x20 means is not known, clients always set it."""

    NONE = 0x00
    SAVE_IDENTITY_CONTEXT = 0x01
    SAVE_ORIGIN_CONTEXT = 0x02
    SAVE_USER_CONTEXT = 0x04


class LsdOptions(WireFlags):
    """Options of an LSD, client-observed.md 6.2: durable, shared, resumed subscriptions; SHARED, BY_ID by inference."""

    NONE = 0x00000000
    SHARED = 0x00000050
    BY_ID = 0x00020000
    NAMED = 0x40000000
