"""TMC2: the trigger message in character form, the argument of a started program, mq-wire.md 5.15.

IBM's header files define the StrucId `TMC ` and a version with leading blanks; dissectors use `TMC2`. Both are
accepted.
"""

from __future__ import annotations

from typing import Any, Final

from construct import Struct

from mqbridge.protocol.constants import ByteOrder, StrucId
from mqbridge.protocol.errors import StructureError
from mqbridge.protocol.fields import Numbers, char
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.tmc2 import Tmc2Big, Tmc2Little
from mqbridge.protocol.records import Buffer

from .bodies import Body


def _tmc2(_: Numbers) -> Any:
    return Struct(
        char("StrucId", 4, "`TMC`, also `TMC2`", default=b"TMC "),
        char("Version", 4, "blanks and `2`", default=b"   2"),
        char("QName", 48, "queue that triggered"),
        char("ProcessName", 48, "process to start"),
        char("TriggerData", 64, "text of the queue"),
        char("ApplType", 4, "kind of program to start"),
        char("ApplId", 256, "program to start"),
        char("EnvData", 128, "environment of the process"),
        char("UserData", 128, "user text of the process"),
        char("QMgrName", 48, "queue manager"),
    )


TMC2 = Structure("TMC2", _tmc2, Tmc2Big, Tmc2Little, mq_name="MQTMC2", spec="mq-wire.md 5.15")
"""732 bytes; identical in both byte orders."""

_BEGINNINGS: Final = frozenset((StrucId.TMC.ascii, StrucId.TMC.ebcdic, StrucId.TMC2.ascii, StrucId.TMC2.ebcdic))


def parse_tmc2(buffer: Buffer, offset: int, order: ByteOrder) -> Body:
    """Read a trigger message in character form. Raises ``StructureError``."""
    record = TMC2.codec(order).parse(buffer, offset)
    if record.struc_id not in _BEGINNINGS:
        raise StructureError("TMC2", offset, f"begins with {record.struc_id.hex()}")
    return Body(record, TMC2.size)
