"""Values of the bridge, distribution and reference headers, mq-wire.md 9.18 and 5.15."""

from __future__ import annotations

from .base import MQFlags, MQInt


class MQCUOWC(MQInt):
    """Unit-of-work control of a CICS header, mq-wire.md 9.18."""

    MIDDLE = 0x10
    FIRST = 0x11
    COMMIT = 0x100
    LAST = 0x110
    ONLY = 0x111
    BACKOUT = 0x1100
    CONTINUE = 0x10000


class MQCRC(MQInt):
    """Return code of a CICS header, mq-wire.md 9.18."""

    OK = 0
    CICS_EXEC_ERROR = 1
    MQ_API_ERROR = 2
    BRIDGE_ERROR = 3
    BRIDGE_ABEND = 4
    APPLICATION_ABEND = 5
    SECURITY_ERROR = 6
    PROGRAM_NOT_AVAILABLE = 7
    BRIDGE_TIMEOUT = 8
    TRANSID_NOT_AVAILABLE = 9


class MQCLT(MQInt):
    """Link type of a CICS header, mq-wire.md 5.15."""

    PROGRAM = 1
    TRANSACTION = 2


class MQCADSD(MQFlags):
    """ADS descriptor of a CICS header: descriptors of a 3270 transaction to return."""

    NONE = 0
    SEND = 0x1
    RECV = 0x10
    MSGFORMAT = 0x100


class MQCCT(MQInt):
    """Conversational task of a CICS header."""

    NO = 0
    YES = 1


class MQCTES(MQInt):
    """Task end status of a CICS header."""

    NOSYNC = 0
    COMMIT = 0x100
    BACKOUT = 0x1100
    ENDTASK = 0x10000


class MQCIH(MQFlags):
    """Flags of a CICS header, mq-wire.md 9.18."""

    NONE = 0
    PASS_EXPIRATION = 1
    REPLY_WITHOUT_NULLS = 2
    SYNC_ON_RETURN = 4


class MQIIH(MQFlags):
    """Flags of an IMS header, mq-wire.md 9.18."""

    NONE = 0
    PASS_EXPIRATION = 1
    REPLY_FORMAT_NONE = 8
    IGNORE_PURG = 0x10
    CM0_REQUEST_RESPONSE = 0x20


class MQDHF(MQFlags):
    """Flags of a distribution header, mq-wire.md 9.18."""

    NONE = 0
    NEW_MSG_IDS = 1


class MQRMHF(MQFlags):
    """Flags of a reference message header, mq-wire.md 9.18."""

    NOT_LAST = 0
    LAST = 1
