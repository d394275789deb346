"""MESSAGE_DATA parsed: one segment with a whole message, or the segments of a long one (mq-wire.md 5.14, 7.4).

A single unpack reads the few header fields (TSH, MSH, XQH and MD, one run of fixed layout) that a channel needs; names
and descriptor stay raw.
"""

from __future__ import annotations

import struct
from typing import Final, TypeAlias

from mqbridge.protocol.constants import ByteOrder, ControlFlags1, SegmentType, StatusCode
from mqbridge.protocol.framing import Segment
from mqbridge.protocol.segment import SINGLE
from mqbridge.protocol.structures import SEGMENT_HEADERS
from mqbridge.protocol.text import NAME_CCSIDS

from .events import MessageReceived
from .status import ChannelError

HEADERS_LENGTH: Final = SEGMENT_HEADERS.size
"""Length of TSH, MSH, XQH and MD: 476 bytes."""

PART_LENGTH: Final = 1 << 20
"""Bytes of a long message after which a :class:`MessagePart` is emitted."""

_DESCRIPTOR: Final = HEADERS_LENGTH - 324
_FIELDS: Final = (
    "tsh_ccsid",
    "msh_struc_id",
    "msh_sequence_number",
    "msh_data_length",
    "xqh_struc_id",
    "xqh_version",
    "xqh_remote_q_name",
    "xqh_remote_q_mgr_name",
    "md_struc_id",
    "md_version",
    "md_persistence",
)
_MSH_IDS: Final = (b"MSH ", b"\xd4\xe2\xc8\x40")
_XQH_IDS: Final = (b"XQH ", b"\xe7\xd8\xc8\x40")
_MD_IDS: Final = (b"MD  ", b"\xd4\xc4\x40\x40")


def _unpacker(order: ByteOrder) -> struct.Struct:
    """Return a ``struct`` for :data:`_FIELDS` of the run, derived from its grammar; other fields are skipped."""
    codes = [slot.code if slot.field.key in _FIELDS else f"{slot.size}x" for slot in SEGMENT_HEADERS.codec(order).SLOTS]
    return struct.Struct(order.prefix + "".join(codes))


_UNPACKERS: Final = {int(order): _unpacker(order).unpack_from for order in ByteOrder}
_ORDERS: Final = {int(order): order for order in ByteOrder}
_unpack_header: Final = SINGLE.unpack_from
_MESSAGE_DATA: Final = int(SegmentType.MESSAGE_DATA)
_ALONE: Final = int(ControlFlags1.FIRST | ControlFlags1.LAST)

Limits: TypeAlias = tuple[int, int, int]
"""The longest segment, the sequence wrap, and the longest data of a message."""


def read_message(segment: Segment, pieces: list[bytes] | None, fast: bool) -> MessageReceived:
    """Parse the message that begins in a segment.

    ``pieces``: None to take the data from the segment, else the list that will hold them. ``fast``: the channel has
    NPMSPEED(FAST). Raises ``ChannelError`` if the headers are malformed, their names cannot be decoded, or MSH states
    another length than the segment's data has.
    """
    start, segment_length = segment.start, segment.length
    if segment_length < HEADERS_LENGTH:
        raise ChannelError(
            f"MESSAGE_DATA of {segment_length} bytes has no room for its headers", StatusCode.PROTOCOL_LENGTH_ERROR
        )
    (
        ccsid,
        msh_id,
        sequence,
        length,
        xqh_id,
        xqh_version,
        remote_q_name,
        remote_q_mgr_name,
        md_id,
        md_version,
        persistence,
    ) = _UNPACKERS[segment.byte_order](segment.buffer, start)
    if msh_id not in _MSH_IDS:
        raise ChannelError(f"MSH begins with {msh_id.hex()}", StatusCode.PROTOCOL_MSH_ERROR)
    if xqh_id not in _XQH_IDS or md_id not in _MD_IDS:
        raise ChannelError(
            f"XQH begins with {xqh_id.hex()}, MD with {md_id.hex()}", StatusCode.PROTOCOL_ID_ERROR, amq="AMQ9572"
        )
    if ccsid not in NAME_CCSIDS:
        raise ChannelError(
            f"a message with names in CCSID {ccsid}",
            StatusCode.CCSID_NOT_SUPPORTED,
            amq="AMQ9541",
            retryable=False,
        )
    if md_version != 1 or xqh_version != 1:
        raise ChannelError(
            f"MQXQH of version {xqh_version} with a descriptor of version {md_version}",
            StatusCode.PROTOCOL_INVALID_DATA,
            amq="AMQ9572",
        )
    end = start + HEADERS_LENGTH
    if pieces is None:
        end = start + segment_length
        if length != segment_length - HEADERS_LENGTH:
            there = segment_length - HEADERS_LENGTH
            raise ChannelError(
                f"MSH states {length} bytes of data, the segment has {there}", StatusCode.PROTOCOL_MSH_ERROR
            )
    persistent = persistence != 0
    return MessageReceived(
        sequence,
        segment.luwid,
        remote_q_name,
        remote_q_mgr_name,
        segment.order,
        ccsid,
        segment.buffer[start + _DESCRIPTOR : end],
        pieces,
        length,
        persistent,
        fast and not persistent,
    )


def read_whole_messages(
    buffer: bytes, position: int, limits: Limits, sequence: int, fast: bool
) -> tuple[list[MessageReceived], int]:
    """Parse the whole messages from ``position`` on, in one segment each and numbered from ``sequence`` on; return them
    and the position behind them.

    They end in front of any segment that is not all there, is not one message and nothing else, or in which
    :func:`read_message`, the reader or the batch would find a fault.
    """
    longest_segment, wrap, longest = limits
    found: list[MessageReceived] = []
    end = len(buffer)
    while end - position >= HEADERS_LENGTH and sequence <= wrap:
        struc_id, segment_length, byte_order, kind, flags1, flags2, luwid, _ = _unpack_header(buffer, position)
        if (
            struc_id != b"TSH "
            or kind != _MESSAGE_DATA
            or flags1 != _ALONE
            or flags2
            or not HEADERS_LENGTH <= segment_length <= longest_segment
            or segment_length > end - position
            or byte_order not in _UNPACKERS
        ):
            break
        (
            ccsid,
            msh_id,
            number,
            length,
            xqh_id,
            xqh_version,
            remote_q_name,
            remote_q_mgr_name,
            md_id,
            md_version,
            persistence,
        ) = _UNPACKERS[byte_order](buffer, position)
        if (
            number != sequence
            or length != segment_length - HEADERS_LENGTH
            or length > longest
            or msh_id not in _MSH_IDS
            or xqh_id not in _XQH_IDS
            or md_id not in _MD_IDS
            or ccsid not in NAME_CCSIDS
            or md_version != 1
            or xqh_version != 1
        ):
            break
        found.append(
            MessageReceived(
                number,
                luwid,
                remote_q_name,
                remote_q_mgr_name,
                _ORDERS[byte_order],
                ccsid,
                buffer[position + _DESCRIPTOR : position + segment_length],
                None,
                length,
                persistence != 0,
                fast and persistence == 0,
            )
        )
        sequence += 1
        position += segment_length
    return found, position


class PartialMessage:
    """A message whose first segment has arrived; the data are kept in the pieces in which they come.

    ``untold``: bytes received since the last :class:`MessagePart`. No data are kept before number and length of
    :attr:`message` have been checked: call :meth:`add` for the first segment too.
    """

    __slots__ = ("_left", "_pieces", "message", "untold")

    def __init__(self, segment: Segment, fast: bool) -> None:
        self._pieces: list[bytes] = []
        self.message = read_message(segment, self._pieces, fast)
        self._left = self.message.length
        self.untold = 0

    def add(self, data: bytes) -> None:
        """Add the data of a segment. Raises ``ChannelError`` if they exceed what is missing."""
        if len(data) > self._left:
            raise ChannelError(
                f"{len(data) - self._left} bytes more than the message has", StatusCode.MESSAGE_LENGTH_ERROR
            )
        self._left -= len(data)
        self.untold += len(data)
        if data:
            self._pieces.append(data)

    def finish(self) -> MessageReceived:
        """Return the message once the last segment is in. Raises ``ChannelError`` if data are missing."""
        if self._left:
            raise ChannelError(f"{self._left} bytes of the message are missing", StatusCode.MESSAGE_LENGTH_ERROR)
        return self.message
