"""ID, the body of INITIAL_DATA: values that two ends offer and agree when a channel starts, mq-wire.md 5.1.

The structure grew with the FAP level. A field is taken only if it lies inside the segment and the FAP level of the
segment knows it; whatever follows is kept as left-over bytes (real partners of level 7 send two bytes of rubbish
behind their 102).
"""

from __future__ import annotations

from typing import Any, Final

from construct import Struct

from mqbridge.protocol.constants import ByteOrder, CapFlags1, CapFlags2, CapFlags3, InitErrFlags1, InitErrFlags2
from mqbridge.protocol.fields import Numbers, char, raw
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.initial_data import IdBig, IdLittle
from mqbridge.protocol.records import Buffer

from .bodies import Body, read_body

_NONE_OF_2: Final = b"\x00\xff"  # only "no compression"
_NONE_OF_16: Final = b"\x00" + 15 * b"\xff"
_UNUSED: Final = 20 * b"\xff"


def _id(n: Numbers) -> Any:
    return Struct(
        char("StrucId", 4, "`ID` and two blanks", since="FAP 1", default=b"ID"),
        n.u8("FapLevel", "FAP level offered or agreed", since="FAP 1", default=1),
        n.u8("CapFlags1", "capabilities", since="FAP 1", names=CapFlags1),
        n.u8("ECapFlags1", "capabilities that the responder refuses", since="FAP 1", names=CapFlags1),
        n.u8("InitErrFlags1", "values that the responder changed", since="FAP 1", names=InitErrFlags1),
        n.u16("Reserved", "0", since="FAP 1"),
        n.u16("MaxMsgsPerBatch", "batch size, 0 for client channels", since="FAP 1"),
        n.u32("MaxTransmissionSize", "largest segment in bytes", since="FAP 1"),
        n.u32("MaxMessageSize", "largest message in bytes", since="FAP 1"),
        n.u32("SequenceWrap", "highest sequence number before 1 follows, 0 for client channels", since="FAP 1"),
        char("ChannelName", 20, "channel", since="FAP 1"),
        n.u8("CapFlags2", "capabilities", since="FAP 4", names=CapFlags2),
        n.u8("ECapFlags2", "capabilities that the responder refuses", since="FAP 4", names=CapFlags2),
        n.u16("CCSID", "code page of the sender of this segment", since="FAP 4"),
        char("QMgrName", 48, "queue manager of the sender; of a client the one it wants", since="FAP 4"),
        n.u32("HeartbeatInterval", "seconds, 0 for no heartbeats", since="FAP 4"),
        n.u16("EFLLength", "not known, not the length of this structure", since="FAP 4"),
        n.u8("InitErrFlags2", "values that the responder changed", since="FAP 8", names=InitErrFlags2),
        n.u8("Reserved1", "0", since="FAP 8"),
        raw("HdrCompList", 2, "header compressions by preference, FF unused", since="FAP 8", default=_NONE_OF_2),
        raw("MsgCompList", 16, "message compressions by preference, FF unused", since="FAP 8", default=_NONE_OF_16),
        n.u16("Reserved2", "0", since="FAP 8"),
        n.u32("SSLKeyReset", "bytes between renegotiations of the TLS key, 0 for none", since="FAP 8"),
        n.i32("ConvPerSocket", "conversations that may share the socket", since="FAP 9"),
        n.u8("CapFlags3", "capabilities", since="FAP 9", names=CapFlags3),
        n.u8("ECapFlags3", "capabilities that the responder refuses", since="FAP 9", names=CapFlags3),
        n.u16("Reserved3", "0", since="FAP 9"),
        n.u32("ProcessId", "process", since="FAP 9"),
        n.u32("ThreadId", "thread", since="FAP 9"),
        n.u32("TraceId", "trace", since="FAP 9"),
        char("ProductId", 12, "four characters of product and VVRRMMFF", since="FAP 9"),
        char("QMgrIdentifier", 48, "queue manager identifier, `MQMID` of a client", since="FAP 9"),
        raw("PAL", 20, "password protection algorithms, ten numbers, FFFF unused", since="FAP 11", default=_UNUSED),
        raw("R", 12, "random bytes for password protection", since="FAP 11"),
    )


ID = Structure("ID", _id, IdBig, IdLittle, spec="mq-wire.md 5.1")
"""The longest form, 240 bytes."""

SMALLEST_ID: Final = 44
"""Shortest INITIAL_DATA in bytes."""

_SIZES: Final = ((11, 240), (9, 208), (8, 128), (4, 102), (0, SMALLEST_ID))


def initial_data_size(fap_level: int) -> int:
    """Return the bytes of ID that a FAP level defines (mq-wire.md 5.1; level 8 inferred from the fields)."""
    return next(size for level, size in _SIZES if fap_level >= level)


def parse_initial_data(body: Buffer, order: ByteOrder) -> Body:
    """Read the body of INITIAL_DATA, in the byte order of its segment.

    Fields beyond the FAP level or the end of the segment read as zeros and ``has`` says that they are absent.
    Raises ``StructureError`` when fewer than 44 bytes are there.
    """
    most = initial_data_size(body[4]) if len(body) > 4 else None
    return read_body(ID, body, order, least=SMALLEST_ID, most=most)


def initial_data(order: ByteOrder, *, fap_level: int, **values: Any) -> Body:
    """Return a body to send, as long as the FAP level requires; other fields by keyword."""
    return Body(ID.codec(order)(fap_level=fap_level, **values), initial_data_size(fap_level))
