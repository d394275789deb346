"""Selectors of attributes for MQINQ, MQSET and PCF, and the numbers that words have there (mqi.md 4.1, 16.2).

Only attributes with a selector in mq-wire.md 9.23 appear; channels have selectors of their own, which are not listed.
"""

from __future__ import annotations

from collections.abc import Mapping

from mqbridge.protocol.constants import (
    MQAT,
    MQBND,
    MQCA,
    MQDL,
    MQEVR,
    MQIA,
    MQMDS,
    MQMON,
    MQOO,
    MQOT,
    MQPER,
    MQPL,
    MQPROP,
    MQPRT,
    MQQA_BACKOUT,
    MQQA_GET,
    MQQA_PUT,
    MQQA_SHARE,
    MQQDT,
    MQQT,
    MQREADA,
    MQTC,
    MQTT,
    MQUS,
)

from .definition import Definition
from .kinds import QUEUE_KINDS, Kind
from .manager_selectors import MANAGER_SELECTORS, MANAGER_WORDS, MONITORED
from .values import Value

NAME = "name"
TYPE = "type"
"""Stand for the name and, of queues, the kind in place of a keyword."""

_DATES = {"ALTDATE": MQCA.ALTERATION_DATE, "ALTTIME": MQCA.ALTERATION_TIME}
_CREATED = {"CRDATE": MQCA.CREATION_DATE, "CRTIME": MQCA.CREATION_TIME}

QUEUE_SELECTORS: dict[str, int] = {
    NAME: MQCA.Q_NAME,
    TYPE: MQIA.Q_TYPE,
    **_DATES,
    **_CREATED,
    "ACCTQ": MQIA.ACCOUNTING_Q,
    "BOQNAME": MQCA.BACKOUT_REQ_Q_NAME,
    "BOTHRESH": MQIA.BACKOUT_THRESHOLD,
    "CLCHNAME": MQCA.CLUS_CHL_NAME,
    "CLUSNL": MQCA.CLUSTER_NAMELIST,
    "CLUSTER": MQCA.CLUSTER_NAME,
    "CLWLPRTY": MQIA.CLWL_Q_PRIORITY,
    "CLWLRANK": MQIA.CLWL_Q_RANK,
    "CLWLUSEQ": MQIA.CLWL_USEQ,
    "CUSTOM": MQCA.CUSTOM,
    "DEFBIND": MQIA.DEF_BIND,
    "DEFPRESP": MQIA.DEF_PUT_RESPONSE_TYPE,
    "DEFPRTY": MQIA.DEF_PRIORITY,
    "DEFPSIST": MQIA.DEF_PERSISTENCE,
    "DEFREADA": MQIA.DEF_READ_AHEAD,
    "DEFSOPT": MQIA.DEF_INPUT_OPEN_OPTION,
    "DEFTYPE": MQIA.DEFINITION_TYPE,
    "DESCR": MQCA.Q_DESC,
    "DISTL": MQIA.DIST_LISTS,
    "GET": MQIA.INHIBIT_GET,
    "HARDENBO": MQIA.HARDEN_GET_BACKOUT,
    "IMGRCOVQ": MQIA.MEDIA_IMAGE_RECOVER_Q,
    "INITQ": MQCA.INITIATION_Q_NAME,
    "MAXDEPTH": MQIA.MAX_Q_DEPTH,
    "MAXMSGL": MQIA.MAX_MSG_LENGTH,
    "MONQ": MQIA.MONITORING_Q,
    "MSGDLVSQ": MQIA.MSG_DELIVERY_SEQUENCE,
    "NPMCLASS": MQIA.NPM_CLASS,
    "PROCESS": MQCA.PROCESS_NAME,
    "PROPCTL": MQIA.PROPERTY_CONTROL,
    "PUT": MQIA.INHIBIT_PUT,
    "QDEPTHHI": MQIA.Q_DEPTH_HIGH_LIMIT,
    "QDEPTHLO": MQIA.Q_DEPTH_LOW_LIMIT,
    "QDPHIEV": MQIA.Q_DEPTH_HIGH_EVENT,
    "QDPLOEV": MQIA.Q_DEPTH_LOW_EVENT,
    "QDPMAXEV": MQIA.Q_DEPTH_MAX_EVENT,
    "QSVCIEV": MQIA.Q_SERVICE_INTERVAL_EVENT,
    "QSVCINT": MQIA.Q_SERVICE_INTERVAL,
    "RETINTVL": MQIA.RETENTION_INTERVAL,
    "RNAME": MQCA.REMOTE_Q_NAME,
    "RQMNAME": MQCA.REMOTE_Q_MGR_NAME,
    "SCOPE": MQIA.SCOPE,
    "SHARE": MQIA.SHAREABILITY,
    "STATQ": MQIA.STATISTICS_Q,
    "TARGET": MQCA.BASE_OBJECT_NAME,
    "TARGTYPE": MQIA.BASE_TYPE,
    "TRIGDATA": MQCA.TRIGGER_DATA,
    "TRIGDPTH": MQIA.TRIGGER_DEPTH,
    "TRIGGER": MQIA.TRIGGER_CONTROL,
    "TRIGMPRI": MQIA.TRIGGER_MSG_PRIORITY,
    "TRIGTYPE": MQIA.TRIGGER_TYPE,
    "USAGE": MQIA.USAGE,
    "XMITQ": MQCA.XMIT_Q_NAME,
}

PROCESS_SELECTORS: dict[str, int] = {
    NAME: MQCA.PROCESS_NAME,
    **_DATES,
    "APPLICID": MQCA.APPL_ID,
    "APPLTYPE": MQIA.APPL_TYPE,
    "DESCR": MQCA.PROCESS_DESC,
    "ENVRDATA": MQCA.ENV_DATA,
    "USERDATA": MQCA.USER_DATA,
}

NAMELIST_SELECTORS: dict[str, int] = {
    NAME: MQCA.NAMELIST_NAME,
    **_DATES,
    "DESCR": MQCA.NAMELIST_DESC,
    "NAMES": MQCA.NAMES,
}

_SELECTORS: dict[Kind, dict[str, int]] = {
    **dict.fromkeys(QUEUE_KINDS, QUEUE_SELECTORS),
    Kind.QMGR: MANAGER_SELECTORS,
    Kind.PROCESS: PROCESS_SELECTORS,
    Kind.NAMELIST: NAMELIST_SELECTORS,
}

_KEYWORDS: dict[Kind, dict[int, str]] = {
    kind: {int(selector): keyword for keyword, selector in selectors.items()} for kind, selectors in _SELECTORS.items()
}

_EVENTS: dict[str, int] = {"DISABLED": MQEVR.DISABLED, "ENABLED": MQEVR.ENABLED, "EXCEPTION": MQEVR.EXCEPTION}
_LEVELS: dict[str, int] = {
    "QMGR": MQMON.Q_MGR,
    "OFF": MQMON.OFF,
    "ON": MQMON.ON,
    "LOW": MQMON.LOW,
    "MEDIUM": MQMON.MEDIUM,
    "HIGH": MQMON.HIGH,
    "NONE": MQMON.NONE,
}

WORD_NUMBERS: dict[str, dict[str, int]] = {
    **MANAGER_WORDS,
    **dict.fromkeys(MONITORED, _LEVELS),
    "APPLTYPE": {
        "CICS": MQAT.CICS,
        "MVS": MQAT.MVS,
        "ZOS": MQAT.ZOS,
        "IMS": MQAT.IMS,
        "OS2": MQAT.OS2,
        "DOS": MQAT.DOS,
        "UNIX": MQAT.UNIX,
        "OS400": MQAT.OS400,
        "WINDOWS": MQAT.WINDOWS,
        "WINDOWSNT": MQAT.WINDOWS_NT,
        "NSK": MQAT.NSK,
        "VOS": MQAT.VOS,
        "IMSBRIDGE": MQAT.IMS_BRIDGE,
        "XCF": MQAT.XCF,
        "NOTESAGENT": MQAT.NOTES_AGENT,
        "USER": MQAT.USER,
        "JAVA": MQAT.JAVA,
        "WLM": MQAT.WLM,
    },
    "CLWLUSEQ": {"LOCAL": 0, "ANY": 1, "QMGR": -3},
    "CMDEV": {**_EVENTS, "NODISPLAY": MQEVR.NO_DISPLAY},
    "DEFBIND": {"OPEN": MQBND.ON_OPEN, "NOTFIXED": MQBND.NOT_FIXED, "GROUP": MQBND.ON_GROUP},
    "DEFPRESP": {"SYNC": MQPRT.SYNC_RESPONSE, "ASYNC": MQPRT.ASYNC_RESPONSE},
    "DEFPSIST": {"NO": MQPER.NOT_PERSISTENT, "YES": MQPER.PERSISTENT},
    "DEFREADA": {"NO": MQREADA.NO, "YES": MQREADA.YES, "DISABLED": MQREADA.DISABLED},
    "DEFSOPT": {"SHARED": MQOO.INPUT_SHARED, "EXCL": MQOO.INPUT_EXCLUSIVE},
    "DEFTYPE": {
        "PREDEFINED": MQQDT.PREDEFINED,
        "PERMDYN": MQQDT.PERMANENT_DYNAMIC,
        "TEMPDYN": MQQDT.TEMPORARY_DYNAMIC,
    },
    "DISTL": {"NO": MQDL.NOT_SUPPORTED, "YES": MQDL.SUPPORTED},
    "GET": {"ENABLED": MQQA_GET.ALLOWED, "DISABLED": MQQA_GET.INHIBITED},
    "HARDENBO": {"NO": MQQA_BACKOUT.NOT_HARDENED, "YES": MQQA_BACKOUT.HARDENED},
    "MSGDLVSQ": {"PRIORITY": MQMDS.PRIORITY, "FIFO": MQMDS.FIFO},
    "NPMCLASS": {"NORMAL": 0, "HIGH": 10},
    "PLATFORM": {"UNIX": MQPL.UNIX},
    "PROPCTL": {
        "COMPAT": MQPROP.COMPATIBILITY,
        "NONE": MQPROP.NONE,
        "ALL": MQPROP.ALL,
        "FORCE": MQPROP.FORCE_MQRFH2,
        "V6COMPAT": MQPROP.V6COMPAT,
    },
    "PSMODE": {"DISABLED": 0, "COMPAT": 1, "ENABLED": 2},
    "PUT": {"ENABLED": MQQA_PUT.ALLOWED, "DISABLED": MQQA_PUT.INHIBITED},
    "QSVCIEV": {"NONE": 0, "HIGH": 1, "OK": 2},
    "SCOPE": {"QMGR": 1, "CELL": 2},
    "SHARE": {"NO": MQQA_SHARE.NOT_SHAREABLE, "YES": MQQA_SHARE.SHAREABLE},
    "TARGTYPE": {"QUEUE": MQOT.Q, "TOPIC": MQOT.TOPIC},
    "TRIGGER": {"NO": MQTC.OFF, "YES": MQTC.ON},
    "TRIGTYPE": {"NONE": MQTT.NONE, "FIRST": MQTT.FIRST, "EVERY": MQTT.EVERY, "DEPTH": MQTT.DEPTH},
    "USAGE": {"NORMAL": MQUS.NORMAL, "XMITQ": MQUS.TRANSMISSION},
}
"""Numbers of the words of an attribute; switches have NO and YES, events what `_EVENTS` says."""

_QUEUE_TYPES = {Kind.QLOCAL: MQQT.LOCAL, Kind.QMODEL: MQQT.MODEL, Kind.QALIAS: MQQT.ALIAS, Kind.QREMOTE: MQQT.REMOTE}


def selectors_of(kind: Kind) -> Mapping[str, int]:
    """Selector by keyword for a kind of object; empty for a kind that has none."""
    return _SELECTORS.get(kind, {})


def inquire(definition: Definition, selector: int) -> int | str | None:
    """What MQINQ gives for a selector: a number, or a text without padding; None if the object has no such attribute.

    Names of a namelist come joined by commas.
    """
    keyword = _KEYWORDS[definition.kind].get(selector) if definition.kind in _KEYWORDS else None
    if keyword is None:
        return None
    if keyword == NAME:
        return definition.name
    if keyword == TYPE:
        return int(_QUEUE_TYPES[definition.kind])
    value = definition.get(keyword)
    return None if value is None else number_of(keyword, value, selector)


def number_of(keyword: str, value: Value, selector: int) -> int | str:
    """The form that a value of an attribute has outside MQSC: a number for integer selectors, else a text."""
    if isinstance(value, tuple):
        return ",".join(value)
    if isinstance(value, bool):
        value = "YES" if value else "NO"
    if isinstance(value, int) or selector > MQIA.LAST:
        return value
    return int(value) if value.isdecimal() else int(WORD_NUMBERS.get(keyword, _EVENTS)[value])
