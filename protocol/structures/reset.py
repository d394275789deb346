"""RESET: the body of RESET_DATA, a new message sequence number, mq-wire.md 5.14."""

from __future__ import annotations

from typing import Any

from construct import Struct

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.fields import Numbers
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.reset import ResetBig, ResetLittle
from mqbridge.protocol.records import Buffer

from .bodies import Body, read_body


def _reset(n: Numbers) -> Any:
    return Struct(
        n.u32("Length", "bytes of this body with this field", default=8),
        n.u32("SequenceNumber", "message sequence number that comes next"),
    )


RESET = Structure("RESET", _reset, ResetBig, ResetLittle, spec="mq-wire.md 5.14")
"""8 bytes."""


def parse_reset(body: Buffer, order: ByteOrder) -> Body:
    """Read the body of RESET_DATA. Raises ``StructureError`` when fewer than 8 bytes are there."""
    return read_body(RESET, body, order, least=RESET.size)


def reset_data(order: ByteOrder, sequence_number: int) -> Body:
    """Return a body to send."""
    return Body(RESET.codec(order)(sequence_number=sequence_number), RESET.size)
