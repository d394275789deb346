"""Headers of segments as rows of columns; of ordinary packets no body is looked at or kept."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mqbridge.captures.columns.segment_columns import ROW, row_of
from mqbridge.captures.streams.flow_events import FlowEvent
from mqbridge.captures.streams.lanes import Lane
from mqbridge.captures.streams.ordinary import Ordinary
from mqbridge.captures.streams.ordinary_cutter import Held, OrdinaryCutter, Place, Words
from mqbridge.captures.streams.segments import CapturedSegment, SegmentCutter, SegmentFault


class ColumnCutter:
    """Takes what :class:`captures.streams.ordinary.OrdinaryFlowReader` gives; ``values`` and ``faults`` grow."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self.faults: list[SegmentFault] = []
        self._careful = SegmentCutter()
        self._cutter = OrdinaryCutter(self._careful, self)

    @property
    def segments(self) -> int:
        """How many wait to be taken."""
        return len(self.values) // len(ROW)

    def take_rows(self) -> tuple[list[Any], list[SegmentFault]]:
        """Give the rows, one value after the other, and the faults; begin anew."""
        taken = self.values, self.faults
        self.values, self.faults = [], []
        return taken

    def receive_ordinary(self, buffer: bytes, ordinary: list[Ordinary]) -> None:
        """Take ordinary packets; ``buffer``: the chunk that they lie in."""
        self._cutter.receive(buffer, ordinary)

    def receive_event(self, event: FlowEvent) -> None:
        """Take what the careful reader told."""
        self._cutter.hand_over(event)
        for item in self._careful.receive_event(event):
            if isinstance(item, CapturedSegment):
                self.values += row_of(item)
            else:
                self.faults.append(item)

    def receive_events(self, events: Iterable[FlowEvent]) -> None:
        """Take what the careful reader told of a packet."""
        for event in events:
            self.receive_event(event)

    # For the cutter.

    def owner_of(self, lane: Lane) -> None:
        """Nobody owns the segments of a direction."""

    def take(self, lane: Lane, owner: None, words: Words, place: Place, last_packet: int, held: Held) -> None:
        """Take no segment: their headers go to ``values``."""
