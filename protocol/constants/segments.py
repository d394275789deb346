"""Segment types and the flags and codes of segments, mq-wire.md 3, 4, 5.1 and 5.14."""

from __future__ import annotations

from typing import Final

from .base import WireFlags, WireInt

REPLY: Final = 0x10
"""Difference between the types of a reply and its call."""


class SegmentType(WireInt):
    """Type of a segment, mq-wire.md 3. The reply to a call has the type of the request plus 0x10."""

    INITIAL_DATA = 0x01
    RESYNC_DATA = 0x02
    RESET_DATA = 0x03
    MESSAGE_DATA = 0x04
    STATUS_DATA = 0x05
    SECURITY_DATA = 0x06
    PING_DATA = 0x07
    USERID_DATA = 0x08
    HEARTBEAT = 0x09
    CONAUTH_INFO = 0x0A
    RENEGOTIATE_DATA = 0x0B
    SOCKET_ACTION = 0x0C
    ASYNC_MESSAGE = 0x0D
    REQUEST_MSGS = 0x0E
    NOTIFICATION = 0x0F
    MQCONN = 0x81
    MQDISC = 0x82
    MQOPEN = 0x83
    MQCLOSE = 0x84
    MQGET = 0x85
    MQPUT = 0x86
    MQPUT1 = 0x87
    MQSET = 0x88
    MQINQ = 0x89
    MQCMIT = 0x8A
    MQBACK = 0x8B
    SPI = 0x8C
    MQSTAT = 0x8D
    MQSUB = 0x8E
    MQSUBRQ = 0x8F
    MQCONN_REPLY = 0x91
    MQDISC_REPLY = 0x92
    MQOPEN_REPLY = 0x93
    MQCLOSE_REPLY = 0x94
    MQGET_REPLY = 0x95
    MQPUT_REPLY = 0x96
    MQPUT1_REPLY = 0x97
    MQSET_REPLY = 0x98
    MQINQ_REPLY = 0x99
    MQCMIT_REPLY = 0x9A
    MQBACK_REPLY = 0x9B
    SPI_REPLY = 0x9C
    MQSTAT_REPLY = 0x9D
    MQSUB_REPLY = 0x9E
    MQSUBRQ_REPLY = 0x9F
    XA_START = 0xA1
    XA_END = 0xA2
    XA_OPEN = 0xA3
    XA_CLOSE = 0xA4
    XA_PREPARE = 0xA5
    XA_COMMIT = 0xA6
    XA_ROLLBACK = 0xA7
    XA_FORGET = 0xA8
    XA_RECOVER = 0xA9
    XA_COMPLETE = 0xAA
    XA_START_REPLY = 0xB1
    XA_END_REPLY = 0xB2
    XA_OPEN_REPLY = 0xB3
    XA_CLOSE_REPLY = 0xB4
    XA_PREPARE_REPLY = 0xB5
    XA_COMMIT_REPLY = 0xB6
    XA_ROLLBACK_REPLY = 0xB7
    XA_FORGET_REPLY = 0xB8
    XA_RECOVER_REPLY = 0xB9
    XA_COMPLETE_REPLY = 0xBA


class ControlFlags1(WireFlags):
    """First flag byte of a segment header, mq-wire.md 4.1."""

    NONE = 0x00
    CONFIRM_REQUEST = 0x01
    ERROR = 0x02
    REQUEST_CLOSE = 0x04
    CLOSE_CHANNEL = 0x08
    FIRST = 0x10
    LAST = 0x20
    REQUEST_ACCEPTED = 0x40
    DLQ_USED = 0x80


class ControlFlags2(WireFlags):
    """Second flag byte of a segment header, mq-wire.md 4.2."""

    NONE = 0x00
    HDRCOMP = 0x01
    MSGCOMP = 0x02
    CSH = 0x04
    CMIT_INTERVAL = 0x08


class StatusCode(WireInt):
    """Code of a STATUS_DATA segment, mq-wire.md 5.14."""

    NONE = 0x00
    NO_CHANNEL = 0x01
    CHANNEL_WRONG_TYPE = 0x02
    QM_UNAVAILABLE = 0x03
    MSG_SEQUENCE_ERROR = 0x04
    QM_TERMINATING = 0x05
    CAN_NOT_STORE = 0x06
    USER_CLOSED = 0x07
    TIMEOUT_EXPIRED = 0x08
    TARGET_Q_UNKNOWN = 0x09
    PROTOCOL_SEGMENT_TYPE = 0x0A
    PROTOCOL_LENGTH_ERROR = 0x0B
    PROTOCOL_INVALID_DATA = 0x0C
    PROTOCOL_SEGMENT_ERROR = 0x0D
    PROTOCOL_ID_ERROR = 0x0E
    PROTOCOL_MSH_ERROR = 0x0F
    PROTOCOL_GENERAL = 0x10
    BATCH_FAILURE = 0x11
    MESSAGE_LENGTH_ERROR = 0x12
    SEGMENT_NUMBER_ERROR = 0x13
    SECURITY_FAILURE = 0x14
    WRAP_VALUE_ERROR = 0x15
    CHANNEL_UNAVAILABLE = 0x16
    CLOSED_BY_EXIT = 0x17
    CIPHER_SPEC = 0x18
    PEER_NAME = 0x19
    SSL_CLIENT_CERTIFICATE = 0x1A
    RMT_RSRCS_IN_RECOVERY = 0x1B
    SSL_REFRESHING = 0x1C
    INVALID_HOBJ = 0x1D
    CONV_ID_ERROR = 0x1E
    SOCKET_ACTION_TYPE = 0x1F
    STANDBY_Q_MGR = 0x20
    CCSID_NOT_SUPPORTED = 0xF0
    ENCODING_INVALID = 0xF1
    FAP_LEVEL = 0xF2
    NEGOTIATION_FAILED = 0xF3
