"""Headers of segments out of ordinary packets, straight from the chunk of the file, one ``struct`` a header.

A direction is cut here as long as packets hold whole segments, or more of one whose header is known: of that only its
row and the bytes that are to come are kept. At anything else (a header cut in two, lost bytes, what makes no sense) the
direction goes on in a :class:`captures.streams.segments.SegmentCutter`, until that stands between two segments again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mqbridge.captures.columns.segment_columns import ROW, row_of, row_of_header
from mqbridge.captures.streams.flow_events import FlowClosed, FlowData, FlowEvent, FlowGap
from mqbridge.captures.streams.ordinary import Lane, Ordinary
from mqbridge.captures.streams.recognition import MAX_BELIEVABLE_SEGMENT, StreamKind
from mqbridge.captures.streams.segments import CapturedSegment, SegmentCutter, SegmentFault
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.segment import SHARED, SINGLE, SINGLE_WORDS, read_header


class _Cutting:
    """Where a direction stands that is cut here. ``row``: what is known of the segment that is not whole yet;
    ``missing``: bytes of it to come, 0 between two segments."""

    __slots__ = ("missing", "row")

    def __init__(self) -> None:
        self.missing = 0
        self.row: tuple[Any, ...] = ()


class ColumnCutter:
    """Takes what :class:`captures.streams.ordinary.OrdinaryFlowReader` gives; ``values`` and ``faults`` grow."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self.faults: list[SegmentFault] = []
        self._cutter = SegmentCutter()
        self._lanes: dict[tuple[int, Direction], Lane] = {}  # that are cut here

    @property
    def segments(self) -> int:
        """How many wait to be taken."""
        return len(self.values) // len(ROW)

    def take(self) -> tuple[list[Any], list[SegmentFault]]:
        """Give the rows, one value after the other, and the faults; begin anew."""
        taken = self.values, self.faults
        self.values, self.faults = [], []
        return taken

    def receive_ordinary(self, buffer: bytes, ordinary: list[Ordinary]) -> None:
        """Take ordinary packets; ``buffer``: the chunk that they lie in."""
        values = self.values
        for lane, offset, begin, end, time, packet in ordinary:
            cutting = lane.taken
            if cutting is None:
                cutting = self._begin(lane)
                if cutting is None:
                    if lane.flow.kind is not StreamKind.OTHER:
                        data = buffer[begin:end]
                        self.receive_event(FlowData(lane.flow, lane.direction, offset, data, time, packet))
                    continue
            position = begin
            if cutting.missing:
                position += cutting.missing
                if position > end:
                    cutting.missing = position - end
                    continue
                way, began, first, start, words = cutting.row
                values += row_of_header((way, began, first, start, packet), words)
                cutting.missing = 0
            while position < end:
                there = end - position
                words = read_header(buffer, position, there, MAX_BELIEVABLE_SEGMENT)
                if words is None:
                    place = offset + position - begin
                    self._hand_over(lane, place)
                    data = buffer[position:end]
                    self.receive_event(FlowData(lane.flow, lane.direction, place, data, time, packet))
                    break
                length = words[1]
                if length > there:
                    cutting.row = (lane, time, packet, offset + position - begin, words)
                    cutting.missing = length - there
                elif len(words) == SINGLE_WORDS:
                    values += (lane, time, packet, offset + position - begin, packet, 0, 0)
                    values += words
                else:
                    values += row_of_header((lane, time, packet, offset + position - begin, packet), words)
                position += length

    def receive_event(self, event: FlowEvent) -> None:
        """Take what the careful reader told."""
        flow = event.flow.id
        if isinstance(event, FlowClosed):
            for direction in Direction:
                if (lane := self._lanes.get((flow, direction))) is not None:
                    self._hand_over(lane, 0)
        elif isinstance(event, (FlowData, FlowGap)) and (lane := self._lanes.get((flow, event.direction))) is not None:
            self._hand_over(lane, event.offset)
        for item in self._cutter.receive_event(event):
            if isinstance(item, CapturedSegment):
                self.values += row_of(item)
            else:
                self.faults.append(item)

    def receive_events(self, events: Iterable[FlowEvent]) -> None:
        """Take what the careful reader told of a packet."""
        for event in events:
            self.receive_event(event)

    def _begin(self, lane: Lane) -> _Cutting | None:
        """Cut a direction here from now on, where the careful cutter stands between two segments."""
        if lane.flow.kind is not StreamKind.MQ or not self._cutter.is_between_segments(lane.flow, lane.direction):
            return None
        self._lanes[lane.flow.id, lane.direction] = lane
        cutting: _Cutting = _Cutting()
        lane.taken = cutting
        return cutting

    def _hand_over(self, lane: Lane, offset: int) -> None:
        """Let the careful cutter go on where this one stands; ``offset``: of the next byte, between two segments."""
        cutting: _Cutting = lane.taken
        lane.taken = None
        del self._lanes[lane.flow.id, lane.direction]
        if not cutting.missing:
            self._cutter.resume(lane.flow, lane.direction, offset)
            return
        _, time, packet, start, words = cutting.row
        header = (SINGLE if len(words) == SINGLE_WORDS else SHARED).pack(*words)
        self._cutter.resume(lane.flow, lane.direction, start, (header, words[1] - cutting.missing, time, packet))
