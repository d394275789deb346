"""XID: the id of a global transaction or of a branch of it, mq-wire.md 5.13.

Its padding to a multiple of four is left over from the client's buffer; only the six bytes in front and the data of
the stated lengths are significant (client-observed.md O-112). XA_OPEN and XA_CLOSE have XAINFO in its place.
"""

from __future__ import annotations

from typing import Any, Final

from construct import Struct, this

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.errors import LocalProtocolError, StructureError
from mqbridge.protocol.fields import Numbers, char, raw
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.xid import XaCountBig, XaCountLittle, XidHeadBig, XidHeadLittle
from mqbridge.protocol.records import Buffer

from .bodies import Body

MAX_XID_PART: Final = 64
"""Longest gtrid, and longest bqual, in bytes."""
_ALIGNMENT: Final = 4


def _head(n: Numbers) -> tuple[Any, ...]:
    return (
        n.i32("FormatId", "format of the XID, -1 for none"),
        n.u8("GtridLength", "bytes of global transaction id"),
        n.u8("BqualLength", "bytes of branch qualifier"),
    )


def _xid(n: Numbers) -> Any:
    return Struct(
        *_head(n),
        raw("Gtrid", this.gtrid_length, "global transaction id"),
        raw("Bqual", this.bqual_length, "branch qualifier"),
        raw("Padding", -(6 + this.gtrid_length + this.bqual_length) % _ALIGNMENT, "up to a multiple of four"),
    )


def _xa_info(n: Numbers) -> Any:
    return Struct(
        n.u8("InfoLength", "bytes of text"),
        char("Info", this.info_length, "queue manager"),
    )


XID = Structure("XID", _xid, spec="mq-wire.md 5.13")
"""Head, data and padding."""

XID_HEAD = Structure("XID", lambda n: Struct(*_head(n)), XidHeadBig, XidHeadLittle, spec="mq-wire.md 5.13")
"""The six bytes in front of the data."""

XA_COUNT = Structure(
    "XACount",
    lambda n: Struct(n.u32("Count", "XIDs wanted, or that follow")),
    XaCountBig,
    XaCountLittle,
    spec="mq-wire.md 5.13",
)
"""Number of XIDs, in front of those of XA_RECOVER."""

XAINFO = Structure("XAINFO", _xa_info, spec="mq-wire.md 5.13")
"""Body of XA_OPEN and XA_CLOSE behind XA; clients send leftover bytes behind it, 257 bytes in all."""


class TransactionId(Body):
    """An XID. ``rest`` holds its data and padding as received."""

    __slots__ = ()

    @property
    def gtrid(self) -> bytes:
        """Global transaction id."""
        return self.rest[: self.record.gtrid_length]

    @property
    def bqual(self) -> bytes:
        """Branch qualifier."""
        return self.rest[self.record.gtrid_length : self.record.gtrid_length + self.record.bqual_length]

    @property
    def key(self) -> tuple[int, bytes, bytes]:
        """Values by which XIDs are compared: format, global transaction id, branch qualifier."""
        return self.record.format_id, self.gtrid, self.bqual


def parse_xid(buffer: Buffer, offset: int, order: ByteOrder) -> TransactionId:
    """Read an XID; the last one of a segment may lack its padding.

    Raises ``StructureError`` when it is cut short or a part has more than 64 bytes.
    """
    record = XID_HEAD.codec(order).parse(buffer, offset)
    for place, name in ((4, "GtridLength"), (5, "BqualLength")):
        length = record.gtrid_length if place == 4 else record.bqual_length
        if length > MAX_XID_PART:
            raise StructureError("XID", offset + place, f"{name} is {length}, {MAX_XID_PART} at most")
    start, length = offset + record.SIZE, record.gtrid_length + record.bqual_length
    there = len(buffer) - start
    if length > there:
        raise StructureError("XID", start, f"{length} bytes of data, {there} are there")
    whole = xid_size(length) - record.SIZE
    return TransactionId(record, record.SIZE, bytes(memoryview(buffer)[start : start + whole]))


def xid_size(data_length: int) -> int:
    """Return the length of an XID with data and padding, in bytes."""
    return -(-(XID_HEAD.size + data_length) // _ALIGNMENT) * _ALIGNMENT


def make_xid(order: ByteOrder, format_id: int, gtrid: bytes, bqual: bytes) -> TransactionId:
    """Return an XID to send. Raises ``LocalProtocolError`` for a part of more than 64 bytes."""
    if max(len(gtrid), len(bqual)) > MAX_XID_PART:
        raise LocalProtocolError(f"XID: parts of {len(gtrid)} and {len(bqual)} bytes, {MAX_XID_PART} at most")
    record = XID_HEAD.codec(order)(format_id=format_id, gtrid_length=len(gtrid), bqual_length=len(bqual))
    data = gtrid + bqual
    return TransactionId(record, record.SIZE, data.ljust(xid_size(len(data)) - record.SIZE, b"\0"))
