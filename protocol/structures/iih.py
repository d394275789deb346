"""IIH: the IMS bridge header, mq-wire.md 5.15.

Format in front of it: ``MQIMS``. Behind it stand IMS segments, each beginning with its own length.
"""

from __future__ import annotations

from typing import Any

from construct import Struct

from mqbridge.protocol.constants import MQIIH, ByteOrder
from mqbridge.protocol.fields import Numbers, char, raw
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.iih import IihBig, IihLittle, ImsSegmentBig, ImsSegmentLittle
from mqbridge.protocol.records import Buffer

from .bodies import Body
from .linked import common_fields, read_header


def _iih(n: Numbers) -> Any:
    return Struct(
        *common_fields(n, "IIH", version=1, length=84, flags=MQIIH),
        char("LTermOverride", 8, "logical terminal"),
        char("MFSMapName", 8, "map of the message format service"),
        char("ReplyToFormat", 8, "format of the answer"),
        char("Authenticator", 8, "password or ticket", secret=True),
        raw("TranInstanceId", 16, "instance of a conversation"),
        char("TranState", 1, "`C` in a conversation, blank not, `A` architected"),
        char("CommitMode", 1, "`0` commit then send, `1` send then commit", default=b"0"),
        char("SecurityScope", 1, "`C` check, `F` full", default=b"C"),
        char("Reserved", 1, "blank"),
    )


def _ims_segment(n: Numbers) -> Any:
    return Struct(
        n.u16("LL", "bytes of this segment with these four", default=12),
        n.u16("ZZ", "0"),
        char("TransactionCode", 8, "transaction, in the first segment"),
    )


IIH = Structure("IIH", _iih, IihBig, IihLittle, mq_name="MQIIH", spec="mq-wire.md 5.15")
"""84 bytes."""

IMS_SEGMENT = Structure("IMS", _ims_segment, ImsSegmentBig, ImsSegmentLittle, spec="mq-wire.md 5.15")
"""The beginning of the first IMS segment behind the header, 12 bytes."""


def parse_iih(buffer: Buffer, offset: int, order: ByteOrder) -> Body:
    """Read an IIH; ``rest`` holds bytes beyond the 84 that StrucLength includes. Raises ``StructureError``."""
    return read_header(Body, IIH, buffer, offset, order, 1)
