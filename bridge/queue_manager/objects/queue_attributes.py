"""Attributes of queues: QLOCAL, QMODEL, QALIAS, QREMOTE (mqi.md 4.1, channels.md 12.1 and 17.3)."""

from __future__ import annotations

from .attributes import Attribute, Table, integer, named, shown, switch, text, word

MAX_MESSAGE_LENGTH = 104857600
"""Longest message, in bytes, that MAXMSGL of a queue, a channel or the queue manager can allow."""
MAX_DEPTH = 999999999
EXPIRY_LIMIT = 999999999
NO_LIMIT = -1
"""Value of CAPEXPRY(NOLIMIT), MAXFSIZE(DEFAULT) and other words that stand for "no number"."""

DATES = (shown("ALTDATE", 10), shown("ALTTIME", 8))
CREATED = (shown("CRDATE", 10), shown("CRTIME", 8))

_ANY = (
    text("DESCR", 64),
    text("CUSTOM", 128),
    word("PUT", "ENABLED", "DISABLED"),
    integer("DEFPRTY", 0, 9, 0),
    word("DEFPSIST", "NO", "YES"),
    word("DEFPRESP", "SYNC", "ASYNC"),
    integer("CAPEXPRY", 1, EXPIRY_LIMIT, NO_LIMIT, words={"NOLIMIT": NO_LIMIT}),
    *DATES,
)
_CLUSTERED = (
    named("CLUSTER"),
    named("CLUSNL"),
    integer("CLWLPRTY", 0, 9, 0),
    integer("CLWLRANK", 0, 9, 0),
    word("DEFBIND", "OPEN", "NOTFIXED", "GROUP"),
    word("SCOPE", "QMGR", "CELL"),
)
_GETTABLE = (
    word("GET", "ENABLED", "DISABLED"),
    word("DEFREADA", "NO", "YES", "DISABLED"),
)


def _holding(sharing: bool) -> tuple[Attribute, ...]:
    """Attributes of queues that hold messages; `sharing`: whether several may get from them unless told otherwise."""
    return (
        word("ACCTQ", "QMGR", "OFF", "ON"),
        named("BOQNAME"),
        integer("BOTHRESH", 0, 999999999, 0),
        word("DEFSOPT", "SHARED", "EXCL", default="SHARED" if sharing else "EXCL"),
        word("DISTL", "NO", "YES"),
        switch("HARDENBO", False),
        word("IMGRCOVQ", "QMGR", "YES", "NO"),
        named("INITQ"),
        integer("MAXDEPTH", 0, MAX_DEPTH, 5000),
        integer("MAXFSIZE", 20, 267386880, NO_LIMIT, words={"DEFAULT": NO_LIMIT}),
        integer("MAXMSGL", 0, MAX_MESSAGE_LENGTH, 4194304),
        word("MONQ", "QMGR", "OFF", "LOW", "MEDIUM", "HIGH"),
        word("MSGDLVSQ", "PRIORITY", "FIFO"),
        word("NPMCLASS", "NORMAL", "HIGH"),
        named("PROCESS"),
        word("PROPCTL", "COMPAT", "ALL", "FORCE", "NONE", "V6COMPAT"),
        integer("QDEPTHHI", 0, 100, 80),
        integer("QDEPTHLO", 0, 100, 20),
        word("QDPHIEV", "DISABLED", "ENABLED"),
        word("QDPLOEV", "DISABLED", "ENABLED"),
        word("QDPMAXEV", "ENABLED", "DISABLED"),
        word("QSVCIEV", "NONE", "HIGH", "OK"),
        integer("QSVCINT", 0, 999999999, 999999999),
        integer("RETINTVL", 0, 999999999, 999999999),
        switch("SHARE", sharing),
        word("STATQ", "QMGR", "OFF", "ON"),
        named("STREAMQ"),
        word("STRMQOS", "BESTEF", "MUSTDUP"),
        text("TRIGDATA", 64),
        integer("TRIGDPTH", 1, 999999999, 1),
        switch("TRIGGER", False),
        integer("TRIGMPRI", 0, 9, 0),
        word("TRIGTYPE", "FIRST", "EVERY", "DEPTH", "NONE"),
        word("USAGE", "NORMAL", "XMITQ"),
    )


QLOCAL = Table(
    (
        *_ANY,
        *_CLUSTERED,
        *_GETTABLE,
        *_holding(sharing=True),
        *CREATED,
        text("CLCHNAME", 20),
        word("CLWLUSEQ", "QMGR", "ANY", "LOCAL"),
        Attribute("DEFTYPE", shown("DEFTYPE").type, "PREDEFINED", read_only=True),
    )
)
"""DEFTYPE of a local queue: PREDEFINED, PERMDYN or TEMPDYN."""

QMODEL = Table((*_ANY, *_GETTABLE, *_holding(sharing=False), *CREATED, word("DEFTYPE", "TEMPDYN", "PERMDYN")))

QALIAS = Table(
    (
        *_ANY,
        *_CLUSTERED,
        *_GETTABLE,
        named("TARGET", "", "TARGQ"),
        word("TARGTYPE", "QUEUE", "TOPIC"),
        word("PROPCTL", "COMPAT", "ALL", "FORCE", "NONE", "V6COMPAT"),
    )
)

QREMOTE = Table((*_ANY, *_CLUSTERED, named("RNAME"), named("RQMNAME"), named("XMITQ")))
