"""Capabilities and errors of INITIAL_DATA, mq-wire.md 5.1."""

from __future__ import annotations

from .base import WireFlags


class CapFlags1(WireFlags):
    """Capabilities, first byte; in ECapFlags1 the same bits name those refused, mq-wire.md 5.1."""

    NONE = 0x00
    MSG_SEQ = 0x01
    CONVERSION_CAPABLE = 0x02
    SPLIT_MESSAGE = 0x04
    REQUEST_INITIATION = 0x08
    REQUEST_SECURITY = 0x10
    MQREQUEST = 0x20
    SVRCONN_SECURITY = 0x40
    RUNTIME = 0x80


class CapFlags2(WireFlags):
    """Capabilities, second byte, from FAP level 4 on, mq-wire.md 5.1."""

    NONE = 0x00
    DIST_LIST_CAPABLE = 0x01
    FAST_MESSAGES_REQUIRED = 0x02
    RESPONDER_CONVERSION = 0x04
    DUAL_UOW = 0x08
    XAREQUEST = 0x10
    XARUNTIME_APP = 0x20
    SPIREQUEST = 0x40
    TRACE_ROUTE_CAPABLE = 0x80


class CapFlags3(WireFlags):
    """Capabilities, third byte, from FAP level 9 on, mq-wire.md 5.1."""

    NONE = 0x00
    MSG_PROP_CAPABLE = 0x01
    MULTICAST_CAPABLE = 0x02
    MSG_PROP_INT_SEPARATE = 0x04
    MULTIPLEX_SYNCGET = 0x08
    PROT_ALGORITHMS = 0x10
    GEN_CONNTAG_CAP = 0x20


class InitErrFlags1(WireFlags):
    """What the responder changed or refused, first byte, mq-wire.md 5.1."""

    NONE = 0x00
    CCSID_NOT_SUPPORTED = 0x01
    ENCODING_INVALID = 0x02
    MAX_TRANSMISSION_SIZE = 0x04
    FAP_LEVEL = 0x08
    MAX_MSG_SIZE = 0x10
    MAX_MSG_PER_BATCH = 0x20
    SEQ_WRAP_VALUE = 0x40
    HEARTBEAT_INTERVAL = 0x80


class InitErrFlags2(WireFlags):
    """What the responder changed or refused, second byte, from FAP level 8 on, mq-wire.md 5.1."""

    NONE = 0x00
    HDRCOMPLIST = 0x01
    MSGCOMPLIST = 0x02
    SSL_RESET = 0x04
