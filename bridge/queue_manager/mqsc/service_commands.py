"""START, STOP and status of listeners, services, the channel initiator and the command server (channels.md 17.2)."""

from __future__ import annotations

from mqbridge.bridge.queue_manager.control import CommandServerControl, ControlError
from mqbridge.bridge.queue_manager.objects import MQRCCF, Definition, Kind, matches

from .context import Context
from .status import show_rows
from .status_fields import LISTENER_STATUS, SERVICE_STATUS

DEFAULT_LISTENER = "SYSTEM.DEFAULT.LISTENER.TCP"


def _listener(context: Context) -> Definition:
    name = context.command.name or DEFAULT_LISTENER
    context.command.word("TRPTYPE", ("TCP",))
    context.command.finish()
    listener = context.objects.existing(Kind.LISTENER, name, {})
    if listener.subtype != "TCP":
        raise ControlError(
            f"listener {name} has TRPTYPE({listener.subtype}); only TCP is offered", reason=MQRCCF.LISTENER_NOT_STARTED
        )
    return listener


def start_listener(context: Context) -> None:
    """START LISTENER[(name)] [TRPTYPE(TCP)] [IGNSTATE(YES | NO)]; answered when it listens or has failed to."""
    asked = False
    with context.ignoring(MQRCCF.LISTENER_RUNNING):
        listener = _listener(context)
        context.control.start_listener(listener, context.now, context.finish("AMQ8021"))
        asked = True
    if not asked:
        context.answer("AMQ8021")


def stop_listener(context: Context) -> None:
    """STOP LISTENER[(name)] [TRPTYPE(TCP)] [IGNSTATE(YES | NO)]; its connections stay open."""
    with context.ignoring(MQRCCF.LISTENER_STOPPED):
        listener = _listener(context)
        context.control.stop_listener(listener, context.now)
    context.answer("AMQ8706")


def start_initiator(context: Context) -> None:
    """START CHINIT: the channel initiator is part of the queue manager and always runs."""
    context.command.one("INITQ")
    context.command.finish()
    context.answer("AMQ8024")


def display_lsstatus(context: Context) -> None:
    """DISPLAY LSSTATUS(generic) [WHERE()] [ALL | fields]."""
    generic = context.command.required_name("listener name or generic name")
    rows = [row for row in context.control.listeners(context.now) if matches(generic, str(row["LISTENER"]))]
    show_rows(context, rows, LISTENER_STATUS, f"no status of a listener {generic}")


def start_service(context: Context) -> None:
    """START SERVICE(name) [IGNSTATE(YES | NO)]; answered when STARTCMD has been started."""
    with context.ignoring(MQRCCF.SERVICE_RUNNING):
        context.control.start_service(_service(context, "STARTCMD", MQRCCF.NO_START_CMD), context.now)
    context.answer("AMQ8733")


def stop_service(context: Context) -> None:
    """STOP SERVICE(name) [IGNSTATE(YES | NO)]; answered when STOPCMD has been started."""
    with context.ignoring(MQRCCF.SERVICE_STOPPED):
        context.control.stop_service(_service(context, "STOPCMD", MQRCCF.NO_STOP_CMD), context.now)
    context.answer("AMQ8732")


def display_svstatus(context: Context) -> None:
    """DISPLAY SVSTATUS(generic) [WHERE()] [ALL | fields]: services of SERVTYPE(SERVER) that have been started."""
    generic = context.command.required_name("service name or generic name")
    rows = [row for row in context.control.services(context.now) if matches(generic, str(row["SERVICE"]))]
    rows.sort(key=lambda row: str(row["SERVICE"]))
    show_rows(context, rows, SERVICE_STATUS, f"no status of a service {generic}")


def _service(context: Context, program: str, without: int) -> Definition:
    """The service of the command. Raises `ControlError` with the reason ``without`` if ``program`` is blank."""
    name = context.command.required_name("service name")
    context.command.finish()
    definition = context.objects.existing(Kind.SERVICE, name, {})
    if not definition.text(program):
        raise ControlError(f"service {name} has no {program}", reason=without)
    return definition


def start_command_server(context: Context) -> None:
    """START CMDSERV: execute PCF commands."""
    server = _command_server(context)
    if server.running:
        raise ControlError("the command server runs already")
    server.start(context.now)
    context.answer("AMQ8794")


def stop_command_server(context: Context) -> None:
    """STOP CMDSERV: leave PCF commands on their queue."""
    server = _command_server(context)
    if not server.running:
        raise ControlError("the command server does not run")
    server.stop(context.now)
    context.answer("AMQ8795")


def _command_server(context: Context) -> CommandServerControl:
    context.command.finish()
    if context.command_server is None:
        raise ControlError("there is no command server here")
    return context.command_server
