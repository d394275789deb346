"""Segments from the steps of an ``OrdinaryFlowReader``: ordinary packets are cut where they lie in the file's chunk.

A direction is cut here as long as its packets contain whole segments, or more of a segment with a known header. At
anything else (a split header, lost bytes, invalid data) :class:`captures.streams.segments.SegmentCutter` continues with
the direction until it is between two segments again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, TypeAlias

from mqbridge.captures.streams.fast_paths import FastPath
from mqbridge.captures.streams.flow_events import Direction, FlowClosed, FlowData, FlowEvent, FlowGap
from mqbridge.captures.streams.ordinary import Ordinary
from mqbridge.captures.streams.recognition import MAX_BELIEVABLE_SEGMENT, StreamKind
from mqbridge.captures.streams.segments import CapturedSegment, SegmentCutter, SegmentFault
from mqbridge.protocol.segment import SHARED, SINGLE, SINGLE_WORDS, read_header

Words: TypeAlias = tuple[Any, ...]
"""An unpacked header, as returned by :func:`protocol.segment.read_header`."""

Place: TypeAlias = tuple[float, int, int]
"""Time and number of a packet, and offset of a byte in its direction."""

Held: TypeAlias = tuple[bytes, int]
"""A buffer, and the position of a segment in it."""


class Sink(Protocol):
    """Receiver of the segments of ordinary packets."""

    @property
    def values(self) -> list[Any] | None:
        """The list to extend with the values of each header, in the order of :func:`row_of_header`; None if
        :meth:`take` is to be called with each segment and its body instead."""

    def owner_of(self, fast_path: FastPath) -> Any:
        """Return the owner of a direction's segments, passed to :meth:`take`. Its ``bytes`` counts received bytes,
        unless ``values`` is a list."""

    def take(self, fast_path: FastPath, owner: Any, words: Words, place: Place, last_packet: int, held: Held) -> None:
        """Take a whole segment with its body.

        ``place``: of its first byte. ``last_packet``: number of the packet with its last byte.
        """

    def take_data(self, event: FlowData) -> None:
        """Take data of an ordinary packet that has to go through :meth:`OrdinaryCutter.receive_event`."""


def row_of_header(fast_path: FastPath, words: Words, place: Place, last_packet: int) -> tuple[Any, ...]:
    """Return fast_path, place, last packet, conversation, request and the other words of a header."""
    if len(words) == SINGLE_WORDS:
        return (fast_path, *place, last_packet, 0, 0, *words)
    return (fast_path, *place, last_packet, *words[2:4], *words[:2], *words[4:])


class _Cutting:
    """State of a direction that is cut here.

    ``missing``: bytes that the current segment lacks, 0 between two segments. ``words``, ``place``: its header and the
    place of its first byte. ``pieces``: its bytes so far, if bodies are wanted.
    """

    __slots__ = ("missing", "owner", "pieces", "place", "words")

    def __init__(self, owner: Any) -> None:
        self.owner = owner
        self.missing = 0
        self.pieces: list[bytes] = []
        self.words: tuple[Any, ...] = ()
        self.place = 0.0, 0, 0


class OrdinaryCutter:
    """Cuts the steps of :class:`captures.streams.ordinary.OrdinaryFlowReader` into segments for a ``sink``."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._careful = SegmentCutter()
        self._fast_paths: dict[tuple[int, Direction], FastPath] = {}  # that are cut here

    def receive(self, buffer: bytes, ordinary: list[Ordinary]) -> None:
        """Take ordinary packets of the chunk ``buffer``. Never raises, whatever the traffic."""
        sink = self._sink
        values, bodies = ([], True) if sink.values is None else (sink.values, False)
        for fast_path, offset, begin, end, time, packet in ordinary:
            cutting: _Cutting | None = fast_path.taken
            if cutting is None and (cutting := self._begin(fast_path)) is None:
                if fast_path.flow.kind is not StreamKind.OTHER:
                    sink.take_data(
                        FlowData(fast_path.flow, fast_path.direction, offset, buffer[begin:end], time, packet)
                    )
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
                    sink.take(fast_path, cutting.owner, cutting.words, cutting.place, packet, held)
                else:
                    values += row_of_header(fast_path, cutting.words, cutting.place, packet)
            while position < end:
                there = end - position
                words = read_header(buffer, position, there, MAX_BELIEVABLE_SEGMENT)
                at = offset + position - begin
                if words is None:
                    if bodies:
                        cutting.owner.bytes -= there
                    self._hand_over(fast_path, at)
                    sink.take_data(
                        FlowData(fast_path.flow, fast_path.direction, at, buffer[position:end], time, packet)
                    )
                    break
                length: int = words[1]
                if length > there:
                    cutting.words, cutting.place, cutting.missing = words, (time, packet, at), length - there
                    if bodies:
                        cutting.pieces.append(buffer[position:end])
                elif bodies:
                    sink.take(fast_path, cutting.owner, words, (time, packet, at), packet, (buffer, position))
                elif len(words) == SINGLE_WORDS:  # of most: as row_of_header, without a call
                    values += (fast_path, time, packet, at, packet, 0, 0)
                    values += words
                else:
                    values += row_of_header(fast_path, words, (time, packet, at), packet)
                position += length

    def receive_event(self, event: FlowEvent) -> Iterable[CapturedSegment | SegmentFault]:
        """Take an event of another packet; return the segments and faults completed by it."""
        if self._fast_paths:
            flow = event.flow.id
            if isinstance(event, FlowClosed):
                for direction in Direction:
                    if (fast_path := self._fast_paths.get((flow, direction))) is not None:
                        self._hand_over(fast_path, 0)
            elif (
                isinstance(event, (FlowData, FlowGap))
                and (fast_path := self._fast_paths.get((flow, event.direction))) is not None
            ):
                self._hand_over(fast_path, event.offset)
        return self._careful.receive_event(event)

    def _begin(self, fast_path: FastPath) -> _Cutting | None:
        """Start cutting a direction here, if the careful cutter is between two segments."""
        if fast_path.flow.kind is not StreamKind.MQ or not self._careful.is_between_segments(
            fast_path.flow, fast_path.direction
        ):
            return None
        self._fast_paths[fast_path.flow.id, fast_path.direction] = fast_path
        cutting = fast_path.taken = _Cutting(self._sink.owner_of(fast_path))
        return cutting

    def _hand_over(self, fast_path: FastPath, offset: int) -> None:
        """Let the careful cutter continue; ``offset``: of the next byte, if between two segments."""
        cutting: _Cutting = fast_path.taken
        fast_path.taken = None
        del self._fast_paths[fast_path.flow.id, fast_path.direction]
        if not cutting.missing:
            self._careful.resume(fast_path.flow, fast_path.direction, offset)
            return
        words, (time, packet, start) = cutting.words, cutting.place
        begun = b"".join(cutting.pieces) or (SINGLE if len(words) == SINGLE_WORDS else SHARED).pack(*words)
        self._careful.resume(
            fast_path.flow, fast_path.direction, start, (begun, words[1] - cutting.missing, time, packet)
        )
