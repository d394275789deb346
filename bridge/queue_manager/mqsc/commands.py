"""Execution of commands: the table of handlers, and `Commands`, from a text to a reply."""

from __future__ import annotations

from collections.abc import Callable

from mqbridge.bridge.queue_manager.control import ChannelControl, CommandServerControl, ControlError
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.objects import MQRCCF, ObjectError
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQRC

from . import (
    channel_commands,
    connection_commands,
    definitions,
    display,
    display_authorities,
    display_records,
    security_commands,
    service_commands,
    status,
    subscription_commands,
    unsupported,
)
from .command_events import CONSOLE, Origin, watched
from .context import Context, Reply, refusal
from .host import CommandTarget
from .lexer import MQSCSyntaxError, Source
from .parser import Command, parse
from .words import DEFINABLE, VERBS

Handler = Callable[[Context], None]


def _ping_qmgr(context: Context) -> None:
    """PING QMGR."""
    context.command.finish()
    context.answer("AMQ8415", "PING")


def _refresh_qmgr(context: Context) -> None:
    """REFRESH QMGR TYPE(…): nothing to do, no caches can be out of date."""
    command = context.command
    command.word("TYPE", ("CONFIGEV", "EARLY", "EXPIRY", "PROXYSUB", "STATISTICS"))
    for keyword in ("NAME", "OBJECT", "INCLINT"):
        command.take(keyword)
    command.finish()
    context.answer("AMQ8415", "REFRESH")


def _reset_qmgr(context: Context) -> None:
    """RESET QMGR TYPE(ADVANCELOG | ARCHIVED | REDUCELOG | STATISTICS | PUBSUB).

    The journal is circular and has no extents to advance, archive or reduce. No statistics are collected, and there is
    no publish/subscribe hierarchy.
    """
    command = context.command
    kind = command.word("TYPE", ("ADVANCELOG", "ARCHIVED", "REDUCELOG", "STATISTICS", "PUBSUB"))
    if not kind:
        raise command.error(command.name_offset, "TYPE with what is to be reset", reason=MQRCCF.PARM_MISSING)
    if kind == "PUBSUB":
        relative = command.take("CHILD", "PARENT")
        if relative is None:
            raise command.error(command.name_offset, "CHILD or PARENT", reason=MQRCCF.PARM_MISSING)
        name = command.value_of(relative)
        command.finish()
        context.refuse("AMQ8147", MQRC.UNKNOWN_OBJECT_NAME, f"no relative in publish/subscribe is called {name}")
        return
    command.one("REDUCE" if kind == "REDUCELOG" else "ARCHIVED")
    command.finish()
    if kind in ("ADVANCELOG", "ARCHIVED"):
        raise ControlError(f"{kind} is for logs of extents; the journal is circular", reason=MQRCCF.LOG_TYPE_ERROR)
    asked = [
        word for word in ("STATMQI", "STATQ", "STATCHL") if context.objects.manager.text(word) not in ("OFF", "NONE")
    ]
    if kind == "STATISTICS" and asked:
        raise ControlError(f"{', '.join(asked)}: no statistics are collected here", reason=MQRCCF.FUNCTION_RESTRICTED)
    context.answer("AMQ8415", "RESET")


def _refresh_security(context: Context) -> None:
    """REFRESH SECURITY[(*)] [TYPE(AUTHSERV | CLASSES | CONNAUTH | SSL)]. SSL reads keys and certificates again; of the
    others nothing can be out of date."""
    kind = context.command.word("TYPE", ("AUTHSERV", "CLASSES", "CONNAUTH", "SSL"))
    context.command.finish()
    if kind == "SSL":
        context.control.refresh_tls(context.now)
    context.answer("AMQ8560")


HANDLERS: dict[tuple[str, str], Handler] = {
    **{("DEFINE", noun): definitions.define for noun in DEFINABLE},
    **{("ALTER", noun): definitions.alter for noun in VERBS["ALTER"]},
    **{("DELETE", noun): definitions.delete for noun in DEFINABLE},
    **{("DISPLAY", noun): display.display for noun in ("QUEUE", *DEFINABLE, "QMGR")},
    ("DEFINE", "SUB"): subscription_commands.define_sub,
    ("ALTER", "SUB"): subscription_commands.alter_sub,
    ("DELETE", "SUB"): subscription_commands.delete_sub,
    ("DISPLAY", "SUB"): subscription_commands.display_sub,
    ("DISPLAY", "TPSTATUS"): subscription_commands.display_tpstatus,
    ("DISPLAY", "SBSTATUS"): subscription_commands.display_sbstatus,
    ("DISPLAY", "PUBSUB"): subscription_commands.display_pubsub,
    ("DELETE", "AUTHREC"): security_commands.delete_authrec,
    ("DELETE", "POLICY"): unsupported.delete_policy,
    ("DISPLAY", "CHLAUTH"): display_records.display_chlauth,
    ("DISPLAY", "AUTHREC"): display_records.display_authrec,
    ("DISPLAY", "CHSTATUS"): status.display_chstatus,
    ("DISPLAY", "QSTATUS"): status.display_qstatus,
    ("DISPLAY", "CONN"): connection_commands.display_conn,
    ("DISPLAY", "LSSTATUS"): service_commands.display_lsstatus,
    ("DISPLAY", "SVSTATUS"): service_commands.display_svstatus,
    ("DISPLAY", "APSTATUS"): connection_commands.display_apstatus,
    ("DISPLAY", "ENTAUTH"): display_authorities.display_entauth,
    ("DISPLAY", "AUTHSERV"): display_authorities.display_authserv,
    ("DISPLAY", "CLUSQMGR"): unsupported.display_clusqmgr,
    ("DISPLAY", "POLICY"): unsupported.display_policy,
    ("DISPLAY", "QMSTATUS"): status.display_qmstatus,
    ("DISPLAY", "CMDSERV"): status.display_cmdserv,
    ("DISPLAY", "QCLUSTER"): unsupported.display_cluster_object,
    ("DISPLAY", "TCLUSTER"): unsupported.display_cluster_object,
    ("CLEAR", "QLOCAL"): definitions.clear,
    ("CLEAR", "TOPICSTR"): subscription_commands.clear_topic,
    ("SET", "CHLAUTH"): security_commands.set_chlauth,
    ("SET", "AUTHREC"): security_commands.set_authrec,
    ("SET", "POLICY"): unsupported.set_policy,
    ("START", "CHANNEL"): channel_commands.start_channel,
    ("STOP", "CHANNEL"): channel_commands.stop_channel,
    ("PING", "CHANNEL"): channel_commands.ping_channel,
    ("RESET", "CHANNEL"): channel_commands.reset_channel,
    ("RESET", "CLUSTER"): unsupported.cluster,
    ("RESET", "QMGR"): _reset_qmgr,
    ("RESET", "QSTATS"): status.reset_qstats,
    ("RESOLVE", "CHANNEL"): channel_commands.resolve_channel,
    ("RESOLVE", "INDOUBT"): connection_commands.resolve_indoubt,
    ("START", "LISTENER"): service_commands.start_listener,
    ("STOP", "LISTENER"): service_commands.stop_listener,
    ("START", "SERVICE"): service_commands.start_service,
    ("STOP", "SERVICE"): service_commands.stop_service,
    ("STOP", "CONN"): connection_commands.stop_conn,
    ("START", "CHINIT"): service_commands.start_initiator,
    ("START", "CMDSERV"): service_commands.start_command_server,
    ("STOP", "CMDSERV"): service_commands.stop_command_server,
    ("PING", "QMGR"): _ping_qmgr,
    ("REFRESH", "SECURITY"): _refresh_security,
    ("REFRESH", "QMGR"): _refresh_qmgr,
    ("REFRESH", "CLUSTER"): unsupported.cluster,
    ("PURGE", "CHANNEL"): unsupported.purge_channel,
    ("SUSPEND", "QMGR"): unsupported.membership,
    ("RESUME", "QMGR"): unsupported.membership,
}
"""Handler by verb and object, for every pair of `VERBS`."""


class Commands:
    """MQSC commands of a queue manager.

    `control`: channels and listeners at run time. `started`: when the queue manager started, for DISPLAY QMSTATUS.
    """

    def __init__(self, manager: CommandTarget, control: ChannelControl, started: Time = 0.0) -> None:
        self._manager = manager
        self._control = control
        self._started = started
        self.command_server: CommandServerControl | None = None
        """The command server; None if there is none."""

    def execute(self, given: str | Source | Command, now: Time, reply: Reply, origin: Origin = CONSOLE) -> None:
        """Execute one command; `reply` is called once with the answer.

        It is called before `execute` returns, or later: when a change is on disk, or a partner has answered. A command
        that is wrong or fails raises nothing: its reply has the error. `origin`: for command events.
        """
        text = given if isinstance(given, str) else given.text
        try:
            command = given if isinstance(given, Command) else parse(given)
            with_event = watched(self._manager, command, origin, now, reply)
            context = Context(self._manager, self._control, command, now, with_event, self._started)
            context.command_server = self.command_server
            HANDLERS[command.verb, command.noun](context)
        except (MQSCSyntaxError, ObjectError, ControlError, MQError) as error:
            reply(refusal(text, error))
