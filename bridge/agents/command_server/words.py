"""Numbers that words have in PCF messages, by noun and keyword (channels.md 17.3 and 17.4).

What MQINQ answers with a number is not listed again: see :data:`~bridge.queue_manager.objects.selectors.WORD_NUMBERS`.
A word that is a number of its own in MQSC (``ASPARENT`` of DEFPRTY) may have another one here.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from mqbridge.bridge.queue_manager.objects.selectors import WORD_NUMBERS
from mqbridge.protocol.constants import (
    MQAT,
    MQCHIDS,
    MQCHS,
    MQCHSR,
    MQCHSSTATE,
    MQCHT,
    MQCOMPRESS,
    MQEVR,
    MQIACF,
    MQIDO,
    MQMODE,
    MQMON,
    MQNPMS,
    MQOT,
    MQPA,
    MQPER,
    MQPRI,
    MQPRT,
    MQQT,
    MQREADA,
    MQSCA,
    MQUSEDLQ,
    MQXPT,
)

NO_YES: Final = {"NO": 0, "YES": 1}
_OFF_ON: Final = {"OFF": 0, "ON": 1}
_SERVICE_CONTROL: Final = {"QMGR": 0, "STARTONLY": 1, "MANUAL": 2}
_CHECKS: Final = {"OPTIONAL": 0, "NONE": 1, "REQDADM": 2, "REQUIRED": 3, "ASQMGR": 4}
_LEVELS: Final = {
    "QMGR": MQMON.Q_MGR,
    "OFF": MQMON.OFF,
    "NONE": MQMON.NONE,
    "LOW": MQMON.LOW,
    "MEDIUM": MQMON.MEDIUM,
    "HIGH": MQMON.HIGH,
}
_EVENTS: Final = {"DISABLED": MQEVR.DISABLED, "ENABLED": MQEVR.ENABLED, "EXCEPTION": MQEVR.EXCEPTION}
_COMPRESSION: Final = {
    word: MQCOMPRESS[word] for word in ("NONE", "RLE", "ZLIBFAST", "ZLIBHIGH", "SYSTEM", "LZ4FAST", "LZ4HIGH", "ANY")
}
_TRANSPORTS: Final = {word: MQXPT[word] for word in ("LU62", "TCP", "NETBIOS", "SPX", "UDP", "ALL")}
_QUEUE_TYPES: Final = {
    "QLOCAL": MQQT.LOCAL,
    "QMODEL": MQQT.MODEL,
    "QALIAS": MQQT.ALIAS,
    "QREMOTE": MQQT.REMOTE,
    "ALL": MQQT.ALL,
}
CHANNEL_TYPES: Final = {
    "SDR": MQCHT.SENDER,
    "SVR": MQCHT.SERVER,
    "RCVR": MQCHT.RECEIVER,
    "RQSTR": MQCHT.REQUESTER,
    "ALL": MQCHT.ALL,
    "CLNTCONN": MQCHT.CLNTCONN,
    "SVRCONN": MQCHT.SVRCONN,
    "CLUSRCVR": MQCHT.CLUSRCVR,
    "CLUSSDR": MQCHT.CLUSSDR,
    "MQTT": MQCHT.MQTT,
    "AMQP": MQCHT.AMQP,
}
_SUBSTATES: Final = {
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
OBJECT_TYPES: Final = {
    "QUEUE": MQOT.Q,
    "NAMELIST": MQOT.NAMELIST,
    "PROCESS": MQOT.PROCESS,
    "QMGR": MQOT.Q_MGR,
    "CHANNEL": MQOT.CHANNEL,
    "AUTHINFO": MQOT.AUTH_INFO,
    "TOPIC": MQOT.TOPIC,
    "COMMINFO": MQOT.COMM_INFO,
    "LISTENER": MQOT.LISTENER,
    "SERVICE": MQOT.SERVICE,
    "CLNTCONN": MQOT.CLNTCONN_CHANNEL,
    "RQMNAME": MQOT.REMOTE_Q_MGR_NAME,
    "ALL": MQOT.ALL,
}
AUTHORITIES: Final = {
    "NONE": 0, "ALTUSR": 1, "BROWSE": 2, "CHG": 3, "CLR": 4, "CONNECT": 5, "CRT": 6, "DLT": 7, "DSP": 8, "GET": 9,
    "INQ": 10, "PUT": 11, "PASSALL": 12, "PASSID": 13, "SET": 14, "SETALL": 15, "SETID": 16, "CTRL": 17, "CTRLX": 18,
    "PUB": 19, "SUB": 20, "RESUME": 21, "SYSTEM": 22, "ALL": -1, "ALLADM": -2, "ALLMQI": -3,
}  # fmt: skip
"""MQAUTH numbers."""
_DELIVERY: Final = {"ASPARENT": 0, "ALL": 1, "ALLDUR": 2, "ALLAVAIL": 3}
_TOPIC_SCOPE: Final = {"ALL": 0, "ASPARENT": 1, "QMGR": 4}
_INHIBITED: Final = {"ASPARENT": 0, "DISABLED": 1, "ENABLED": 2}
_OPEN_FOR: Final = {"NO": 0, "YES": 1}
_PROGRAM: Final[dict[str, Mapping[str, int]]] = {
    "APPLTYPE": {"SYSTEM": MQAT.SYSTEM_EXTENSION, "USER": MQAT.USER},
    "ASTATE": {"NONE": 0, "ACTIVE": 1, "INACTIVE": 2, "SUSPENDED": 3, "STARTED": 4, "STOPPED": 6},
    "HSTATE": {"INACTIVE": 0, "ACTIVE": 1},
    "URTYPE": {"QMGR": 0, "CICS": 1, "RRS": 2, "IMS": 3, "XA": 4},
}

_TOPIC: Final[dict[str, Mapping[str, int]]] = {
    "TYPE": {"LOCAL": 0, "CLUSTER": 1, "ALL": 2},
    "CLROUTE": {"DIRECT": 0, "TOPICHOST": 1, "NONE": 2},
    "DEFPRESP": {"ASPARENT": 0, "SYNC": MQPRT.SYNC_RESPONSE, "ASYNC": MQPRT.ASYNC_RESPONSE},
    "DEFPRTY": {"ASPARENT": MQPRI.PRIORITY_AS_PARENT},
    "DEFPSIST": {"ASPARENT": -1, "NO": MQPER.NOT_PERSISTENT, "YES": MQPER.PERSISTENT},
    "DURSUB": {"ASPARENT": 0, "YES": 1, "NO": 2},
    "MCAST": {"ASPARENT": 0, "ENABLED": 1, "DISABLED": 2, "ONLY": 3},
    "NPMSGDLV": _DELIVERY,
    "PMSGDLV": _DELIVERY,
    "PROXYSUB": {"FORCE": 1, "FIRSTUSE": 2},
    "PUB": _INHIBITED,
    "SUB": _INHIBITED,
    "PUBSCOPE": _TOPIC_SCOPE,
    "SUBSCOPE": _TOPIC_SCOPE,
    "USEDLQ": {"ASPARENT": MQUSEDLQ.AS_PARENT, "NO": MQUSEDLQ.NO, "YES": MQUSEDLQ.YES},
    "WILDCARD": {"BLOCK": 1, "PASSTHRU": 2},
}
_SUBSCRIPTION: Final[dict[str, Mapping[str, int]]] = {
    "DESTCLAS": {"MANAGED": 1, "PROVIDED": 2},
    "DURABLE": {"ALL": -1, "YES": 1, "NO": 2},
    "PSPROP": {"NONE": 0, "COMPAT": 1, "RFH2": 2, "MSGPROP": 3},
    "PUBPRTY": {"ASPUB": MQPRI.PRIORITY_AS_PUBLISHED, "ASQDEF": MQPRI.PRIORITY_AS_Q_DEF},
    "REQONLY": {"YES": 1, "NO": 2},
    "SUBSCOPE": {"QMGR": 1, "ALL": 2},
    "SUBTYPE": {"USER": -2, "ALL": -1, "API": 1, "ADMIN": 2, "PROXY": 3},
    "VARUSER": {"FIXED": 1, "ANY": 2},
    "WSCHEMA": {"CHAR": 1, "TOPIC": 2},
}
_CHANNEL: Final[dict[str, Mapping[str, int]]] = {
    "CHLTYPE": CHANNEL_TYPES,
    "TRPTYPE": _TRANSPORTS,
    "NPMSPEED": {"NORMAL": MQNPMS.NORMAL, "FAST": MQNPMS.FAST},
    "CONVERT": NO_YES,
    "PUTAUT": {
        "DEF": MQPA.DEFAULT,
        "CTX": MQPA.CONTEXT,
        "ONLYMCA": MQPA.ONLY_MCA,
        "ALTMCA": MQPA.ALTERNATE_OR_MCA,
    },
    "SSLCAUTH": {"REQUIRED": MQSCA.REQUIRED, "OPTIONAL": MQSCA.OPTIONAL, "NEVER": 2},
    "COMPHDR": _COMPRESSION,
    "COMPMSG": _COMPRESSION,
    "USEDLQ": {"NO": MQUSEDLQ.NO, "YES": MQUSEDLQ.YES},
    "MCATYPE": {"PROCESS": 1, "THREAD": 2},
    "MONCHL": _LEVELS,
    "STATCHL": _LEVELS,
    "AFFINITY": {"NONE": 0, "PREFERRED": 1},
    "DEFRECON": {"NO": 0, "YES": 1, "QMGR": 2, "DISABLED": 3},
    "USECLTID": NO_YES,
    "PROTOCOL": {"MQTTV3": 1, "HTTP": 2, "AMQP": 3, "MQTTV311": 4},
}
_CHANNEL_COMMANDS: Final[dict[str, Mapping[str, int]]] = {
    "ACTION": {"COMMIT": MQIDO.COMMIT, "BACKOUT": MQIDO.BACKOUT},
    "CHLTABLE": {"QMGRTBL": 1, "CLNTTBL": 2},
    "MODE": {"FORCE": MQMODE.FORCE, "QUIESCE": MQMODE.QUIESCE, "TERMINATE": MQMODE.TERMINATE},
    "STATUS": {"INACTIVE": MQCHS.INACTIVE, "STOPPED": MQCHS.STOPPED},
    "IGNSTATE": NO_YES,
}
_REMOVE_AUTHORITIES: Final[dict[str, Mapping[str, int]]] = {"AUTHREC": NO_YES}
_QUEUES: Final[dict[str, Mapping[str, int]]] = {"TYPE": _QUEUE_TYPES, **_REMOVE_AUTHORITIES}
_SERVICE_STATUS: Final = {"STOPPED": 0, "STARTING": 1, "RUNNING": 2, "STOPPING": 3}
_SERVICE: Final[dict[str, Mapping[str, int]]] = {
    "CONTROL": _SERVICE_CONTROL,
    "SERVTYPE": {"COMMAND": 0, "SERVER": 1},
    "IGNSTATE": NO_YES,
}

WORDS: Final[Mapping[str, Mapping[str, Mapping[str, int]]]] = {
    **dict.fromkeys(("QUEUE", "QLOCAL", "QALIAS", "QREMOTE", "QMODEL"), _QUEUES),
    "QMGR": {
        "ADVCAP": {"DISABLED": 0, "ENABLED": 1},
        "SUITEB": {"NONE": 1, "128_BIT": 2, "192_BIT": 4},
        "TYPE": {"CONFIGEV": 1, "EXPIRY": 2, "EARLY": 3, "PROXYSUB": 4},
    },
    "SECURITY": {"TYPE": {"AUTHSERV": 1, "SSL": 2, "CLASSES": 3, "CONNAUTH": 4}},
    "TOPICSTR": {"CLRTYPE": {"RETAINED": 1}, "SCOPE": {"LOCAL": 1, "GLOBAL": 2}},
    "CHANNEL": {**_CHANNEL, **_CHANNEL_COMMANDS},
    "TOPIC": {**_TOPIC, **_REMOVE_AUTHORITIES},
    "SUB": _SUBSCRIPTION,
    "LISTENER": {"TRPTYPE": _TRANSPORTS, "CONTROL": _SERVICE_CONTROL, "IGNSTATE": NO_YES},
    "SERVICE": _SERVICE,
    "SVSTATUS": {**_SERVICE, "STATUS": _SERVICE_STATUS},
    "COMMINFO": {
        "TYPE": {"MULTICAST": 1},
        "CCSID": {"ASPUB": -1},
        "ENCODING": {"ASPUB": -1, "NORMAL": 273, "REVERSED": 546, "S390": 785, "TNS": 1041},
        "BRIDGE": {"DISABLED": 0, "ENABLED": 1},
        "MCPROP": {"COMPAT": -2, "ALL": -1, "NONE": 0, "USER": 1, "REPLY": 2},
        "NSUBHIST": {"ALL": -1, "NONE": 0},
    },
    "APSTATUS": {
        "TYPE": {"APPL": MQIACF.APPL_INFO_APPL, "QMGR": MQIACF.APPL_INFO_QMGR, "LOCAL": MQIACF.APPL_INFO_LOCAL},
        "ACTIVE": NO_YES,
        "BALANCED": {"NO": 0, "YES": 1, "NOTAPPLIC": 2, "UNKNOWN": 3},
        "BALSTATE": {"NOTAPPLIC": 0, "LOW": 1, "OK": 2, "HIGH": 3, "UNKNOWN": 4},
        "IMMREASN": {"NONE": 0, "NOTCLIENT": 1, "NOTRECONN": 2},
        "MOVABLE": NO_YES,
    },
    "ENTAUTH": {"OBJTYPE": OBJECT_TYPES, "ENTTYPE": {"PRINCIPAL": 1, "GROUP": 2}, "AUTHLIST": AUTHORITIES},
    "AUTHSERV": {"UIDSUPP": NO_YES},
    "AUTHINFO": {
        "AUTHTYPE": {"CRLLDAP": 1, "OCSP": 2, "IDPWOS": 3, "IDPWLDAP": 4},
        "CHCKCLNT": _CHECKS,
        "CHCKLOCL": _CHECKS,
        "ADOPTCTX": NO_YES,
        "AUTHENMD": {"OS": 0, "PAM": 1},
        "AUTHORMD": {"OS": 0, "SEARCHGRP": 1, "SEARCHUSR": 2, "SRCHGRPSN": 3},
        "NESTGRP": NO_YES,
        "SECCOMM": {"NO": 0, "YES": 1, "ANON": 2},
    },
    "CHLAUTH": {
        "TYPE": {
            "ALL": 0,
            "BLOCKUSER": 1,
            "BLOCKADDR": 2,
            "SSLPEERMAP": 3,
            "ADDRESSMAP": 4,
            "USERMAP": 5,
            "QMGRMAP": 6,
        },
        "ACTION": {"ADD": 5, "REPLACE": 6, "REMOVE": 7, "REMOVEALL": 8},
        "MATCH": {"GENERIC": 0, "RUNCHECK": 1, "EXACT": 2},
        "WARN": NO_YES,
        "USERSRC": {"MAP": 0, "NOACCESS": 1, "CHANNEL": 2},
        "CHCKCLNT": _CHECKS,
    },
    "AUTHREC": {
        "OBJTYPE": OBJECT_TYPES,
        "ENTTYPE": {"PRINCIPAL": 1, "GROUP": 2},
        "AUTHLIST": AUTHORITIES,
        "AUTHADD": AUTHORITIES,
        "AUTHRMV": AUTHORITIES,
    },
    "CHSTATUS": {
        **_CHANNEL,
        "STATUS": {str(each).removeprefix("MQCHS_"): each for each in MQCHS},
        "SUBSTATE": _SUBSTATES,
        "SECPROT": {"NONE": 0},
        "STOPREQ": {"NO": MQCHSR.STOP_NOT_REQUESTED, "YES": MQCHSR.STOP_REQUESTED},
        "INDOUBT": {"NO": MQCHIDS.NOT_INDOUBT, "YES": MQCHIDS.INDOUBT},
        "MCASTAT": {"STOPPED": 0, "RUNNING": 3},
    },
    "QSTATUS": {
        **_PROGRAM,
        "TYPE": {"QUEUE": MQIACF.Q_STATUS, "HANDLE": MQIACF.Q_HANDLE},
        "OPENTYPE": {"ALL": 1, "INPUT": 2, "OUTPUT": 3},
        "MONQ": _LEVELS,
        "INPUT": {"NO": 0, "SHARED": 1, "EXCL": 2},
        **dict.fromkeys(("BROWSE", "INQUIRE", "OUTPUT", "SET"), _OPEN_FOR),
    },
    "CONN": {
        **_PROGRAM,
        "TYPE": {"CONN": MQIACF.CONN_INFO_CONN, "HANDLE": MQIACF.CONN_INFO_HANDLE, "ALL": MQIACF.CONN_INFO_ALL},
        "OBJTYPE": OBJECT_TYPES,
        "READA": {"NO": MQREADA.NO, "YES": MQREADA.YES},
        "UOWSTATE": {"NONE": 0, "ACTIVE": 1, "PREPARED": 2, "UNRESOLVED": 3},
    },
    "LSSTATUS": {
        "STATUS": _SERVICE_STATUS,
        "CONTROL": _SERVICE_CONTROL,
        "TRPTYPE": _TRANSPORTS,
    },
    "QMSTATUS": {
        "CHINIT": _SERVICE_STATUS,
        "CMDSERV": _SERVICE_STATUS,
        "STATUS": {"STARTING": 1, "RUNNING": 2, "QUIESCING": 3},
        "STANDBY": {"NOPERMIT": 0, "PERMIT": 1},
    },
    "TPSTATUS": {
        **_TOPIC,
        "TYPE": {"TOPIC": MQIACF.TOPIC_STATUS, "SUB": MQIACF.TOPIC_SUB, "PUB": MQIACF.TOPIC_PUB},
        "RETAINED": NO_YES,
        "DURABLE": _SUBSCRIPTION["DURABLE"],
        "SUBTYPE": _SUBSCRIPTION["SUBTYPE"],
    },
    "SBSTATUS": {"DURABLE": _SUBSCRIPTION["DURABLE"], "SUBTYPE": _SUBSCRIPTION["SUBTYPE"]},
    "PUBSUB": {
        "TYPE": {"ALL": 0, "LOCAL": 1, "PARENT": 2, "CHILD": 3},
        "STATUS": {"INACTIVE": 0, "STARTING": 1, "STOPPING": 2, "ACTIVE": 3, "COMPAT": 4, "ERROR": 5, "REFUSED": 6},
    },
}
"""Numbers of words that MQINQ has not, by noun and keyword."""

_LIKE_QUEUES: Final = frozenset(("QUEUE", "QLOCAL", "QALIAS", "QREMOTE", "QMODEL", "QMGR", "PROCESS", "CHANNEL"))
"""Nouns for whose other keywords :data:`WORD_NUMBERS` counts."""


@cache
def numbers_of(noun: str, keyword: str) -> Mapping[str, int]:
    """Number by word of an attribute; of one that has no list of its own, what events have."""
    own = WORDS.get(noun, {}).get(keyword)
    if own is None and noun in _LIKE_QUEUES:
        own = WORD_NUMBERS.get(keyword)
    return {word: int(number) for word, number in (_EVENTS if own is None else own).items()}


@cache
def words_of(noun: str, keyword: str) -> Mapping[int, str]:
    """Word by number; the first word where several have one number."""
    found: dict[int, str] = {}
    for word, number in numbers_of(noun, keyword).items():
        found.setdefault(number, word)
    return found
