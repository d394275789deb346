"""FOPA and FCMI: optional structures behind the options of an MQOPEN, mq-wire.md 5.6."""

from __future__ import annotations

from typing import Any, Final

from construct import Struct

from mqbridge.protocol.constants import MQPER, MQPROP, MQPRT, MQREADA, ByteOrder
from mqbridge.protocol.errors import StructureError
from mqbridge.protocol.fields import Numbers, char
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.fopa import Fcmi, FcmiBig, FcmiLittle, FopaBig, FopaLittle, ShortFopaBig, ShortFopaLittle
from mqbridge.protocol.records import Buffer

from .bodies import Body
from .linked import check_id


def _fopa(n: Numbers) -> Any:
    return Struct(
        char("StrucId", 4, "`FOPA`", default=b"FOPA"),
        n.u32("Version", "1 or 2", default=2),
        n.u32("Length", "bytes of this structure, 28 or 84", default=84),
        n.i32("DefPersistence", "reply: default persistence of the queue", names=MQPER, default=-1),
        n.i32("DefPutResponseType", "reply: default answer to a put", names=MQPRT, default=-1),
        n.i32("DefReadAhead", "reply: default read ahead", names=MQREADA, default=-1),
        n.i32("PropertyControl", "reply: property control of the queue", names=MQPROP),
        char("QProtect", 48, "protection-error queue", since="84 bytes"),
        n.u32("ExtraOffset", "not known", since="84 bytes"),
        n.u32("ExtraLength", "not known", since="84 bytes"),
    )


def _fcmi(n: Numbers) -> Any:
    return Struct(
        char("StrucId", 4, "`FCMI`", default=b"FCMI"),
        n.u32("Unknown", "not known"),
    )


FOPA = Structure("FOPA", _fopa, FopaBig, FopaLittle, spec="mq-wire.md 5.6")
"""The long form, 84 bytes; the short one ends with PropertyControl."""

SHORT_FOPA_SIZE: Final = 28
"""Length in bytes of the form of FAP 9 to 11."""

SHORT_FOPA = FOPA.first(SHORT_FOPA_SIZE, None, ShortFopaBig, ShortFopaLittle)
"""That form."""

FCMI = Structure("FCMI", _fcmi, FcmiBig, FcmiLittle, spec="mq-wire.md 5.6")
"""8 bytes, meaning not known."""


def parse_fopa(buffer: Buffer, offset: int, order: ByteOrder) -> Body:
    """Read a FOPA of the length it states; bytes behind the known form become ``rest``.

    Raises ``StructureError`` when it begins with another StrucId, or states a length below 28 or beyond the buffer.
    """
    there = len(buffer) - offset
    short = SHORT_FOPA.codec(order).parse(buffer, offset)
    check_id(FOPA, short, offset)
    if not SHORT_FOPA_SIZE <= short.length <= there:
        raise StructureError("FOPA", offset + 8, f"Length is {short.length}, {there} bytes are there")
    known = FOPA.size if short.length >= FOPA.size else SHORT_FOPA_SIZE
    data = bytes(memoryview(buffer)[offset : offset + short.length])
    return Body(FOPA.codec(order).parse(data[:known].ljust(FOPA.size, b"\0")), known, data[known:])


def parse_fcmi(buffer: Buffer, offset: int, order: ByteOrder) -> Fcmi:
    """Read an FCMI. Raises ``StructureError``."""
    record = FCMI.codec(order).parse(buffer, offset)
    check_id(FCMI, record, offset)
    return record
