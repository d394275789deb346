"""Segments out of ordinary packets, straight from the chunk of the file, to the analyses of their flows.

A direction is cut here as long as packets hold whole segments, or more of one whose header is known: of that the pieces
are kept until it is whole. At anything else (a header cut in two, lost bytes, what makes no sense) the direction goes
on in the careful :class:`captures.streams.segments.SegmentCutter`, until that stands between two segments again.
"""

from __future__ import annotations

from collections.abc import Callable

from mqbridge.captures.analysis.flow_analysis import FlowAnalysis
from mqbridge.captures.streams.flow_events import Direction, Flow, FlowClosed, FlowData, FlowEvent, FlowGap
from mqbridge.captures.streams.ordinary import Lane, Ordinary
from mqbridge.captures.streams.recognition import MAX_BELIEVABLE_SEGMENT, StreamKind
from mqbridge.captures.streams.segments import SegmentCutter
from mqbridge.captures.tables.rows import Row
from mqbridge.protocol.observer import Place
from mqbridge.protocol.segment import Segment, read_header, segment_of


class _Cutting:
    """Where a direction stands that is cut here. ``missing``: bytes to come of ``segment``, which begins at ``place``
    with what ``pieces`` hold; 0 between two segments."""

    __slots__ = ("analysis", "missing", "pieces", "place", "segment")

    def __init__(self, analysis: FlowAnalysis) -> None:
        self.analysis = analysis
        self.missing = 0
        self.pieces: list[bytes] = []
        self.segment: Segment
        self.place: Place


class OrdinarySegments:
    """Takes what :class:`captures.streams.ordinary.OrdinaryFlowReader` gives.

    ``cutter``: the careful one. ``analysis``: gives that of a flow; ``receive_event``: takes what is cut carefully.
    """

    def __init__(
        self,
        cutter: SegmentCutter,
        analysis: Callable[[Flow], FlowAnalysis],
        receive_event: Callable[[FlowEvent], list[Row]],
    ) -> None:
        self._cutter = cutter
        self._analysis = analysis
        self._receive_event = receive_event
        self._lanes: dict[tuple[int, Direction], Lane] = {}  # that are cut here

    def receive(self, buffer: bytes, ordinary: list[Ordinary]) -> list[Row]:
        """Take ordinary packets; ``buffer``: the chunk that they lie in. Never raises, whatever the traffic."""
        rows: list[Row] = []
        new_place = tuple.__new__
        cutting: _Cutting | None
        for lane, offset, begin, end, time, packet in ordinary:
            cutting = lane.taken
            if cutting is None:
                cutting = self._begin(lane)
                if cutting is None:
                    if lane.flow.kind is not StreamKind.OTHER:
                        data = FlowData(lane.flow, lane.direction, offset, buffer[begin:end], time, packet)
                        rows += self._receive_event(data)
                    continue
            analysis = cutting.analysis
            analysis.bytes += end - begin
            position = begin
            if cutting.missing:
                position += cutting.missing
                if position > end:
                    cutting.pieces.append(buffer[begin:end])
                    cutting.missing = position - end
                    continue
                cutting.pieces.append(buffer[begin:position])
                segment = cutting.segment
                segment.buffer, segment.start = b"".join(cutting.pieces), 0
                cutting.missing, cutting.pieces = 0, []
                rows += analysis.take(lane.direction, segment, cutting.place, packet)
            while position < end:
                there = end - position
                words = read_header(buffer, position, there, MAX_BELIEVABLE_SEGMENT)
                if words is None:
                    offset += position - begin
                    analysis.bytes -= end - position
                    self._hand_over(lane, offset)
                    data = FlowData(lane.flow, lane.direction, offset, buffer[position:end], time, packet)
                    rows += self._receive_event(data)
                    break
                length = words[1]
                segment = segment_of(words, buffer, position)
                place = new_place(Place, (time, packet, offset + position - begin))
                if length <= there:
                    rows += analysis.take(lane.direction, segment, place, packet)
                else:
                    cutting.segment, cutting.place = segment, place
                    cutting.pieces.append(buffer[position:end])
                    cutting.missing = length - there
                position += length
        return rows

    def hand_over(self, event: FlowEvent) -> None:
        """Let the careful cutter go on with what an event tells of."""
        if not self._lanes:
            return
        flow = event.flow.id
        if isinstance(event, FlowClosed):
            for direction in Direction:
                if (lane := self._lanes.get((flow, direction))) is not None:
                    self._hand_over(lane, 0)
        elif isinstance(event, (FlowData, FlowGap)) and (lane := self._lanes.get((flow, event.direction))) is not None:
            self._hand_over(lane, event.offset)

    def _begin(self, lane: Lane) -> _Cutting | None:
        """Cut a direction here from now on, where the careful cutter stands between two segments."""
        if lane.flow.kind is not StreamKind.MQ or not self._cutter.is_between_segments(lane.flow, lane.direction):
            return None
        self._lanes[lane.flow.id, lane.direction] = lane
        cutting = lane.taken = _Cutting(self._analysis(lane.flow))
        return cutting

    def _hand_over(self, lane: Lane, offset: int) -> None:
        """Let the careful cutter go on where this one stands; ``offset``: of the next byte, between two segments."""
        cutting: _Cutting = lane.taken
        lane.taken = None
        del self._lanes[lane.flow.id, lane.direction]
        if not cutting.missing:
            self._cutter.resume(lane.flow, lane.direction, offset)
            return
        time, packet, start = cutting.place
        self._cutter.resume(lane.flow, lane.direction, start)
        begun = FlowData(lane.flow, lane.direction, start, b"".join(cutting.pieces), time, packet)
        for _ in self._cutter.receive_event(begun):
            raise AssertionError("a segment that is whole was not to be handed over")
