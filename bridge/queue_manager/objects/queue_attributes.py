"""Attributes of queues: QLOCAL, QMODEL, QALIAS, QREMOTE (mqi.md 4.1, channels.md 12.1 and 17.3)."""

from __future__ import annotations

from mqbridge.protocol.constants import (
    MQBND,
    MQCA,
    MQDL,
    MQIA,
    MQMDS,
    MQOO,
    MQOT,
    MQQA_GET,
    MQQA_PUT,
    MQQDT,
    MQQT,
    MQREADA,
    MQTT,
    MQUS,
)

from .attributes import (
    DISABLED_ENABLED,
    ENABLED_DISABLED,
    IMAGE_RECOVERY,
    LEVELS,
    PERSISTENCE,
    PROPERTY_CONTROL,
    RESPONSES,
    SWITCHES,
    Attribute,
    DisplayField,
    Numbers,
    Table,
    integer,
    named,
    shown,
    switch,
    text,
    word,
)

MAX_MESSAGE_LENGTH = 104857600
"""Highest MAXMSGL of a queue, a channel or the queue manager, in bytes."""
MAX_DEPTH = 999999999
EXPIRY_LIMIT = 999999999
NO_LIMIT = -1
"""Value of CAPEXPRY(NOLIMIT), MAXFSIZE(DEFAULT) and other words for no limit."""

QUEUE_NAME = DisplayField("QUEUE", MQCA.Q_NAME)
QUEUE_TYPE = DisplayField(
    "TYPE",
    MQIA.Q_TYPE,
    {"QLOCAL": MQQT.LOCAL, "QMODEL": MQQT.MODEL, "QALIAS": MQQT.ALIAS, "QREMOTE": MQQT.REMOTE, "ALL": MQQT.ALL},
)
QUEUE_COUNTERS = (
    DisplayField("CURDEPTH", MQIA.CURRENT_Q_DEPTH),
    DisplayField("IPPROCS", MQIA.OPEN_INPUT_COUNT),
    DisplayField("OPPROCS", MQIA.OPEN_OUTPUT_COUNT),
)
"""Fields of DISPLAY QLOCAL that are not attributes of the definition."""

DATES = (shown("ALTDATE", MQCA.ALTERATION_DATE, 10), shown("ALTTIME", MQCA.ALTERATION_TIME, 8))
CREATED = (shown("CRDATE", MQCA.CREATION_DATE, 10), shown("CRTIME", MQCA.CREATION_TIME, 8))
DEFINITION_TYPES: Numbers = {
    "PREDEFINED": MQQDT.PREDEFINED,
    "PERMDYN": MQQDT.PERMANENT_DYNAMIC,
    "TEMPDYN": MQQDT.TEMPORARY_DYNAMIC,
}
_PROPERTY_CONTROL = word(
    "PROPCTL", MQIA.PROPERTY_CONTROL, PROPERTY_CONTROL, only=("COMPAT", "ALL", "FORCE", "NONE", "V6COMPAT")
)
"""In the order of IBM's documentation."""

_ANY = (
    text("DESCR", MQCA.Q_DESC, 64),
    text("CUSTOM", MQCA.CUSTOM, 128),
    word("PUT", MQIA.INHIBIT_PUT, {"ENABLED": MQQA_PUT.ALLOWED, "DISABLED": MQQA_PUT.INHIBITED}),
    integer("DEFPRTY", MQIA.DEF_PRIORITY, 0, 9, 0),
    word("DEFPSIST", MQIA.DEF_PERSISTENCE, PERSISTENCE),
    word("DEFPRESP", MQIA.DEF_PUT_RESPONSE_TYPE, RESPONSES),
    integer("CAPEXPRY", 0, 1, EXPIRY_LIMIT, NO_LIMIT, words={"NOLIMIT": NO_LIMIT}),
    *DATES,
)
_CLUSTERED = (
    named("CLUSTER", MQCA.CLUSTER_NAME),
    named("CLUSNL", MQCA.CLUSTER_NAMELIST),
    integer("CLWLPRTY", MQIA.CLWL_Q_PRIORITY, 0, 9, 0),
    integer("CLWLRANK", MQIA.CLWL_Q_RANK, 0, 9, 0),
    word("DEFBIND", MQIA.DEF_BIND, {"OPEN": MQBND.ON_OPEN, "NOTFIXED": MQBND.NOT_FIXED, "GROUP": MQBND.ON_GROUP}),
    word("SCOPE", MQIA.SCOPE, {"QMGR": 1, "CELL": 2}),
)
_GETTABLE = (
    word("GET", MQIA.INHIBIT_GET, {"ENABLED": MQQA_GET.ALLOWED, "DISABLED": MQQA_GET.INHIBITED}),
    word("DEFREADA", MQIA.DEF_READ_AHEAD, {"NO": MQREADA.NO, "YES": MQREADA.YES, "DISABLED": MQREADA.DISABLED}),
)


def _holding(sharing: bool) -> tuple[Attribute, ...]:
    """Attributes of local and model queues. `sharing`: default of SHARE."""
    return (
        word("ACCTQ", MQIA.ACCOUNTING_Q, SWITCHES, only=("QMGR", "OFF", "ON")),
        named("BOQNAME", MQCA.BACKOUT_REQ_Q_NAME),
        integer("BOTHRESH", MQIA.BACKOUT_THRESHOLD, 0, 999999999, 0),
        word(
            "DEFSOPT",
            MQIA.DEF_INPUT_OPEN_OPTION,
            {"SHARED": MQOO.INPUT_SHARED, "EXCL": MQOO.INPUT_EXCLUSIVE},
            default="SHARED" if sharing else "EXCL",
        ),
        word("DISTL", MQIA.DIST_LISTS, {"NO": MQDL.NOT_SUPPORTED, "YES": MQDL.SUPPORTED}),
        switch("HARDENBO", MQIA.HARDEN_GET_BACKOUT, False),
        word("IMGRCOVQ", MQIA.MEDIA_IMAGE_RECOVER_Q, IMAGE_RECOVERY),
        named("INITQ", MQCA.INITIATION_Q_NAME),
        integer("MAXDEPTH", MQIA.MAX_Q_DEPTH, 0, MAX_DEPTH, 5000),
        integer("MAXFSIZE", MQIA.MAX_Q_FILE_SIZE, 20, 267386880, NO_LIMIT, words={"DEFAULT": NO_LIMIT}, inquired=False),
        integer("MAXMSGL", MQIA.MAX_MSG_LENGTH, 0, MAX_MESSAGE_LENGTH, 4194304),
        word("MONQ", MQIA.MONITORING_Q, LEVELS, only=("QMGR", "OFF", "LOW", "MEDIUM", "HIGH")),
        word("MSGDLVSQ", MQIA.MSG_DELIVERY_SEQUENCE, {"PRIORITY": MQMDS.PRIORITY, "FIFO": MQMDS.FIFO}),
        word("NPMCLASS", MQIA.NPM_CLASS, {"NORMAL": 0, "HIGH": 10}),
        named("PROCESS", MQCA.PROCESS_NAME),
        _PROPERTY_CONTROL,
        integer("QDEPTHHI", MQIA.Q_DEPTH_HIGH_LIMIT, 0, 100, 80),
        integer("QDEPTHLO", MQIA.Q_DEPTH_LOW_LIMIT, 0, 100, 20),
        word("QDPHIEV", MQIA.Q_DEPTH_HIGH_EVENT, DISABLED_ENABLED),
        word("QDPLOEV", MQIA.Q_DEPTH_LOW_EVENT, DISABLED_ENABLED),
        word("QDPMAXEV", MQIA.Q_DEPTH_MAX_EVENT, ENABLED_DISABLED),
        word("QSVCIEV", MQIA.Q_SERVICE_INTERVAL_EVENT, {"NONE": 0, "HIGH": 1, "OK": 2}),
        integer("QSVCINT", MQIA.Q_SERVICE_INTERVAL, 0, 999999999, 999999999),
        integer("RETINTVL", MQIA.RETENTION_INTERVAL, 0, 999999999, 999999999),
        switch("SHARE", MQIA.SHAREABILITY, sharing),
        word("STATQ", MQIA.STATISTICS_Q, SWITCHES, only=("QMGR", "OFF", "ON")),
        named("STREAMQ", 0),
        word("STRMQOS", 0, {"BESTEF": 0, "MUSTDUP": 1}),
        text("TRIGDATA", MQCA.TRIGGER_DATA, 64),
        integer("TRIGDPTH", MQIA.TRIGGER_DEPTH, 1, 999999999, 1),
        switch("TRIGGER", MQIA.TRIGGER_CONTROL, False),
        integer("TRIGMPRI", MQIA.TRIGGER_MSG_PRIORITY, 0, 9, 0),
        word(
            "TRIGTYPE",
            MQIA.TRIGGER_TYPE,
            {"FIRST": MQTT.FIRST, "EVERY": MQTT.EVERY, "DEPTH": MQTT.DEPTH, "NONE": MQTT.NONE},
        ),
        word("USAGE", MQIA.USAGE, {"NORMAL": MQUS.NORMAL, "XMITQ": MQUS.TRANSMISSION}),
    )


QLOCAL = Table(
    (
        *_ANY,
        *_CLUSTERED,
        *_GETTABLE,
        *_holding(sharing=True),
        *CREATED,
        text("CLCHNAME", MQCA.CLUS_CHL_NAME, 20),
        word("CLWLUSEQ", MQIA.CLWL_USEQ, {"QMGR": -3, "ANY": 1, "LOCAL": 0}),
        shown("DEFTYPE", MQIA.DEFINITION_TYPE, 48, "PREDEFINED", DEFINITION_TYPES),
    )
)
"""DEFTYPE of a local queue: PREDEFINED, PERMDYN or TEMPDYN."""

QMODEL = Table(
    (
        *_ANY,
        *_GETTABLE,
        *_holding(sharing=False),
        *CREATED,
        word("DEFTYPE", MQIA.DEFINITION_TYPE, DEFINITION_TYPES, only=("TEMPDYN", "PERMDYN")),
    )
)

QALIAS = Table(
    (
        *_ANY,
        *_CLUSTERED,
        *_GETTABLE,
        named("TARGET", MQCA.BASE_OBJECT_NAME, "", "TARGQ"),
        word("TARGTYPE", MQIA.BASE_TYPE, {"QUEUE": MQOT.Q, "TOPIC": MQOT.TOPIC}),
        _PROPERTY_CONTROL,
    )
)

QREMOTE = Table(
    (
        *_ANY,
        *_CLUSTERED,
        named("RNAME", MQCA.REMOTE_Q_NAME),
        named("RQMNAME", MQCA.REMOTE_Q_MGR_NAME),
        named("XMITQ", MQCA.XMIT_Q_NAME),
    )
)
