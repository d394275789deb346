"""Objects that every new queue manager has: SYSTEM.* and, as in IBM's developer edition, DEV.*."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mqbridge.bridge.queue_manager.objects.default_descriptions import DESCRIPTIONS
from mqbridge.bridge.queue_manager.objects.kinds import KINDS, Kind
from mqbridge.bridge.queue_manager.objects.registry import Change, Objects
from mqbridge.bridge.queue_manager.objects.values import Value
from mqbridge.bridge.security.users import CHANNEL_USER

DEVELOPER_QUEUES = ("DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.QUEUE.3")
DEVELOPER_DEAD_LETTER_QUEUE = "DEV.DEAD.LETTER.QUEUE"
DEVELOPER_CHANNEL = "DEV.APP.SVRCONN"
DEVELOPER_TOPIC = "DEV.BASE.TOPIC"
DEVELOPER_AUTHENTICATION = "DEV.AUTHINFO"
APPLICATION_USER = "app"
"""Who clients of the developer channel are."""

_SYSTEM_QUEUES: dict[str, dict[str, Value]] = {
    "SYSTEM.ADMIN.ACCOUNTING.QUEUE": {},
    "SYSTEM.ADMIN.ACTIVITY.QUEUE": {},
    "SYSTEM.ADMIN.CHANNEL.EVENT": {},
    "SYSTEM.ADMIN.COMMAND.EVENT": {},
    "SYSTEM.ADMIN.COMMAND.QUEUE": {"MAXMSGL": 32762},
    "SYSTEM.ADMIN.CONFIG.EVENT": {},
    "SYSTEM.ADMIN.LOGGER.EVENT": {},
    "SYSTEM.ADMIN.PERFM.EVENT": {},
    "SYSTEM.ADMIN.PUBSUB.EVENT": {},
    "SYSTEM.ADMIN.QMGR.EVENT": {},
    "SYSTEM.ADMIN.STATISTICS.QUEUE": {},
    "SYSTEM.ADMIN.TRACE.ROUTE.QUEUE": {},
    "SYSTEM.AUTH.DATA.QUEUE": {"DEFPSIST": "YES", "DEFSOPT": "EXCL", "SHARE": False},
    "SYSTEM.BROKER.ADMIN.STREAM": {"DEFPSIST": "YES"},
    "SYSTEM.BROKER.CONTROL.QUEUE": {"DEFPSIST": "YES"},
    "SYSTEM.BROKER.DEFAULT.STREAM": {"DEFPSIST": "YES"},
    "SYSTEM.CHANNEL.INITQ": {},
    "SYSTEM.CHANNEL.SYNCQ": {"DEFPSIST": "YES", "DEFSOPT": "EXCL", "SHARE": False},
    "SYSTEM.CHLAUTH.DATA.QUEUE": {"DEFPSIST": "YES", "DEFSOPT": "EXCL", "SHARE": False},
    "SYSTEM.CICS.INITIATION.QUEUE": {},
    "SYSTEM.CLUSTER.COMMAND.QUEUE": {"DEFPSIST": "YES"},
    "SYSTEM.CLUSTER.HISTORY.QUEUE": {"DEFPSIST": "YES"},
    "SYSTEM.CLUSTER.REPOSITORY.QUEUE": {"DEFPSIST": "YES"},
    "SYSTEM.CLUSTER.TRANSMIT.QUEUE": {"USAGE": "XMITQ", "DEFPSIST": "YES"},
    "SYSTEM.DDELAY.LOCAL.QUEUE": {"MAXDEPTH": 999999999, "MAXMSGL": 104857600, "SHARE": False},
    "SYSTEM.DEAD.LETTER.QUEUE": {"MAXDEPTH": 999999999},
    "SYSTEM.DEFAULT.INITIATION.QUEUE": {},
    "SYSTEM.DURABLE.SUBSCRIBER.QUEUE": {"DEFPSIST": "YES"},
    "SYSTEM.HIERARCHY.STATE": {"DEFPSIST": "YES"},
    "SYSTEM.INTER.QMGR.CONTROL": {"DEFPSIST": "YES"},
    "SYSTEM.INTER.QMGR.FANREQ": {"DEFPSIST": "YES"},
    "SYSTEM.INTER.QMGR.PUBS": {"DEFPSIST": "YES"},
    "SYSTEM.INTERNAL.REPLY.QUEUE": {},
    "SYSTEM.PENDING.DATA.QUEUE": {"DEFPSIST": "YES"},
    "SYSTEM.PROTECTION.ERROR.QUEUE": {},
    "SYSTEM.PROTECTION.POLICY.QUEUE": {"DEFPSIST": "YES"},
    "SYSTEM.REST.REPLY.QUEUE": {},
    "SYSTEM.RETAINED.PUB.QUEUE": {"DEFPSIST": "YES", "MAXDEPTH": 999999999, "MAXMSGL": 104857600},
    "SYSTEM.SELECTION.EVALUATION.QUEUE": {},
    "SYSTEM.SELECTION.VALIDATION.QUEUE": {},
}

_MODEL_QUEUES: dict[str, dict[str, Value]] = {
    "SYSTEM.CLUSTER.TRANSMIT.MODEL.QUEUE": {"USAGE": "XMITQ", "DEFTYPE": "PERMDYN", "SHARE": True},
    "SYSTEM.DURABLE.MODEL.QUEUE": {"DEFTYPE": "PERMDYN", "DEFSOPT": "SHARED", "SHARE": True},
    "SYSTEM.JMS.TEMPQ.MODEL": {},
    "SYSTEM.MQEXPLORER.REPLY.MODEL": {},
    "SYSTEM.MQSC.REPLY.QUEUE": {},
    "SYSTEM.NDURABLE.MODEL.QUEUE": {"DEFSOPT": "SHARED", "SHARE": True},
}

_CHANNELS: dict[str, dict[str, Value]] = {
    "SYSTEM.AUTO.RECEIVER": {"CHLTYPE": "RCVR"},
    "SYSTEM.AUTO.SVRCONN": {"CHLTYPE": "SVRCONN"},
    DEVELOPER_CHANNEL: {
        "CHLTYPE": "SVRCONN",
        "DESCR": "Server connection for applications",
        "MCAUSER": APPLICATION_USER,
    },
}

_TOPIC_OBJECTS: dict[str, dict[str, Value]] = {
    "SYSTEM.BASE.TOPIC": {
        "CAPEXPRY": -2,
        "DEFPRESP": "SYNC",
        "DEFPRTY": 0,
        "DEFPSIST": "NO",
        "DURSUB": "YES",
        "MCAST": "DISABLED",
        "MDURMDL": "SYSTEM.DURABLE.MODEL.QUEUE",
        "MNDURMDL": "SYSTEM.NDURABLE.MODEL.QUEUE",
        "NPMSGDLV": "ALLAVAIL",
        "PMSGDLV": "ALLDUR",
        "PUB": "ENABLED",
        "PUBSCOPE": "ALL",
        "SUB": "ENABLED",
        "SUBSCOPE": "ALL",
        "USEDLQ": "YES",
    },
    "SYSTEM.ADMIN.TOPIC": {"TOPICSTR": "$SYS/MQ"},
    "SYSTEM.BROKER.ADMIN.STREAM": {"TOPICSTR": "SYSTEM.BROKER.ADMIN.STREAM"},
    "SYSTEM.BROKER.DEFAULT.STREAM": {"TOPICSTR": "SYSTEM.BROKER.DEFAULT.STREAM"},
    "SYSTEM.BROKER.DEFAULT.SUBPOINT": {"TOPICSTR": ""},
    DEVELOPER_TOPIC: {"TOPICSTR": "dev/"},
}

_RECORDS: tuple[tuple[str, dict[str, Value]], ...] = (
    ("*", {"TYPE": "BLOCKUSER", "USERLIST": ("*MQADMIN",), "DESCR": "Default rule to disallow privileged users"}),
    (
        "SYSTEM.*",
        {
            "TYPE": "ADDRESSMAP",
            "ADDRESS": "*",
            "USERSRC": "NOACCESS",
            "DESCR": "Default rule to disable all SYSTEM channels",
        },
    ),
    (
        "SYSTEM.ADMIN.SVRCONN",
        {
            "TYPE": "ADDRESSMAP",
            "ADDRESS": "*",
            "USERSRC": "CHANNEL",
            "DESCR": "Default rule to allow MQ Explorer access",
        },
    ),
)

_AUTHORITIES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("QMGR", "self", ("CONNECT", "DSP", "INQ")),
    ("QUEUE", "**", ("BROWSE", "DSP", "GET", "INQ", "PASSALL", "PASSID", "PUT")),
    ("QUEUE", "SYSTEM.**", ()),
    ("QUEUE", "SYSTEM.DEFAULT.MODEL.QUEUE", ("BROWSE", "DSP", "GET", "INQ", "PASSALL", "PASSID", "PUT", "SET")),
    ("QUEUE", "SYSTEM.JMS.TEMPQ.MODEL", ("BROWSE", "DSP", "GET", "INQ", "PASSALL", "PASSID", "PUT", "SET")),
    ("QUEUE", "SYSTEM.DURABLE.MODEL.QUEUE", ("BROWSE", "DSP", "GET", "INQ", "PUT")),
    ("QUEUE", "SYSTEM.NDURABLE.MODEL.QUEUE", ("BROWSE", "DSP", "GET", "INQ", "PUT")),
    ("QUEUE", "SYSTEM.DEAD.LETTER.QUEUE", ("INQ", "PASSALL", "PASSID", "PUT")),
    ("QUEUE", "SYSTEM.ADMIN.COMMAND.QUEUE", ("DSP", "INQ", "PUT")),
    ("RQMNAME", "**", ("PUT",)),
    ("TOPIC", "**", ("DSP", "PUB", "RESUME", "SUB")),
    ("TOPIC", "SYSTEM.**", ()),
    ("TOPIC", "SYSTEM.BASE.TOPIC", ("PUB", "RESUME", "SUB")),
    ("PROCESS", "**", ("INQ",)),
    ("NAMELIST", "**", ("INQ",)),
)
"""What `APPLICATION_USER` may do: OBJTYPE, profile, authorities. Everything a program does, outside ``SYSTEM.**``;
there the model queues (what is made of them is its own, to be set as well), the root of the topics, putting aside what
cannot be processed, and commands that only show queues, topics and the queue manager. No administration."""
_OF_CHANNELS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("QMGR", "self", ("ALTUSR", "CONNECT", "SETALL")),
    ("QUEUE", "**", ("PUT", "SETALL")),
    ("QUEUE", "SYSTEM.**", ()),
    ("QUEUE", "SYSTEM.DEAD.LETTER.QUEUE", ("PUT", "SETALL")),
    ("RQMNAME", "**", ("PUT",)),
    ("TOPIC", "**", ("PUB", "SETALL")),
    ("TOPIC", "SYSTEM.**", ()),
    ("TOPIC", "SYSTEM.BASE.TOPIC", ("PUB", "SETALL")),
)
"""What `CHANNEL_USER` may do: put everywhere but on queues of the system. By ALTUSR channels with PUTAUT(CTX) put with
the authority of the user in each message, where they may set context themselves."""


def _definitions() -> Iterator[tuple[Kind, str, Mapping[str, Value]]]:
    """Every supplied definition; the default object of a kind before what is made like it."""
    for info in KINDS.values():
        for subtype, name in info.defaults.items():
            yield info.kind, name, {info.selector: subtype} if subtype else {}
    for name, attributes in _SYSTEM_QUEUES.items():
        yield Kind.QLOCAL, name, {"DESCR": DESCRIPTIONS[name], **attributes}
    for name, attributes in _MODEL_QUEUES.items():
        yield Kind.QMODEL, name, {"DESCR": DESCRIPTIONS[name], **attributes}
    for name, attributes in _CHANNELS.items():
        yield Kind.CHANNEL, name, attributes
    for name, attributes in _TOPIC_OBJECTS.items():
        yield Kind.TOPIC, name, attributes
    yield (
        Kind.NAMELIST,
        "SYSTEM.QPUBSUB.QUEUE.NAMELIST",
        {"NAMES": ("SYSTEM.BROKER.DEFAULT.STREAM", "SYSTEM.BROKER.ADMIN.STREAM")},
    )
    yield Kind.NAMELIST, "SYSTEM.QPUBSUB.SUBPOINT.NAMELIST", {"NAMES": ("SYSTEM.BROKER.DEFAULT.SUBPOINT",)}
    yield Kind.SERVICE, "SYSTEM.BROKER", {}
    for name in DEVELOPER_QUEUES:
        yield Kind.QLOCAL, name, {}
    yield Kind.QLOCAL, DEVELOPER_DEAD_LETTER_QUEUE, {}
    for profile, attributes in _RECORDS:
        yield Kind.CHLAUTH, profile, attributes
    yield (
        Kind.AUTHINFO,
        DEVELOPER_AUTHENTICATION,
        {"AUTHTYPE": "IDPWOS", "CHCKCLNT": "ASQMGR", "DESCR": "Passwords for clients of other machines"},
    )
    yield from _records_of(APPLICATION_USER, _AUTHORITIES)
    yield from _records_of(CHANNEL_USER, _OF_CHANNELS)


def _records_of(
    user: str, records: tuple[tuple[str, str, tuple[str, ...]], ...]
) -> Iterator[tuple[Kind, str, Mapping[str, Value]]]:
    for object_type, profile, authorities in records:
        entity = {"OBJTYPE": object_type, "ENTTYPE": "PRINCIPAL", "ENTITY": user}
        yield Kind.AUTHREC, profile, {**entity, "AUTHLIST": authorities}


def define_supplied(objects: Objects, now: float) -> int:
    """Defines every supplied object that is not there; returns how many were made. CONNAUTH follows a new AUTHINFO.

    A new queue manager calls it before `Objects.operations`; one that was made by an earlier release calls it after
    `Objects.load` and commits the operations of what is new.
    """
    made = 0
    for kind, name, attributes in _definitions():
        if objects.find(kind, name, attributes) is None:
            objects.define(kind, name, attributes, now, supplied=True)
            made += 1
            if name == DEVELOPER_AUTHENTICATION:
                objects.alter(Kind.QMGR, objects.name, {"CONNAUTH": name}, now)
    return made


def define_channel_user(objects: Objects, now: float) -> list[Change]:
    """Gives the user of channels without MCAUSER its records, as far as they are not there, where a queue manager was
    made by a release that did not know it; returns the changes."""
    return [
        objects.define(kind, name, attributes, now, supplied=True)
        for kind, name, attributes in _records_of(CHANNEL_USER, _OF_CHANNELS)
        if objects.find(kind, name, attributes) is None
    ]


def is_supplied(name: str) -> bool:
    """Whether a name is of the reserved kind that supplied objects have (channels.md 16 rule 5)."""
    return name.startswith("SYSTEM.")
