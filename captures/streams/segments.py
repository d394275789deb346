"""MQ segments of the flows of a capture, each with its place.

Both directions of every MQ flow are cut by :mod:`protocol.framing`. Where bytes are missing or invalid, the cutter
continues at the next plausible segment header and reports the skipped bytes as a :class:`SegmentFault`. TLS flows are
reported once, at their end; other flows are skipped.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from mqbridge.captures.streams.flow_events import Direction, Endpoint, Flow, FlowClosed, FlowData, FlowEvent, FlowGap
from mqbridge.captures.streams.recognition import JUDGED_LENGTH, MAX_BELIEVABLE_SEGMENT, StreamKind, find_segment
from mqbridge.protocol.errors import FramingError
from mqbridge.protocol.framing import Segment, SegmentReader

#: Reasons of faults with a meaning of their own.
LOST: Final = "not in the capture"
NOT_WHOLE: Final = "a segment is not whole"
TLS_UNREAD: Final = "TLS cannot be read"

#: Faults of one flow kept until it is known to carry MQ.
MAX_HELD_FAULTS = 256

#: Packets of an unfinished segment whose places are kept: more than the bytes of the longest header.
MAX_PIECES = 256

# Bytes behind a fault examined in one step: each fault copies the remainder.
_STEP: Final = 4096


@dataclass(slots=True)
class CapturedSegment:
    """A whole segment.

    ``offset``: of its first byte in its direction of the flow, including lost bytes. ``time``, ``packet``: of the
    packet with its first byte. ``last_packet``: of the packet that completed it.
    """

    flow: Flow
    direction: Direction
    offset: int
    time: float
    packet: int
    last_packet: int
    segment: Segment

    @property
    def source(self) -> Endpoint:
        """The sender."""
        return self.flow.initiator if self.direction is Direction.INITIATOR else self.flow.responder

    @property
    def destination(self) -> Endpoint:
        """The receiver."""
        return self.flow.responder if self.direction is Direction.INITIATOR else self.flow.initiator

    @property
    def data(self) -> bytes:
        """The bytes of the segment with its header."""
        return self.segment.data


@dataclass(slots=True)
class SegmentFault:
    """Bytes of a flow that could not be read as segments; for TLS all bytes of both directions.

    ``offset``: in its direction. ``length``: number of lost or skipped bytes. ``reason``: one clause.
    """

    flow: Flow
    direction: Direction
    offset: int
    length: int
    reason: str
    time: float
    packet: int


class _Direction:
    """Cutter of one direction of a flow."""

    def __init__(self, flow: Flow, direction: Direction) -> None:
        self.flow = flow
        self.direction = direction
        self.reader: SegmentReader | None = None  # None: a header is searched for
        self.base = 0  # stream offset of the reader's first byte
        self.head = b""  # the end of what was searched
        self.skipped = 0  # bytes passed over since the last segment or fault
        self.skipped_from: tuple[float, int] | None = None  # time and packet of the first of them
        self.reason = "bytes in front of the first segment"
        self.pieces: deque[tuple[int, float, int]] = deque()  # where packets begin in the stream
        self.offset = 0  # of the next byte

    def take(self, event: FlowData) -> list[CapturedSegment | SegmentFault]:
        flow, direction, begin, data = event.flow, event.direction, event.offset, event.data
        time, packet = event.time, event.packet
        if self.offset == 0 and begin == 0 and flow.from_syn:
            self.reader = SegmentReader(MAX_BELIEVABLE_SEGMENT)
        self.pieces.append((begin, time, packet))
        self.offset = begin + len(data)
        found: list[CapturedSegment | SegmentFault] = []
        later, taken = b"", 0  # what is left of the data where they are taken in steps
        while True:
            if self.reader is None and (following := self.search(data)) is not None:
                data = following
                if self.skipped:
                    found.append(self.passed_over())
            if (reader := self.reader) is not None:
                try:
                    for segment in reader.feed(data):
                        start = reader.offset - segment.length
                        place = (time, packet) if start >= begin else self.origin(start)
                        found.append(CapturedSegment(flow, direction, start, *place, packet, segment))
                except FramingError as error:
                    rest = reader.rest
                    self.skipped_from = self.origin(self.offset - len(rest))
                    self.reader, self.skipped, self.reason = None, 1, str(error)
                    data = rest[1:]  # not at this place again
                    if len(data) <= _STEP or taken < len(later):
                        continue
                    later, taken = data, 0
            if taken == len(later):
                break
            data = later[taken : taken + _STEP]
            taken += len(data)
            self.offset = begin + len(event.data) - len(later) + taken
        if self.reader is not None and self.reader.is_between:
            self.pieces.clear()
        elif len(self.pieces) > MAX_PIECES:
            self.forget_pieces()
        return found

    def search(self, data: bytes) -> bytes | None:
        """Search for a header; make a reader and return the bytes from there, or keep the end of the bytes and return
        None."""
        data = self.head + data
        self.skipped -= len(self.head)
        if self.skipped_from is None:
            self.skipped_from = self.origin(self.offset - len(data))
        place = find_segment(data)
        if place < 0:
            self.skipped += len(data)
            self.head = data[1 - JUDGED_LENGTH :]
            self.origin(self.offset - len(self.head))
            return None
        self.skipped += place
        self.head = b""
        self.base = self.offset - len(data) + place
        self.reader = SegmentReader(MAX_BELIEVABLE_SEGMENT, self.base)
        return data[place:]

    def lose(self, gap: FlowGap) -> Iterator[SegmentFault]:
        yield from self.end()
        lost = gap.offset, gap.length, LOST, gap.time, gap.packet
        yield SegmentFault(self.flow, self.direction, *lost)
        self.offset = gap.offset + gap.length
        self.reason = "bytes between lost ones and the next segment"
        self.pieces.clear()

    def end(self) -> Iterator[SegmentFault]:
        """Report an incomplete segment, or bytes searched in vain: nothing follows."""
        if self.reader is not None:
            self.skipped, self.reason = len(self.reader.rest), NOT_WHOLE
            self.skipped_from = self.origin(self.offset - self.skipped) if self.skipped else None
            self.reader = None
        if self.skipped:
            yield self.passed_over()
        self.head, self.skipped_from = b"", None

    def passed_over(self) -> SegmentFault:
        start = self.offset - self.skipped if self.reader is None else self.base - self.skipped
        time, packet = self.skipped_from or self.origin(start)
        fault = SegmentFault(self.flow, self.direction, start, self.skipped, self.reason, time, packet)
        self.skipped, self.skipped_from = 0, None
        return fault

    def forget_pieces(self) -> None:
        """Keep only the first packet of a long segment's beginning: no segment begins in the others."""
        if self.reader is not None and self.offset - self.reader.offset >= JUDGED_LENGTH:
            self.origin(self.reader.offset)
            first = self.pieces[0]
            self.pieces.clear()
            self.pieces.append(first)

    def origin(self, offset: int) -> tuple[float, int]:
        """Return time and number of the packet with a byte; earlier packets are forgotten."""
        pieces = self.pieces
        while len(pieces) > 1 and pieces[1][0] <= offset:
            pieces.popleft()
        return pieces[0][1:] if pieces else (self.flow.end_time, 0)


class SegmentCutter:
    """Sans-IO: events of :class:`captures.streams.flows.FlowReader` in, segments and faults out."""

    def __init__(self) -> None:
        self._directions: dict[tuple[int, Direction], _Direction] = {}
        self._held: dict[int, list[SegmentFault]] = {}  # of flows of which it is not known yet what they carry
        self._tls: dict[int, SegmentFault] = {}

    def receive_event(self, event: FlowEvent) -> Iterable[CapturedSegment | SegmentFault]:
        """Take the next event; return the segments and faults it completes."""
        if type(event) is FlowData and event.flow.kind is StreamKind.MQ and not self._held:
            cutter = self._directions.get((event.flow.id, event.direction))
            if cutter is not None:
                return cutter.take(event)
        return self._receive_event(event)

    def _receive_event(self, event: FlowEvent) -> Iterator[CapturedSegment | SegmentFault]:
        kind, flow = event.flow.kind, event.flow.id
        if isinstance(event, FlowClosed):
            yield from self._close(flow, kind)
        elif isinstance(event, FlowData) and kind is StreamKind.TLS:
            if (fault := self._tls.get(flow)) is not None:
                fault.length += len(event.data)
            else:
                place = event.offset, len(event.data), TLS_UNREAD, event.time, event.packet
                self._tls[flow] = SegmentFault(event.flow, event.direction, *place)
        elif isinstance(event, (FlowData, FlowGap)) and kind in (StreamKind.MQ, StreamKind.UNKNOWN):
            cutter = self._directions.get((flow, event.direction))
            if cutter is None:
                cutter = self._directions[flow, event.direction] = _Direction(event.flow, event.direction)
            found = cutter.take(event) if isinstance(event, FlowData) else cutter.lose(event)
            if kind is StreamKind.UNKNOWN:
                held = self._held.setdefault(flow, [])
                held += [item for item in found if isinstance(item, SegmentFault) and len(held) < MAX_HELD_FAULTS]
            else:
                yield from self._held.pop(flow, ())
                yield from found

    def is_between_segments(self, flow: Flow, direction: Direction) -> bool:
        """Whether all bytes of a direction so far were returned as segments."""
        cutter = self._directions.get((flow.id, direction))
        return cutter is not None and cutter.reader is not None and cutter.reader.is_between

    def resume(
        self, flow: Flow, direction: Direction, offset: int, begun: tuple[bytes, int, float, int] | None = None
    ) -> None:
        """Continue with a direction that was cut elsewhere, at a segment that begins at ``offset``.

        ``begun``: header of this segment, number of its bytes so far, time and packet of the first; its body is read as
        zeros.
        """
        cutter = self._directions[flow.id, direction] = _Direction(flow, direction)
        cutter.reader = SegmentReader(MAX_BELIEVABLE_SEGMENT, offset)
        cutter.base = cutter.offset = offset
        if begun is not None:
            header, length, time, packet = begun
            cutter.pieces.append((offset, time, packet))
            cutter.offset += length
            for _ in cutter.reader.feed(header + bytes(length - len(header))):
                raise AssertionError("a segment that is whole was not to be resumed")

    def _close(self, flow: int, kind: StreamKind) -> Iterator[CapturedSegment | SegmentFault]:
        if (fault := self._tls.pop(flow, None)) is not None:
            yield fault
        held = self._held.pop(flow, ())
        if kind is StreamKind.MQ:
            yield from held
        for direction in Direction:
            cutter = self._directions.pop((flow, direction), None)
            if cutter is not None and kind is StreamKind.MQ:
                yield from cutter.end()
