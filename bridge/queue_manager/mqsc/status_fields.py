"""Fields of status displays: the fields of each in order, and which of them are always shown.

Numbers are those of PCF (channels.md 17.4). Fields without one are not in PCF replies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mqbridge.bridge.queue_manager.objects import DisplayField, Numbers
from mqbridge.bridge.queue_manager.objects.attributes import NO_YES, OBJECT_TYPES
from mqbridge.bridge.queue_manager.objects.channel_attributes import CHANNELS
from mqbridge.bridge.queue_manager.objects.queue_attributes import QLOCAL, QUEUE_COUNTERS
from mqbridge.bridge.queue_manager.objects.security_attributes import AUTHREC
from mqbridge.bridge.queue_manager.objects.service_attributes import LISTENER_NAME, LISTENERS, SERVICE, SERVICE_NAME
from mqbridge.bridge.queue_manager.objects.topic_attributes import SUB, TOPIC
from mqbridge.protocol.constants import (
    MQAT,
    MQBACF,
    MQCA,
    MQCACF,
    MQCACH,
    MQCHIDS,
    MQCHS,
    MQCHSR,
    MQCHSSTATE,
    MQIA,
    MQIACF,
    MQIACH,
    MQREADA,
)


@dataclass(frozen=True, slots=True)
class StatusTable:
    """One display. `amq`: message id of each row. `key`: fields always shown. `others`: fields shown on request."""

    amq: str
    key: tuple[DisplayField, ...]
    others: tuple[DisplayField, ...]

    @property
    def fields(self) -> tuple[DisplayField, ...]:
        """All fields in order."""
        return self.key + self.others


def _fields(**identifiers: int) -> tuple[DisplayField, ...]:
    """Fields whose values are numbers, texts or byte strings, not words."""
    return tuple(DisplayField(name, identifier) for name, identifier in identifiers.items())


def _sorted(amq: str, key: tuple[DisplayField, ...], *others: DisplayField) -> StatusTable:
    """A display with its other fields in alphabetical order."""
    return StatusTable(amq, key, tuple(sorted(others, key=lambda field: field.name)))


_SUBSTATES: Final[Numbers] = {
    "ENDOFBATCH": MQCHSSTATE.END_OF_BATCH,
    "SEND": MQCHSSTATE.SENDING,
    "RECEIVE": MQCHSSTATE.RECEIVING,
    "SERIALIZE": MQCHSSTATE.SERIALIZING,
    "RESYNCH": MQCHSSTATE.RESYNCHING,
    "HEARTBEAT": MQCHSSTATE.HEARTBEATING,
    "NETCONNECT": MQCHSSTATE.NET_CONNECTING,
    "INMQPUT": MQCHSSTATE.IN_MQPUT,
    "INMQGET": MQCHSSTATE.IN_MQGET,
    "INMQI": MQCHSSTATE.IN_MQI_CALL,
}
_PROTOCOLS: Final[Numbers] = {"NONE": 0, "SSLV30": 1, "TLSV1": 2, "TLSV12": 4, "TLSV13": 8}
"""MQSECPROT (tls.md T-09)."""
_SENDER: Final = CHANNELS["SDR"]
_PARTNER: Final = (*_fields(CHANNEL=MQCACH.CHANNEL_NAME), *_SENDER.rows("CHLTYPE", "CONNAME"))
_REMOTE: Final = DisplayField("RQMNAME", MQCA.REMOTE_Q_MGR_NAME)
_BATCH: Final = (
    *_fields(CURLUWID=MQCACH.CURRENT_LUWID, CURMSGS=MQIACH.CURRENT_MSGS, CURSEQNO=MQIACH.CURRENT_SEQ_NUMBER),
    DisplayField("INDOUBT", MQIACH.INDOUBT_STATUS, {"NO": MQCHIDS.NOT_INDOUBT, "YES": MQCHIDS.INDOUBT}),
    *_fields(LSTLUWID=MQCACH.LAST_LUWID, LSTSEQNO=MQIACH.LAST_SEQ_NUMBER),
)

CHANNEL_STATUS: Final = StatusTable(
    "AMQ8417",
    (
        *_PARTNER,
        DisplayField("CURRENT"),
        DisplayField("SAVED"),
        _REMOTE,
        DisplayField("STATUS", MQIACH.CHANNEL_STATUS, {str(each).removeprefix("MQCHS_"): each for each in MQCHS}),
        DisplayField("SUBSTATE", MQIACH.CHANNEL_SUBSTATE, _SUBSTATES),
        *_SENDER.rows("XMITQ"),
        DisplayField("STOPREQ", MQIACH.STOP_REQUESTED, {"NO": MQCHSR.STOP_NOT_REQUESTED, "YES": MQCHSR.STOP_REQUESTED}),
    ),
    (
        *_BATCH,
        *_fields(BATCHES=MQIACH.BATCHES),
        *_SENDER.rows("BATCHSZ"),
        *_fields(BUFSRCVD=MQIACH.BUFFERS_RECEIVED, BUFSSENT=MQIACH.BUFFERS_SENT),
        *_fields(BYTSRCVD=MQIACH.BYTES_RECEIVED, BYTSSENT=MQIACH.BYTES_SENT),
        *_fields(CHSTADA=MQCACH.CHANNEL_START_DATE, CHSTATI=MQCACH.CHANNEL_START_TIME),
        *_SENDER.rows("COMPHDR", "COMPMSG"),
        *_fields(COMPRATE=MQIACH.COMPRESSION_RATE, COMPTIME=MQIACH.COMPRESSION_TIME),
        *_SENDER.rows("HBINT", "KAINT"),
        *_fields(JOBNAME=MQCACH.MCA_JOB_NAME),
        *_fields(LONGRTS=MQIACH.LONG_RETRIES_LEFT, SHORTRTS=MQIACH.SHORT_RETRIES_LEFT),
        *_fields(LSTMSGDA=MQCACH.LAST_MSG_DATE, LSTMSGTI=MQCACH.LAST_MSG_TIME),
        DisplayField("MCASTAT", MQIACH.MCA_STATUS, {"STOPPED": 0, "RUNNING": 3}),
        *CHANNELS["RCVR"].rows("MCAUSER"),
        *_fields(MSGS=MQIACH.MSGS),
        *_SENDER.rows("NPMSPEED", "MAXMSGL", "MONCHL"),
        *_fields(SSLPEER=MQCACH.SSL_SHORT_PEER_NAME),
        *_fields(SSLCERTI=MQCACH.SSL_CERT_ISSUER_NAME, SSLCERTU=MQCACH.SSL_CERT_USER_ID),
        *_SENDER.rows("SSLCIPH"),
        *_fields(SSLKEYDA=MQCACH.SSL_KEY_RESET_DATE, SSLKEYTI=MQCACH.SSL_KEY_RESET_TIME),
        *_fields(SSLRKEYS=MQIACH.SSL_KEY_RESETS),
        *_SENDER.rows("LOCLADDR"),
        *_fields(PORT=MQIACH.PORT_NUMBER),
        *_fields(RVERSION=MQCACH.REMOTE_VERSION, RPRODUCT=MQCACH.REMOTE_PRODUCT, RAPPLTAG=MQCACH.REMOTE_APPL_TAG),
        *_fields(CURSHCNV=MQIACH.CURRENT_SHARING_CONVS, MAXSHCNV=MQIACH.MAX_SHARING_CONVS),
        *_fields(EXITTIME=MQIACH.EXIT_TIME_INDICATOR, NETTIME=MQIACH.NETWORK_TIME_INDICATOR),
        *_fields(XBATCHSZ=MQIACH.BATCH_SIZE_INDICATOR),
        *_fields(XQMSGSA=MQIACH.XMITQ_MSGS_AVAILABLE, XQTIME=MQIACH.XMITQ_TIME_INDICATOR),
        DisplayField("SECPROT", MQIACH.SECURITY_PROTOCOL, _PROTOCOLS),
    ),
)
CHANNEL_SAVED: Final = StatusTable(
    "AMQ8417", (*_PARTNER, DisplayField("SAVED"), _REMOTE, *_SENDER.rows("XMITQ")), _BATCH
)

_PROGRAM: Final = (
    *_fields(APPLDESC=MQCACF.APPL_DESC, APPLTAG=MQCACF.APPL_TAG),
    DisplayField("APPLTYPE", MQIA.APPL_TYPE, {"SYSTEM": MQAT.SYSTEM_EXTENSION, "USER": MQAT.USER}),
    DisplayField(
        "ASTATE",
        MQIACF.ASYNC_STATE,
        {"NONE": 0, "ACTIVE": 1, "INACTIVE": 2, "SUSPENDED": 3, "STARTED": 4, "STOPPED": 6},
    ),
    *_fields(CHANNEL=MQCACH.CHANNEL_NAME, CONNAME=MQCACH.CONNECTION_NAME),
    DisplayField("HSTATE", MQIACF.HANDLE_STATE, {"INACTIVE": 0, "ACTIVE": 1}),
    *_fields(PID=MQIACF.PROCESS_ID, TID=MQIACF.THREAD_ID, USERID=MQCACF.USER_IDENTIFIER),
    DisplayField("QMURID"),
    DisplayField("URTYPE", MQIACF.UOW_TYPE, {"QMGR": 0, "CICS": 1, "RRS": 2, "IMS": 3, "XA": 4}),
)
_QUEUE_KEY: Final = (
    DisplayField("QUEUE", MQCA.Q_NAME),
    DisplayField("TYPE", MQIACF.Q_STATUS_TYPE, {"QUEUE": MQIACF.Q_STATUS, "HANDLE": MQIACF.Q_HANDLE}),
)
QUEUE_STATUS: Final = _sorted(
    "AMQ8450",
    (*_QUEUE_KEY, QUEUE_COUNTERS[0]),
    *QUEUE_COUNTERS[1:],
    *_fields(LGETDATE=MQCACF.LAST_GET_DATE, LGETTIME=MQCACF.LAST_GET_TIME),
    *_fields(LPUTDATE=MQCACF.LAST_PUT_DATE, LPUTTIME=MQCACF.LAST_PUT_TIME),
    *_fields(MEDIALOG=MQCACF.MEDIA_LOG_EXTENT_NAME, MSGAGE=MQIACF.OLDEST_MSG_AGE, QTIME=MQIACF.Q_TIME_INDICATOR),
    *_fields(UNCOM=MQIACF.UNCOMMITTED_MSGS),
    *QLOCAL.rows("MONQ"),
)
HANDLE_STATUS: Final = _sorted(
    "AMQ8450",
    _QUEUE_KEY,
    *_PROGRAM,
    DisplayField("BROWSE", MQIACF.OPEN_BROWSE, NO_YES),
    DisplayField("INPUT", MQIACF.OPEN_INPUT_TYPE, {"NO": 0, "SHARED": 1, "EXCL": 2}),
    DisplayField("INQUIRE", MQIACF.OPEN_INQUIRE, NO_YES),
    DisplayField("OUTPUT", MQIACF.OPEN_OUTPUT, NO_YES),
    DisplayField("SET", MQIACF.OPEN_SET, NO_YES),
    DisplayField("URID"),
)
QUEUE_STATISTICS: Final = _sorted(
    "AMQ8450",
    (*_fields(QSTATS=MQCA.Q_NAME), DisplayField("QTYPE")),
    *_fields(HIQDEPTH=MQIA.HIGH_Q_DEPTH, MSGSIN=MQIA.MSG_ENQ_COUNT, MSGSOUT=MQIA.MSG_DEQ_COUNT),
    *_fields(RESETINT=MQIA.TIME_SINCE_RESET),
)
CONNECTIONS: Final = _sorted(
    "AMQ8276",
    (
        DisplayField("CONN", MQBACF.CONNECTION_ID),  # the whole id: EXTCONN and CONN of the display, 24 bytes
        DisplayField("EXTCONN"),
        DisplayField(
            "TYPE",
            MQIACF.CONN_INFO_TYPE,
            {"CONN": MQIACF.CONN_INFO_CONN, "HANDLE": MQIACF.CONN_INFO_HANDLE, "ALL": MQIACF.CONN_INFO_ALL},
        ),
    ),
    *_PROGRAM,
    *_fields(CLIENTID=MQCACH.CLIENT_ID, CONNOPTS=MQIACF.CONNECT_OPTIONS, CONNTAG=MQBACF.CONN_TAG),
    DisplayField("EXTURID"),
    *_fields(OBJNAME=MQCACF.OBJECT_NAME, OPENOPTS=MQIACF.OPEN_OPTIONS),
    DisplayField("OBJTYPE", MQIACF.OBJECT_TYPE, OBJECT_TYPES),
    DisplayField("READA", MQIA.READ_AHEAD, {"NO": MQREADA.NO, "YES": MQREADA.YES}),
    *_fields(UOWLOG=MQCACF.UOW_LOG_EXTENT_NAME),
    *_fields(UOWLOGDA=MQCACF.UOW_LOG_START_DATE, UOWLOGTI=MQCACF.UOW_LOG_START_TIME),
    DisplayField("UOWSTATE", MQIACF.UOW_STATE, {"NONE": 0, "ACTIVE": 1, "PREPARED": 2, "UNRESOLVED": 3}),
    *_fields(UOWSTDA=MQCACF.UOW_START_DATE, UOWSTTI=MQCACF.UOW_START_TIME),
)
_RUNNING: Final[Numbers] = {"STOPPED": 0, "STARTING": 1, "RUNNING": 2, "STOPPING": 3}
_PID: Final = DisplayField("PID", MQIACF.PROCESS_ID)
LISTENER_STATUS: Final = _sorted(
    "AMQ8631",
    (LISTENER_NAME, DisplayField("STATUS", MQIACH.LISTENER_STATUS, _RUNNING), _PID),
    *LISTENERS["TCP"].rows("BACKLOG", "CONTROL", "DESCR", "IPADDR", "PORT", "TRPTYPE"),
    *_fields(STARTDA=MQCACH.LISTENER_START_DATE, STARTTI=MQCACH.LISTENER_START_TIME),
)
SERVICE_STATUS: Final = _sorted(
    "AMQ8632",
    (SERVICE_NAME, DisplayField("STATUS", MQIACF.SERVICE_STATUS, _RUNNING), _PID),
    *SERVICE.rows("CONTROL", "DESCR", "SERVTYPE"),
    *SERVICE.rows("STARTARG", "STARTCMD", "STDERR", "STDOUT", "STOPARG", "STOPCMD"),
    *_fields(STARTDA=MQCACF.SERVICE_START_DATE, STARTTI=MQCACF.SERVICE_START_TIME),
)
QUEUE_MANAGER_STATUS: Final = _sorted(
    "AMQ8705",
    (
        DisplayField("QMNAME", MQCA.Q_MGR_NAME),
        DisplayField("STATUS", MQIACF.Q_MGR_STATUS, {"STARTING": 1, "RUNNING": 2, "QUIESCING": 3}),
        DisplayField("CHINIT", MQIACF.CHINIT_STATUS, _RUNNING),
        DisplayField("CMDSERV", MQIACF.CMD_SERVER_STATUS, _RUNNING),
    ),
    *_fields(CONNS=MQIACF.CONNECTION_COUNT),
    DisplayField("STANDBY", MQIACF.PERMIT_STANDBY, {"NOPERMIT": 0, "PERMIT": 1}),
    *_fields(STARTDA=MQCACF.Q_MGR_START_DATE, STARTTI=MQCACF.Q_MGR_START_TIME),
)

_APPLICATION_KEY: Final = (
    DisplayField("APPLNAME", MQCACF.APPL_NAME),
    DisplayField(
        "TYPE",
        MQIACF.APPL_INFO_TYPE,
        {"APPL": MQIACF.APPL_INFO_APPL, "QMGR": MQIACF.APPL_INFO_QMGR, "LOCAL": MQIACF.APPL_INFO_LOCAL},
    ),
)
_COUNTS: Final = _fields(COUNT=MQIACF.APPL_COUNT, MOVCOUNT=MQIACF.MOVABLE_APPL_COUNT)
_APPLICATIONS: Final = (
    *_fields(CLUSTER=MQCA.CLUSTER_NAME),
    *_COUNTS,
    DisplayField("BALANCED", MQIACF.BALANCED, {"NO": 0, "YES": 1, "NOTAPPLIC": 2, "UNKNOWN": 3}),
)
_BY_QUEUE_MANAGER: Final = (
    DisplayField("ACTIVE", MQIACF.REMOTE_QMGR_ACTIVE, NO_YES),
    *_COUNTS,
    DisplayField("BALSTATE", MQIACF.BALSTATE, {"NOTAPPLIC": 0, "LOW": 1, "OK": 2, "HIGH": 3, "UNKNOWN": 4}),
    *_fields(LMSGDATE=MQCACF.LAST_MSG_DATE, LMSGTIME=MQCACF.LAST_MSG_TIME),
    *_fields(QMNAME=MQCA.Q_MGR_NAME, QMID=MQCA.Q_MGR_IDENTIFIER),
)
_INSTANCES: Final = (
    *_fields(CONNTAG=MQBACF.CONN_TAG, CONNS=MQIACF.CONNECTION_COUNT),
    *_fields(IMMCOUNT=MQIACF.APPL_IMMOVABLE_COUNT, IMMDATE=MQCACF.APPL_IMMOVABLE_DATE),
    DisplayField("IMMREASN", MQIACF.APPL_IMMOVABLE_REASON, {"NONE": 0, "NOTCLIENT": 1, "NOTRECONN": 2}),
    *_fields(IMMTIME=MQCACF.APPL_IMMOVABLE_TIME),
    DisplayField("MOVABLE", MQIACF.APPL_MOVABLE, NO_YES),
)
APPLICATION_STATUS: Final = {
    kind: StatusTable("AMQ8932", _APPLICATION_KEY, others)
    for kind, others in (("APPL", _APPLICATIONS), ("QMGR", _BY_QUEUE_MANAGER), ("LOCAL", _INSTANCES))
}
"""DISPLAY APSTATUS by TYPE."""

_SUBSCRIPTION: Final = (
    *SUB.rows("SUBID", "DURABLE", "SUBTYPE", "SUBUSER"),
    *_fields(LMSGDATE=MQCACF.LAST_MSG_DATE, LMSGTIME=MQCACF.LAST_MSG_TIME, NUMMSGS=MQIACF.MESSAGE_COUNT),
    *_fields(RESMDATE=MQCA.RESUME_DATE, RESMTIME=MQCA.RESUME_TIME),
)
SUBSCRIPTION_STATUS: Final = _sorted(
    "AMQ8099", (DisplayField("SUB", MQCACF.SUB_NAME), _SUBSCRIPTION[0]), *_SUBSCRIPTION[1:]
)
_TOPIC_KEY: Final = (
    DisplayField("TOPICSTR", MQCA.TOPIC_STRING),
    DisplayField(
        "TYPE",
        MQIACF.TOPIC_STATUS_TYPE,
        {"TOPIC": MQIACF.TOPIC_STATUS, "SUB": MQIACF.TOPIC_SUB, "PUB": MQIACF.TOPIC_PUB},
    ),
)
_TOPIC: Final = (
    *TOPIC.rows("DEFPRESP", "DEFPRTY", "DEFPSIST", "DURSUB", "MCAST", "MDURMDL", "MNDURMDL", "NPMSGDLV", "PMSGDLV"),
    *TOPIC.rows("PUB", "PUBSCOPE", "SUB", "SUBSCOPE", "USEDLQ"),
    *_fields(ADMIN=MQCA.ADMIN_TOPIC_NAME, PUBCOUNT=MQIA.PUB_COUNT, SUBCOUNT=MQIA.SUB_COUNT),
    DisplayField("RETAINED", MQIACF.RETAINED_PUBLICATION, NO_YES),
)
TOPIC_STATUS: Final = {
    "TOPIC": _sorted("AMQ8754", _TOPIC_KEY, *_TOPIC),
    "SUB": StatusTable("AMQ8754", _TOPIC_KEY, (DisplayField("SUB"), _SUBSCRIPTION[0], *SUBSCRIPTION_STATUS.others)),
    "PUB": _sorted("AMQ8754", _TOPIC_KEY),
}
"""DISPLAY TPSTATUS by TYPE. The name of a subscription does not travel: PCF has its SUBID."""
PUBSUB_STATUS: Final = _sorted(
    "AMQ8723",
    (
        DisplayField("QMNAME", MQCA.Q_MGR_NAME),
        DisplayField("TYPE", MQIACF.PS_STATUS_TYPE, {"ALL": 0, "LOCAL": 1, "PARENT": 2, "CHILD": 3}),
        DisplayField(
            "STATUS",
            MQIACF.PUBSUB_STATUS,
            {"INACTIVE": 0, "STARTING": 1, "STOPPING": 2, "ACTIVE": 3, "COMPAT": 4, "ERROR": 5, "REFUSED": 6},
        ),
    ),
    *_fields(SUBCOUNT=MQIA.SUB_COUNT, TPCOUNT=MQIA.TOPIC_NODE_COUNT),
)

ENTITY_AUTHORITY: Final = _sorted(
    "AMQ8866",
    (DisplayField("OBJNAME", MQCACF.OBJECT_NAME), *AUTHREC.rows("ENTITY", "ENTTYPE", "OBJTYPE")),
    *AUTHREC.rows("AUTHLIST"),
)
AUTHORITY_SERVICE: Final = _sorted(
    "AMQ8865",
    _fields(AUTHSERV=MQCACF.SERVICE_COMPONENT),
    *_fields(IFVER=MQIACF.INTERFACE_VERSION),
    DisplayField("UIDSUPP", MQIACF.USER_ID_SUPPORT, NO_YES),
)

STATUS: Final[dict[str, tuple[StatusTable, ...]]] = {
    "CHSTATUS": (CHANNEL_STATUS, CHANNEL_SAVED),
    "QSTATUS": (QUEUE_STATUS, HANDLE_STATUS),
    "QSTATS": (QUEUE_STATISTICS,),
    "CONN": (CONNECTIONS,),
    "LSSTATUS": (LISTENER_STATUS,),
    "SVSTATUS": (SERVICE_STATUS,),
    "QMSTATUS": (QUEUE_MANAGER_STATUS,),
    "APSTATUS": tuple(APPLICATION_STATUS.values()),
    "TPSTATUS": tuple(TOPIC_STATUS.values()),
    "SBSTATUS": (SUBSCRIPTION_STATUS,),
    "PUBSUB": (PUBSUB_STATUS,),
    "ENTAUTH": (ENTITY_AUTHORITY,),
    "AUTHSERV": (AUTHORITY_SERVICE,),
}
"""Tables of each status display, by its noun."""
