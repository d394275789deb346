"""Channel types, attributes and states, mq-wire.md 9.16, channels.md 1 to 3."""

from __future__ import annotations

from .base import MQInt


class MQCHT(MQInt):
    """Channel type, mq-wire.md 9.16."""

    SENDER = 1
    SERVER = 2
    RECEIVER = 3
    REQUESTER = 4
    ALL = 5
    CLNTCONN = 6
    SVRCONN = 7
    CLUSRCVR = 8
    CLUSSDR = 9
    MQTT = 10
    AMQP = 11


class MQXPT(MQInt):
    """Transport, mq-wire.md 9.16."""

    LOCAL = 0
    LU62 = 1
    TCP = 2
    NETBIOS = 3
    SPX = 4
    DECNET = 5
    UDP = 6
    ALL = -1


class MQNPMS(MQInt):
    """Speed of nonpersistent messages, mq-wire.md 9.16."""

    NORMAL = 1
    FAST = 2


class MQCDC(MQInt):
    """Whether the sender converts data, mq-wire.md 9.16."""

    NO_SENDER_CONVERSION = 0
    SENDER_CONVERSION = 1


class MQPA(MQInt):
    """Authority with which messages are put, mq-wire.md 9.16."""

    DEFAULT = 1
    CONTEXT = 2
    ONLY_MCA = 3
    ALTERNATE_OR_MCA = 4


class MQCOMPRESS(MQInt):
    """Compression technique, mq-wire.md 9.16. On the wire one byte, 0xFF for an unused entry."""

    NONE = 0
    RLE = 1
    ZLIBFAST = 2
    ZLIBHIGH = 4
    SYSTEM = 8
    LZ4FAST = 0x10
    LZ4HIGH = 0x20
    ANY = 0xFFFFFFF
    NOT_AVAILABLE = -1


class MQCHS(MQInt):
    """Channel status, channels.md 2."""

    INACTIVE = 0
    BINDING = 1
    STARTING = 2
    RUNNING = 3
    STOPPING = 4
    RETRYING = 5
    STOPPED = 6
    REQUESTING = 7
    PAUSED = 8
    DISCONNECTED = 9
    INITIALIZING = 13
    SWITCHING = 14


class MQCHSSTATE(MQInt):
    """Current activity of a channel (SUBSTATE), channels.md 2."""

    OTHER = 0
    END_OF_BATCH = 100
    SENDING = 200
    RECEIVING = 300
    SERIALIZING = 400
    RESYNCHING = 500
    HEARTBEATING = 600
    IN_SCYEXIT = 700
    IN_RCVEXIT = 800
    IN_SENDEXIT = 900
    IN_MSGEXIT = 1000
    IN_MREXIT = 1100
    IN_CHADEXIT = 1200
    NET_CONNECTING = 1250
    SSL_HANDSHAKING = 1300
    NAME_SERVER = 1400
    IN_MQPUT = 1500
    IN_MQGET = 1600
    IN_MQI_CALL = 1700
    COMPRESSING = 1800


class MQCHIDS(MQInt):
    """Indoubt status of a channel."""

    NOT_INDOUBT = 0
    INDOUBT = 1


class MQIDO(MQInt):
    """Resolution of an in-doubt channel, channels.md 5.5."""

    COMMIT = 1
    BACKOUT = 2


class MQMODE(MQInt):
    """Mode of a stop, channels.md 6.3."""

    FORCE = 0
    QUIESCE = 1
    TERMINATE = 2


class MQCHSR(MQInt):
    """Whether a stop was requested."""

    STOP_NOT_REQUESTED = 0
    STOP_REQUESTED = 1


class MQUSEDLQ(MQInt):
    """Whether the dead-letter queue is used, channels.md 8."""

    AS_PARENT = 1
    NO = 2
    YES = 3


class MQSCA(MQInt):
    """Whether TLS clients must present a certificate."""

    REQUIRED = 0
    OPTIONAL = 1
