"""Rows of DISPLAY APSTATUS: connected applications, their instances, and which of these are movable.

An instance is the connections with one connection tag. Without uniform clusters nothing is balanced, and no other queue
manager is shown. An instance is movable if it is a client with MQCNO_RECONNECT.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby
from typing import Final

from mqbridge.bridge.queue_manager.control import StatusRow
from mqbridge.protocol.constants import MQCNO

from .connection import Connection

_MOVES: Final = int(MQCNO.RECONNECT)


def application_rows(
    connections: Iterable[Connection], kind: str, wanted: Callable[[str], bool], queue_manager: StatusRow
) -> list[StatusRow]:
    """Rows of the applications whose names are ``wanted``, by name.

    ``kind``: APPL, QMGR or LOCAL. ``queue_manager``: QMNAME and QMID, for rows of QMGR.
    """
    meant = [each for each in connections if wanted(_name(each))]
    meant.sort(key=lambda each: (_name(each), _tag(each)))
    rows: list[StatusRow] = []
    for name, of_application in groupby(meant, _name):
        instances = [list(group) for _, group in groupby(of_application, _tag)]
        keys: StatusRow = {"APPLNAME": name, "TYPE": kind}
        if kind == "LOCAL":
            rows += [{**keys, **_instance(each)} for each in instances]
            continue
        counts = {"COUNT": len(instances), "MOVCOUNT": sum(map(_moves, instances))}
        if kind == "QMGR":
            ours: StatusRow = {"ACTIVE": "YES", "BALSTATE": "NOTAPPLIC", "LMSGDATE": "", "LMSGTIME": ""}
            rows.append({**keys, **queue_manager, **counts, **ours})
        else:
            rows.append({**keys, **counts, "CLUSTER": "", "BALANCED": "NOTAPPLIC"})
    return rows


def _name(connection: Connection) -> str:
    return connection.application.appl_name.rstrip()


def _tag(connection: Connection) -> bytes:
    return connection.tag or connection.id


def _moves(instance: list[Connection]) -> bool:
    return all(each.application.channel and each.options.options & _MOVES for each in instance)


def _instance(instance: list[Connection]) -> StatusRow:
    moves = _moves(instance)
    client = all(each.application.channel for each in instance)
    return {
        "CONNTAG": _tag(instance[0]).hex().upper(),
        "CONNS": len(instance),
        "IMMCOUNT": 0,
        "IMMDATE": "",
        "IMMREASN": "NONE" if moves else "NOTRECONN" if client else "NOTCLIENT",
        "IMMTIME": "",
        "MOVABLE": "YES" if moves else "NO",
    }
