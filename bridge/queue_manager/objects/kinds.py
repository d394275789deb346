"""Kinds of object: their tables, name spaces, names and default objects (channels.md 12.1, 16)."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from .attributes import Table
from .channel_attributes import CHANNELS
from .errors import AttributeMissing, ValueRefused
from .manager_attributes import QMGR
from .names import CHANNEL_NAME_LENGTH, NAME_LENGTH, SUBSCRIPTION_NAME_LENGTH
from .queue_attributes import QALIAS, QLOCAL, QMODEL, QREMOTE
from .security_attributes import AUTHREC, AUTHREC_KEYS, CHLAUTH_KEYS, CHLAUTHS
from .service_attributes import AUTHINFOS, LISTENERS, NAMELIST, PROCESS, SERVICE
from .topic_attributes import COMMINFO, SUB, TOPIC
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
"""Name space of client-connection definitions: one may have the name of the server connection it belongs to."""


@dataclass(frozen=True, slots=True)
class KindInfo:
    """What the registry knows of a kind.

    `selector`: the attribute that decides which of `tables` holds (blank: `tables` has one entry, under the empty
    word), and `assumed` the word taken where it is not given (blank: it must be). `keys`: attributes that together
    with the name tell two definitions apart. `defaults`: name of the supplied default object by selector word.
    """

    kind: Kind
    space: str
    noun: str
    tables: Mapping[str, Table]
    name_length: int = NAME_LENGTH
    selector: str = ""
    assumed: str = ""
    keys: tuple[str, ...] = ()
    defaults: Mapping[str, str] = field(default_factory=dict)


def _queue(kind: Kind, noun: str, table: Table, default: str) -> KindInfo:
    return KindInfo(kind, "QUEUE", noun, {"": table}, defaults={"": default})


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
        _queue(Kind.QLOCAL, "queue", QLOCAL, "SYSTEM.DEFAULT.LOCAL.QUEUE"),
        _queue(Kind.QALIAS, "alias queue", QALIAS, "SYSTEM.DEFAULT.ALIAS.QUEUE"),
        _queue(Kind.QREMOTE, "remote queue", QREMOTE, "SYSTEM.DEFAULT.REMOTE.QUEUE"),
        _queue(Kind.QMODEL, "model queue", QMODEL, "SYSTEM.DEFAULT.MODEL.QUEUE"),
        KindInfo(
            Kind.CHANNEL,
            "CHANNEL",
            "channel",
            CHANNELS,
            CHANNEL_NAME_LENGTH,
            "CHLTYPE",
            defaults=_CHANNEL_DEFAULTS,
        ),
        KindInfo(Kind.TOPIC, "TOPIC", "topic", {"": TOPIC}, defaults={"": "SYSTEM.DEFAULT.TOPIC"}),
        KindInfo(
            Kind.SUB, "SUB", "subscription", {"": SUB}, SUBSCRIPTION_NAME_LENGTH, defaults={"": "SYSTEM.DEFAULT.SUB"}
        ),
        KindInfo(Kind.PROCESS, "PROCESS", "process", {"": PROCESS}, defaults={"": "SYSTEM.DEFAULT.PROCESS"}),
        KindInfo(Kind.NAMELIST, "NAMELIST", "namelist", {"": NAMELIST}, defaults={"": "SYSTEM.DEFAULT.NAMELIST"}),
        KindInfo(
            Kind.LISTENER,
            "LISTENER",
            "listener",
            LISTENERS,
            selector="TRPTYPE",
            defaults={word: f"SYSTEM.DEFAULT.LISTENER.{word}" for word in LISTENERS},
        ),
        KindInfo(Kind.SERVICE, "SERVICE", "service", {"": SERVICE}, defaults={"": "SYSTEM.DEFAULT.SERVICE"}),
        KindInfo(
            Kind.AUTHINFO,
            "AUTHINFO",
            "authentication information",
            AUTHINFOS,
            selector="AUTHTYPE",
            defaults={word: f"SYSTEM.DEFAULT.AUTHINFO.{word}" for word in AUTHINFOS},
        ),
        KindInfo(
            Kind.COMMINFO,
            "COMMINFO",
            "communication information",
            {"MULTICAST": COMMINFO},
            selector="TYPE",
            assumed="MULTICAST",
            defaults={"MULTICAST": "SYSTEM.DEFAULT.COMMINFO.MULTICAST"},
        ),
        KindInfo(
            Kind.CHLAUTH,
            "CHLAUTH",
            "channel authentication record",
            CHLAUTHS,
            CHANNEL_NAME_LENGTH,
            "TYPE",
            keys=CHLAUTH_KEYS,
        ),
        KindInfo(Kind.AUTHREC, "AUTHREC", "authority record", {"": AUTHREC}, keys=AUTHREC_KEYS),
        KindInfo(Kind.QMGR, "QMGR", "queue manager", {"": QMGR}),
    )
}


def subtype_of(kind: Kind, attributes: Mapping[str, Value]) -> str:
    """The word that decides the table, for example ``SDR``; raises `AttributeMissing`, `ValueRefused`."""
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
    """The name space in which a definition must be alone with its name (channels.md 16)."""
    if kind is Kind.CHANNEL and attributes.get("CHLTYPE") == "CLNTCONN":
        return CLIENT_CHANNELS
    return KINDS[kind].space


def identity_of(kind: Kind, name: str, attributes: Mapping[str, Value]) -> str:
    """What a definition is found by inside its name space: its name, for records with what they match on.

    A subscription without a name is found by its SUBID, behind a character that no name has.
    """
    if kind is Kind.SUB and not name:
        return f"\n{attributes.get('SUBID', '')}"
    keys = KINDS[kind].keys
    return "\n".join((name, *(str(attributes.get(key, "")) for key in keys))) if keys else name
