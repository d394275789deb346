"""Segments out of ordinary packets, straight from the chunk of the file.

A direction is cut here as long as packets hold whole segments, or more of one whose header is known. At anything else
(a header cut in two, lost bytes, what makes no sense) the direction goes on in the careful
:class:`captures.streams.segments.SegmentCutter`, until that stands between two segments again.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

from mqbridge.captures.streams.flow_events import Direction, FlowClosed, FlowData, FlowEvent, FlowGap
from mqbridge.captures.streams.lanes import Lane
from mqbridge.captures.streams.ordinary import Ordinary
from mqbridge.captures.streams.recognition import MAX_BELIEVABLE_SEGMENT, StreamKind
from mqbridge.captures.streams.segments import SegmentCutter
from mqbridge.protocol.segment import SHARED, SINGLE, SINGLE_WORDS, read_header

Words: TypeAlias = tuple[Any, ...]
"""A header, as :func:`protocol.segment.read_header` gives it."""

Place: TypeAlias = tuple[float, int, int]
"""Time and number of a packet, and where in its direction a byte of it stands."""

Held: TypeAlias = tuple[bytes, int]
"""A buffer, and where in it a segment begins."""


class Sink(Protocol):
    """What takes the segments."""

    @property
    def values(self) -> list[Any] | None:
        """The list to which the headers of segments are added, one value after the other as :func:`row_of_header` has
        them; None where :meth:`take` wants the segments with their bodies."""

    def owner_of(self, lane: Lane) -> Any:
        """What takes the segments of a direction. Where bodies are wanted, its ``bytes`` counts those that came."""

    def take(self, lane: Lane, owner: Any, words: Words, place: Place, last_packet: int, held: Held) -> None:
        """Take a whole segment with its body.

        ``place``: of its first byte; ``last_packet``: number of the packet with its last byte.
        """

    def receive_event(self, event: FlowData) -> None:
        """Take data that go the careful way."""


def row_of_header(lane: Lane, words: Words, place: Place, last_packet: int) -> tuple[Any, ...]:
    """Direction, place, last packet, conversation, request and the other words of a header."""
    if len(words) == SINGLE_WORDS:
        return (lane, *place, last_packet, 0, 0, *words)
    return (lane, *place, last_packet, *words[2:4], *words[:2], *words[4:])


class _Cutting:
    """Where a direction stands that is cut here. ``missing``: bytes to come of the segment with the header ``words``,
    which begins at ``place`` with what ``pieces`` hold; 0 between two segments."""

    __slots__ = ("missing", "owner", "pieces", "place", "words")

    def __init__(self, owner: Any) -> None:
        self.owner = owner
        self.missing = 0
        self.pieces: list[bytes] = []
        self.words: tuple[Any, ...] = ()
        self.place = 0.0, 0, 0


class OrdinaryCutter:
    """Takes what :class:`captures.streams.ordinary.OrdinaryFlowReader` gives. ``cutter``: the careful one."""

    def __init__(self, cutter: SegmentCutter, sink: Sink) -> None:
        self._cutter = cutter
        self._sink = sink
        self._lanes: dict[tuple[int, Direction], Lane] = {}  # that are cut here

    def receive(self, buffer: bytes, ordinary: list[Ordinary]) -> None:
        """Take ordinary packets; ``buffer``: the chunk that they lie in. Never raises, whatever the traffic."""
        sink = self._sink
        values, bodies = ([], True) if sink.values is None else (sink.values, False)
        for lane, offset, begin, end, time, packet in ordinary:
            cutting: _Cutting | None = lane.taken
            if cutting is None and (cutting := self._begin(lane)) is None:
                if lane.flow.kind is not StreamKind.OTHER:
                    sink.receive_event(FlowData(lane.flow, lane.direction, offset, buffer[begin:end], time, packet))
                continue
            if bodies:
                cutting.owner.bytes += end - begin
            position = begin
            if cutting.missing:
                position += cutting.missing
                if bodies:
                    cutting.pieces.append(buffer[begin : min(position, end)])
                if position > end:
                    cutting.missing = position - end
                    continue
                cutting.missing = 0
                if bodies:
                    held, cutting.pieces = (b"".join(cutting.pieces), 0), []
                    sink.take(lane, cutting.owner, cutting.words, cutting.place, packet, held)
                else:
                    values += row_of_header(lane, cutting.words, cutting.place, packet)
            while position < end:
                there = end - position
                words = read_header(buffer, position, there, MAX_BELIEVABLE_SEGMENT)
                at = offset + position - begin
                if words is None:
                    if bodies:
                        cutting.owner.bytes -= there
                    self._hand_over(lane, at)
                    sink.receive_event(FlowData(lane.flow, lane.direction, at, buffer[position:end], time, packet))
                    break
                length: int = words[1]
                if length > there:
                    cutting.words, cutting.place, cutting.missing = words, (time, packet, at), length - there
                    if bodies:
                        cutting.pieces.append(buffer[position:end])
                elif bodies:
                    sink.take(lane, cutting.owner, words, (time, packet, at), packet, (buffer, position))
                elif len(words) == SINGLE_WORDS:  # of most: as row_of_header, without a call
                    values += (lane, time, packet, at, packet, 0, 0)
                    values += words
                else:
                    values += row_of_header(lane, words, (time, packet, at), packet)
                position += length

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
        cutting = lane.taken = _Cutting(self._sink.owner_of(lane))
        return cutting

    def _hand_over(self, lane: Lane, offset: int) -> None:
        """Let the careful cutter go on where this one stands; ``offset``: of the next byte, between two segments."""
        cutting: _Cutting = lane.taken
        lane.taken = None
        del self._lanes[lane.flow.id, lane.direction]
        if not cutting.missing:
            self._cutter.resume(lane.flow, lane.direction, offset)
            return
        words, (time, packet, start) = cutting.words, cutting.place
        begun = b"".join(cutting.pieces) or (SINGLE if len(words) == SINGLE_WORDS else SHARED).pack(*words)
        self._cutter.resume(lane.flow, lane.direction, start, (begun, words[1] - cutting.missing, time, packet))
