"""MESSAGE_DATA taken apart: one segment that holds a message, or the several of a long one, mq-wire.md 5.14, 7.4.

Of the headers (TSH, MSH, XQH and MD, one run of fixed layout) one unpack takes the few fields that a channel looks
at; names and descriptor stay raw.
"""

from __future__ import annotations

import struct
from typing import Final

from mqbridge.protocol.constants import StatusCode
from mqbridge.protocol.framing import BIG_ENDIAN, Segment
from mqbridge.protocol.structures import SEGMENT_HEADERS
from mqbridge.protocol.text import NAME_CCSIDS

from .events import MessageReceived
from .status import ChannelError

HEADERS_LENGTH: Final = SEGMENT_HEADERS.size
"""Bytes of TSH, MSH, XQH and MD: 476."""

PART_LENGTH: Final = 1 << 20
"""Bytes of a long message that come before the agent is told of them."""

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


def _unpacker(prefix: str) -> struct.Struct:
    """One unpack of :data:`_FIELDS` out of the run; derived from its grammar, the other fields are stepped over."""
    codes = [
        slot.code if slot.field.key in _FIELDS else f"{slot.size}x"
        for slot in SEGMENT_HEADERS.codec("big" if prefix == ">" else "little").SLOTS
    ]
    return struct.Struct(prefix + "".join(codes))


_UNPACKERS: Final = (_unpacker(">"), _unpacker(">"), _unpacker("<"))  # by segment.byte_order


def read_message(segment: Segment, data: bytes | list[bytes] | None, fast: bool) -> MessageReceived:
    """The message that begins in a segment; ``data``: None to take them from the segment, else where they will be.

    ``fast``: the channel lets non-persistent messages be fast. Raises ``ChannelError`` where the headers are not in
    order or their names cannot be read, or when MSH states another length than that of the data in the segment.
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
        segment.byte_order == BIG_ENDIAN,
        ccsid,
        segment.buffer[start + _DESCRIPTOR : start + HEADERS_LENGTH],
        data,
        length,
        persistent,
        fast and not persistent,
    )


class PartialMessage:
    """A message of which the first segment has come; its data are kept in the pieces in which they came.

    ``untold``: bytes that came since the agent was told of them. Nothing is kept before the number and length of
    :attr:`message` were looked at: call :meth:`add` for the first segment too.
    """

    __slots__ = ("_left", "_pieces", "message", "untold")

    def __init__(self, segment: Segment, fast: bool) -> None:
        self._pieces: list[bytes] = []
        self.message = read_message(segment, self._pieces, fast)
        self._left = self.message.length
        self.untold = 0

    def add(self, data: bytes) -> None:
        """Take the data of a segment. Raises ``ChannelError`` when they are more than is missing."""
        if len(data) > self._left:
            raise ChannelError(
                f"{len(data) - self._left} bytes more than the message has", StatusCode.MESSAGE_LENGTH_ERROR
            )
        self._left -= len(data)
        self.untold += len(data)
        if data:
            self._pieces.append(data)

    def finish(self) -> MessageReceived:
        """The message; the last segment is in. Raises ``ChannelError`` when something is missing."""
        if self._left:
            raise ChannelError(f"{self._left} bytes of the message are missing", StatusCode.MESSAGE_LENGTH_ERROR)
        return self.message
