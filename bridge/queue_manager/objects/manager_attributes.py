"""Attributes of the queue manager object (channels.md 17.3)."""

from __future__ import annotations

from .attributes import Attribute, Table, integer, named, shown, text, word, words
from .queue_attributes import CREATED, DATES, MAX_MESSAGE_LENGTH, NO_LIMIT

COMMAND_LEVEL = 920
"""CMDLEVEL: the release of IBM MQ whose commands are understood."""
VERSION = "09020000"
DEFAULT_CCSID = 1208
MAX_PRIORITY = 9

_COUNT = 999999999
_OFF_ON = ("OFF", "ON")
_DISABLED_ENABLED = ("DISABLED", "ENABLED")
_ENABLED_DISABLED = ("ENABLED", "DISABLED")
_LEVELS = ("OFF", "NONE", "LOW", "MEDIUM", "HIGH")

_EVENTS = (
    "ACTVCONO", "ACCTCONO", "AUTHOREV", "BRIDGEEV", "CHAD", "CHADEV", "CONFIGEV", "INHIBTEV", "LOCALEV", "LOGGEREV",
    "PERFMEV", "REMOTEEV", "SSLEV",
)  # fmt: skip


def _fixed(name: str, value: int | str) -> Attribute:
    return shown(name, default=value)


QMGR = Table(
    (
        text("DESCR", 64),
        *(word(name, *_DISABLED_ENABLED) for name in _EVENTS),
        word("CHLEV", "DISABLED", "ENABLED", "EXCEPTION"),
        word("CMDEV", "DISABLED", "ENABLED", "NODISPLAY"),
        word("STRSTPEV", *_ENABLED_DISABLED),
        integer("ACCTINT", 0, 604800, 1800),
        word("ACCTMQI", *_OFF_ON),
        word("ACCTQ", "OFF", "ON", "NONE"),
        word("ACTIVREC", "MSG", "QUEUE", "DISABLED"),
        word("ACTVTRC", *_OFF_ON),
        word("AMQPCAP", "NO", "YES"),
        integer("CCSID", 1, 65535, DEFAULT_CCSID),
        text("CERTLABL", 64),
        word("CERTVPOL", "ANY", "RFC5280"),
        text("CHADEXIT", 128),
        word("CHLAUTH", *_ENABLED_DISABLED),
        text("CLWLDATA", 32),
        text("CLWLEXIT", 128),
        integer("CLWLLEN", 0, 999999, 100),
        integer("CLWLMRUC", 1, _COUNT, _COUNT),
        word("CLWLUSEQ", "LOCAL", "ANY"),
        named("CONNAUTH", "SYSTEM.DEFAULT.AUTHINFO.IDPWOS"),
        text("CUSTOM", 128),
        named("DEADQ"),
        word("DEFCLXQ", "SCTQ", "CHANNEL"),
        named("DEFXMITQ"),
        integer("IMGINTVL", 1, _COUNT, 60, words={"OFF": 0}),
        integer("IMGLOGLN", 1, _COUNT, 0, words={"OFF": 0}),
        word("IMGRCOVO", "YES", "NO"),
        word("IMGRCOVQ", "YES", "NO"),
        word("IMGSCHED", "MANUAL", "AUTO"),
        word("IPADDRV", "IPV4", "IPV6"),
        text("INITKEY", 256, secret=True),
        text("KEYRPWD", 1024, secret=True),
        integer("MARKINT", 0, _COUNT, 5000, words={"NOLIMIT": NO_LIMIT}),
        integer("MAXHANDS", 0, _COUNT, 256),
        integer("MAXMSGL", 32768, MAX_MESSAGE_LENGTH, 4194304),
        integer("MAXPROPL", 0, MAX_MESSAGE_LENGTH, NO_LIMIT, words={"NOLIMIT": NO_LIMIT}),
        integer("MAXUMSGS", 1, _COUNT, 10000),
        word("MONACLS", "QMGR", "OFF", "LOW", "MEDIUM", "HIGH"),
        word("MONCHL", *_LEVELS),
        word("MONQ", *_LEVELS),
        named("PARENT"),
        word("PSCLUS", *_ENABLED_DISABLED),
        word("PSMODE", "ENABLED", "COMPAT", "DISABLED"),
        word("PSNPMSG", "DISCARD", "KEEP"),
        word("PSNPRES", "NORMAL", "DISCARD", "KEEP", "SAFE"),
        integer("PSRTYCNT", 0, _COUNT, 5),
        word("PSSYNCPT", "IFPER", "YES"),
        named("REPOS"),
        named("REPOSNL"),
        word("REVDNS", *_ENABLED_DISABLED),
        word("ROUTEREC", "MSG", "QUEUE", "DISABLED"),
        word("SCHINIT", "QMGR", "MANUAL"),
        word("SCMDSERV", "QMGR", "MANUAL"),
        named("SSLCRLNL"),
        text("SSLCRYP", 256, secret=True),
        word("SSLFIPS", "NO", "YES"),
        text("SSLKEYR", 256),
        integer("SSLRKEYC", 0, _COUNT, 0),
        word("STATACLS", "QMGR", "OFF", "LOW", "MEDIUM", "HIGH"),
        word("STATCHL", *_LEVELS),
        integer("STATINT", 0, 604800, 1800),
        word("STATMQI", *_OFF_ON),
        word("STATQ", "OFF", "ON", "NONE"),
        words("SUITEB", 2, "NONE", "128_BIT", "192_BIT"),
        integer("TREELIFE", 0, 604000, 1800),
        integer("TRIGINT", 0, _COUNT, _COUNT),
        _fixed("ADVCAP", "DISABLED"),
        _fixed("CMDLEVEL", COMMAND_LEVEL),
        _fixed("COMMANDQ", "SYSTEM.ADMIN.COMMAND.QUEUE"),
        _fixed("DISTL", "YES"),
        _fixed("MAXPRTY", MAX_PRIORITY),
        _fixed("PLATFORM", "UNIX"),
        _fixed("QMID", ""),
        _fixed("SPLCAP", "DISABLED"),
        _fixed("VERSION", VERSION),
        _fixed("XRCAP", "NO"),
        *DATES,
        *CREATED,
    )
)
