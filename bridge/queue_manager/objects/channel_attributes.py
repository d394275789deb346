"""Attributes of channels by CHLTYPE (channels.md 1 and 3).

Letters name the types that have an attribute: S sender, V server, R receiver, Q requester, C server connection,
N client connection, U cluster sender, W cluster receiver, A and M channels of other protocols (kept, never run).
"""

from __future__ import annotations

from mqbridge.protocol.constants import (
    MQCA,
    MQCACH,
    MQCHT,
    MQCOMPRESS,
    MQIA,
    MQIACH,
    MQNPMS,
    MQPA,
    MQSCA,
    MQUSEDLQ,
)

from .attributes import (
    LEVELS,
    NO_YES,
    PROPERTY_CONTROL,
    TRANSPORTS,
    Attribute,
    DisplayField,
    Numbers,
    Table,
    integer,
    named,
    text,
    texts,
    word,
    words,
)
from .queue_attributes import DATES, MAX_MESSAGE_LENGTH

CHANNEL_NAME = DisplayField("CHANNEL", MQCACH.CHANNEL_NAME)
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
CHANNEL_TYPE_NUMBERS: Numbers = {
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

KEEPALIVE_AUTO = -1
"""Value of KAINT(AUTO): negotiated HBINT plus 60 seconds, or 0 if HBINT is 0."""
CONNECTION_NAME_LENGTH = 264
EXIT_LENGTH = 128
EXIT_DATA_LENGTH = 32
MAX_EXITS = 8
EXITS = ("SCYEXIT", "MSGEXIT", "SENDEXIT", "RCVEXIT", "MREXIT")
"""Attributes that name an exit program."""

_COUNT = 999999999
_SECONDS = 999999
_MONITORING = ("QMGR", "OFF", "LOW", "MEDIUM", "HIGH")
_COMPRESSION: Numbers = {
    word: MQCOMPRESS[word] for word in ("NONE", "RLE", "ZLIBFAST", "ZLIBHIGH", "SYSTEM", "LZ4FAST", "LZ4HIGH", "ANY")
}
_COMPMSG = ("NONE", "RLE", "ZLIBFAST", "ZLIBHIGH", "LZ4FAST", "LZ4HIGH", "ANY")
_PROPCTL = ("COMPAT", "NONE", "ALL", "V6COMPAT")
_RECONNECTING: Numbers = {"NO": 0, "YES": 1, "QMGR": 2, "DISABLED": 3}
_PUT_AUTHORITY: Numbers = {
    "DEF": MQPA.DEFAULT,
    "CTX": MQPA.CONTEXT,
    "ONLYMCA": MQPA.ONLY_MCA,
    "ALTMCA": MQPA.ALTERNATE_OR_MCA,
}
_CLIENT_AUTHENTICATION: Numbers = {"REQUIRED": MQSCA.REQUIRED, "OPTIONAL": MQSCA.OPTIONAL, "NEVER": 2}
_REQUIRED_OPTIONAL = ("REQUIRED", "OPTIONAL")
_PROTOCOLS: Numbers = {"MQTTV311": 4, "MQTTV3": 1, "HTTP": 2, "AMQP": 3}
_MCA_TYPES: Numbers = {"PROCESS": 1, "THREAD": 2}

_ALL = "SVRQCNUW"
_SENDING = "SVUW"
_RECEIVING = "RQW"
_MESSAGES = "SVRQUW"

_TABLE: tuple[tuple[str, Attribute], ...] = (
    (_ALL + "AM", text("DESCR", MQCACH.DESC, 64)),
    (_ALL, word("TRPTYPE", MQIACH.XMIT_PROTOCOL_TYPE, TRANSPORTS, only=("TCP", "LU62", "NETBIOS", "SPX"))),
    ("AM", word("TRPTYPE", MQIACH.XMIT_PROTOCOL_TYPE, TRANSPORTS, only=("TCP",))),
    (_MESSAGES, integer("BATCHSZ", MQIACH.BATCH_SIZE, 1, 9999, 50)),
    (_SENDING, integer("BATCHINT", MQIACH.BATCH_INTERVAL, 0, _COUNT, 0)),
    (_SENDING, integer("BATCHLIM", MQIACH.BATCH_DATA_LIMIT, 0, _SECONDS, 5000)),
    (_SENDING, integer("BATCHHB", MQIACH.BATCH_HB, 0, _COUNT, 0)),
    (_SENDING, integer("DISCINT", MQIACH.DISC_INTERVAL, 0, _SECONDS, 6000)),
    ("C", integer("DISCINT", MQIACH.DISC_INTERVAL, 0, _SECONDS, 0)),
    (_ALL, integer("HBINT", MQIACH.HB_INTERVAL, 0, _SECONDS, 300)),
    (_ALL, integer("KAINT", MQIACH.KEEP_ALIVE_INTERVAL, 0, 99999, KEEPALIVE_AUTO, words={"AUTO": KEEPALIVE_AUTO})),
    (_MESSAGES, word("NPMSPEED", MQIACH.NPM_SPEED, {"FAST": MQNPMS.FAST, "NORMAL": MQNPMS.NORMAL})),
    (_MESSAGES, integer("SEQWRAP", MQIACH.SEQUENCE_NUMBER_WRAP, 100, _COUNT, _COUNT)),
    (_ALL + "A", integer("MAXMSGL", MQIACH.MAX_MSG_LENGTH, 0, MAX_MESSAGE_LENGTH, 4194304)),
    (_SENDING, word("CONVERT", MQIACH.DATA_CONVERSION, NO_YES)),
    (_SENDING, integer("SHORTRTY", MQIACH.SHORT_RETRY, 0, _COUNT, 10)),
    (_SENDING, integer("SHORTTMR", MQIACH.SHORT_TIMER, 0, _SECONDS, 60)),
    (_SENDING, integer("LONGRTY", MQIACH.LONG_RETRY, 0, _COUNT, _COUNT)),
    (_SENDING, integer("LONGTMR", MQIACH.LONG_TIMER, 0, _SECONDS, 1200)),
    (_RECEIVING, integer("MRRTY", MQIACH.MR_COUNT, 0, _COUNT, 10)),
    (_RECEIVING, integer("MRTMR", MQIACH.MR_INTERVAL, 0, _COUNT, 1000)),
    (_RECEIVING, text("MREXIT", MQCACH.MR_EXIT_NAME, EXIT_LENGTH)),
    (_RECEIVING, text("MRDATA", MQCACH.MR_EXIT_USER_DATA, EXIT_DATA_LENGTH)),
    (_RECEIVING, word("PUTAUT", MQIACH.PUT_AUTHORITY, _PUT_AUTHORITY)),
    ("SVRQCUWAM", text("MCAUSER", MQCACH.MCA_USER_ID, 64)),
    (_ALL + "AM", text("SSLCIPH", MQCACH.SSL_CIPHER_SPEC, 32)),
    (_ALL + "A", text("SSLPEER", MQCACH.SSL_PEER_NAME, 1024)),
    ("VRQCWA", word("SSLCAUTH", MQIACH.SSL_CLIENT_AUTH, _CLIENT_AUTHENTICATION, only=_REQUIRED_OPTIONAL)),
    ("M", word("SSLCAUTH", MQIACH.SSL_CLIENT_AUTH, _CLIENT_AUTHENTICATION, only=("NEVER", "OPTIONAL", "REQUIRED"))),
    (_ALL + "A", text("CERTLABL", MQCA.CERT_LABEL, 64)),
    (_ALL, words("COMPHDR", MQIACH.HDR_COMPRESSION, 2, _COMPRESSION, "NONE", "SYSTEM")),
    (_ALL, words("COMPMSG", MQIACH.MSG_COMPRESSION, 16, _COMPRESSION, *_COMPMSG)),
    (_MESSAGES, word("USEDLQ", MQIA.USE_DEAD_LETTER_Q, {"YES": MQUSEDLQ.YES, "NO": MQUSEDLQ.NO})),
    (_SENDING, word("PROPCTL", MQIA.PROPERTY_CONTROL, PROPERTY_CONTROL, only=_PROPCTL)),
    ("SV", named("XMITQ", MQCACH.XMIT_Q_NAME)),
    ("SVQNUW", text("CONNAME", MQCACH.CONNECTION_NAME, CONNECTION_NAME_LENGTH)),
    ("SVQNUWAM", text("LOCLADDR", MQCACH.LOCAL_ADDRESS, 48)),
    ("SVQNUW", text("MODENAME", MQCACH.MODE_NAME, 8)),
    ("SVQNUWC", text("TPNAME", MQCACH.TP_NAME, 64)),
    ("SVQNU", text("USERID", MQCACH.USER_ID, 12)),
    ("SVQNU", text("PASSWORD", MQCACH.PASSWORD, 12, secret=True)),
    ("SVQUW", text("MCANAME", MQCACH.MCA_NAME, 20)),
    ("SVQU", word("MCATYPE", MQIACH.MCA_TYPE, _MCA_TYPES)),
    ("W", word("MCATYPE", MQIACH.MCA_TYPE, _MCA_TYPES, only=("THREAD", "PROCESS"))),
    (_ALL, text("SCYEXIT", MQCACH.SEC_EXIT_NAME, EXIT_LENGTH)),
    (_ALL, text("SCYDATA", MQCACH.SEC_EXIT_USER_DATA, EXIT_DATA_LENGTH)),
    (_MESSAGES, texts("MSGEXIT", MQCACH.MSG_EXIT_NAME, MAX_EXITS, EXIT_LENGTH)),
    (_MESSAGES, texts("MSGDATA", MQCACH.MSG_EXIT_USER_DATA, MAX_EXITS, EXIT_DATA_LENGTH)),
    (_ALL, texts("SENDEXIT", MQCACH.SEND_EXIT_NAME, MAX_EXITS, EXIT_LENGTH)),
    (_ALL, texts("SENDDATA", MQCACH.SEND_EXIT_USER_DATA, MAX_EXITS, EXIT_DATA_LENGTH)),
    (_ALL, texts("RCVEXIT", MQCACH.RCV_EXIT_NAME, MAX_EXITS, EXIT_LENGTH)),
    (_ALL, texts("RCVDATA", MQCACH.RCV_EXIT_USER_DATA, MAX_EXITS, EXIT_DATA_LENGTH)),
    ("CA", integer("MAXINST", MQIACH.MAX_INSTANCES, 0, _COUNT, _COUNT)),
    ("C", integer("MAXINSTC", MQIACH.MAX_INSTS_PER_CLIENT, 0, _COUNT, _COUNT)),
    ("CN", integer("SHARECNV", MQIACH.SHARING_CONVERSATIONS, 0, _COUNT, 10)),
    ("SVRQCUW", word("MONCHL", MQIA.MONITORING_CHANNEL, LEVELS, only=_MONITORING)),
    (_MESSAGES, word("STATCHL", MQIA.STATISTICS_CHANNEL, LEVELS, only=_MONITORING)),
    ("SVRQ", word("SPLPROT", 0, {"PASSTHRU": 0, "REMOVE": 1, "ASPOLICY": 2})),
    ("N", word("AFFINITY", MQIACH.CONNECTION_AFFINITY, {"PREFERRED": 1, "NONE": 0})),
    ("N", integer("CLNTWGHT", MQIACH.CLIENT_CHANNEL_WEIGHT, 0, 99, 0)),
    ("N", word("DEFRECON", MQIACH.DEF_RECONNECT, _RECONNECTING)),
    ("N", text("QMNAME", MQCA.Q_MGR_NAME, 48)),
    ("UW", named("CLUSTER", MQCA.CLUSTER_NAME)),
    ("UW", named("CLUSNL", MQCA.CLUSTER_NAMELIST)),
    ("UW", integer("CLWLPRTY", MQIACH.CLWL_CHANNEL_PRIORITY, 0, 9, 0)),
    ("UW", integer("CLWLRANK", MQIACH.CLWL_CHANNEL_RANK, 0, 9, 0)),
    ("UW", integer("CLWLWGHT", MQIACH.CLWL_CHANNEL_WEIGHT, 1, 99, 50)),
    ("W", integer("NETPRTY", MQIACH.NETWORK_PRIORITY, 0, 9, 0)),
    ("AM", text("JAASCFG", MQCACH.JAAS_CONFIG, 1024)),
    ("AM", word("USECLTID", MQIACH.USE_CLIENT_ID, NO_YES)),
    ("AM", integer("PORT", MQIACH.PORT_NUMBER, 0, 65535, 5672)),
    ("A", integer("AMQPKA", MQIACH.AMQP_KEEP_ALIVE, 0, 99999, KEEPALIVE_AUTO, words={"AUTO": KEEPALIVE_AUTO})),
    ("A", named("TMPMODEL", 0, "SYSTEM.DEFAULT.MODEL.QUEUE")),
    ("A", text("TMPQPRFX", 0, 32, "AMQP.*")),
    ("A", text("TPROOT", MQCACH.TOPIC_ROOT, 128, "SYSTEM.BASE.TOPIC")),
    ("M", integer("BACKLOG", MQIACH.BACKLOG, 0, _COUNT, 4096)),
    ("M", words("PROTOCOL", MQIACH.PROTOCOL, 3, _PROTOCOLS, "MQTTV311", "MQTTV3", "HTTP")),
    ("M", text("SSLKEYP", MQCACH.SSL_KEY_PASSPHRASE, 1024, secret=True)),
    ("M", text("SSLKEYR", MQCA.SSL_KEY_REPOSITORY, 256)),
)


def _table(channel_type: str, letter: str) -> Table:
    chosen = [attribute for letters, attribute in _TABLE if letter in letters]
    kind = word("CHLTYPE", MQIACH.CHANNEL_TYPE, CHANNEL_TYPE_NUMBERS, only=(channel_type,), create_only=True)
    return Table((*chosen, *DATES, kind))


CHANNELS: dict[str, Table] = {name: _table(name, letter) for name, letter in CHANNEL_TYPES.items()}
"""Attribute table by CHLTYPE."""
