"""MESSAGE_DATA parsed: one segment with a whole message, or the segments of a long one (mq-wire.md 5.14, 7.4).

A single unpack reads the few header fields (TSH, MSH, XQH and MD, one run of fixed layout) that a channel needs; names
and descriptor stay raw.
"""

from __future__ import annotations

import struct
from typing import Final

from mqbridge.protocol.constants import ByteOrder, StatusCode
from mqbridge.protocol.framing import Segment
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


_UNPACKERS: Final = {int(order): _unpacker(order) for order in ByteOrder}


def read_message(segment: Segment, data: bytes | list[bytes] | None, fast: bool) -> MessageReceived:
    """Parse the message that begins in a segment.

    ``data``: None to take the data from the segment, else the object that will hold them. ``fast``: the channel has
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
    ) = _UNPACKERS[segment.byte_order].unpack_from(segment.buffer, start)
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
    if data is None:
        data = segment.buffer[start + HEADERS_LENGTH : start + segment_length]
        if length != len(data):
            raise ChannelError(
                f"MSH states {length} bytes of data, the segment has {len(data)}", StatusCode.PROTOCOL_MSH_ERROR
            )
    persistent = persistence != 0
    return MessageReceived(
        sequence,
        segment.luwid,
        remote_q_name,
        remote_q_mgr_name,
        segment.order,
        ccsid,
        segment.buffer[start + _DESCRIPTOR : start + HEADERS_LENGTH],
        data,
        length,
        persistent,
        fast and not persistent,
    )


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
