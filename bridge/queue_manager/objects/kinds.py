"""Kinds of object: their tables, name spaces, names and default objects (channels.md 12.1, 16)."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from .attributes import DisplayField, Table
from .channel_attributes import CHANNEL_NAME, CHANNELS
from .errors import AttributeMissing, ValueRefused
from .manager_attributes import MANAGER_NAME, QMGR
from .names import CHANNEL_NAME_LENGTH, NAME_LENGTH, SUBSCRIPTION_NAME_LENGTH
from .queue_attributes import QALIAS, QLOCAL, QMODEL, QREMOTE, QUEUE_COUNTERS, QUEUE_NAME, QUEUE_TYPE
from .security_attributes import AUTHREC, AUTHREC_KEYS, AUTHREC_NAME, CHLAUTH_KEYS, CHLAUTH_NAME, CHLAUTHS
from .service_attributes import (
    AUTHENTICATION_NAME,
    AUTHINFOS,
    LISTENER_NAME,
    LISTENERS,
    NAME_COUNT,
    NAMELIST,
    NAMELIST_NAME,
    PROCESS,
    PROCESS_NAME,
    SERVICE,
    SERVICE_NAME,
)
from .topic_attributes import COMMINFO, COMMUNICATION_NAME, SUB, SUBSCRIPTION_NAME, TOPIC, TOPIC_NAME, TOPIC_TYPE
from .values import Value


class Kind(enum.StrEnum):
    """A kind of object or record, by its MQSC word."""

    QLOCAL = "QLOCAL"
    QALIAS = "QALIAS"
    QREMOTE = "QREMOTE"
    QMODEL = "QMODEL"
    CHANNEL = "CHANNEL"
    TOPIC = "TOPIC"
    SUB = "SUB"
    PROCESS = "PROCESS"
    NAMELIST = "NAMELIST"
    LISTENER = "LISTENER"
    SERVICE = "SERVICE"
    AUTHINFO = "AUTHINFO"
    COMMINFO = "COMMINFO"
    CHLAUTH = "CHLAUTH"
    AUTHREC = "AUTHREC"
    QMGR = "QMGR"


QUEUE_KINDS = (Kind.QLOCAL, Kind.QALIAS, Kind.QREMOTE, Kind.QMODEL)

CLIENT_CHANNELS = "CLNTCONN"
"""Name space of client-connection channels, which may have the names of server-connection channels."""


@dataclass(frozen=True, slots=True)
class KindInfo:
    """Description of a kind of object.

    `key`: field of the name. `type`: field of the kind if it is shown beside the name but is not an attribute.
    `counters`: run-time fields shown with the attributes. `selector`: the attribute that selects one of `tables`
    (blank: there is one, under the empty word). `assumed`: its word if it is not given (blank: it is required). `keys`:
    attributes that belong to the identity, with the name. `defaults`: name of the default object by selector word.
    """

    kind: Kind
    space: str
    noun: str
    key: DisplayField
    tables: Mapping[str, Table]
    name_length: int = NAME_LENGTH
    type: DisplayField | None = None
    counters: tuple[DisplayField, ...] = ()
    selector: str = ""
    assumed: str = ""
    keys: tuple[str, ...] = ()
    defaults: Mapping[str, str] = field(default_factory=dict)

    def fields(self) -> Iterator[DisplayField]:
        """All fields of a display: name, type, counters, and the attributes of each table."""
        yield self.key
        if self.type is not None:
            yield self.type
        yield from self.counters
        for table in self.tables.values():
            yield from table.values()


def _queue(kind: Kind, noun: str, table: Table, default: str, counters: tuple[DisplayField, ...] = ()) -> KindInfo:
    return KindInfo(
        kind, "QUEUE", noun, QUEUE_NAME, {"": table}, type=QUEUE_TYPE, counters=counters, defaults={"": default}
    )


def _plain(kind: Kind, noun: str, key: DisplayField, table: Table, counters: tuple[DisplayField, ...] = ()) -> KindInfo:
    return KindInfo(
        kind, kind.value, noun, key, {"": table}, counters=counters, defaults={"": f"SYSTEM.DEFAULT.{kind}"}
    )


_CHANNEL_DEFAULTS = {
    "SDR": "SYSTEM.DEF.SENDER",
    "SVR": "SYSTEM.DEF.SERVER",
    "RCVR": "SYSTEM.DEF.RECEIVER",
    "RQSTR": "SYSTEM.DEF.REQUESTER",
    "SVRCONN": "SYSTEM.DEF.SVRCONN",
    "CLNTCONN": "SYSTEM.DEF.CLNTCONN",
    "CLUSSDR": "SYSTEM.DEF.CLUSSDR",
    "CLUSRCVR": "SYSTEM.DEF.CLUSRCVR",
    "AMQP": "SYSTEM.DEF.AMQP",
}

KINDS: dict[Kind, KindInfo] = {
    info.kind: info
    for info in (
        _queue(Kind.QLOCAL, "queue", QLOCAL, "SYSTEM.DEFAULT.LOCAL.QUEUE", QUEUE_COUNTERS),
        _queue(Kind.QALIAS, "alias queue", QALIAS, "SYSTEM.DEFAULT.ALIAS.QUEUE"),
        _queue(Kind.QREMOTE, "remote queue", QREMOTE, "SYSTEM.DEFAULT.REMOTE.QUEUE"),
        _queue(Kind.QMODEL, "model queue", QMODEL, "SYSTEM.DEFAULT.MODEL.QUEUE"),
        KindInfo(
            Kind.CHANNEL,
            "CHANNEL",
            "channel",
            CHANNEL_NAME,
            CHANNELS,
            CHANNEL_NAME_LENGTH,
            selector="CHLTYPE",
            defaults=_CHANNEL_DEFAULTS,
        ),
        KindInfo(
            Kind.TOPIC,
            "TOPIC",
            "topic",
            TOPIC_NAME,
            {"": TOPIC},
            type=TOPIC_TYPE,
            defaults={"": "SYSTEM.DEFAULT.TOPIC"},
        ),
        KindInfo(
            Kind.SUB,
            "SUB",
            "subscription",
            SUBSCRIPTION_NAME,
            {"": SUB},
            SUBSCRIPTION_NAME_LENGTH,
            defaults={"": "SYSTEM.DEFAULT.SUB"},
        ),
        _plain(Kind.PROCESS, "process", PROCESS_NAME, PROCESS),
        _plain(Kind.NAMELIST, "namelist", NAMELIST_NAME, NAMELIST, (NAME_COUNT,)),
        KindInfo(
            Kind.LISTENER,
            "LISTENER",
            "listener",
            LISTENER_NAME,
            LISTENERS,
            selector="TRPTYPE",
            defaults={word: f"SYSTEM.DEFAULT.LISTENER.{word}" for word in LISTENERS},
        ),
        _plain(Kind.SERVICE, "service", SERVICE_NAME, SERVICE),
        KindInfo(
            Kind.AUTHINFO,
            "AUTHINFO",
            "authentication information",
            AUTHENTICATION_NAME,
            AUTHINFOS,
            selector="AUTHTYPE",
            defaults={word: f"SYSTEM.DEFAULT.AUTHINFO.{word}" for word in AUTHINFOS},
        ),
        KindInfo(
            Kind.COMMINFO,
            "COMMINFO",
            "communication information",
            COMMUNICATION_NAME,
            {"MULTICAST": COMMINFO},
            selector="TYPE",
            assumed="MULTICAST",
            defaults={"MULTICAST": "SYSTEM.DEFAULT.COMMINFO.MULTICAST"},
        ),
        KindInfo(
            Kind.CHLAUTH,
            "CHLAUTH",
            "channel authentication record",
            CHLAUTH_NAME,
            CHLAUTHS,
            CHANNEL_NAME_LENGTH,
            selector="TYPE",
            keys=CHLAUTH_KEYS,
        ),
        KindInfo(Kind.AUTHREC, "AUTHREC", "authority record", AUTHREC_NAME, {"": AUTHREC}, keys=AUTHREC_KEYS),
        KindInfo(Kind.QMGR, "QMGR", "queue manager", MANAGER_NAME, {"": QMGR}),
    )
}


def subtype_of(kind: Kind, attributes: Mapping[str, Value]) -> str:
    """The word that selects the table, for example ``SDR``. Raises `AttributeMissing`, `ValueRefused`."""
    info = KINDS[kind]
    if not info.selector:
        return ""
    subtype = str(attributes.get(info.selector, info.assumed))
    if not subtype:
        raise AttributeMissing(f"{info.selector} must be given")
    if subtype not in info.tables:
        raise ValueRefused(f"{info.selector}({subtype}) is not one of {', '.join(info.tables)}")
    return subtype


def table_of(kind: Kind, attributes: Mapping[str, Value]) -> Table:
    """The attribute table for a definition with these attributes; raises as `subtype_of`."""
    return KINDS[kind].tables[subtype_of(kind, attributes)]


def space_of(kind: Kind, attributes: Mapping[str, Value]) -> str:
    """The name space in which the name must be unique (channels.md 16)."""
    if kind is Kind.CHANNEL and attributes.get("CHLTYPE") == "CLNTCONN":
        return CLIENT_CHANNELS
    return KINDS[kind].space


def identity_of(kind: Kind, name: str, attributes: Mapping[str, Value]) -> str:
    """The key of a definition in its name space: its name, for records also the attributes they match on.

    For a subscription without a name it is the SUBID, after a character that no name has.
    """
    if kind is Kind.SUB and not name:
        return f"\n{attributes.get('SUBID', '')}"
    keys = KINDS[kind].keys
    return "\n".join((name, *(str(attributes.get(key, "")) for key in keys))) if keys else name
