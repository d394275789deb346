"""TM: the trigger message, put on an initiation queue, mq-wire.md 5.15.

Format in front of it: ``MQTRIG``. It is the whole message data.
"""

from __future__ import annotations

from typing import Any

from construct import Struct

from mqbridge.protocol.constants import MQAT, ByteOrder
from mqbridge.protocol.fields import Numbers, char
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.tm import TmBig, TmLittle
from mqbridge.protocol.records import Buffer

from .bodies import Body
from .linked import check_begin


def _tm(n: Numbers) -> Any:
    return Struct(
        char("StrucId", 4, "`TM` and two blanks", default=b"TM"),
        n.u32("Version", "1", default=1),
        char("QName", 48, "queue that triggered"),
        char("ProcessName", 48, "process to start"),
        char("TriggerData", 64, "text of the queue"),
        n.u32("ApplType", "kind of program to start", names=MQAT),
        char("ApplId", 256, "program to start"),
        char("EnvData", 128, "environment of the process"),
        char("UserData", 128, "user text of the process"),
    )


TM = Structure("TM", _tm, TmBig, TmLittle, mq_name="MQTM", spec="mq-wire.md 5.15")
"""684 bytes."""


def parse_tm(buffer: Buffer, offset: int, order: ByteOrder) -> Body:
    """Read a trigger message. Raises ``StructureError``."""
    record = TM.codec(order).parse(buffer, offset)
    check_begin(TM, record, offset, (1,))
    return Body(record, TM.size)
