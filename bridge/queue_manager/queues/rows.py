"""The row of a message: the fields that memory and the store's index keep of it, in one ``bytes`` object.

A row begins with the position of the message in its queue, big-endian, so rows sort in order of delivery. The first
byte of the position is the band (9 minus the priority), the other seven are the arrival number. With
MSGDLVSQ(PRIORITY) the band follows the message's priority, with FIFO all messages are in one band (mqi.md 4.3).

The row as a whole, big-endian::

    position Q, flags B, priority B, CCSID of the descriptor's text H, Report I, put time Q and expiry deadline Q
    (milliseconds since the epoch, deadline 0: none), data length I, BackoutCount I, MsgId 24s, CorrelId 24s
    and with the flag GROUPED also GroupId 24s, MsgSeqNumber I, Offset I, MsgFlags I
    and with the flag REPORTS also OriginalLength i, Feedback I
    and with the flag PUT_BY also the user with whose authority the message was put, in UTF-8, and its length B

The body that belongs to it in the store is the descriptor as received (324 or 364 bytes), then the data.
"""

from __future__ import annotations

import struct
from typing import Final, NamedTuple

from mqbridge.mappings.moment import Moment, Time
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.constants.lengths import MQMD_LENGTH_1, MQMD_LENGTH_2

PERSISTENT: Final = 0x01
STORED: Final = 0x02
"""The store holds the message: it is persistent, or its queue keeps non-persistent ones (NPMCLASS(HIGH))."""
VERSION_2: Final = 0x04
"""The descriptor has 364 bytes."""
BIG_ENDIAN: Final = 0x08
"""The descriptor's integers are big-endian."""
ORDERS: Final = {BIG_ENDIAN: ByteOrder.BIG, 0: ByteOrder.LITTLE}
"""Byte order of the descriptor by that flag."""
ORDER_FLAGS: Final = {order: flag for flag, order in ORDERS.items()}
GROUPED: Final = 0x10
"""Group id, sequence number, offset and message flags follow."""
REPORTS: Final = 0x20
"""A report on a segment or on a message in a group: original length and feedback follow."""
OWN: Final = 0x40
"""A message got by the unit of work that put it, with its body in memory; never stored."""
PUT_BY: Final = 0x80
"""The row ends with the user with whose authority the message was put."""
MAX_USER: Final = 255
"""Most bytes of a user in a row."""

POSITION_BYTES: Final = 8
MAX_PRIORITY: Final = 9
MAX_BACKOUT_COUNT: Final = 2**32 - 1
ARRIVAL_BITS: Final = 56
"""Bits of a position behind its band."""
MAX_ARRIVAL: Final = 2**ARRIVAL_BITS - 1

_TAIL = struct.Struct(">BBHIQQII24s24s")
_ROW = struct.Struct(">QBBHIQQII24s24s")
_GROUP = struct.Struct(">24sIII")
_REPORT = struct.Struct(">iI")
_POSITION = struct.Struct(">Q")
_BACKOUT_OFFSET: Final = 8 + struct.calcsize(">BBHIQQI")
_DEADLINE = struct.Struct(">Q")
_DEADLINE_OFFSET: Final = 8 + struct.calcsize(">BBHIQ")
DEADLINE_AT: Final = _DEADLINE_OFFSET
DEADLINE_END: Final = _DEADLINE_OFFSET + 8
"""Slice of a row with the expiry deadline."""
NO_DEADLINE: Final = bytes(8)
FLAGS: Final = 8
"""Index of the flags in a row."""

ROW_LENGTH: Final = _ROW.size
GROUPED_ROW_LENGTH: Final = _ROW.size + _GROUP.size
REPORT_ROW_LENGTH: Final = GROUPED_ROW_LENGTH + _REPORT.size
_ROW_LENGTHS: Final = {0: ROW_LENGTH, GROUPED: GROUPED_ROW_LENGTH, GROUPED | REPORTS: REPORT_ROW_LENGTH}

pack_tail = _TAIL.pack
"""(flags, priority, ccsid, report, put time, deadline, length, backout count, MsgId, CorrelId) to the row after the
position."""
pack_group = _GROUP.pack
"""(GroupId, MsgSeqNumber, Offset, MsgFlags) to the end of a grouped row."""
pack_report = _REPORT.pack
"""(OriginalLength, Feedback) to the end of the row of a report."""
pack_position = _POSITION.pack
held_fields = struct.Struct(">QBxH4x8xQII").unpack_from
"""(position, flags, CCSID, deadline, length, BackoutCount) of a row: what reading its message takes."""
data_length = struct.Struct(">I").unpack_from
"""(length,) at `DATA_LENGTH` of a row."""
DATA_LENGTH: Final = 8 + struct.calcsize(">BBHIQQ")
"""Offset of the data length in a row."""
position_and_flags = struct.Struct(">QB").unpack_from
"""(position, flags) of a row."""


class Row:
    """The fields of a row, without those of groups, reports and the user. Raises ``struct.error`` for a row that is too
    short."""

    __slots__ = (
        "backout_count", "ccsid", "correl_id", "deadline", "flags", "length", "msg_id", "position", "priority",
        "put_time", "report",
    )  # fmt: skip

    position: int
    flags: int
    priority: int
    ccsid: int
    report: int
    put_time: int
    deadline: int
    length: int
    backout_count: int
    msg_id: bytes
    correl_id: bytes

    def __init__(self, row: bytes) -> None:
        (
            self.position,
            self.flags,
            self.priority,
            self.ccsid,
            self.report,
            self.put_time,
            self.deadline,
            self.length,
            self.backout_count,
            self.msg_id,
            self.correl_id,
        ) = _ROW.unpack_from(row)

    @property
    def md_length(self) -> int:
        """Length of the descriptor in bytes."""
        return MQMD_LENGTH_2 if self.flags & VERSION_2 else MQMD_LENGTH_1


class GroupFields(NamedTuple):
    """The group fields of a row."""

    group_id: bytes
    msg_seq_number: int
    offset: int
    msg_flags: int


class ReportFields(NamedTuple):
    """The report fields of a row."""

    original_length: int
    feedback: int


NO_GROUP: Final = GroupFields(bytes(24), 1, 0, 0)
"""Group fields of a row that has none."""


def group_fields(row: bytes) -> GroupFields:
    """Parse the group fields of a row; `NO_GROUP` if it has none."""
    if not row[FLAGS] & GROUPED:
        return NO_GROUP
    return GroupFields._make(_GROUP.unpack_from(row, ROW_LENGTH))


def report_fields(row: bytes) -> ReportFields:
    """Parse the report fields of a row with REPORTS. Raises ``struct.error`` for other rows."""
    return ReportFields._make(_REPORT.unpack_from(row, GROUPED_ROW_LENGTH))


def pack_user(user: str) -> bytes:
    """The end of a row with PUT_BY. ``user``: blank for the queue manager's own authority."""
    written = user.encode("utf-8", "replace")[:MAX_USER]
    return written + bytes((len(written),))


def put_by(row: bytes) -> str | None:
    """The user with whose authority the message was put; None for a row without PUT_BY."""
    if not row[FLAGS] & PUT_BY:
        return None
    return row[-1 - row[-1] : -1].decode("utf-8", "replace")


def is_row(data: bytes) -> bool:
    """Whether index bytes of the store have the length of a row."""
    if len(data) < ROW_LENGTH:
        return False
    flags = data[FLAGS]
    length = len(data) - (data[-1] + 1 if flags & PUT_BY else 0)
    return length == _ROW_LENGTHS.get(flags & (GROUPED | REPORTS))


def position_of(row: bytes) -> int:
    """Position in the queue."""
    return int.from_bytes(row[:POSITION_BYTES], "big")


def flags_of(row: bytes) -> int:
    """Flags of a row."""
    return row[FLAGS]


def as_own(row: bytes) -> bytes:
    """The row of an uncommitted message, with OWN, for gets of its own unit of work."""
    return row[:FLAGS] + bytes((row[FLAGS] & ~STORED | OWN,)) + row[FLAGS + 1 :]


def deadline_of(row: bytes) -> int:
    """Expiry deadline in milliseconds since the epoch, 0 for none."""
    deadline: int = _DEADLINE.unpack_from(row, _DEADLINE_OFFSET)[0]
    return deadline


def with_backout(row: bytes) -> bytes:
    """The row with BackoutCount one higher."""
    count = int.from_bytes(row[_BACKOUT_OFFSET : _BACKOUT_OFFSET + 4], "big")
    count = min(count + 1, MAX_BACKOUT_COUNT)
    return row[:_BACKOUT_OFFSET] + count.to_bytes(4, "big") + row[_BACKOUT_OFFSET + 4 :]


def band_of(priority: int) -> int:
    """The band of a priority; priorities below 0 and above 9 count as the nearest."""
    if 0 <= priority <= MAX_PRIORITY:
        return MAX_PRIORITY - priority
    return MAX_PRIORITY if priority < 0 else 0


def make_position(band: int, arrival: int) -> int:
    """The position of a band and an arrival number."""
    return band << ARRIVAL_BITS | arrival


def arrival_of_position(position: int) -> int:
    """Arrival number of a position."""
    return position & MAX_ARRIVAL


def milliseconds(now: Time) -> int:
    """A time in milliseconds since the epoch, as rows keep it."""
    return int((now.date if isinstance(now, Moment) else now) * 1000)
