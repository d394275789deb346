"""Authority checks of PCF commands, made for the user who put the command message (channels.md 14, SET AUTHREC)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mqbridge.bridge.queue_manager import QueueManager
from mqbridge.bridge.queue_manager.mqsc import Command, CommandReply
from mqbridge.bridge.queue_manager.objects import Kind, is_generic
from mqbridge.bridge.queue_manager.putting.on_behalf import OWN
from mqbridge.bridge.security import Denial, check_command

_ASKED: Final = 300
"""Cost of one authority check, in units of turns."""
_OBJECT_NOUNS: Final = frozenset(
    (
        "QUEUE", "QLOCAL", "QALIAS", "QREMOTE", "QMODEL", "QSTATUS", "CHANNEL", "CHSTATUS", "TOPIC", "PROCESS",
        "NAMELIST", "LISTENER", "LSSTATUS", "SERVICE", "SVSTATUS", "AUTHINFO", "COMMINFO",
    )
)  # fmt: skip
"""Nouns whose displays name objects: each row is checked."""


def denial(manager: QueueManager, user: str, command: Command) -> Denial | None:
    """Return why a user may not run a command; None if allowed. A display with a generic name is allowed here.

    Commands put by the queue manager's own operator are always allowed.
    """
    if user == OWN:
        return None
    name = command.name or ""
    keywords = {parameter.keyword: parameter for parameter in command.parameters}
    noun = command.noun
    if noun == "TOPICSTR":
        noun, name = "TOPIC", "SYSTEM.BASE.TOPIC"
    if command.verb == "DISPLAY" and noun in _OBJECT_NOUNS and (is_generic(name) or not name):
        return None
    like = keywords["LIKE"].values if "LIKE" in keywords else None
    replaces = "REPLACE" in keywords and noun in Kind.__members__ and manager.objects.find(Kind(noun), name) is not None
    return check_command(
        manager.security.authorities,
        user,
        command.verb,
        noun,
        name,
        replace=replaces,
        like=like[0] if like else "",
    )


def remove_denied_rows(manager: QueueManager, user: str, command: Command, reply: CommandReply) -> Iterator[int]:
    """Remove rows of objects that a user may not display from a reply; an emptied reply becomes "not found". Yields the
    work done, in units of turns."""
    if user == OWN or command.verb != "DISPLAY" or command.noun not in _OBJECT_NOUNS or not reply.rows:
        return
    authorities = manager.security.authorities
    visible: dict[str, bool] = {}
    for row in reply.rows:
        name = next(iter(row.values())).text
        visible[name] = check_command(authorities, user, "DISPLAY", command.noun, name) is None
        yield _ASKED
    reply.keep(visible.__getitem__, command.noun, command.name or "*")
