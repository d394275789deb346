"""Attributes of publish/subscribe objects: TOPIC, SUB, COMMINFO (channels.md 17.3, mqi.md 17)."""

from __future__ import annotations

from .attributes import Attribute, Table, integer, named, shown, text, word
from .names import TOPIC_STRING_LENGTH
from .queue_attributes import CREATED, DATES, EXPIRY_LIMIT, NO_LIMIT
from .values import Text

AS_PARENT = -1
"""Value of DEFPRTY(ASPARENT)."""
AS_PUBLISHED = -1
AS_QUEUE_DEFINES = -2
"""Values of PUBPRTY(ASPUB) and PUBPRTY(ASQDEF)."""

_TOPIC_STRING = Attribute("TOPICSTR", Text(TOPIC_STRING_LENGTH), "", create_only=True)
_DELIVERY = ("ASPARENT", "ALL", "ALLAVAIL", "ALLDUR")
_INHIBIT = ("ASPARENT", "ENABLED", "DISABLED")

TOPIC = Table(
    (
        _TOPIC_STRING,
        text("DESCR", 64),
        text("CUSTOM", 128),
        integer("CAPEXPRY", 1, EXPIRY_LIMIT, AS_PARENT, words={"ASPARENT": AS_PARENT, "NOLIMIT": AS_PARENT - 1}),
        word("CLROUTE", "DIRECT", "TOPICHOST"),
        named("CLUSTER"),
        named("COMMINFO"),
        word("DEFPRESP", "ASPARENT", "SYNC", "ASYNC"),
        integer("DEFPRTY", 0, 9, AS_PARENT, words={"ASPARENT": AS_PARENT}),
        word("DEFPSIST", "ASPARENT", "NO", "YES"),
        word("DURSUB", "ASPARENT", "YES", "NO"),
        word("MCAST", "ASPARENT", "ENABLED", "DISABLED", "ONLY"),
        named("MDURMDL"),
        named("MNDURMDL"),
        word("NPMSGDLV", *_DELIVERY),
        word("PMSGDLV", *_DELIVERY),
        word("PROXYSUB", "FIRSTUSE", "FORCE"),
        word("PUB", *_INHIBIT),
        word("PUBSCOPE", "ASPARENT", "ALL", "QMGR"),
        word("SUB", *_INHIBIT),
        word("SUBSCOPE", "ASPARENT", "ALL", "QMGR"),
        word("USEDLQ", "ASPARENT", "YES", "NO"),
        word("WILDCARD", "PASSTHRU", "BLOCK"),
        *DATES,
    )
)

SUB = Table(
    (
        _TOPIC_STRING,
        named("TOPICOBJ"),
        named("DEST"),
        named("DESTQMGR"),
        word("DESTCLAS", "PROVIDED", "MANAGED", create_only=True),
        text("DESTCORL", 48),
        integer("EXPIRY", 0, EXPIRY_LIMIT, NO_LIMIT, words={"UNLIMITED": NO_LIMIT}),
        word("PSPROP", "MSGPROP", "NONE", "COMPAT", "RFH2"),
        text("PUBACCT", 64),
        text("PUBAPPID", 32),
        integer("PUBPRTY", 0, 9, AS_PUBLISHED, words={"ASPUB": AS_PUBLISHED, "ASQDEF": AS_QUEUE_DEFINES}),
        word("REQONLY", "NO", "YES"),
        Attribute("SELECTOR", Text(TOPIC_STRING_LENGTH), "", create_only=True),
        integer("SUBLEVEL", 0, 9, 1),
        word("SUBSCOPE", "ALL", "QMGR", create_only=True),
        text("SUBUSER", 64),
        text("USERDATA", 10240),
        word("VARUSER", "ANY", "FIXED"),
        word("WSCHEMA", "TOPIC", "CHAR", create_only=True),
        shown("SUBID", 48),
        shown("DURABLE", default="YES"),
        shown("SUBTYPE", default="ADMIN"),
        shown("GROUPSUB", default="NO"),
        shown("SHARED", default="NO"),
        *DATES,
        *CREATED,
    )
)

COMMINFO = Table(
    (
        word("TYPE", "MULTICAST", create_only=True),
        text("DESCR", 64),
        text("GRPADDR", 264, "239.0.0.0"),
        integer("PORT", 0, 65535, 1414),
        integer("CCSID", 1, 65535, -1, words={"ASPUB": -1}),
        word("ENCODING", "ASPUB", "NORMAL", "REVERSED", "S390", "TNS"),
        word("BRIDGE", "ENABLED", "DISABLED"),
        word("COMMEV", "DISABLED", "ENABLED", "EXCEPTION"),
        integer("MCHBINT", 0, 999999, 2000),
        word("MCPROP", "ALL", "REPLY", "USER", "NONE", "COMPAT"),
        integer("MONINT", 0, 999999, 60),
        integer("MSGHIST", 0, 999999, 100),
        word("NSUBHIST", "NONE", "ALL"),
        *DATES,
    )
)
