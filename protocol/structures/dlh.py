"""DLH: the dead-letter header, why a message could not be delivered and where it was going, mq-wire.md 5.15.

Format in front of it: ``MQDEAD``.
"""

from __future__ import annotations

from typing import Any

from construct import Struct

from mqbridge.protocol.constants import MQAT, ByteOrder, feedback_name
from mqbridge.protocol.fields import Numbers, char
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.dlh import DlhBig, DlhLittle
from mqbridge.protocol.records import Buffer

from .bodies import Body
from .linked import check_begin, link_fields


def _dlh(n: Numbers) -> Any:
    return Struct(
        char("StrucId", 4, "`DLH` and a blank", default=b"DLH"),
        n.u32("Version", "1", default=1),
        n.u32("Reason", "why the message is here", names=feedback_name),
        char("DestQName", 48, "queue that it was for"),
        char("DestQMgrName", 48, "queue manager that it was for"),
        *link_fields(n),
        n.i32("PutApplType", "kind of program that put it here", names=MQAT),
        char("PutApplName", 28, "program that put it here"),
        char("PutDate", 8, "YYYYMMDD, UTC"),
        char("PutTime", 8, "HHMMSSTH, UTC"),
    )


DLH = Structure("DLH", _dlh, DlhBig, DlhLittle, mq_name="MQDLH", spec="mq-wire.md 5.15")
"""172 bytes."""


def parse_dlh(buffer: Buffer, offset: int, order: ByteOrder) -> Body:
    """Read a dead-letter header. Raises ``StructureError``."""
    record = DLH.codec(order).parse(buffer, offset)
    check_begin(DLH, record, offset, (1,))
    return Body(record, DLH.size)
