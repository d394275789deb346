"""Splitting a byte stream into segments (mq-wire.md 6).

:class:`SegmentReader` takes the bytes of one direction as they arrive, in pieces of any size, and returns whole
segments. It parses headers only, never bodies. A segment's length is checked against a limit before any of its body is
kept, so a partner cannot make us hold more than one segment of the agreed size.

A segment refers to the buffer it arrived in; its body is copied once, on request. A buffer is at most one read and one
segment long; to keep a message for longer, copy its bytes and drop the segment.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NoReturn

from .constants import StatusCode
from .errors import FramingError, LocalProtocolError
from .records import Buffer
from .segment import (
    HEADER_SIZES,
    NO_LUWID,
    Segment,
    SegmentWriter,
    build_segment,
    read_header,
)

__all__ = [
    "LARGEST_SEGMENT",
    "NO_LUWID",
    "SMALLEST_SEGMENT",
    "UNNEGOTIATED_MAX_SEGMENT",
    "Segment",
    "SegmentReader",
    "SegmentWriter",
    "build_segment",
]

SMALLEST_SEGMENT: Final = 28
"""Length of the shortest header in bytes, and so of the shortest segment."""

UNNEGOTIATED_MAX_SEGMENT: Final = 4096
"""Longest segment accepted before the ends have agreed on a size, in bytes; mq-wire.md 6 asks for at least 276."""

LARGEST_SEGMENT: Final = 0x7FFFFFFF
"""Upper bound of any limit, in bytes."""

_BEHIND_ORDER: Final = 20  # bytes of a header from its byte order on
_LENGTH_KNOWN: Final = 8  # bytes after which id and length can be judged


class SegmentReader:
    """Splits one direction of a connection into segments.

    ``max_segment``: longest accepted segment in bytes; set it to the agreed size when negotiation ends. It applies to
    all segments returned from then on, including those already received. ``offset``: position of the first byte in the
    stream, for a stream that is joined in the middle.

    While a segment is handled, ``buffer`` holds the bytes behind it from ``position`` on; who takes further segments
    from there moves ``position`` behind them.
    """

    def __init__(self, max_segment: int = UNNEGOTIATED_MAX_SEGMENT, offset: int = 0) -> None:
        if not SMALLEST_SEGMENT <= max_segment <= LARGEST_SEGMENT:
            raise LocalProtocolError(f"a limit of {max_segment} bytes for segments makes no sense")
        self.max_segment = max_segment
        self.buffer = b""
        self.position = 0
        self._parts: list[bytes] = []  # came after the buffer
        self._missing = 0  # bytes to come before the parts are worth another look
        self._given = offset  # bytes of the stream in front of the buffer
        self._error: FramingError | None = None

    @property
    def offset(self) -> int:
        """Position of the next segment in the stream, in bytes from 0."""
        return self._given + self.position

    @property
    def rest(self) -> bytes:
        """Copy of the bytes received but not yet returned in a segment; empty between two segments."""
        return self.buffer[self.position :] + b"".join(self._parts)

    @property
    def is_between(self) -> bool:
        """Return whether every received byte was returned in a segment; unlike :attr:`rest`, this copies nothing."""
        return not self._parts and self.position == len(self.buffer)

    def feed(self, data: Buffer) -> Iterator[Segment]:
        """Accept bytes and iterate over the segments that are now complete.

        The bytes are accepted at once and split during iteration; segments not iterated over are returned by the next
        call. Iteration raises ``FramingError`` where the stream cannot be split, after the segments before that point,
        and so does every later iteration.
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
            buffer, position = self.buffer, self.position
            there = len(buffer) - position
            words = read_header(buffer, position, there, self.max_segment)
            if words is None:
                needed = self._header_needs(there)
            elif there >= words[1]:
                self.position = position + words[1]
                yield Segment(words, buffer, position)
                continue
            else:
                needed = words[1]
            self._wait_or_join(needed)
            if self._missing > 0:
                return

    def _header_needs(self, there: int) -> int:
        """Return the length of the incomplete header at the current position. Raises ``FramingError`` if it is none."""
        if there < SMALLEST_SEGMENT:
            return SMALLEST_SEGMENT
        self._judge()
        size = HEADER_SIZES[self.buffer[self.position : self.position + 4]]
        if there >= size:
            order = self.buffer[self.position + size - _BEHIND_ORDER]
            self._refuse(f"byte order {order}", StatusCode.PROTOCOL_INVALID_DATA)
        return size

    def _join(self) -> None:
        """Join the rest of the last buffer with the bytes received since."""
        if self._parts:
            if self.position < len(self.buffer):
                self._parts.insert(0, self.buffer[self.position :])
            self._given += self.position
            self.buffer = self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)
            self.position = 0
            self._parts = []

    def _wait_or_join(self, needed: int) -> None:
        """Release the buffer until the segment at its end has ``needed`` bytes, or continue with bytes fed while the
        caller held the previous segment."""
        if self._parts:
            self._join()
            self._missing = 0
            return
        left = self.buffer[self.position :]
        if len(left) >= _LENGTH_KNOWN:
            self._judge()
        else:
            needed = _LENGTH_KNOWN
        self._missing = needed - len(left)
        self._given += self.position
        self.buffer, self.position = b"", 0
        self._parts = [left] if left else []

    def _judge(self) -> None:
        """Raise ``FramingError`` for an invalid id or length at the current position."""
        struc_id = self.buffer[self.position : self.position + 4]
        length = int.from_bytes(self.buffer[self.position + 4 : self.position + _LENGTH_KNOWN], "big")
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
