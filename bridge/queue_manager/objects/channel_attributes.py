"""Attributes of channels by CHLTYPE (channels.md 1 and 3).

Letters name the types that have an attribute: S sender, V server, R receiver, Q requester, C server connection,
N client connection, U cluster sender, W cluster receiver, A and M channels of other protocols (kept, never run).
"""

from __future__ import annotations

from .attributes import Attribute, Table, integer, named, text, texts, word, words
from .queue_attributes import DATES, MAX_MESSAGE_LENGTH

CHANNEL_TYPES = {
    "SDR": "S",
    "SVR": "V",
    "RCVR": "R",
    "RQSTR": "Q",
    "SVRCONN": "C",
    "CLNTCONN": "N",
    "CLUSSDR": "U",
    "CLUSRCVR": "W",
    "AMQP": "A",
    "MQTT": "M",
}
"""CHLTYPE and its letter here."""

KEEPALIVE_AUTO = -1
"""Value of KAINT(AUTO): HBINT as negotiated and 60 seconds more, or 0 when that is 0."""
CONNECTION_NAME_LENGTH = 264
EXIT_LENGTH = 128
EXIT_DATA_LENGTH = 32
MAX_EXITS = 8
EXITS = ("SCYEXIT", "MSGEXIT", "SENDEXIT", "RCVEXIT", "MREXIT")
"""Attributes that name an exit program."""

_COUNT = 999999999
_SECONDS = 999999
_LEVELS = ("QMGR", "OFF", "LOW", "MEDIUM", "HIGH")
_DATA_COMPRESSIONS = ("NONE", "RLE", "ZLIBFAST", "ZLIBHIGH", "LZ4FAST", "LZ4HIGH", "ANY")

_ALL = "SVRQCNUW"
_SENDING = "SVUW"
_RECEIVING = "RQW"
_MESSAGES = "SVRQUW"

_TABLE: tuple[tuple[str, Attribute], ...] = (
    (_ALL, text("DESCR", 64)),
    (_ALL, word("TRPTYPE", "TCP", "LU62", "NETBIOS", "SPX")),
    (_MESSAGES, integer("BATCHSZ", 1, 9999, 50)),
    (_SENDING, integer("BATCHINT", 0, _COUNT, 0)),
    (_SENDING, integer("BATCHLIM", 0, _SECONDS, 5000)),
    (_SENDING, integer("BATCHHB", 0, _COUNT, 0)),
    (_SENDING, integer("DISCINT", 0, _SECONDS, 6000)),
    ("C", integer("DISCINT", 0, _SECONDS, 0)),
    (_ALL, integer("HBINT", 0, _SECONDS, 300)),
    (_ALL, integer("KAINT", 0, 99999, KEEPALIVE_AUTO, words={"AUTO": KEEPALIVE_AUTO})),
    (_MESSAGES, word("NPMSPEED", "FAST", "NORMAL")),
    (_MESSAGES, integer("SEQWRAP", 100, _COUNT, _COUNT)),
    (_ALL, integer("MAXMSGL", 0, MAX_MESSAGE_LENGTH, 4194304)),
    (_SENDING, word("CONVERT", "NO", "YES")),
    (_SENDING, integer("SHORTRTY", 0, _COUNT, 10)),
    (_SENDING, integer("SHORTTMR", 0, _SECONDS, 60)),
    (_SENDING, integer("LONGRTY", 0, _COUNT, _COUNT)),
    (_SENDING, integer("LONGTMR", 0, _SECONDS, 1200)),
    (_RECEIVING, integer("MRRTY", 0, _COUNT, 10)),
    (_RECEIVING, integer("MRTMR", 0, _COUNT, 1000)),
    (_RECEIVING, text("MREXIT", EXIT_LENGTH)),
    (_RECEIVING, text("MRDATA", EXIT_DATA_LENGTH)),
    (_RECEIVING, word("PUTAUT", "DEF", "CTX", "ONLYMCA", "ALTMCA")),
    ("SVRQCUW", text("MCAUSER", 64)),
    (_ALL, text("SSLCIPH", 32)),
    (_ALL, text("SSLPEER", 1024)),
    ("VRQCW", word("SSLCAUTH", "REQUIRED", "OPTIONAL")),
    (_ALL, text("CERTLABL", 64)),
    (_ALL, words("COMPHDR", 2, "NONE", "SYSTEM")),
    (_ALL, words("COMPMSG", 16, *_DATA_COMPRESSIONS)),
    (_MESSAGES, word("USEDLQ", "YES", "NO")),
    (_SENDING, word("PROPCTL", "COMPAT", "NONE", "ALL", "V6COMPAT")),
    ("SV", named("XMITQ")),
    ("SVQNUW", text("CONNAME", CONNECTION_NAME_LENGTH)),
    ("SVQNUW", text("LOCLADDR", 48)),
    ("SVQNUW", text("MODENAME", 8)),
    ("SVQNUWC", text("TPNAME", 64)),
    ("SVQNU", text("USERID", 12)),
    ("SVQNU", text("PASSWORD", 12, secret=True)),
    ("SVQUW", text("MCANAME", 20)),
    ("SVQU", word("MCATYPE", "PROCESS", "THREAD")),
    ("W", word("MCATYPE", "THREAD", "PROCESS")),
    (_ALL, text("SCYEXIT", EXIT_LENGTH)),
    (_ALL, text("SCYDATA", EXIT_DATA_LENGTH)),
    (_MESSAGES, texts("MSGEXIT", MAX_EXITS, EXIT_LENGTH)),
    (_MESSAGES, texts("MSGDATA", MAX_EXITS, EXIT_DATA_LENGTH)),
    (_ALL, texts("SENDEXIT", MAX_EXITS, EXIT_LENGTH)),
    (_ALL, texts("SENDDATA", MAX_EXITS, EXIT_DATA_LENGTH)),
    (_ALL, texts("RCVEXIT", MAX_EXITS, EXIT_LENGTH)),
    (_ALL, texts("RCVDATA", MAX_EXITS, EXIT_DATA_LENGTH)),
    ("C", integer("MAXINST", 0, _COUNT, _COUNT)),
    ("C", integer("MAXINSTC", 0, _COUNT, _COUNT)),
    ("CN", integer("SHARECNV", 0, _COUNT, 10)),
    ("SVRQCUW", word("MONCHL", *_LEVELS)),
    (_MESSAGES, word("STATCHL", *_LEVELS)),
    ("SVRQ", word("SPLPROT", "PASSTHRU", "REMOVE", "ASPOLICY")),
    ("N", word("AFFINITY", "PREFERRED", "NONE")),
    ("N", integer("CLNTWGHT", 0, 99, 0)),
    ("N", word("DEFRECON", "NO", "YES", "QMGR", "DISABLED")),
    ("N", text("QMNAME", 48)),
    ("UW", named("CLUSTER")),
    ("UW", named("CLUSNL")),
    ("UW", integer("CLWLPRTY", 0, 9, 0)),
    ("UW", integer("CLWLRANK", 0, 9, 0)),
    ("UW", integer("CLWLWGHT", 1, 99, 50)),
    ("W", integer("NETPRTY", 0, 9, 0)),
    ("AM", text("DESCR", 64)),
    ("AM", text("MCAUSER", 64)),
    ("AM", text("LOCLADDR", 48)),
    ("AM", text("JAASCFG", 1024)),
    ("AM", text("SSLCIPH", 32)),
    ("AM", word("USECLTID", "NO", "YES")),
    ("AM", integer("PORT", 0, 65535, 5672)),
    ("A", word("TRPTYPE", "TCP")),
    ("A", word("SSLCAUTH", "REQUIRED", "OPTIONAL")),
    ("A", text("SSLPEER", 1024)),
    ("A", text("CERTLABL", 64)),
    ("A", integer("AMQPKA", 0, 99999, KEEPALIVE_AUTO, words={"AUTO": KEEPALIVE_AUTO})),
    ("A", integer("MAXINST", 0, _COUNT, _COUNT)),
    ("A", integer("MAXMSGL", 0, MAX_MESSAGE_LENGTH, 4194304)),
    ("A", named("TMPMODEL", "SYSTEM.DEFAULT.MODEL.QUEUE")),
    ("A", text("TMPQPRFX", 32, "AMQP.*")),
    ("A", text("TPROOT", 128, "SYSTEM.BASE.TOPIC")),
    ("M", word("TRPTYPE", "TCP")),
    ("M", word("SSLCAUTH", "NEVER", "OPTIONAL", "REQUIRED")),
    ("M", integer("BACKLOG", 0, _COUNT, 4096)),
    ("M", words("PROTOCOL", 3, "MQTTV311", "MQTTV3", "HTTP")),
    ("M", text("SSLKEYP", 1024, secret=True)),
    ("M", text("SSLKEYR", 256)),
)


def _table(channel_type: str, letter: str) -> Table:
    chosen = [attribute for letters, attribute in _TABLE if letter in letters]
    return Table((*chosen, *DATES, word("CHLTYPE", channel_type, create_only=True)))


CHANNELS: dict[str, Table] = {name: _table(name, letter) for name, letter in CHANNEL_TYPES.items()}
"""Attribute table by CHLTYPE."""
