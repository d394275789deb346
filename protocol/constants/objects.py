"""Object types and attribute values, mq-wire.md 9.11 and 9.20, mqi.md 4.1, channels.md 13."""

from __future__ import annotations

from .base import MQInt


class MQOT(MQInt):
    """Object type, mq-wire.md 9.11."""

    NONE = 0
    Q = 1
    NAMELIST = 2
    PROCESS = 3
    STORAGE_CLASS = 4
    Q_MGR = 5
    CHANNEL = 6
    AUTH_INFO = 7
    TOPIC = 8
    COMM_INFO = 9
    CF_STRUC = 10
    LISTENER = 11
    SERVICE = 12
    RESERVED_1 = 999
    ALL = 1001
    ALIAS_Q = 1002
    MODEL_Q = 1003
    LOCAL_Q = 1004
    REMOTE_Q = 1005
    SENDER_CHANNEL = 1007
    SERVER_CHANNEL = 1008
    REQUESTER_CHANNEL = 1009
    RECEIVER_CHANNEL = 1010
    CURRENT_CHANNEL = 1011
    SAVED_CHANNEL = 1012
    SVRCONN_CHANNEL = 1013
    CLNTCONN_CHANNEL = 1014
    SHORT_CHANNEL = 1015
    CHLAUTH = 1016
    REMOTE_Q_MGR_NAME = 1017
    PROT_POLICY = 1019
    TT_CHANNEL = 1020
    AMQP_CHANNEL = 1021
    AUTH_REC = 1022


class MQQT(MQInt):
    """Queue type, mq-wire.md 9.20."""

    LOCAL = 1
    MODEL = 2
    ALIAS = 3
    REMOTE = 6
    CLUSTER = 7
    ALL = 1001


class MQQDT(MQInt):
    """Queue definition type."""

    PREDEFINED = 1
    PERMANENT_DYNAMIC = 2
    TEMPORARY_DYNAMIC = 3
    SHARED_DYNAMIC = 4


class MQUS(MQInt):
    """Usage of a local queue."""

    NORMAL = 0
    TRANSMISSION = 1


class MQQA_GET(MQInt):
    """Whether gets are allowed (GET attribute)."""

    ALLOWED = 0
    INHIBITED = 1


class MQQA_PUT(MQInt):
    """Whether puts are allowed (PUT attribute)."""

    ALLOWED = 0
    INHIBITED = 1


class MQQA_SHARE(MQInt):
    """Shareability: whether several handles may have a queue open for input."""

    NOT_SHAREABLE = 0
    SHAREABLE = 1


class MQQA_BACKOUT(MQInt):
    """Whether the backout count survives a restart (HARDENBO)."""

    NOT_HARDENED = 0
    HARDENED = 1


class MQMDS(MQInt):
    """Message delivery sequence."""

    PRIORITY = 0
    FIFO = 1


class MQTT(MQInt):
    """Trigger type."""

    NONE = 0
    FIRST = 1
    EVERY = 2
    DEPTH = 3


class MQTC(MQInt):
    """Trigger control."""

    OFF = 0
    ON = 1


class MQBND(MQInt):
    """Default binding of cluster queues (DEFBIND)."""

    ON_OPEN = 0
    NOT_FIXED = 1
    ON_GROUP = 2


class MQDL(MQInt):
    """Distribution list support."""

    NOT_SUPPORTED = 0
    SUPPORTED = 1


class MQNT(MQInt):
    """Namelist type."""

    NONE = 0
    Q = 1
    CLUSTER = 2
    AUTH_INFO = 4
    ALL = 1001


class MQEVR(MQInt):
    """Whether events are generated."""

    DISABLED = 0
    ENABLED = 1
    EXCEPTION = 2
    NO_DISPLAY = 3
    API_ONLY = 4
    ADMIN_ONLY = 5
    USER_ONLY = 6


class MQMON(MQInt):
    """Monitoring level."""

    OFF = 0
    DISABLED = 0
    ON = 1
    ENABLED = 1
    LOW = 17
    MEDIUM = 33
    HIGH = 65
    NONE = -1
    NOT_AVAILABLE = -1
    Q_MGR = -3


class MQIAV(MQInt):
    """Special values of an integer attribute."""

    NOT_APPLICABLE = -1
    UNDEFINED = -2
