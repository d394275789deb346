"""CONN: the queue manager that a client requests, and the client's identity, mq-wire.md 5.5; FCNO may follow."""

from __future__ import annotations

from typing import Any

from construct import Struct

from mqbridge.protocol.constants import MQAT, MQCNO
from mqbridge.protocol.fields import Numbers, char, raw
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.conn import ConnBig, ConnLittle


def _conn(n: Numbers) -> Any:
    return Struct(
        char("QMgrName", 48, "queue manager to connect to; blanks, or `*` in front, take any"),
        char("ApplName", 28, "program"),
        n.u32("ApplType", "kind of program", names=MQAT, default=28),
        raw("AccountingToken", 32, "accounting token"),
        n.u32("Options", "1 MQCONN, 3 MQCONNX, 4 from FAP 10 on, 8 with a connection tag"),
        n.u32("XOptions", "options of MQCONNX", names=MQCNO),
    )


CONN = Structure("CONN", _conn, ConnBig, ConnLittle, spec="mq-wire.md 5.5")
"""120 bytes, the whole body up to FAP level 6."""
