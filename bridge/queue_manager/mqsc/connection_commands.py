"""Commands on connections: DISPLAY CONN and APSTATUS, STOP CONN, RESOLVE INDOUBT (channels.md 17.2, mqi.md 16)."""

from __future__ import annotations

import re
from typing import Final

from mqbridge.bridge.queue_manager.connections import application_rows
from mqbridge.bridge.queue_manager.objects import MQRCCF, matches
from mqbridge.bridge.queue_manager.units_of_work import on_complete
from mqbridge.bridge.queue_manager.xa import BranchState

from .context import Context
from .status import show_rows
from .status_fields import APPLICATION_STATUS, CONNECTIONS

_CONN: Final = re.compile(r"[0-9A-F]{1,16}")
_EXTCONN: Final = re.compile(r"[0-9A-F]{32}")
_BRANCH: Final = re.compile(r"[0-9A-Fa-f]{1,16}")


def display_conn(context: Context) -> None:
    """DISPLAY CONN(id | *) [TYPE(CONN | HANDLE | ALL)] [EXTCONN()] [WHERE()] [ALL | fields]."""
    command = context.command
    wanted = (command.name or "*").upper()
    kind = command.word("TYPE", ("CONN", "HANDLE", "ALL"), "CONN")
    extended = (command.one("EXTCONN") or "*").upper() if command.name is None else "*"
    found = (
        {**row, "TYPE": row.get("TYPE", "CONN")}
        for row in context.control.connections(context.now)
        if matches(wanted, str(row["CONN"])) and matches(extended, str(row.get("EXTCONN", "")))
    )
    rows = (row for row in found if kind in ("ALL", row["TYPE"]))
    everything = not command.parameters and wanted != "*"
    if wanted == "*":
        show_rows(context, rows, CONNECTIONS, "no program is connected", everything)
    else:
        show_rows(context, rows, CONNECTIONS, f"no connection {wanted}", everything, MQRCCF.CONNECTION_ID_ERROR)


def display_apstatus(context: Context) -> None:
    """DISPLAY APSTATUS(application) [TYPE(APPL | QMGR | LOCAL)] [WHERE()] [ALL | fields]; * is any text."""
    command, objects = context.command, context.objects
    name = command.required_name("application name, in which * stands for any characters")
    kind = command.word("TYPE", tuple(APPLICATION_STATUS), "APPL")
    ours = {"QMNAME": objects.name, "QMID": objects.manager.text("QMID")}
    connections = context.manager.connections
    rows = application_rows(connections, kind, lambda each: _is_meant(name.rstrip(), each), {**ours})
    missing = f"no application is connected that is meant by {name}"
    show_rows(context, rows, APPLICATION_STATUS[kind], missing, not command.parameters)


def _is_meant(generic: str, name: str) -> bool:
    """Whether a name matches one in which each ``*`` stands for any characters."""
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


def resolve_indoubt(context: Context) -> None:
    """RESOLVE INDOUBT(conn) ACTION(COMMIT | BACKOUT): ``conn`` as DISPLAY CONN WHERE(UOWSTATE NE NONE) shows it.

    The transaction manager gets XA_HEURCOM or XA_HEURRB when it asks for the branch, until XA_FORGET.
    """
    command = context.command
    name = command.required_name("connection id")
    action = command.word("ACTION", ("COMMIT", "BACKOUT"))
    if not action:
        raise command.error(command.name_offset, "ACTION with one of COMMIT, BACKOUT")
    command.finish()
    branches = context.manager.connections.branches
    branch = branches.numbered(int(name, 16)) if _BRANCH.fullmatch(name) else None
    if branch is None or branch.state is not BranchState.PREPARED:
        context.refuse("AMQ8147", MQRCCF.CONNECTION_ID_ERROR, f"no unit of work of a connection {name} is in doubt")
        return
    then = context.stored("AMQ8415", "RESOLVE INDOUBT", failed="the unit of work stays in doubt")
    on_complete(branches.decide(branch, action == "COMMIT", context.now).pending, then)
