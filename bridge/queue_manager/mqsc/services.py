"""START and STOP SERVICE, DISPLAY SVSTATUS (channels.md 17.2). Who runs the programs is behind `ChannelControl`."""

from __future__ import annotations

from mqbridge.bridge.queue_manager.control import ControlError
from mqbridge.bridge.queue_manager.objects import MQRCCF, Definition, Kind, matches

from .context import Context
from .status import show_rows
from .status_fields import SERVICE_STATUS


def start_service(context: Context) -> None:
    """START SERVICE(name) [IGNSTATE(YES | NO)]: accepted once the program runs."""
    with context.ignoring(MQRCCF.SERVICE_RUNNING):
        context.control.start_service(_service(context, "STARTCMD", MQRCCF.NO_START_CMD), context.now)
    context.answer("AMQ8733")


def stop_service(context: Context) -> None:
    """STOP SERVICE(name) [IGNSTATE(YES | NO)]: accepted once the program that is to stop it runs."""
    with context.ignoring(MQRCCF.SERVICE_STOPPED):
        context.control.stop_service(_service(context, "STOPCMD", MQRCCF.NO_STOP_CMD), context.now)
    context.answer("AMQ8732")


def display_svstatus(context: Context) -> None:
    """DISPLAY SVSTATUS(generic) [WHERE()] [ALL | fields]: servers that were started since the queue manager was."""
    generic = context.command.required_name("service name or generic name")
    rows = [row for row in context.control.services(context.now) if matches(generic, str(row["SERVICE"]))]
    rows.sort(key=lambda row: str(row["SERVICE"]))

    def missing() -> None:
        context.found_nothing(f"no status of a service {generic}")

    show_rows(context, rows, SERVICE_STATUS, missing)


def _service(context: Context, program: str, without: int) -> Definition:
    """The service that the command names; raises `ControlError` of the reason ``without`` where it has no program."""
    name = context.command.required_name("service name")
    context.command.finish()
    definition = context.objects.existing(Kind.SERVICE, name, {})
    if not definition.text(program):
        raise ControlError(f"service {name} has no {program}", reason=without)
    return definition
