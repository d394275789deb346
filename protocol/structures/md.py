"""MD: the message descriptor, versions 1 and 2, mq-wire.md 5.7."""

from __future__ import annotations

from typing import Any, TypeAlias

from construct import Struct

from mqbridge.protocol.constants import MQAT, MQENC, MQFMT, MQMF, MQMT, MQPER, MQRO, ByteOrder, feedback_name
from mqbridge.protocol.errors import StructureError
from mqbridge.protocol.fields import Numbers, char, raw
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.md import Md, Md1, Md1Big, Md1Little, MdBig, MdLittle
from mqbridge.protocol.records import Buffer


def _md(n: Numbers) -> Any:
    return Struct(
        char("StrucId", 4, "`MD` and two blanks", since="v1", default=b"MD"),
        n.u32("Version", "1 or 2", since="v1", default=1),
        n.u32("Report", "reports that are wanted", since="v1", names=MQRO),
        n.u32("MsgType", "kind of message", since="v1", names=MQMT, default=8),
        n.i32("Expiry", "tenths of a second, -1 unlimited", since="v1", default=-1),
        n.u32("Feedback", "what a report says", since="v1", names=feedback_name),
        n.u32("Encoding", "numbers of the data that follows", since="v1", names=MQENC, default=_native(n)),
        n.i32("CodedCharSetId", "code page of the data that follows", since="v1"),
        char("Format", 8, "what follows", since="v1", names=MQFMT),
        n.i32("Priority", "0 to 9, -1 as the queue says", since="v1", default=-1),
        n.u32("Persistence", "whether the message survives a restart", since="v1", names=MQPER, default=2),
        raw("MsgId", 24, "message id", since="v1"),
        raw("CorrelId", 24, "correlation id", since="v1"),
        n.u32("BackoutCount", "times backed out", since="v1"),
        char("ReplyToQ", 48, "queue for replies", since="v1"),
        char("ReplyToQMgr", 48, "queue manager for replies", since="v1"),
        char("UserIdentifier", 12, "user, identity context", since="v1"),
        raw("AccountingToken", 32, "identity context; the last byte is its type", since="v1"),
        char("ApplIdentityData", 32, "identity context", since="v1"),
        n.i32("PutApplType", "kind of application that put, origin context", since="v1", names=MQAT),
        char("PutApplName", 28, "application that put, origin context", since="v1"),
        char("PutDate", 8, "YYYYMMDD, UTC", since="v1"),
        char("PutTime", 8, "HHMMSSTH, UTC", since="v1"),
        char("ApplOriginData", 4, "origin context", since="v1"),
        raw("GroupId", 24, "group id", since="v2"),
        n.u32("MsgSeqNumber", "number in the group, from 1", since="v2", default=1),
        n.u32("Offset", "offset of a segment in its logical message", since="v2"),
        n.u32("MsgFlags", "group and segment flags", since="v2", names=MQMF),
        n.i32("OriginalLength", "length of the original message, -1 undefined", since="v2", default=-1),
    )


def _native(n: Numbers) -> int:
    return n.order.encoding


MD = Structure("MD", _md, MdBig, MdLittle, mq_name="MQMD", spec="mq-wire.md 5.7")
"""Version 2, 364 bytes."""

MD1 = MD.first(324, None, Md1Big, Md1Little)
"""Version 1, 324 bytes."""

MDRecord: TypeAlias = Md | Md1
"""A descriptor of either version."""

MD_STRUC_IDS = (b"MD  ", b"\xd4\xc4\x40\x40")
"""StrucId in ASCII and in EBCDIC."""


_SIZES = {1: MD1.size, 2: MD.size}
_HEAD = 8


def parse_md(buffer: Buffer, offset: int, order: ByteOrder) -> MDRecord:
    """Read a descriptor of the version it states.

    Raises ``StructureError`` when it is cut short, does not begin with ``MD`` (ASCII or EBCDIC), or states a
    version other than 1 and 2.
    """
    structure = MD if md_size(buffer, offset, order) == MD.size else MD1
    return structure.codec(order).parse(buffer, offset)


def md_size(buffer: Buffer, offset: int, order: ByteOrder) -> int:
    """Return the length of a descriptor in bytes. Raises ``StructureError`` as :func:`parse_md` does."""
    head = bytes(buffer[offset : offset + _HEAD])
    size = _SIZES.get(int.from_bytes(head[4:], order.endian), 0)
    if size and head[:4] in MD_STRUC_IDS and len(buffer) - offset >= size:
        return size
    record = MD1.codec(order).parse(buffer, offset)
    if record.struc_id not in MD_STRUC_IDS:
        raise StructureError("MD", offset, f"begins with {record.struc_id.hex()}")
    if record.version == 2:
        MD.codec(order).parse(buffer, offset)  # it is cut short
    raise StructureError("MD", offset + 4, f"Version is {record.version}")
