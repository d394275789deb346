"""Objects that every new queue manager has: SYSTEM.* and, as in IBM's developer edition, DEV.*."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from mqbridge.bridge.queue_manager.objects.kinds import KINDS, Kind
from mqbridge.bridge.queue_manager.objects.registry import Change, Objects
from mqbridge.bridge.queue_manager.objects.values import Value
from mqbridge.bridge.security.users import CHANNEL_USER
from mqbridge.mappings.delayed import DELAY_QUEUE
from mqbridge.mappings.moment import Time

COMMAND_QUEUE: Final = "SYSTEM.ADMIN.COMMAND.QUEUE"
"""Messages on it are PCF commands, executed with the authority with which they were put."""
RETAINED_QUEUE: Final = "SYSTEM.RETAINED.PUB.QUEUE"
"""Messages on it are retained publications, which new subscribers get."""
RESERVED_QUEUES: Final = frozenset((DELAY_QUEUE, RETAINED_QUEUE))
"""Queues to which no user may put, administrators included: they hold the queue manager's own records."""
QUEUES_WITH_PUTTER: Final = frozenset((COMMAND_QUEUE, DELAY_QUEUE))
"""Queues whose rows say with whose authority each message was put."""

DEVELOPER_QUEUES = ("DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.QUEUE.3")
DEVELOPER_DEAD_LETTER_QUEUE = "DEV.DEAD.LETTER.QUEUE"
DEVELOPER_CHANNEL = "DEV.APP.SVRCONN"
DEVELOPER_TOPIC = "DEV.BASE.TOPIC"
DEVELOPER_AUTHENTICATION = "DEV.AUTHINFO"
APPLICATION_USER = "app"
"""MCAUSER of the developer channel."""

_SYSTEM_QUEUES: dict[str, dict[str, Value]] = {
    "SYSTEM.ADMIN.ACCOUNTING.QUEUE": {"DESCR": "Accounting messages of programs that disconnect"},
    "SYSTEM.ADMIN.ACTIVITY.QUEUE": {"DESCR": "Activity reports"},
    "SYSTEM.ADMIN.CHANNEL.EVENT": {"DESCR": "Event queue for channels"},
    "SYSTEM.ADMIN.COMMAND.EVENT": {"DESCR": "Event queue for commands"},
    COMMAND_QUEUE: {"DESCR": "Administration command queue", "MAXMSGL": 32762},
    "SYSTEM.ADMIN.CONFIG.EVENT": {"DESCR": "Event queue for configuration"},
    "SYSTEM.ADMIN.LOGGER.EVENT": {"DESCR": "Event queue for the logger"},
    "SYSTEM.ADMIN.PERFM.EVENT": {"DESCR": "Event queue for performance"},
    "SYSTEM.ADMIN.PUBSUB.EVENT": {"DESCR": "Event queue for publish/subscribe"},
    "SYSTEM.ADMIN.QMGR.EVENT": {"DESCR": "Event queue for the queue manager"},
    "SYSTEM.ADMIN.STATISTICS.QUEUE": {"DESCR": "Statistics messages"},
    "SYSTEM.ADMIN.TRACE.ROUTE.QUEUE": {"DESCR": "Trace-route replies"},
    "SYSTEM.AUTH.DATA.QUEUE": {"DESCR": "Authority records", "DEFPSIST": "YES", "DEFSOPT": "EXCL", "SHARE": False},
    "SYSTEM.BROKER.ADMIN.STREAM": {"DESCR": "Administration stream of queued publish/subscribe", "DEFPSIST": "YES"},
    "SYSTEM.BROKER.CONTROL.QUEUE": {"DESCR": "Control queue of queued publish/subscribe", "DEFPSIST": "YES"},
    "SYSTEM.BROKER.DEFAULT.STREAM": {"DESCR": "Default stream of queued publish/subscribe", "DEFPSIST": "YES"},
    "SYSTEM.CHANNEL.INITQ": {"DESCR": "Channel initiation queue"},
    "SYSTEM.CHANNEL.SYNCQ": {
        "DESCR": "Channel synchronization data",
        "DEFPSIST": "YES",
        "DEFSOPT": "EXCL",
        "SHARE": False,
    },
    "SYSTEM.CHLAUTH.DATA.QUEUE": {
        "DESCR": "Channel authentication records",
        "DEFPSIST": "YES",
        "DEFSOPT": "EXCL",
        "SHARE": False,
    },
    "SYSTEM.CICS.INITIATION.QUEUE": {"DESCR": "Default CICS initiation queue"},
    "SYSTEM.CLUSTER.COMMAND.QUEUE": {"DESCR": "Messages to the cluster repository manager", "DEFPSIST": "YES"},
    "SYSTEM.CLUSTER.HISTORY.QUEUE": {"DESCR": "History of cluster state, for service", "DEFPSIST": "YES"},
    "SYSTEM.CLUSTER.REPOSITORY.QUEUE": {"DESCR": "Cluster repository", "DEFPSIST": "YES"},
    "SYSTEM.CLUSTER.TRANSMIT.QUEUE": {
        "DESCR": "Transmission queue for all clusters",
        "USAGE": "XMITQ",
        "DEFPSIST": "YES",
    },
    DELAY_QUEUE: {
        "DESCR": "Messages with a delivery delay",
        "MAXDEPTH": 999999999,
        "MAXMSGL": 104857600,
        "SHARE": False,
    },
    "SYSTEM.DEAD.LETTER.QUEUE": {"DESCR": "IBM MQ Default Dead Letter Queue", "MAXDEPTH": 999999999},
    "SYSTEM.DEFAULT.INITIATION.QUEUE": {"DESCR": "Default initiation queue"},
    "SYSTEM.DURABLE.SUBSCRIBER.QUEUE": {"DESCR": "Durable subscriptions", "DEFPSIST": "YES"},
    "SYSTEM.HIERARCHY.STATE": {"DESCR": "State of the publish/subscribe hierarchy", "DEFPSIST": "YES"},
    "SYSTEM.INTER.QMGR.CONTROL": {"DESCR": "Control messages of a publish/subscribe hierarchy", "DEFPSIST": "YES"},
    "SYSTEM.INTER.QMGR.FANREQ": {"DESCR": "Fan-out requests of a publish/subscribe hierarchy", "DEFPSIST": "YES"},
    "SYSTEM.INTER.QMGR.PUBS": {"DESCR": "Publications of a publish/subscribe hierarchy", "DEFPSIST": "YES"},
    "SYSTEM.INTERNAL.REPLY.QUEUE": {"DESCR": "Internal replies"},
    "SYSTEM.PENDING.DATA.QUEUE": {"DESCR": "Deferred messages of JMS", "DEFPSIST": "YES"},
    "SYSTEM.PROTECTION.ERROR.QUEUE": {"DESCR": "Messages that Advanced Message Security refused"},
    "SYSTEM.PROTECTION.POLICY.QUEUE": {"DESCR": "Policies of Advanced Message Security", "DEFPSIST": "YES"},
    "SYSTEM.REST.REPLY.QUEUE": {"DESCR": "Answers to commands for other queue managers"},
    RETAINED_QUEUE: {
        "DESCR": "Retained publications",
        "DEFPSIST": "YES",
        "MAXDEPTH": 999999999,
        "MAXMSGL": 104857600,
    },
    "SYSTEM.SELECTION.EVALUATION.QUEUE": {"DESCR": "Selection, evaluation"},
    "SYSTEM.SELECTION.VALIDATION.QUEUE": {"DESCR": "Selection, validation"},
}
"""DESCR gives the purpose, as in IBM MQ's documentation of system and default objects. Default objects have none:
objects defined like them would inherit it. That of a model queue describes its dynamic queues."""

_MODEL_QUEUES: dict[str, dict[str, Value]] = {
    "SYSTEM.CLUSTER.TRANSMIT.MODEL.QUEUE": {
        "DESCR": "Transmission queue of a cluster-sender channel",
        "USAGE": "XMITQ",
        "DEFTYPE": "PERMDYN",
        "SHARE": True,
    },
    "SYSTEM.DURABLE.MODEL.QUEUE": {
        "DESCR": "Managed queue of a durable subscription",
        "DEFTYPE": "PERMDYN",
        "DEFSOPT": "SHARED",
        "SHARE": True,
    },
    "SYSTEM.JMS.TEMPQ.MODEL": {"DESCR": "Temporary queue of JMS"},
    "SYSTEM.MQEXPLORER.REPLY.MODEL": {"DESCR": "Reply queue of MQ Explorer"},
    "SYSTEM.MQSC.REPLY.QUEUE": {"DESCR": "Reply queue of MQSC commands"},
    "SYSTEM.NDURABLE.MODEL.QUEUE": {
        "DESCR": "Managed queue of a non-durable subscription",
        "DEFSOPT": "SHARED",
        "SHARE": True,
    },
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
    ("QUEUE", COMMAND_QUEUE, ("DSP", "INQ", "PUT")),
    ("RQMNAME", "**", ("PUT",)),
    ("TOPIC", "**", ("DSP", "PUB", "RESUME", "SUB")),
    ("TOPIC", "SYSTEM.**", ()),
    ("TOPIC", "SYSTEM.BASE.TOPIC", ("PUB", "RESUME", "SUB")),
    ("PROCESS", "**", ("INQ",)),
    ("NAMELIST", "**", ("INQ",)),
)
"""Authorities of `APPLICATION_USER`: OBJTYPE, profile, authorities. All MQI calls outside ``SYSTEM.**``; there the
model queues (with SET on the dynamic queues made from them), the root topic, puts to the dead-letter queue, and
commands that display queues, topics and the queue manager. No administration."""
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
"""Authorities of `CHANNEL_USER`: put to all but SYSTEM queues. By ALTUSR, channels with PUTAUT(CTX) put with the
authority of the user in each message, but set context with their own."""


def _definitions() -> Iterator[tuple[Kind, str, Mapping[str, Value]]]:
    """Every supplied definition; the default object of a kind before what is made like it."""
    for info in KINDS.values():
        for subtype, name in info.defaults.items():
            yield info.kind, name, {info.selector: subtype} if subtype else {}
    for name, attributes in _SYSTEM_QUEUES.items():
        yield Kind.QLOCAL, name, attributes
    for name, attributes in _MODEL_QUEUES.items():
        yield Kind.QMODEL, name, attributes
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


def define_supplied(objects: Objects, now: Time) -> int:
    """Define every missing supplied object. Returns how many. CONNAUTH is set to a new AUTHINFO.

    A new queue manager calls it before `Objects.operations`; one of an earlier release calls it after `Objects.load`
    and commits the operations of new objects.
    """
    made = 0
    for kind, name, attributes in _definitions():
        if objects.find(kind, name, attributes) is None:
            objects.define(kind, name, attributes, now, supplied=True)
            made += 1
            if name == DEVELOPER_AUTHENTICATION:
                objects.alter(Kind.QMGR, objects.name, {"CONNAUTH": name}, now)
    return made


def define_channel_user(objects: Objects, now: Time) -> list[Change]:
    """Define missing authority records of `CHANNEL_USER`, for a queue manager of an earlier release."""
    return [
        objects.define(kind, name, attributes, now, supplied=True)
        for kind, name, attributes in _records_of(CHANNEL_USER, _OF_CHANNELS)
        if objects.find(kind, name, attributes) is None
    ]


def is_supplied(name: str) -> bool:
    """Whether a name has the reserved prefix of supplied objects (channels.md 16 rule 5)."""
    return name.startswith("SYSTEM.")
