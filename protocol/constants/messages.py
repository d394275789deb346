"""Values of the message descriptor, mq-wire.md 9.4 to 9.7."""

from __future__ import annotations

from .base import MQFlags, MQInt
from .reason_codes import MQRC


class MQMT(MQInt):
    """Message type, mq-wire.md 9.4."""

    REQUEST = 1
    SYSTEM_FIRST = 1
    REPLY = 2
    REPORT = 4
    DATAGRAM = 8
    MQE_FIELDS_FROM_MQE = 112
    MQE_FIELDS = 113
    SYSTEM_LAST = 65535
    APPL_FIRST = 65536
    APPL_LAST = 999999999


class MQPER(MQInt):
    """Persistence, mq-wire.md 9.4."""

    NOT_PERSISTENT = 0
    PERSISTENT = 1
    PERSISTENCE_AS_Q_DEF = 2
    PERSISTENCE_AS_TOPIC_DEF = 2
    AS_Q_DEF = 2
    AS_TOPIC_DEF = 2
    PERSISTENCE_AS_PARENT = -1
    AS_PARENT = -1


class MQPRI(MQInt):
    """Special values of Priority, otherwise 0 to 9, mq-wire.md 9.4."""

    PRIORITY_AS_Q_DEF = -1
    PRIORITY_AS_TOPIC_DEF = -1
    AS_Q_DEF = -1
    AS_TOPIC_DEF = -1
    PRIORITY_AS_PARENT = -2
    AS_PARENT = -2
    PRIORITY_AS_PUBLISHED = -3
    AS_PUBLISHED = -3


class MQEI(MQInt):
    """Special values of Expiry, otherwise tenths of a second, mq-wire.md 9.4."""

    UNLIMITED = -1


class MQOL(MQInt):
    """Special values of OriginalLength of a segmented message, mq-wire.md 9.7."""

    UNDEFINED = -1


class MQRO(MQFlags):
    """Report options, mq-wire.md 9.5."""

    NONE = 0x00000000
    NEW_MSG_ID = 0x00000000
    COPY_MSG_ID_TO_CORREL_ID = 0x00000000
    DEAD_LETTER_Q = 0x00000000
    PAN = 0x00000001
    NAN = 0x00000002
    ACTIVITY = 0x00000004
    PASS_CORREL_ID = 0x00000040
    PASS_MSG_ID = 0x00000080
    COA = 0x00000100
    COA_WITH_DATA = 0x00000300
    COA_WITH_FULL_DATA = 0x00000700
    COD = 0x00000800
    COD_WITH_DATA = 0x00001800
    COD_WITH_FULL_DATA = 0x00003800
    PASS_DISCARD_AND_EXPIRY = 0x00004000
    ACCEPT_UNSUP_IF_XMIT_MASK = 0x0003FF00
    EXPIRATION = 0x00200000
    EXPIRATION_WITH_DATA = 0x00600000
    EXPIRATION_WITH_FULL_DATA = 0x00E00000
    EXCEPTION = 0x01000000
    EXCEPTION_WITH_DATA = 0x03000000
    EXCEPTION_WITH_FULL_DATA = 0x07000000
    DISCARD_MSG = 0x08000000
    REJECT_UNSUP_MASK = 0x101C0000
    ACCEPT_UNSUP_MASK = 0xEFE000FF


class MQFB(MQInt):
    """Feedback, mq-wire.md 9.6. A report may carry an MQRC instead, see :func:`feedback_name`."""

    NONE = 0
    SYSTEM_FIRST = 1
    QUIT = 256
    EXPIRATION = 258
    COA = 259
    COD = 260
    CHANNEL_COMPLETED = 262
    CHANNEL_FAIL_RETRY = 263
    CHANNEL_FAIL = 264
    APPL_CANNOT_BE_STARTED = 265
    TM_ERROR = 266
    APPL_TYPE_ERROR = 267
    STOPPED_BY_MSG_EXIT = 268
    ACTIVITY = 269
    XMIT_Q_MSG_ERROR = 271
    PAN = 275
    NAN = 276
    STOPPED_BY_CHAD_EXIT = 277
    STOPPED_BY_PUBSUB_EXIT = 279
    NOT_A_REPOSITORY_MSG = 280
    BIND_OPEN_CLUSRCVR_DEL = 281
    MAX_ACTIVITIES = 282
    NOT_FORWARDED = 283
    NOT_DELIVERED = 284
    UNSUPPORTED_FORWARDING = 285
    UNSUPPORTED_DELIVERY = 286
    DATA_LENGTH_ZERO = 291
    DATA_LENGTH_NEGATIVE = 292
    DATA_LENGTH_TOO_BIG = 293
    BUFFER_OVERFLOW = 294
    LENGTH_OFF_BY_ONE = 295
    IIH_ERROR = 296
    NOT_AUTHORIZED_FOR_IMS = 298
    IMS_ERROR = 300
    IMS_FIRST = 301
    IMS_LAST = 399
    CICS_INTERNAL_ERROR = 401
    CICS_NOT_AUTHORIZED = 402
    CICS_BRIDGE_FAILURE = 403
    CICS_CORREL_ID_ERROR = 404
    CICS_CCSID_ERROR = 405
    CICS_ENCODING_ERROR = 406
    CICS_CIH_ERROR = 407
    CICS_UOW_ERROR = 408
    CICS_COMMAREA_ERROR = 409
    CICS_APPL_NOT_STARTED = 410
    CICS_APPL_ABENDED = 411
    CICS_DLQ_ERROR = 412
    CICS_UOW_BACKED_OUT = 413
    PUBLICATIONS_ON_REQUEST = 501
    SUBSCRIBER_IS_PUBLISHER = 502
    MSG_SCOPE_MISMATCH = 503
    SELECTOR_MISMATCH = 504
    NOT_A_GROUPUR_MSG = 505
    IMS_NACK_1A_REASON_FIRST = 600
    IMS_NACK_1A_REASON_LAST = 855
    SYSTEM_LAST = 65535
    APPL_FIRST = 65536
    APPL_LAST = 999999999


class MQMF(MQFlags):
    """Message flags, mq-wire.md 9.7."""

    NONE = 0x00000000
    SEGMENTATION_INHIBITED = 0x00000000
    SEGMENTATION_ALLOWED = 0x00000001
    SEGMENT = 0x00000002
    LAST_SEGMENT = 0x00000004
    MSG_IN_GROUP = 0x00000008
    LAST_MSG_IN_GROUP = 0x00000010
    REJECT_UNSUP_MASK = 0x00000FFF
    ACCEPT_UNSUP_IF_XMIT_MASK = 0x000FF000
    ACCEPT_UNSUP_MASK = 0xFFF00000


def reason_name(value: int) -> str:
    """Return the name of a reason code (MQRC, MQRCCF), or the number."""
    if MQRC(value).known:
        return str(MQRC(value))
    from .command_reasons import MQRCCF  # of administration

    return str(MQRCCF(value)) if MQRCCF(value).known else str(int(value))


def feedback_name(value: int) -> str:
    """Return the name of a feedback or dead-letter reason (MQFB, MQRC, MQRCCF), or the number."""
    return str(MQFB(value)) if MQFB(value).known else reason_name(value)
