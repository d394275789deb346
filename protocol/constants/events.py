"""Values in event messages: reason qualifiers and origins of commands."""

from __future__ import annotations

from .base import MQInt


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
    SUB_NOT_AUTHORIZED = 17
    SUB_DEST_NOT_AUTHORIZED = 18
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
