"""The MQSC command for each PCF command (channels.md 17.2).

Each is one row: verb, object, where the name is, which further parameters are options, and whether the rest are
attributes to set or an inquiry. The MQSC command then runs as if it had been typed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from mqbridge.protocol.constants import MQBACF, MQCA, MQCACF, MQCACH, MQCMD, MQIA, MQIACF, MQIACH

QUEUE_BY_TYPE: Final = "queue"
"""Stands for QLOCAL, QALIAS, QREMOTE or QMODEL, depending on the parameter Q_TYPE."""


@dataclass(frozen=True, slots=True)
class CommandRequest:
    """One PCF command.

    ``name``: parameters, one of which gives the name. ``options``: keyword by parameter. ``flags``: by parameter, the
    keyword without value for each number, blank for none. ``sets``: all other parameters are attributes. ``shows``: the
    parameter that lists what to show, 0 if the command is not an inquiry. ``names``: the parameter of a reply with
    names only, ``types``: that of their types. ``words``: by parameter, the words of numbers where the object has
    others. ``lenient``: other parameters are ignored.
    """

    verb: str
    noun: str
    name: tuple[int, ...] = ()
    options: Mapping[int, str] = field(default_factory=dict)
    flags: Mapping[int, Mapping[int, str]] = field(default_factory=dict)
    sets: bool = False
    shows: int = 0
    names: int = 0
    types: int = 0
    words: Mapping[int, Mapping[int, str]] = field(default_factory=dict)
    lenient: bool = False


_REPLACE: Final = {int(MQIACF.REPLACE): {1: "REPLACE", 0: "NOREPLACE"}}
_FORCE: Final = {int(MQIACF.FORCE): {1: "FORCE", 0: ""}}
_AUTHREC: Final = {int(MQIACF.REMOVE_AUTHREC): "AUTHREC"}
_NO_OPTIONS: Final[Mapping[int, str]] = {}


def _define(noun: str, name: int) -> CommandRequest:
    return CommandRequest("DEFINE", noun, (int(name),), flags=_REPLACE, sets=True)


def _copy(noun: str, source: int, target: int) -> CommandRequest:
    return CommandRequest("DEFINE", noun, (int(target),), {int(source): "LIKE"}, _REPLACE, sets=True)


def _alter(noun: str, *names: int, flags: Mapping[int, Mapping[int, str]] | None = None) -> CommandRequest:
    return CommandRequest("ALTER", noun, tuple(map(int, names)), flags=flags or {}, sets=True)


def _delete(noun: str, *names: int, options: Mapping[int, str] = _NO_OPTIONS) -> CommandRequest:
    return CommandRequest("DELETE", noun, tuple(map(int, names)), options)


def _inquire(noun: str, shows: int, *names: int, **options: int) -> CommandRequest:
    by_parameter = {int(parameter): keyword for keyword, parameter in options.items()}
    return CommandRequest("DISPLAY", noun, tuple(map(int, names)), by_parameter, shows=int(shows))


def _names(noun: str, name: int, names: int, types: int = 0, **options: int) -> CommandRequest:
    by_parameter = {int(parameter): keyword for keyword, parameter in options.items()}
    return CommandRequest("DISPLAY", noun, (int(name),), by_parameter, names=int(names), types=int(types))


def _nothing(verb: str, noun: str, name: int) -> CommandRequest:
    return CommandRequest(verb, noun, (int(name),), lenient=True)


def _do(verb: str, noun: str, *names: int, **options: int) -> CommandRequest:
    by_parameter = {int(parameter): keyword for keyword, parameter in options.items()}
    return CommandRequest(verb, noun, tuple(map(int, names)), by_parameter)


_QUEUE: Final = QUEUE_BY_TYPE
_CHANNEL: Final = MQCACH.CHANNEL_NAME
_LISTENER: Final = {"TRPTYPE": MQIACH.XMIT_PROTOCOL_TYPE, "IGNSTATE": MQIACF.IGNORE_STATE}
_WHOM: Final = {
    "PROFILE": MQCACF.AUTH_PROFILE_NAME,
    "OBJTYPE": MQIACF.OBJECT_TYPE,
    "PRINCIPAL": MQCACF.PRINCIPAL_ENTITY_NAMES,
    "GROUP": MQCACF.GROUP_ENTITY_NAMES,
}

REQUESTS: Final[Mapping[int, CommandRequest]] = {
    # The queue manager
    MQCMD.INQUIRE_Q_MGR: _inquire("QMGR", MQIACF.Q_MGR_ATTRS),
    MQCMD.CHANGE_Q_MGR: _alter("QMGR", flags=_FORCE),
    MQCMD.PING_Q_MGR: _do("PING", "QMGR"),
    MQCMD.INQUIRE_Q_MGR_STATUS: _inquire("QMSTATUS", MQIACF.Q_MGR_STATUS_ATTRS),
    MQCMD.REFRESH_Q_MGR: _do("REFRESH", "QMGR", TYPE=MQIACF.REFRESH_TYPE),
    MQCMD.REFRESH_SECURITY: _do("REFRESH", "SECURITY", TYPE=MQIACF.SECURITY_TYPE),
    MQCMD.RESET_Q_MGR: CommandRequest(
        "RESET",
        "QMGR",
        options={
            int(MQIACF.ACTION): "TYPE",
            int(MQCACF.ARCHIVE_LOG_EXTENT_NAME): "ARCHIVED",
            int(MQIACF.LOG_REDUCTION): "REDUCE",
            int(MQCACF.CHILD_Q_MGR_NAME): "CHILD",
            int(MQCACF.PARENT_Q_MGR_NAME): "PARENT",
        },
        words={int(MQIACF.ACTION): {2: "ADVANCELOG", 3: "STATISTICS", 4: "PUBSUB", 10: "REDUCELOG", 11: "ARCHIVED"}},
    ),
    # Programs
    MQCMD.INQUIRE_CONNECTION: _inquire("CONN", MQIACF.CONNECTION_ATTRS, TYPE=MQIACF.CONN_INFO_TYPE),
    MQCMD.STOP_CONNECTION: _do("STOP", "CONN"),
    MQCMD.INQUIRE_APPL_STATUS: _inquire(
        "APSTATUS", MQIACF.APPL_INFO_ATTRS, MQCACF.APPL_NAME, TYPE=MQIACF.APPL_INFO_TYPE
    ),
    # Clusters
    MQCMD.INQUIRE_CLUSTER_Q_MGR: _nothing("DISPLAY", "CLUSQMGR", MQCA.CLUSTER_Q_MGR_NAME),
    MQCMD.SUSPEND_Q_MGR_CLUSTER: _do("SUSPEND", "QMGR", CLUSTER=MQCA.CLUSTER_NAME, CLUSNL=MQCA.CLUSTER_NAMELIST),
    MQCMD.RESUME_Q_MGR_CLUSTER: _do("RESUME", "QMGR", CLUSTER=MQCA.CLUSTER_NAME, CLUSNL=MQCA.CLUSTER_NAMELIST),
    MQCMD.REFRESH_CLUSTER: _nothing("REFRESH", "CLUSTER", MQCA.CLUSTER_NAME),
    MQCMD.RESET_CLUSTER: _nothing("RESET", "CLUSTER", MQCA.CLUSTER_NAME),
    # Queues
    MQCMD.INQUIRE_Q: _inquire("QUEUE", MQIACF.Q_ATTRS, MQCA.Q_NAME, TYPE=MQIA.Q_TYPE),
    MQCMD.INQUIRE_Q_NAMES: _names("QUEUE", MQCA.Q_NAME, MQCACF.Q_NAMES, MQIACF.Q_TYPES, TYPE=MQIA.Q_TYPE),
    MQCMD.CREATE_Q: _define(_QUEUE, MQCA.Q_NAME),
    MQCMD.COPY_Q: _copy(_QUEUE, MQCACF.FROM_Q_NAME, MQCACF.TO_Q_NAME),
    MQCMD.CHANGE_Q: _alter(_QUEUE, MQCA.Q_NAME, flags=_FORCE),
    MQCMD.DELETE_Q: CommandRequest(
        "DELETE", _QUEUE, (int(MQCA.Q_NAME),), _AUTHREC, {int(MQIACF.PURGE): {1: "PURGE", 0: "NOPURGE"}}
    ),
    MQCMD.CLEAR_Q: _do("CLEAR", "QLOCAL", MQCA.Q_NAME),
    MQCMD.INQUIRE_Q_STATUS: _inquire(
        "QSTATUS", MQIACF.Q_STATUS_ATTRS, MQCA.Q_NAME, TYPE=MQIACF.Q_STATUS_TYPE, OPENTYPE=MQIACF.OPEN_TYPE
    ),
    MQCMD.RESET_Q_STATS: _do("RESET", "QSTATS", MQCA.Q_NAME),
    # Channels
    MQCMD.INQUIRE_CHANNEL: _inquire("CHANNEL", MQIACF.CHANNEL_ATTRS, _CHANNEL, CHLTYPE=MQIACH.CHANNEL_TYPE),
    MQCMD.INQUIRE_CHANNEL_NAMES: _names(
        "CHANNEL", _CHANNEL, MQCACH.CHANNEL_NAMES, MQIACH.CHANNEL_TYPES, CHLTYPE=MQIACH.CHANNEL_TYPE
    ),
    MQCMD.CREATE_CHANNEL: _define("CHANNEL", _CHANNEL),
    MQCMD.COPY_CHANNEL: _copy("CHANNEL", MQCACF.FROM_CHANNEL_NAME, MQCACF.TO_CHANNEL_NAME),
    MQCMD.CHANGE_CHANNEL: _alter("CHANNEL", _CHANNEL),
    MQCMD.DELETE_CHANNEL: _delete("CHANNEL", _CHANNEL, options={int(MQIACH.CHANNEL_TABLE): "CHLTABLE"}),
    MQCMD.START_CHANNEL: _do("START", "CHANNEL", _CHANNEL, IGNSTATE=MQIACF.IGNORE_STATE),
    MQCMD.STOP_CHANNEL: _do(
        "STOP",
        "CHANNEL",
        _CHANNEL,
        MODE=MQIACF.QUIESCE,
        STATUS=MQIACH.CHANNEL_STATUS,
        CONNAME=MQCACH.CONNECTION_NAME,
        QMNAME=MQCA.REMOTE_Q_MGR_NAME,
        IGNSTATE=MQIACF.IGNORE_STATE,
    ),
    MQCMD.PING_CHANNEL: _do("PING", "CHANNEL", _CHANNEL, DATALEN=MQIACH.DATA_COUNT),
    MQCMD.RESET_CHANNEL: _do("RESET", "CHANNEL", _CHANNEL, SEQNUM=MQIACH.MSG_SEQUENCE_NUMBER),
    MQCMD.RESOLVE_CHANNEL: _do("RESOLVE", "CHANNEL", _CHANNEL, ACTION=MQIACH.IN_DOUBT),
    MQCMD.INQUIRE_CHANNEL_STATUS: CommandRequest(
        "DISPLAY",
        "CHSTATUS",
        (int(_CHANNEL),),
        {int(MQCACH.CONNECTION_NAME): "CONNAME", int(MQCACH.XMIT_Q_NAME): "XMITQ"},
        {int(MQIACH.CHANNEL_INSTANCE_TYPE): {1011: "CURRENT", 1012: "SAVED", 1015: "SHORT"}},
        shows=int(MQIACH.CHANNEL_INSTANCE_ATTRS),
    ),
    MQCMD.START_CHANNEL_INIT: _do("START", "CHINIT", INITQ=MQCA.INITIATION_Q_NAME),
    MQCMD.START_CHANNEL_LISTENER: _do("START", "LISTENER", MQCACH.LISTENER_NAME, **_LISTENER),
    MQCMD.STOP_CHANNEL_LISTENER: _do("STOP", "LISTENER", MQCACH.LISTENER_NAME, **_LISTENER),
    # Listeners and services
    MQCMD.INQUIRE_LISTENER: _inquire(
        "LISTENER", MQIACF.LISTENER_ATTRS, MQCACH.LISTENER_NAME, TRPTYPE=MQIACH.XMIT_PROTOCOL_TYPE
    ),
    MQCMD.CREATE_LISTENER: _define("LISTENER", MQCACH.LISTENER_NAME),
    MQCMD.COPY_LISTENER: _copy("LISTENER", MQCACF.FROM_LISTENER_NAME, MQCACF.TO_LISTENER_NAME),
    MQCMD.CHANGE_LISTENER: _alter("LISTENER", MQCACH.LISTENER_NAME),
    MQCMD.DELETE_LISTENER: _delete("LISTENER", MQCACH.LISTENER_NAME),
    MQCMD.INQUIRE_LISTENER_STATUS: _inquire("LSSTATUS", MQIACF.LISTENER_STATUS_ATTRS, MQCACH.LISTENER_NAME),
    MQCMD.INQUIRE_SERVICE: _inquire("SERVICE", MQIACF.SERVICE_ATTRS, MQCA.SERVICE_NAME),
    MQCMD.CREATE_SERVICE: _define("SERVICE", MQCA.SERVICE_NAME),
    MQCMD.COPY_SERVICE: _copy("SERVICE", MQCACF.FROM_SERVICE_NAME, MQCACF.TO_SERVICE_NAME),
    MQCMD.CHANGE_SERVICE: _alter("SERVICE", MQCA.SERVICE_NAME),
    MQCMD.DELETE_SERVICE: _delete("SERVICE", MQCA.SERVICE_NAME),
    MQCMD.START_SERVICE: _do("START", "SERVICE", MQCA.SERVICE_NAME, IGNSTATE=MQIACF.IGNORE_STATE),
    MQCMD.STOP_SERVICE: _do("STOP", "SERVICE", MQCA.SERVICE_NAME, IGNSTATE=MQIACF.IGNORE_STATE),
    MQCMD.INQUIRE_SERVICE_STATUS: _inquire("SVSTATUS", MQIACF.SERVICE_STATUS_ATTRS, MQCA.SERVICE_NAME),
    # Processes and namelists
    MQCMD.INQUIRE_PROCESS: _inquire("PROCESS", MQIACF.PROCESS_ATTRS, MQCA.PROCESS_NAME),
    MQCMD.INQUIRE_PROCESS_NAMES: _names("PROCESS", MQCA.PROCESS_NAME, MQCACF.PROCESS_NAMES),
    MQCMD.CREATE_PROCESS: _define("PROCESS", MQCA.PROCESS_NAME),
    MQCMD.COPY_PROCESS: _copy("PROCESS", MQCACF.FROM_PROCESS_NAME, MQCACF.TO_PROCESS_NAME),
    MQCMD.CHANGE_PROCESS: _alter("PROCESS", MQCA.PROCESS_NAME),
    MQCMD.DELETE_PROCESS: _delete("PROCESS", MQCA.PROCESS_NAME),
    MQCMD.INQUIRE_NAMELIST: _inquire("NAMELIST", MQIACF.NAMELIST_ATTRS, MQCA.NAMELIST_NAME),
    MQCMD.INQUIRE_NAMELIST_NAMES: _names("NAMELIST", MQCA.NAMELIST_NAME, MQCACF.NAMELIST_NAMES),
    MQCMD.CREATE_NAMELIST: _define("NAMELIST", MQCA.NAMELIST_NAME),
    MQCMD.COPY_NAMELIST: _copy("NAMELIST", MQCACF.FROM_NAMELIST_NAME, MQCACF.TO_NAMELIST_NAME),
    MQCMD.CHANGE_NAMELIST: _alter("NAMELIST", MQCA.NAMELIST_NAME),
    MQCMD.DELETE_NAMELIST: _delete("NAMELIST", MQCA.NAMELIST_NAME),
    MQCMD.INQUIRE_COMM_INFO: _inquire(
        "COMMINFO", MQIACF.COMM_INFO_ATTRS, MQCA.COMM_INFO_NAME, TYPE=MQIA.COMM_INFO_TYPE
    ),
    MQCMD.CREATE_COMM_INFO: _define("COMMINFO", MQCA.COMM_INFO_NAME),
    MQCMD.COPY_COMM_INFO: _copy("COMMINFO", MQCACF.FROM_COMM_INFO_NAME, MQCACF.TO_COMM_INFO_NAME),
    MQCMD.CHANGE_COMM_INFO: _alter("COMMINFO", MQCA.COMM_INFO_NAME),
    MQCMD.DELETE_COMM_INFO: _delete("COMMINFO", MQCA.COMM_INFO_NAME),
    # Topics and subscriptions
    MQCMD.INQUIRE_TOPIC: _inquire("TOPIC", MQIACF.TOPIC_ATTRS, MQCA.TOPIC_NAME, TYPE=MQIA.TOPIC_TYPE),
    MQCMD.INQUIRE_TOPIC_NAMES: _names("TOPIC", MQCA.TOPIC_NAME, MQCACF.TOPIC_NAMES, TYPE=MQIA.TOPIC_TYPE),
    MQCMD.CREATE_TOPIC: _define("TOPIC", MQCA.TOPIC_NAME),
    MQCMD.COPY_TOPIC: _copy("TOPIC", MQCACF.FROM_TOPIC_NAME, MQCACF.TO_TOPIC_NAME),
    MQCMD.CHANGE_TOPIC: _alter("TOPIC", MQCA.TOPIC_NAME),
    MQCMD.DELETE_TOPIC: _delete("TOPIC", MQCA.TOPIC_NAME, options=_AUTHREC),
    MQCMD.INQUIRE_TOPIC_STATUS: _inquire(
        "TPSTATUS", MQIACF.TOPIC_STATUS_ATTRS, MQCA.TOPIC_STRING, TYPE=MQIACF.TOPIC_STATUS_TYPE
    ),
    MQCMD.CLEAR_TOPIC_STRING: _do(
        "CLEAR", "TOPICSTR", MQCA.TOPIC_STRING, CLRTYPE=MQIACF.CLEAR_TYPE, SCOPE=MQIACF.CLEAR_SCOPE
    ),
    MQCMD.INQUIRE_SUBSCRIPTION: _inquire(
        "SUB",
        MQIACF.SUB_ATTRS,
        MQCACF.SUB_NAME,
        SUBID=MQBACF.SUB_ID,
        DURABLE=MQIACF.DURABLE_SUBSCRIPTION,
        SUBTYPE=MQIACF.SUB_TYPE,
    ),
    MQCMD.CREATE_SUBSCRIPTION: _define("SUB", MQCACF.SUB_NAME),
    MQCMD.COPY_SUBSCRIPTION: _copy("SUB", MQCACF.FROM_SUB_NAME, MQCACF.TO_SUB_NAME),
    MQCMD.CHANGE_SUBSCRIPTION: _alter("SUB", MQCACF.SUB_NAME),
    MQCMD.DELETE_SUBSCRIPTION: _delete("SUB", MQCACF.SUB_NAME, options={int(MQBACF.SUB_ID): "SUBID"}),
    MQCMD.INQUIRE_SUB_STATUS: _inquire(
        "SBSTATUS",
        MQIACF.SUB_STATUS_ATTRS,
        MQCACF.SUB_NAME,
        SUBID=MQBACF.SUB_ID,
        DURABLE=MQIACF.DURABLE_SUBSCRIPTION,
        SUBTYPE=MQIACF.SUB_TYPE,
    ),
    MQCMD.INQUIRE_PUBSUB_STATUS: _inquire("PUBSUB", MQIACF.PUBSUB_STATUS_ATTRS, TYPE=MQIACF.PS_STATUS_TYPE),
    # Security
    MQCMD.INQUIRE_AUTH_INFO: _inquire(
        "AUTHINFO", MQIACF.AUTH_INFO_ATTRS, MQCA.AUTH_INFO_NAME, AUTHTYPE=MQIA.AUTH_INFO_TYPE
    ),
    MQCMD.INQUIRE_AUTH_INFO_NAMES: _names(
        "AUTHINFO", MQCA.AUTH_INFO_NAME, MQCACF.AUTH_INFO_NAMES, MQIACH.AUTH_INFO_TYPES, AUTHTYPE=MQIA.AUTH_INFO_TYPE
    ),
    MQCMD.CREATE_AUTH_INFO: _define("AUTHINFO", MQCA.AUTH_INFO_NAME),
    MQCMD.COPY_AUTH_INFO: _copy("AUTHINFO", MQCACF.FROM_AUTH_INFO_NAME, MQCACF.TO_AUTH_INFO_NAME),
    MQCMD.CHANGE_AUTH_INFO: _alter("AUTHINFO", MQCA.AUTH_INFO_NAME),
    MQCMD.DELETE_AUTH_INFO: _delete("AUTHINFO", MQCA.AUTH_INFO_NAME),
    MQCMD.SET_CHLAUTH_REC: CommandRequest(
        "SET", "CHLAUTH", (int(_CHANNEL),), {int(MQIACF.ACTION): "ACTION"}, sets=True
    ),
    MQCMD.INQUIRE_CHLAUTH_RECS: _inquire(
        "CHLAUTH",
        MQIACF.CHLAUTH_ATTRS,
        _CHANNEL,
        MATCH=MQIACH.MATCH,
        TYPE=MQIACF.CHLAUTH_TYPE,
        ADDRESS=MQCACH.CONNECTION_NAME,
        CLNTUSER=MQCACH.CLIENT_USER_ID,
        QMNAME=MQCA.REMOTE_Q_MGR_NAME,
        SSLPEER=MQCACH.SSL_PEER_NAME,
        SSLCERTI=MQCA.SSL_CERT_ISSUER_NAME,
    ),
    MQCMD.SET_AUTH_REC: _do("SET", "AUTHREC", AUTHADD=MQIACF.AUTH_ADD_AUTHS, AUTHRMV=MQIACF.AUTH_REMOVE_AUTHS, **_WHOM),
    MQCMD.DELETE_AUTH_REC: _do("DELETE", "AUTHREC", **_WHOM),
    MQCMD.INQUIRE_AUTH_RECS: _inquire(
        "AUTHREC", MQIACF.AUTH_PROFILE_ATTRS, PROFILE=MQCACF.AUTH_PROFILE_NAME, OBJTYPE=MQIACF.OBJECT_TYPE
    ),
    MQCMD.INQUIRE_ENTITY_AUTH: _inquire(
        "ENTAUTH",
        MQIACF.AUTH_PROFILE_ATTRS,
        OBJNAME=MQCACF.OBJECT_NAME,
        OBJTYPE=MQIACF.OBJECT_TYPE,
        SERVCOMP=MQCACF.SERVICE_COMPONENT,
    ),
    MQCMD.INQUIRE_AUTH_SERVICE: _inquire("AUTHSERV", MQIACF.AUTH_SERVICE_ATTRS, SERVCOMP=MQCACF.SERVICE_COMPONENT),
    MQCMD.INQUIRE_PROT_POLICY: _nothing("DISPLAY", "POLICY", MQCA.POLICY_NAME),
    MQCMD.DELETE_PROT_POLICY: _nothing("DELETE", "POLICY", MQCA.POLICY_NAME),
    MQCMD.CREATE_PROT_POLICY: _nothing("SET", "POLICY", MQCA.POLICY_NAME),
    MQCMD.CHANGE_PROT_POLICY: _nothing("SET", "POLICY", MQCA.POLICY_NAME),
}
"""The MQSC command for each PCF command; MQCMD_ESCAPE contains its own."""
