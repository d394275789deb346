"""Attributes of publish/subscribe objects: TOPIC, SUB, COMMINFO (channels.md 17.3, mqi.md 17)."""

from __future__ import annotations

from mqbridge.protocol.constants import MQBACF, MQCA, MQCACF, MQCACH, MQIA, MQIACF, MQIACH, MQPRI, MQUSEDLQ

from .attributes import (
    ENABLED_DISABLED,
    EXCEPTIONS,
    PERSISTENCE,
    RESPONSES,
    DisplayField,
    Numbers,
    Table,
    integer,
    named,
    shown,
    text,
    word,
)
from .names import TOPIC_STRING_LENGTH
from .queue_attributes import CREATED, DATES, EXPIRY_LIMIT, NO_LIMIT

AS_PARENT = -1
"""Value of DEFPRTY(ASPARENT)."""
AS_PUBLISHED = -1
AS_QUEUE_DEFINES = -2
"""Values of PUBPRTY(ASPUB) and PUBPRTY(ASQDEF)."""

TOPIC_NAME = DisplayField("TOPIC", MQCA.TOPIC_NAME)
TOPIC_TYPE = DisplayField("TYPE", MQIA.TOPIC_TYPE, {"LOCAL": 0, "CLUSTER": 1, "ALL": 2})
SUBSCRIPTION_NAME = DisplayField("SUB", MQCACF.SUB_NAME)
COMMUNICATION_NAME = DisplayField("COMMINFO", MQCA.COMM_INFO_NAME)

_TOPIC_STRING = text("TOPICSTR", MQCA.TOPIC_STRING, TOPIC_STRING_LENGTH, create_only=True)
_DELIVERY: Numbers = {"ASPARENT": 0, "ALL": 1, "ALLAVAIL": 3, "ALLDUR": 2}
_INHIBIT: Numbers = {"ASPARENT": 0, "ENABLED": 2, "DISABLED": 1}
_SCOPE: Numbers = {"ASPARENT": 1, "ALL": 0, "QMGR": 4}
_DEAD_LETTERS: Numbers = {"ASPARENT": MQUSEDLQ.AS_PARENT, "YES": MQUSEDLQ.YES, "NO": MQUSEDLQ.NO}
_MULTICAST: Numbers = {"ASPARENT": 0, "ENABLED": 1, "DISABLED": 2, "ONLY": 3}
_INHERITED = {"ASPARENT": AS_PARENT}

TOPIC = Table(
    (
        _TOPIC_STRING,
        text("DESCR", MQCA.TOPIC_DESC, 64),
        text("CUSTOM", MQCA.CUSTOM, 128),
        integer("CAPEXPRY", 0, 1, EXPIRY_LIMIT, AS_PARENT, words={**_INHERITED, "NOLIMIT": AS_PARENT - 1}),
        word("CLROUTE", MQIA.CLUSTER_PUB_ROUTE, {"DIRECT": 0, "TOPICHOST": 1, "NONE": 2}, only=("DIRECT", "TOPICHOST")),
        named("CLUSTER", MQCA.CLUSTER_NAME),
        named("COMMINFO", MQCA.COMM_INFO_NAME),
        word("DEFPRESP", MQIA.DEF_PUT_RESPONSE_TYPE, {"ASPARENT": 0, **RESPONSES}),
        integer(
            "DEFPRTY",
            MQIA.DEF_PRIORITY,
            0,
            9,
            AS_PARENT,
            words=_INHERITED,
            numbers={"ASPARENT": MQPRI.PRIORITY_AS_PARENT},
        ),
        word("DEFPSIST", MQIA.TOPIC_DEF_PERSISTENCE, {"ASPARENT": -1, **PERSISTENCE}),
        word("DURSUB", MQIA.DURABLE_SUB, {"ASPARENT": 0, "YES": 1, "NO": 2}),
        word("MCAST", MQIA.MULTICAST, _MULTICAST),
        named("MDURMDL", MQCA.MODEL_DURABLE_Q),
        named("MNDURMDL", MQCA.MODEL_NON_DURABLE_Q),
        word("NPMSGDLV", MQIA.NPM_DELIVERY, _DELIVERY),
        word("PMSGDLV", MQIA.PM_DELIVERY, _DELIVERY),
        word("PROXYSUB", MQIA.PROXY_SUB, {"FIRSTUSE": 2, "FORCE": 1}),
        word("PUB", MQIA.INHIBIT_PUB, _INHIBIT),
        word("PUBSCOPE", MQIA.PUB_SCOPE, _SCOPE),
        word("SUB", MQIA.INHIBIT_SUB, _INHIBIT),
        word("SUBSCOPE", MQIA.SUB_SCOPE, _SCOPE),
        word("USEDLQ", MQIA.USE_DEAD_LETTER_Q, _DEAD_LETTERS),
        word("WILDCARD", MQIA.WILDCARD_OPERATION, {"PASSTHRU": 2, "BLOCK": 1}),
        *DATES,
    )
)

SUB = Table(
    (
        _TOPIC_STRING,
        named("TOPICOBJ", MQCA.TOPIC_NAME),
        named("DEST", MQCACF.DESTINATION),
        named("DESTQMGR", MQCACF.DESTINATION_Q_MGR),
        word("DESTCLAS", MQIACF.DESTINATION_CLASS, {"PROVIDED": 2, "MANAGED": 1}, create_only=True),
        text("DESTCORL", MQBACF.DESTINATION_CORREL_ID, 48),
        integer("EXPIRY", MQIACF.EXPIRY, 0, EXPIRY_LIMIT, NO_LIMIT, words={"UNLIMITED": NO_LIMIT}),
        word("PSPROP", MQIACF.PUBSUB_PROPERTIES, {"MSGPROP": 3, "NONE": 0, "COMPAT": 1, "RFH2": 2}),
        text("PUBACCT", MQBACF.ACCOUNTING_TOKEN, 64),
        text("PUBAPPID", MQCACF.APPL_IDENTITY_DATA, 32),
        integer(
            "PUBPRTY",
            MQIACF.PUB_PRIORITY,
            0,
            9,
            AS_PUBLISHED,
            words={"ASPUB": AS_PUBLISHED, "ASQDEF": AS_QUEUE_DEFINES},
            numbers={"ASPUB": MQPRI.PRIORITY_AS_PUBLISHED, "ASQDEF": MQPRI.PRIORITY_AS_Q_DEF},
        ),
        word("REQONLY", MQIACF.REQUEST_ONLY, {"NO": 2, "YES": 1}),
        text("SELECTOR", MQCACF.SUB_SELECTOR, TOPIC_STRING_LENGTH, create_only=True),
        integer("SUBLEVEL", MQIACF.SUB_LEVEL, 0, 9, 1),
        word("SUBSCOPE", MQIACF.SUBSCRIPTION_SCOPE, {"ALL": 2, "QMGR": 1}, create_only=True),
        text("SUBUSER", MQCACF.SUB_USER_ID, 64),
        text("USERDATA", MQCACF.SUB_USER_DATA, 10240),
        word("VARUSER", MQIACF.VARIABLE_USER_ID, {"ANY": 2, "FIXED": 1}),
        word("WSCHEMA", MQIACF.WILDCARD_SCHEMA, {"TOPIC": 2, "CHAR": 1}, create_only=True),
        shown("SUBID", MQBACF.SUB_ID, 48),
        shown("DURABLE", MQIACF.DURABLE_SUBSCRIPTION, default="YES", numbers={"ALL": -1, "YES": 1, "NO": 2}),
        shown(
            "SUBTYPE",
            MQIACF.SUB_TYPE,
            default="ADMIN",
            numbers={"USER": -2, "ALL": -1, "API": 1, "ADMIN": 2, "PROXY": 3},
        ),
        shown("GROUPSUB", 0, default="NO"),
        shown("SHARED", 0, default="NO"),
        *DATES,
        *CREATED,
    )
)

COMMINFO = Table(
    (
        word("TYPE", MQIA.COMM_INFO_TYPE, {"MULTICAST": 1}, create_only=True),
        text("DESCR", MQCA.COMM_INFO_DESC, 64),
        text("GRPADDR", MQCACH.GROUP_ADDRESS, 264, "239.0.0.0"),
        integer("PORT", MQIACH.PORT, 0, 65535, 1414),
        integer("CCSID", MQIA.CODED_CHAR_SET_ID, 1, 65535, -1, words={"ASPUB": -1}, numbers={"ASPUB": -1}),
        word("ENCODING", MQIACF.ENCODING, {"ASPUB": -1, "NORMAL": 273, "REVERSED": 546, "S390": 785, "TNS": 1041}),
        word("BRIDGE", MQIA.MCAST_BRIDGE, ENABLED_DISABLED),
        word("COMMEV", MQIA.COMM_EVENT, EXCEPTIONS),
        integer("MCHBINT", MQIACH.MC_HB_INTERVAL, 0, 999999, 2000),
        word("MCPROP", MQIACH.MULTICAST_PROPERTIES, {"ALL": -1, "REPLY": 2, "USER": 1, "NONE": 0, "COMPAT": -2}),
        integer("MONINT", MQIA.MONITOR_INTERVAL, 0, 999999, 60),
        integer("MSGHIST", MQIACH.MSG_HISTORY, 0, 999999, 100),
        word("NSUBHIST", MQIACH.NEW_SUBSCRIBER_HISTORY, {"NONE": 0, "ALL": -1}),
        *DATES,
    )
)
