"""Values of message properties, mq-wire.md 9.4 and mqi.md 15."""

from __future__ import annotations

from .base import MQFlags, MQInt


class MQPROP(MQInt):
    """Property control: treatment of message properties by a get, mq-wire.md 9.4."""

    COMPATIBILITY = 0
    NONE = 1
    ALL = 2
    FORCE_MQRFH2 = 3
    V6COMPAT = 4


class MQTYPE(MQInt):
    """Property type, mqi.md 15.3."""

    AS_SET = 0
    NULL = 2
    BOOLEAN = 4
    BYTE_STRING = 8
    INT8 = 0x10
    INT16 = 0x20
    INT32 = 0x40
    LONG = 0x40
    INT64 = 0x80
    FLOAT32 = 0x100
    FLOAT64 = 0x200
    STRING = 0x400


class MQPD(MQFlags):
    """Property support: whether a property must be understood, mqi.md 15.3."""

    NONE = 0
    SUPPORT_OPTIONAL = 1
    SUPPORT_REQUIRED_IF_LOCAL = 0x400
    SUPPORT_REQUIRED = 0x100000


class MQCOPY(MQFlags):
    """Property copy options: messages into which a property is copied, mqi.md 15.3."""

    NONE = 0
    ALL = 1
    FORWARD = 2
    PUBLISH = 4
    REPLY = 8
    REPORT = 0x10
    DEFAULT = 0x16
