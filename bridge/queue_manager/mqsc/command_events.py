"""Command events: what was commanded, by whom, on SYSTEM.ADMIN.COMMAND.EVENT while CMDEV says so."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Final

from mqbridge.bridge.queue_manager.objects import KINDS
from mqbridge.bridge.queue_manager.objects.values import Text
from mqbridge.bridge.queue_manager.programs import Application
from mqbridge.mappings.events import EventParameter
from mqbridge.protocol.constants import MQCACF, MQCMD, MQEVO, MQGACF, MQIACF, MQRC

from .parser import Command
from .replies import CommandReply

if TYPE_CHECKING:
    from .context import Reply
    from .host import CommandTarget

STARS: Final = "'********'"
_VALUE: Final = r"\s*\((?:\s*'(?:[^']|'')*'\s*|[^)]*)\)"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a command came from: ``number`` MQEVO, whose it was, and for a PCF command its number and parameters."""

    number: int = int(MQEVO.CONSOLE)
    user: str = ""
    application: Application = field(default_factory=Application)
    command: int = 0
    parameters: Sequence[EventParameter] = ()


CONSOLE: Final = Origin()


@cache
def secret_keywords() -> frozenset[str]:
    """Attributes whose values are shown to nobody."""
    tables = (table for info in KINDS.values() for table in info.tables.values())
    return frozenset(
        name for table in tables for name, each in table.items() if isinstance(each.type, Text) and each.type.secret
    )


def without_secrets(text: str) -> str:
    """A command with stars for passwords."""
    return re.sub(rf"\b({'|'.join(sorted(secret_keywords()))}){_VALUE}", rf"\1({STARS})", text, flags=re.IGNORECASE)


def watched(manager: CommandTarget, command: Command, origin: Origin, now: float, reply: Reply) -> Reply:
    """The same reply, and an event in front of it where the command was carried out and such events are enabled."""
    level = manager.objects.manager.text("CMDEV")
    if level == "DISABLED" or (level == "NODISPLAY" and command.verb == "DISPLAY"):
        return reply

    def told(answer: CommandReply) -> None:
        if answer.ok:
            _put(manager, command, origin, now)
        reply(answer)

    return told


def _put(manager: CommandTarget, command: Command, origin: Origin, now: float) -> None:
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
