"""DISPLAY APSTATUS and STOP CONN: programs as a whole, and how one of them is ended (channels.md 17.2)."""

from __future__ import annotations

import re
from typing import Final

from mqbridge.bridge.queue_manager.connections import application_rows
from mqbridge.bridge.queue_manager.objects import MQRCCF

from .context import Context
from .status import show_rows
from .status_fields import APPLICATION_STATUS

_CONN: Final = re.compile(r"[0-9A-F]{1,16}")
_EXTCONN: Final = re.compile(r"[0-9A-F]{32}")


def display_apstatus(context: Context) -> None:
    """DISPLAY APSTATUS(application) [TYPE(APPL | QMGR | LOCAL)] [WHERE()] [ALL | fields]; * is any text."""
    command, objects = context.command, context.objects
    name = command.required_name("application name, in which * stands for any characters")
    kind = command.word("TYPE", tuple(APPLICATION_STATUS), "APPL")
    ours = {"QMNAME": objects.name, "QMID": objects.manager.text("QMID")}
    connections = context.manager.connections
    rows = application_rows(connections, kind, lambda each: _is_meant(name.rstrip(), each), {**ours})

    def missing() -> None:
        context.found_nothing(f"no application is connected that is meant by {name}")

    everything = not command.parameters
    show_rows(context, rows, APPLICATION_STATUS[kind], missing, everything)


def _is_meant(generic: str, name: str) -> bool:
    """Whether a name is meant by one in which each * stands for any characters."""
    first, *others = generic.split("*")
    if not others:
        return name == generic
    at, last = len(first), others.pop()
    for part in others:
        found = name.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return name.startswith(first) and name.endswith(last) and len(name) - len(last) >= at


def stop_conn(context: Context) -> None:
    """STOP CONN(id) [EXTCONN(id)]: the program's next call fails with 2009, and its unit of work is backed out."""
    command = context.command
    name = command.required_name("connection id").upper()
    extended = (command.one("EXTCONN") or "").upper()
    command.finish()
    if _CONN.fullmatch(name) and (not extended or _EXTCONN.fullmatch(extended)):
        suffix, prefix = bytes.fromhex(name.zfill(16)), bytes.fromhex(extended)
        for connection in context.manager.connections:
            if connection.id.endswith(suffix) and connection.id.startswith(prefix):
                context.control.stop_connection(connection, context.now)
                context.answer("AMQ8457")
                return
    context.refuse("AMQ8147", MQRCCF.CONNECTION_ID_ERROR, f"no connection {extended}{name}")
