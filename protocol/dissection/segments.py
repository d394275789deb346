"""Segments as plain data: the header, then whatever the body is made of, from front to back without a hole.

Nothing here raises on bad input: a structure that is cut short is shown with its whole fields, and an error says where
it ends. What client segments are made of is said by ``client_structures``.
"""

from __future__ import annotations

from collections.abc import Iterator

from mqbridge.protocol.errors import FramingError
from mqbridge.protocol.framing import LARGEST_SEGMENT, SegmentReader
from mqbridge.protocol.segment import HEADERS, Segment

from .findings import Findings
from .segment_walk import SegmentWalk
from .shown import Shown


def begins_segment(data: bytes) -> bool:
    """Whether the bytes begin with the id of a segment header."""
    return data[:4] in HEADERS


def dissect_segment(segment: Segment, findings: Findings, *, offset: int = 0, direction: str | None = None) -> Shown:
    """One whole segment. ``offset``: of its first byte in the input, to which all offsets shown are relative."""
    return {
        "offset": offset,
        "length": segment.length,
        "direction": direction,
        "structures": SegmentWalk(segment.data, offset, findings).segment(),
    }


class SegmentStream:
    """One direction of a connection, taken apart as it comes: bytes in, segments out, none of them lost.

    ``direction``: ``"initiator"``, ``"responder"`` or None, repeated in each segment. Bytes that are no segment end
    the stream with an error.
    """

    def __init__(self, findings: Findings, direction: str | None = None) -> None:
        self.findings = findings
        self.direction = direction
        self._reader = SegmentReader(LARGEST_SEGMENT)
        self._broken = False

    def feed(self, data: bytes) -> Iterator[Shown]:
        """Take bytes; give the segments that are whole by now."""
        try:
            for segment in self._reader.feed(data):
                start = self._reader.offset - segment.length
                yield dissect_segment(segment, self.findings, offset=start, direction=self.direction)
        except FramingError as error:
            if not self._broken:
                self._broken = True
                self.findings.error(self._reader.offset, str(error))

    def finish(self) -> Iterator[Shown]:
        """The stream is over: give what there is of a segment that is not whole."""
        rest = self._reader.rest
        if rest and not self._broken:
            structures = SegmentWalk(rest, self._reader.offset, self.findings).segment()
            yield {
                "offset": self._reader.offset,
                "length": len(rest),
                "direction": self.direction,
                "structures": structures,
            }


def dissect_segments(data: bytes, findings: Findings, *, direction: str | None = None) -> Iterator[Shown]:
    """A run of segments, the last of which may be cut short. Stops at bytes that are no segment."""
    stream = SegmentStream(findings, direction)
    yield from stream.feed(data)
    yield from stream.finish()
