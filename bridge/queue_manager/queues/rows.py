"""The row of a message: what memory and the store's index keep of it; one ``bytes`` object a message.

A row begins with the position of the message in its queue, most significant byte first, so rows sort as messages are
delivered. The first byte of the position is the band, 9 less the priority that counts for the order, the other seven
the arrival number: with MSGDLVSQ(PRIORITY) the bands follow the messages' priorities, with FIFO all messages are in
one band (mqi.md 4.3).

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

from mqbridge.mappings.moment import Moment
from mqbridge.protocol.constants.lengths import MQMD_LENGTH_1, MQMD_LENGTH_2

PERSISTENT: Final = 0x01
STORED: Final = 0x02
"""The store holds the message: it is persistent, or its queue keeps non-persistent ones (NPMCLASS(HIGH))."""
VERSION_2: Final = 0x04
"""The descriptor has 364 bytes."""
BIG_ENDIAN: Final = 0x08
"""The descriptor's integers are big-endian."""
GROUPED: Final = 0x10
"""The row goes on with group id, sequence number, offset and message flags."""
REPORTS: Final = 0x20
"""A report on a segment or on a message in a group; the row goes on with original length and feedback."""
OWN: Final = 0x40
"""A message put in the unit of work that gets it, with its body in memory; no store and no other queue sees this."""
PUT_BY: Final = 0x80
"""The row ends with a user: somebody will ask later with whose authority the message was put."""
MAX_USER: Final = 255
"""Bytes of a user in a row."""

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
DEADLINE: Final = slice(_DEADLINE_OFFSET, _DEADLINE_OFFSET + 8)
"""Where a row has the expiry deadline."""
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


class Row(NamedTuple):
    """A row taken apart, without the group fields."""

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

    @property
    def md_length(self) -> int:
        """Bytes of the descriptor in front of the data."""
        return MQMD_LENGTH_2 if self.flags & VERSION_2 else MQMD_LENGTH_1


class GroupFields(NamedTuple):
    """The group fields of a row."""

    group_id: bytes
    msg_seq_number: int
    offset: int
    msg_flags: int


class ReportFields(NamedTuple):
    """What the row of a report on a segment says of the segment."""

    original_length: int
    feedback: int


NO_GROUP: Final = GroupFields(bytes(24), 1, 0, 0)
"""Group fields of a row that has none."""


def parse_row(row: bytes) -> Row:
    """Takes a row apart. Raises ``struct.error`` when it is too short."""
    return Row._make(_ROW.unpack_from(row))


def group_fields(row: bytes) -> GroupFields:
    """Group fields of a row."""
    if not row[FLAGS] & GROUPED:
        return NO_GROUP
    return GroupFields._make(_GROUP.unpack_from(row, ROW_LENGTH))


def report_fields(row: bytes) -> ReportFields:
    """Original length and feedback in the row of a report on a segment. Raises ``struct.error`` for other rows."""
    return ReportFields._make(_REPORT.unpack_from(row, GROUPED_ROW_LENGTH))


def pack_user(user: str) -> bytes:
    """The end of a row with PUT_BY; blank: the queue manager's own authority."""
    written = user.encode("utf-8", "replace")[:MAX_USER]
    return written + bytes((len(written),))


def put_by(row: bytes) -> str | None:
    """The user with whose authority the message of a row was put; None where the row does not say."""
    if not row[FLAGS] & PUT_BY:
        return None
    return row[-1 - row[-1] : -1].decode("utf-8", "replace")


def is_row(data: bytes) -> bool:
    """Whether the store's index bytes have the form of a row."""
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
    """The row of a message that is not committed, for gets of its own unit of work."""
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
    """First byte of the positions of a priority, -1 and what lies above 9 taken as the nearest."""
    if 0 <= priority <= MAX_PRIORITY:
        return MAX_PRIORITY - priority
    return MAX_PRIORITY if priority < 0 else 0


def make_position(band: int, arrival: int) -> int:
    """Position out of band and arrival number."""
    return band << ARRIVAL_BITS | arrival


def arrival_of_position(position: int) -> int:
    """Arrival number of a position."""
    return position & MAX_ARRIVAL


def milliseconds(now: float) -> int:
    """A time as rows keep it."""
    return int((now.date if isinstance(now, Moment) else now) * 1000)
