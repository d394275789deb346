"""MESSAGE_DATA taken apart: one segment that holds a message, or the several of a long one, mq-wire.md 5.14, 7.4.

The headers are read at once by the codec of the run MSH, XQH and MD; names and descriptor stay raw.
"""

from __future__ import annotations

from typing import Final

from protocol.compiled import Record
from protocol.constants import StatusCode
from protocol.errors import StructureError
from protocol.framing import Segment
from protocol.structures import MESSAGE_HEADERS

from .events import MessageReceived
from .status import ChannelError

HEADERS_LENGTH: Final = 448
"""Bytes of MSH, XQH and MD."""

_DESCRIPTOR: Final = 124  # behind MSH and XQH
_CODECS: Final = (None, MESSAGE_HEADERS.codec("big"), MESSAGE_HEADERS.codec("little"))  # by segment.byte_order
_IDS: Final = frozenset({(b"MSH ", b"XQH ", b"MD  "), (b"\xd4\xe2\xc8\x40", b"\xe7\xd8\xc8\x40", b"\xd4\xc4\x40\x40")})
_MSH_IDS: Final = (b"MSH ", b"\xd4\xe2\xc8\x40")


def read_headers(segment: Segment) -> Record:
    """MSH, XQH and MD of the first segment of a message. Raises ``ChannelError`` where they are not in order."""
    codec = _CODECS[segment.byte_order]
    assert codec is not None
    if segment.body_length < HEADERS_LENGTH:
        raise ChannelError(
            f"MESSAGE_DATA of {segment.length} bytes has no room for its headers", StatusCode.PROTOCOL_LENGTH_ERROR
        )
    try:
        headers = codec.parse(segment.buffer, segment.body_start)
    except StructureError as error:
        raise ChannelError(str(error), StatusCode.PROTOCOL_LENGTH_ERROR) from error
    if (headers.msh_struc_id, headers.xqh_struc_id, headers.md_struc_id) not in _IDS:
        _refuse_ids(headers)
    if headers.md_version != 1 or headers.xqh_version != 1:
        raise ChannelError(
            f"MQXQH version {headers.xqh_version} with a descriptor of version {headers.md_version}",
            StatusCode.PROTOCOL_INVALID_DATA,
        )
    return headers


def _refuse_ids(headers: Record) -> None:
    if headers.msh_struc_id not in _MSH_IDS:
        raise ChannelError(f"MSH begins with {headers.msh_struc_id.hex()}", StatusCode.PROTOCOL_MSH_ERROR)
    raise ChannelError(
        f"XQH begins with {headers.xqh_struc_id.hex()}, MD with {headers.md_struc_id.hex()}",
        StatusCode.PROTOCOL_ID_ERROR,
        amq="AMQ9572",
    )


def message_of(
    headers: Record, segment: Segment, data: bytes | list[bytes], length: int, fast: bool
) -> MessageReceived:
    """The event for a message whose first segment is ``segment``; ``fast``: the channel lets such messages be fast."""
    persistent = headers.md_persistence != 0
    start = segment.body_start + _DESCRIPTOR
    return MessageReceived(
        sequence=headers.msh_sequence_number,
        luwid=segment.luwid,
        remote_q_name=headers.xqh_remote_q_name,
        remote_q_mgr_name=headers.xqh_remote_q_mgr_name,
        big_endian=segment.byte_order == 1,
        ccsid=segment.ccsid,
        descriptor=segment.buffer[start : segment.body_start + HEADERS_LENGTH],
        data=data,
        length=length,
        persistent=persistent,
        fast=fast and not persistent,
    )


class PartialMessage:
    """A message of which the first segment has come; its data are kept in the pieces in which they came."""

    __slots__ = ("_left", "_message", "_pieces")

    def __init__(self, headers: Record, segment: Segment, fast: bool) -> None:
        length: int = headers.msh_data_length
        self._pieces: list[bytes] = []
        self._left = length
        self._message = message_of(headers, segment, self._pieces, length, fast)
        self._add(segment.body_from(HEADERS_LENGTH))

    def _add(self, data: bytes) -> None:
        if len(data) > self._left:
            raise ChannelError(
                f"{len(data) - self._left} bytes more than the message has", StatusCode.MESSAGE_LENGTH_ERROR
            )
        self._left -= len(data)
        if data:
            self._pieces.append(data)

    def add(self, segment: Segment) -> None:
        """Take a further segment. Raises ``ChannelError`` when it holds nothing, or more than is missing."""
        if not segment.body_length:
            raise ChannelError("a part of a message without data", StatusCode.PROTOCOL_LENGTH_ERROR)
        self._add(segment.body)

    def finish(self) -> MessageReceived:
        """The message; the last segment is in. Raises ``ChannelError`` when something is missing."""
        if self._left:
            raise ChannelError(f"{self._left} bytes of the message are missing", StatusCode.MESSAGE_LENGTH_ERROR)
        return self._message
