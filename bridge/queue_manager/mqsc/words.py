"""Verbs, the objects that each takes, and their synonyms (channels.md 17.1 rule 6, 17.2)."""

from __future__ import annotations

QUEUES = ("QLOCAL", "QALIAS", "QREMOTE", "QMODEL")
DEFINABLE = (
    *QUEUES, "CHANNEL", "TOPIC", "SUB", "PROCESS", "NAMELIST", "LISTENER", "SERVICE", "AUTHINFO", "COMMINFO",
)  # fmt: skip
STATUS_NOUNS = (
    "CHSTATUS", "QSTATUS", "CONN", "LSSTATUS", "SVSTATUS", "QMSTATUS", "TPSTATUS", "SBSTATUS", "PUBSUB", "APSTATUS",
)  # fmt: skip

VERBS: dict[str, tuple[str, ...]] = {
    "DEFINE": DEFINABLE,
    "ALTER": (*DEFINABLE, "QMGR"),
    "DELETE": (*DEFINABLE, "AUTHREC", "POLICY"),
    "CLEAR": ("QLOCAL", "TOPICSTR"),
    "DISPLAY": (
        "QUEUE", *DEFINABLE, "QMGR", "CHLAUTH", "AUTHREC", "ENTAUTH", "AUTHSERV", "CLUSQMGR", "POLICY", *STATUS_NOUNS,
        "CMDSERV", "QCLUSTER", "TCLUSTER",
    ),
    "SET": ("CHLAUTH", "AUTHREC", "POLICY"),
    "START": ("CHANNEL", "LISTENER", "SERVICE", "CHINIT", "CMDSERV"),
    "STOP": ("CHANNEL", "CONN", "LISTENER", "SERVICE", "CMDSERV"),
    "PING": ("CHANNEL", "QMGR"),
    "RESET": ("CHANNEL", "CLUSTER", "QMGR", "QSTATS"),
    "RESOLVE": ("CHANNEL", "INDOUBT"),
    "REFRESH": ("SECURITY", "CLUSTER", "QMGR"),
    "SUSPEND": ("QMGR",),
    "RESUME": ("QMGR",),
    "PURGE": ("CHANNEL",),
}  # fmt: skip
"""The objects that each verb takes."""

ONLY_ZOS: dict[str, tuple[str, ...]] = {
    "ALTER": ("BUFFPOOL", "CFSTRUCT", "PSID", "SECURITY", "SMDS", "STGCLASS", "TRACE"),
    "ARCHIVE": ("LOG",),
    "BACKUP": ("CFSTRUCT",),
    "DEFINE": ("BUFFPOOL", "CFSTRUCT", "LOG", "MAXSMSGS", "PSID", "STGCLASS"),
    "DELETE": ("BUFFPOOL", "CFSTRUCT", "PSID", "STGCLASS"),
    "DISPLAY": (
        "ARCHIVE", "CFSTATUS", "CFSTRUCT", "CHINIT", "GROUP", "LOG", "MAXSMSGS", "SECURITY", "SMDS", "SMDSCONN",
        "STGCLASS", "SYSTEM", "THREAD", "TRACE", "USAGE",
    ),
    "MOVE": ("QLOCAL",),
    "RECOVER": ("BSDS", "CFSTRUCT"),
    "RESET": ("CFSTRUCT", "SMDS", "TPIPE"),
    "RVERIFY": ("SECURITY",),
    "SET": ("ARCHIVE", "LOG", "SYSTEM"),
    "START": ("QMGR", "SMDSCONN", "TRACE"),
    "STOP": ("CHINIT", "QMGR", "SMDSCONN", "TRACE"),
}  # fmt: skip
"""Commands that only MQ for z/OS has, up to 9.4; they are refused as on other platforms."""

VERB_SYNONYMS = {
    "DEF": "DEFINE",
    "ALT": "ALTER",
    "DIS": "DISPLAY",
    "STA": "START",
    "RES": "RESOLVE",
    "REF": "REFRESH",
}
"""DELETE has none."""

NOUN_SYNONYMS = {
    "QL": "QLOCAL",
    "QA": "QALIAS",
    "QR": "QREMOTE",
    "QM": "QMODEL",
    "Q": "QUEUE",
    "CHL": "CHANNEL",
    "CHS": "CHSTATUS",
    "QS": "QSTATUS",
    "QC": "QCLUSTER",
    "TPC": "TOPIC",
    "CS": "CMDSERV",
    "PRO": "PROCESS",
    "PROC": "PROCESS",
    "NL": "NAMELIST",
    "LSTR": "LISTENER",
    "CHI": "CHINIT",
    "SEC": "SECURITY",
    "TPS": "TPSTATUS",
    "SBS": "SBSTATUS",
    "APS": "APSTATUS",
}

NAMELESS = ("QMGR", "QMSTATUS", "AUTHREC", "AUTHSERV", "ENTAUTH", "CHINIT", "CMDSERV", "PUBSUB")
"""Objects that take no name in parentheses."""
