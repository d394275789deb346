"""Content of a TCP stream: MQ segments on any port, TLS, or something else.

MQ is recognised by the eye-catcher of its segment header, ``TSH`` in ASCII or EBCDIC (mq-wire.md 2), TLS by the head of
a handshake record. A stream without its beginning is searched for a plausible header; it is TLS if a packet contains
whole records.
"""

from __future__ import annotations

import enum
import re
from typing import Final

from mqbridge.protocol.constants import SegmentType
from mqbridge.protocol.segment import HEADER_SIZES
from mqbridge.protocol.structures import TSH
from mqbridge.protocol.tls_hello import begins_with_records

#: Bytes that determine the content of a stream, if its beginning was captured.
RECOGNITION_LENGTH: Final = 4

#: Bytes searched for a segment header in a stream that starts in the middle, before it counts as other.
SEARCH_LIMIT = 1 << 20

#: Longest plausible segment when a header is searched for in the middle of a stream.
MAX_BELIEVABLE_SEGMENT = 16 << 20

#: Bytes that :func:`find_segment` needs to judge a header (TSHM up to the second reserved byte).
JUDGED_LENGTH: Final = 36

ASCII_TSH: Final = b"TSH"
EBCDIC_TSH: Final = b"\xe3\xe2\xc8"

_EYE_CATCHERS: Final = re.compile(b"TSH[ CM]|\xe3\xe2\xc8[\x40\xc3\xd4]")  # keys of HEADER_SIZES, found faster so
TLS_HEAD: Final = b"\x16\x03\x01"  # a handshake record of version 3.x; the last byte may be another
_TLS_MARK: Final = TLS_HEAD[:2]
_TLS_LENGTH_TOP: Final = 0x48


class StreamKind(enum.Enum):
    """Content of a stream or flow."""

    UNKNOWN = "unknown"
    MQ = "mq"
    TLS = "tls"
    OTHER = "other"


def recognise(head: bytes) -> StreamKind:
    """Return the content of a stream from its first bytes; UNKNOWN if more are needed."""
    if head[:3] in (ASCII_TSH, EBCDIC_TSH):
        return StreamKind.MQ
    # The fourth byte is the upper half of the record length, which is limited.
    if len(head) >= RECOGNITION_LENGTH and head[:2] == _TLS_MARK and head[3] <= _TLS_LENGTH_TOP:
        return StreamKind.TLS
    if len(head) < RECOGNITION_LENGTH and _may_become(head):
        return StreamKind.UNKNOWN
    return StreamKind.OTHER


def _may_become(head: bytes) -> bool:
    return any(whole.startswith(head) for whole in (ASCII_TSH, EBCDIC_TSH)) or _TLS_MARK.startswith(head[:2])


def find_segment(data: bytes | bytearray, start: int = 0) -> int:
    """Return the position of the first plausible segment header at or after ``start``, or -1.

    Eye-catcher, length, byte order, type and reserved bytes must be valid; headers of which fewer than
    :data:`JUDGED_LENGTH` bytes are there are not found yet.
    """
    for catcher in _EYE_CATCHERS.finditer(data, start):
        place = catcher.start()
        if is_believable(bytes(data[place : place + JUDGED_LENGTH])):
            return place
    return -1


def is_believable(head: bytes) -> bool:
    """Whether bytes look like a segment header rather than text that contains the eye-catcher."""
    length = HEADER_SIZES.get(head[:4])
    if length is None:
        return False
    moved = length - TSH.size
    return (
        len(head) >= length
        and length <= int.from_bytes(head[4:8], "big") <= MAX_BELIEVABLE_SEGMENT
        and head[8 + moved] in (1, 2)
        and head[9 + moved] in _SEGMENT_TYPES
        and head[26 + moved : 28 + moved] == b"\0\0"
    )


_SEGMENT_TYPES = frozenset(SegmentType)


class Recogniser:
    """Recognises the content of one direction of a flow from its pieces in order."""

    __slots__ = ("_head", "_searched", "_searching")

    def __init__(self) -> None:
        self._head = b""
        self._searching = False
        self._searched = 0

    def take(self, offset: int, data: bytes, whole: bool) -> StreamKind:
        """Take the next piece; ``whole``: offset 0 is the true beginning of the stream. UNKNOWN: more are needed."""
        if not self._searching and (not whole or offset != len(self._head)):
            self._searching, self._head = True, b""
        head = self._head + data
        if not self._searching:
            self._head = head[:RECOGNITION_LENGTH]
            return recognise(head)
        if find_segment(head) >= 0:
            return StreamKind.MQ
        if begins_with_records(data):
            return StreamKind.TLS
        self._head = head[-JUDGED_LENGTH:]
        self._searched += len(data)
        return StreamKind.UNKNOWN if self._searched < SEARCH_LIMIT else StreamKind.OTHER
