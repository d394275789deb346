"""STATUS: the body of STATUS_DATA, 8 or 12 bytes, or absent, mq-wire.md 5.14."""

from __future__ import annotations

from typing import Any, Final

from construct import Struct

from mqbridge.protocol.constants import ByteOrder, StatusCode
from mqbridge.protocol.fields import Numbers
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.status_data import StatusBig, StatusLittle
from mqbridge.protocol.records import Buffer

from .bodies import Body, read_body


def _status(n: Numbers) -> Any:
    return Struct(
        n.u32("Length", "bytes of this body with this field, 8 or 12", default=8),
        n.u32("Code", "what happened", names=StatusCode),
        n.u32("Value", "further value", since="Length 12"),
    )


STATUS = Structure("STATUS", _status, StatusBig, StatusLittle, spec="mq-wire.md 5.14")
"""The long form, 12 bytes."""

SHORT_STATUS_SIZE: Final = 8
"""Length in bytes of the form without Value."""


def parse_status_data(body: Buffer, order: ByteOrder) -> Body | None:
    """Read the body of STATUS_DATA; return None for an empty one.

    Value is read only if Length includes it and the body holds it. Raises ``StructureError`` for 1 to 7 bytes.
    """
    if not len(body):
        return None
    length = int.from_bytes(body[:4], order.endian)
    most = STATUS.size if length >= STATUS.size else SHORT_STATUS_SIZE
    return read_body(STATUS, body, order, least=SHORT_STATUS_SIZE, most=most)


def status_data(order: ByteOrder, code: int, value: int | None = None) -> Body:
    """Return a body to send: 8 bytes, or 12 with a value."""
    known = SHORT_STATUS_SIZE if value is None else STATUS.size
    return Body(STATUS.codec(order)(length=known, code=code, value=value or 0), known)
