"""Command events: each command and who issued it, on SYSTEM.ADMIN.COMMAND.EVENT, as CMDEV enables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mqbridge.bridge.queue_manager.programs import Application
from mqbridge.mappings.events import EventParameter
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQCACF, MQCMD, MQEVO, MQGACF, MQIACF, MQRC

from .parser import Command
from .replies import CommandReply
from .secret_values import without_secrets

if TYPE_CHECKING:
    from .context import Reply
    from .host import CommandTarget


@dataclass(frozen=True, slots=True)
class Origin:
    """Origin of a command. ``number``: MQEVO. ``command``, ``parameters``: MQCMD and parameters of a PCF command."""

    number: int = MQEVO.CONSOLE
    user: str = ""
    application: Application = field(default_factory=Application)
    command: int = 0
    parameters: Sequence[EventParameter] = ()


CONSOLE: Final = Origin()


def watched(manager: CommandTarget, command: Command, origin: Origin, now: Time, reply: Reply) -> Reply:
    """A reply function that puts the command event first, for successful commands that CMDEV includes."""
    level = manager.objects.manager.text("CMDEV")
    if level == "DISABLED" or (level == "NODISPLAY" and command.verb == "DISPLAY"):
        return reply

    def with_event(answer: CommandReply) -> None:
        if answer.ok:
            _put(manager, command, origin, now)
        reply(answer)

    return with_event


def _put(manager: CommandTarget, command: Command, origin: Origin, now: Time) -> None:
    application = origin.application
    context: list[EventParameter] = [
        (MQCACF.EVENT_USER_ID, origin.user),
        (MQIACF.EVENT_ORIGIN, origin.number),
        (MQCACF.EVENT_Q_MGR, manager.objects.name),
        (MQIACF.EVENT_APPL_TYPE, application.appl_type),
        (MQCACF.EVENT_APPL_NAME, application.appl_name),
        (MQIACF.COMMAND, origin.command),
    ]
    pcf = bool(origin.command)
    data = origin.parameters if pcf else [(MQCACF.COMMAND_MQSC, without_secrets(command.text))]
    reason = MQRC.COMMAND_PCF if pcf else MQRC.COMMAND_MQSC
    groups: list[EventParameter] = [(MQGACF.COMMAND_CONTEXT, context), (MQGACF.COMMAND_DATA, data)]
    manager.events.put(MQCMD.COMMAND_EVENT, reason, groups, now, named=False)
