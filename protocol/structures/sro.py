"""SRO: options of an MQSUBRQ, mq-wire.md 5.17."""

from __future__ import annotations

from typing import Any

from construct import Struct

from mqbridge.protocol.constants import MQSRO, ByteOrder
from mqbridge.protocol.fields import Numbers, char
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.sro import Sro, SroBig, SroLittle
from mqbridge.protocol.records import Buffer

from .linked import check_begin


def _sro(n: Numbers) -> Any:
    return Struct(
        char("StrucId", 4, "`SRO` and a blank", default=b"SRO"),
        n.u32("Version", "1", default=1),
        n.u32("Options", "options", names=MQSRO),
        n.u32("NumPubs", "reply: retained publications that were sent"),
    )


SRO = Structure("SRO", _sro, SroBig, SroLittle, mq_name="MQSRO", spec="mq-wire.md 5.17")
"""16 bytes."""


def parse_sro(buffer: Buffer, offset: int, order: ByteOrder) -> Sro:
    """Read an SRO. Raises ``StructureError``."""
    record = SRO.codec(order).parse(buffer, offset)
    check_begin(SRO, record, offset, (1,))
    return record
