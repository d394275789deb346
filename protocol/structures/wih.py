"""WIH: the work information header for the workload manager of z/OS, mq-wire.md 5.15.

Format in front of it: ``MQHWIH``.
"""

from __future__ import annotations

from typing import Any

from construct import Struct

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.fields import Numbers, char, raw
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.wih import WihBig, WihLittle
from mqbridge.protocol.records import Buffer

from .bodies import Body
from .linked import common_fields, read_header


def _wih(n: Numbers) -> Any:
    return Struct(
        *common_fields(n, "WIH", version=1, length=120),
        char("ServiceName", 32, "service that the work is for"),
        char("ServiceStep", 8, "step of the service"),
        raw("MsgToken", 16, "message token"),
        char("Reserved", 32, "blanks"),
    )


WIH = Structure("WIH", _wih, WihBig, WihLittle, mq_name="MQWIH", spec="mq-wire.md 5.15")
"""120 bytes."""


def parse_wih(buffer: Buffer, offset: int, order: ByteOrder) -> Body:
    """Read a WIH; ``rest`` holds bytes beyond the 120 that StrucLength includes. Raises ``StructureError``."""
    return read_header(Body, WIH, buffer, offset, order, 1)
