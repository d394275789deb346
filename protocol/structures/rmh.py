"""RMH: the reference message header, which names an object outside the message, mq-wire.md 5.15.

Format in front of it: ``MQHREF``. Behind the fixed part stand four texts, at the offsets that it states, in the code
page of the header.
"""

from __future__ import annotations

from typing import Any, Final

from construct import Struct

from mqbridge.protocol.constants import MQRMHF, ByteOrder
from mqbridge.protocol.errors import StructureError
from mqbridge.protocol.fields import Numbers, char, raw
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.rmh import RmhBig, RmhLittle
from mqbridge.protocol.records import Buffer

from .bodies import Body
from .linked import common_fields, read_header


def _rmh(n: Numbers) -> Any:
    return Struct(
        *common_fields(n, "RMH", version=1, length=108, flags=MQRMHF),
        char("ObjectType", 8, "kind of object"),
        raw("ObjectInstanceId", 24, "instance of the object"),
        n.u32("SrcEnvLength", "bytes of the source environment"),
        n.u32("SrcEnvOffset", "where it begins, from the start of this header"),
        n.u32("SrcNameLength", "bytes of the name at the source"),
        n.u32("SrcNameOffset", "where it begins, from the start of this header"),
        n.u32("DestEnvLength", "bytes of the destination environment"),
        n.u32("DestEnvOffset", "where it begins, from the start of this header"),
        n.u32("DestNameLength", "bytes of the name at the destination"),
        n.u32("DestNameOffset", "where it begins, from the start of this header"),
        n.u32("DataLogicalLength", "bytes of the object that this message stands for"),
        n.u32("DataLogicalOffset", "where they begin in the object, low part, modulo 1000000000"),
        n.u32("DataLogicalOffset2", "high part, multiples of 1000000000"),
    )


RMH = Structure("RMH", _rmh, RmhBig, RmhLittle, mq_name="MQRMH", spec="mq-wire.md 5.15")
"""The fixed part, 108 bytes."""

TEXTS: Final = ("src_env", "src_name", "dest_env", "dest_name")
"""The texts behind the fixed part, which states length and offset of each."""

_FIRST_LENGTH: Final = 64


class Reference(Body):
    """An RMH. ``rest`` holds the texts as received."""

    __slots__ = ()

    def text(self, name: str) -> bytes:
        """Return one of ``TEXTS``, undecoded; empty if its length is 0."""
        length = getattr(self.record, name + "_length")
        start = getattr(self.record, name + "_offset") - RMH.size
        return self.rest[start : start + length] if length else b""


def parse_rmh(buffer: Buffer, offset: int, order: ByteOrder) -> Reference:
    """Read a reference header with its texts.

    Raises ``StructureError``, also for a text that does not lie between the fixed part and StrucLength.
    """
    header = read_header(Reference, RMH, buffer, offset, order, 1)
    for number, name in enumerate(TEXTS):
        length = getattr(header.record, name + "_length")
        start = getattr(header.record, name + "_offset")
        if length and not RMH.size <= start <= start + length <= header.record.struc_length:
            where = offset + _FIRST_LENGTH + 8 * number
            raise StructureError("RMH", where, f"{length} bytes of {name} at {start} do not lie in the header")
    return header


def make_rmh(order: ByteOrder, texts: dict[str, bytes], **values: Any) -> Reference:
    """Return an RMH with texts by key of ``TEXTS``, lengths and offsets set; other fields by keyword."""
    rest = b""
    for name in TEXTS:
        text = texts.get(name, b"")
        values[name + "_length"] = len(text)
        values[name + "_offset"] = RMH.size + len(rest) if text else 0
        rest += text
    return Reference(RMH.codec(order)(struc_length=RMH.size + len(rest), **values), RMH.size, rest)
