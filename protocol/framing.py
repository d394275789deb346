"""Segments out of a byte stream, mq-wire.md 6.

:class:`SegmentReader` takes the bytes of one direction as they come and gives whole segments; where the stream is
cut does not matter. It reads the header only: what the body holds is for others. A length is checked against a
limit before any of the body is kept, so a partner cannot make us hold more than one segment of the agreed size.

A segment keeps the buffer that it came in and where it stands there; its body is copied once, when asked for. A
buffer is at most one read and one segment long; who keeps a message longer takes its bytes and lets the segment go.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NoReturn

from .constants import StatusCode
from .errors import FramingError, LocalProtocolError
from .grammar import Buffer
from .segment import (
    BIG_ENDIAN,
    HEADER_SIZES,
    LITTLE_ENDIAN,
    NO_LUWID,
    Segment,
    SegmentWriter,
    build_segment,
    read_header,
)

__all__ = [
    "BIG_ENDIAN",
    "LARGEST_SEGMENT",
    "LITTLE_ENDIAN",
    "NO_LUWID",
    "SMALLEST_SEGMENT",
    "UNNEGOTIATED_MAX_SEGMENT",
    "Segment",
    "SegmentReader",
    "SegmentWriter",
    "build_segment",
]

SMALLEST_SEGMENT: Final = 28
"""Bytes of the shortest header; every segment has at least these."""

UNNEGOTIATED_MAX_SEGMENT: Final = 4096
"""Longest segment taken before the two ends have agreed on one, in bytes; mq-wire.md 6 asks for 276 at least."""

LARGEST_SEGMENT: Final = 0x7FFFFFFF
"""What no limit may exceed, in bytes."""

_BEHIND_ORDER: Final = 20  # bytes of a header from its byte order on
_LENGTH_KNOWN: Final = 8  # bytes after which id and length can be judged


class SegmentReader:
    """Cuts one direction of a connection into segments.

    ``max_segment``: longest segment taken, in bytes; set it to the agreed size when negotiation ends. It holds for
    all segments that are given out from then on, those that have come already too. ``offset``: of the first byte that
    comes, where the stream is cut from its middle on.
    """

    def __init__(self, max_segment: int = UNNEGOTIATED_MAX_SEGMENT, offset: int = 0) -> None:
        if not SMALLEST_SEGMENT <= max_segment <= LARGEST_SEGMENT:
            raise LocalProtocolError(f"a limit of {max_segment} bytes for segments makes no sense")
        self.max_segment = max_segment
        self._buffer = b""
        self._position = 0
        self._parts: list[bytes] = []  # came after the buffer
        self._missing = 0  # bytes to come before the parts are worth another look
        self._given = offset  # bytes of the stream in front of the buffer
        self._error: FramingError | None = None

    @property
    def offset(self) -> int:
        """Where the next segment begins in the stream, in bytes from 0."""
        return self._given + self._position

    @property
    def rest(self) -> bytes:
        """The bytes that came and belong to no segment given out yet; empty between two segments."""
        return self._buffer[self._position :] + b"".join(self._parts)

    @property
    def is_between(self) -> bool:
        """Whether everything that came was given out; unlike :attr:`rest` it copies nothing."""
        return not self._parts and self._position == len(self._buffer)

    def feed(self, data: Buffer) -> Iterator[Segment]:
        """Take bytes and give the segments that are whole by now.

        The bytes are taken at once and cut while they are iterated over; what is not iterated over comes with the
        next call. The iteration raises ``FramingError`` where the stream cannot be cut, after the segments in front
        of that place, and so does every later one.
        """
        if len(data) and self._error is None:
            self._missing -= len(data)
            self._parts.append(data if type(data) is bytes else bytes(data))
        return self._segments()

    def _segments(self) -> Iterator[Segment]:
        if self._error is not None:
            raise self._error
        if self._missing > 0:
            return
        self._join()
        while True:
            # Read again after every segment: the caller may have changed the limit, or fed more.
            buffer, position = self._buffer, self._position
            there = len(buffer) - position
            words = read_header(buffer, position, there, self.max_segment)
            if words is None:
                needed = self._header_needs(there)
            elif there >= words[1]:
                self._position = position + words[1]
                yield Segment(words, buffer, position)
                continue
            else:
                needed = words[1]
            self._wait_or_join(needed)
            if self._missing > 0:
                return

    def _header_needs(self, there: int) -> int:
        """Bytes of the header at the current place, which is not whole. Raises ``FramingError`` where it is none."""
        if there < SMALLEST_SEGMENT:
            return SMALLEST_SEGMENT
        self._judge()
        size = HEADER_SIZES[self._buffer[self._position : self._position + 4]]
        if there >= size:
            order = self._buffer[self._position + size - _BEHIND_ORDER]
            self._refuse(f"byte order {order}", StatusCode.PROTOCOL_INVALID_DATA)
        return size

    def _join(self) -> None:
        """Make one buffer of what is left of the last one and of what came since."""
        if self._parts:
            if self._position < len(self._buffer):
                self._parts.insert(0, self._buffer[self._position :])
            self._given += self._position
            self._buffer = self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)
            self._position = 0
            self._parts = []

    def _wait_or_join(self, needed: int) -> None:
        """Let go of the buffer until the segment at its end has ``needed`` bytes; or go on with what was fed
        while the caller had the segment before."""
        if self._parts:
            self._join()
            self._missing = 0
            return
        left = self._buffer[self._position :]
        if len(left) >= _LENGTH_KNOWN:
            self._judge()
        else:
            needed = _LENGTH_KNOWN
        self._missing = needed - len(left)
        self._given += self._position
        self._buffer, self._position = b"", 0
        self._parts = [left] if left else []

    def _judge(self) -> None:
        """Refuse the id or the length at the current place, or do nothing."""
        struc_id = self._buffer[self._position : self._position + 4]
        length = int.from_bytes(self._buffer[self._position + 4 : self._position + _LENGTH_KNOWN], "big")
        size = HEADER_SIZES.get(struc_id)
        if size is None:
            self._refuse(f"{struc_id.hex()} begins no segment header", StatusCode.PROTOCOL_ID_ERROR)
        if length < size:
            self._refuse(f"length {length} is less than that of the header", StatusCode.PROTOCOL_LENGTH_ERROR)
        if length > self.max_segment:
            self._refuse(f"length {length} is over the limit of {self.max_segment}", StatusCode.PROTOCOL_LENGTH_ERROR)

    def _refuse(self, what: str, status: StatusCode) -> NoReturn:
        self._error = FramingError(f"segment at byte {self.offset}: {what}", status=status)
        raise self._error
