"""MDE: the message descriptor extension, the version 2 fields behind a version 1 descriptor, mq-wire.md 5.15.

The transmission-queue header holds a version 1 descriptor, so on message channels groups and segments always travel
this way. Format in front of it: ``MQHMDE``.
"""

from __future__ import annotations

from typing import Any

from construct import Struct

from mqbridge.protocol.constants import MQMF, ByteOrder
from mqbridge.protocol.fields import Numbers, raw
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.mde import MdeBig, MdeLittle
from mqbridge.protocol.records import Buffer

from .bodies import Body
from .linked import common_fields, read_header


def _mde(n: Numbers) -> Any:
    return Struct(
        *common_fields(n, "MDE", version=2, length=72),
        raw("GroupId", 24, "group id"),
        n.u32("MsgSeqNumber", "number in the group, from 1", default=1),
        n.u32("Offset", "offset of a segment in its logical message"),
        n.u32("MsgFlags", "group and segment flags", names=MQMF),
        n.i32("OriginalLength", "length of the original message, -1 undefined", default=-1),
    )


MDE = Structure("MDE", _mde, MdeBig, MdeLittle, mq_name="MQMDE", spec="mq-wire.md 5.15")
"""72 bytes."""


def parse_mde(buffer: Buffer, offset: int, order: ByteOrder) -> Body:
    """Read an MDE; ``rest`` holds bytes beyond the 72 that StrucLength includes. Raises ``StructureError``."""
    return read_header(Body, MDE, buffer, offset, order, 2)
