"""RFH: the rules and formatting header, version 1: names and values as one text, mq-wire.md 5.15.

Format in front of it: ``MQHRF``.
"""

from __future__ import annotations

from typing import Any

from construct import Struct

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.fields import Numbers
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.rfh import RfhBig, RfhLittle
from mqbridge.protocol.records import Buffer

from .bodies import Body
from .linked import common_fields, read_header


def _rfh(n: Numbers) -> Any:
    return Struct(*common_fields(n, "RFH", version=1, length=32))


RFH = Structure("RFH", _rfh, RfhBig, RfhLittle, mq_name="MQRFH", spec="mq-wire.md 5.15")
"""The fixed part, 32 bytes."""


class RulesAndFormatting(Body):
    """An RFH of version 1. ``rest`` is its text."""

    __slots__ = ()

    @property
    def name_value_string(self) -> bytes:
        """Return names and values, separated by blanks, in the CCSID of the header itself."""
        return self.rest


def parse_rfh(buffer: Buffer, offset: int, order: ByteOrder) -> RulesAndFormatting:
    """Read a version 1 header with its text. Raises ``StructureError``."""
    return read_header(RulesAndFormatting, RFH, buffer, offset, order, 1)


def make_rfh(order: ByteOrder, name_value_string: bytes, **values: Any) -> RulesAndFormatting:
    """Return a header with a text and StrucLength set; other fields by keyword."""
    length = RFH.size + len(name_value_string)
    return RulesAndFormatting(RFH.codec(order)(struc_length=length, **values), RFH.size, name_value_string)
