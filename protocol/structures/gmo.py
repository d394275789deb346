"""GMO: options of an MQGET, versions 1 to 4, mq-wire.md 5.9."""

from __future__ import annotations

from typing import Any, Final

from construct import Struct

from mqbridge.protocol.constants import MQGMO, MQGS, MQMO, MQSEG, MQSS, ByteOrder
from mqbridge.protocol.fields import Numbers, char, raw
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.gmo import GmoBig, GmoLittle
from mqbridge.protocol.records import Buffer

from .bodies import Body
from .versioned import new_versioned, read_versioned


def _gmo(n: Numbers) -> Any:
    return Struct(
        char("StrucId", 4, "`GMO` and a blank", since="v1", default=b"GMO"),
        n.u32("Version", "1 to 4", since="v1", default=1),
        n.u32("Options", "options of the get", since="v1", names=MQGMO),
        n.i32("WaitInterval", "milliseconds, -1 unlimited", since="v1"),
        n.u32("Signal1", "signal", since="v1"),
        n.u32("Signal2", "signal", since="v1"),
        char("ResolvedQName", 48, "reply: queue that the message came from", since="v1"),
        n.u32("MatchOptions", "what is matched", since="v2", names=MQMO, default=3),
        char("GroupStatus", 1, "reply: whether the message is of a group", since="v2", names=MQGS),
        char("SegmentStatus", 1, "reply: whether the message is a segment", since="v2", names=MQSS),
        char("Segmentation", 1, "reply: whether it may be segmented further", since="v2", names=MQSEG),
        char("Reserved1", 1, "reserved", since="v2"),
        raw("MsgToken", 16, "message token", since="v3"),
        n.i32("ReturnedLength", "reply: bytes returned, -1 undefined", since="v3", default=-1),
        n.i32("Reserved2", "reserved", since="v4"),
        n.u64("MsgHandle", "message handle", since="v4"),
    )


GMO = Structure("GMO", _gmo, GmoBig, GmoLittle, mq_name="MQGMO", spec="mq-wire.md 5.9")
"""Version 4, 112 bytes."""

GMO_SIZES: Final = {1: 72, 2: 80, 3: 100, 4: 112}
"""Length in bytes by version."""


def parse_gmo(buffer: Buffer, offset: int, order: ByteOrder) -> Body:
    """Read a GMO of the version it states.

    Raises ``StructureError`` when it is cut short, begins with another StrucId, or states a version other than 1 to 4.
    """
    return read_versioned(Body, GMO, GMO_SIZES, buffer, offset, order)


def make_gmo(order: ByteOrder, version: int = 1, **values: Any) -> Body:
    """Return a GMO to send; fields by keyword."""
    return new_versioned(Body, GMO, GMO_SIZES, order, version, values)
