"""Rows of DISPLAY CONN: connections, their handles, and branches in doubt (channels.md 17.4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mqbridge.bridge.queue_manager.control import StatusRow
from mqbridge.bridge.queue_manager.handle import Handle
from mqbridge.bridge.queue_manager.objects import Kind, Value, date_and_time
from mqbridge.bridge.queue_manager.xa import Branch, BranchState
from mqbridge.protocol.constants import MQAT, MQCNO, MQOO

from .connection import Connection
from .handles import ObjectHandle, Opened
from .registry import CONNECTION_PREFIX, Connections

_ID_SPLIT: Final = 16
"""Bytes of a connection id before its last eight, which CONN shows."""
_SYSTEM: Final = (MQAT.QMGR, MQAT.CHANNEL_INITIATOR, MQAT.SYSTEM_EXTENSION)
_OBJECT_TYPES: Final = {Kind.QMGR: "QMGR", Kind.PROCESS: "PROCESS", Kind.NAMELIST: "NAMELIST"}
_NO_UNIT: Final[dict[str, Value]] = {"UOWSTDA": "", "UOWSTTI": "", "EXTURID": "", "URTYPE": "QMGR"}


def connection_rows(connections: Connections) -> Iterator[StatusRow]:
    """A row for each connection and each of its handles (TYPE), then one for each prepared branch.

    CONN is the id of a connection, or that of a branch for RESOLVE INDOUBT.
    """
    here = set()
    for connection in connections:
        here.add(connection)
        yield _program(connection)
        yield from _handles(connection)
    for branch in list(connections.branches):
        if branch.state is BranchState.PREPARED:
            yield _in_doubt(connections, branch, branch.starter in here)


def _keys(connection: Connection) -> dict[str, Value]:
    application = connection.application
    return {
        "CONN": connection.id[_ID_SPLIT:].hex().upper(),
        "EXTCONN": connection.id[:_ID_SPLIT].hex().upper(),
        "APPLTAG": application.appl_name,
        "APPLTYPE": "SYSTEM" if application.appl_type in _SYSTEM else "USER",
        "CHANNEL": application.channel,
        "CONNAME": application.connection,
        "USERID": application.user,
        "PID": 0,
        "TID": 0,
    }


def _program(connection: Connection) -> StatusRow:
    options = _names(connection.options.options, MQCNO)
    tag = connection.tag.hex().upper()
    return {**_keys(connection), "TYPE": "CONN", "CONNOPTS": options, "CONNTAG": tag, "UOWLOG": "", **_unit(connection)}


def _unit(connection: Connection) -> dict[str, Value]:
    branch = connection.xa.branch
    if branch is not None:
        day, clock = date_and_time(branch.since)
        started: dict[str, Value] = {"UOWSTDA": day, "UOWSTTI": clock}
        return {"UOWSTATE": "ACTIVE", **started, "URTYPE": "XA", "EXTURID": str(branch.xid)}
    if connection.local_unit is None:
        return {"UOWSTATE": "NONE", **_NO_UNIT}
    day, clock = date_and_time(connection.unit_since)
    return {"UOWSTATE": "ACTIVE", **_NO_UNIT, "UOWSTDA": day, "UOWSTTI": clock}


def _in_doubt(connections: Connections, branch: Branch, attended: bool) -> StatusRow:
    name = connections.core.name.encode("ascii", "replace")[: _ID_SPLIT - len(CONNECTION_PREFIX)]
    day, clock = date_and_time(branch.since)
    return {
        "CONN": f"{branch.number:016X}",
        "EXTCONN": (CONNECTION_PREFIX + name).ljust(_ID_SPLIT).hex().upper(),
        "TYPE": "CONN",
        "APPLTAG": "",
        "APPLTYPE": "USER",
        "CHANNEL": "",
        "CONNAME": "",
        "USERID": "",
        "UOWLOG": "",
        "UOWSTATE": "PREPARED" if attended else "UNRESOLVED",
        "UOWSTDA": day,
        "UOWSTTI": clock,
        "URTYPE": "XA",
        "EXTURID": str(branch.xid),
    }


def _handles(connection: Connection) -> Iterator[StatusRow]:
    waiting = {waiter.handle for waiter in connection.waiting}
    for _, opened in connection.handles.items():
        options = getattr(opened, "options", 0)
        yield {
            **_keys(connection),
            "TYPE": "HANDLE",
            "OBJNAME": str(getattr(opened, "object_name", "")),
            "OBJTYPE": _object_type(opened),
            "OPENOPTS": _names(options, MQOO) if isinstance(opened, Handle | ObjectHandle) else (),
            "HSTATE": "ACTIVE" if opened in waiting else "INACTIVE",
            "READA": "NO",
        }


def _object_type(opened: Opened) -> str:
    if isinstance(opened, Handle):
        return "QUEUE"
    return _OBJECT_TYPES[opened.kind] if isinstance(opened, ObjectHandle) else "TOPIC"


def _names(bits: int, family: type[MQCNO] | type[MQOO]) -> tuple[str, ...]:
    """The names of the bits that are set, each once."""
    return tuple(str(flag) for flag in family if int(flag) and bits & int(flag) == int(flag))
