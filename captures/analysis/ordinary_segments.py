"""Segments of ordinary packets, handed to the analyses of their flows."""

from __future__ import annotations

from collections.abc import Callable

from mqbridge.captures.analysis.flow_analysis import FlowAnalysis
from mqbridge.captures.streams.flow_events import Flow, FlowData, FlowEvent
from mqbridge.captures.streams.lanes import Lane
from mqbridge.captures.streams.ordinary import Ordinary
from mqbridge.captures.streams.ordinary_cutter import Held, OrdinaryCutter, Words
from mqbridge.captures.streams.segments import SegmentCutter
from mqbridge.captures.tables.rows import Row
from mqbridge.protocol.observer import Place
from mqbridge.protocol.segment import Segment

_new_place = tuple.__new__


class OrdinarySegments:
    """Takes what :class:`captures.streams.ordinary.OrdinaryFlowReader` gives.

    ``cutter``: the careful one. ``analysis``: gives that of a flow; ``receive_event``: takes what is cut carefully.
    """

    values = None

    def __init__(
        self,
        cutter: SegmentCutter,
        analysis: Callable[[Flow], FlowAnalysis],
        receive_event: Callable[[FlowEvent], list[Row]],
    ) -> None:
        self.cutter = OrdinaryCutter(cutter, self)
        """Tell it of what the careful reader told."""
        self._analysis = analysis
        self._receive_event = receive_event
        self._rows: list[Row] = []

    def receive(self, buffer: bytes, ordinary: list[Ordinary]) -> list[Row]:
        """Take ordinary packets; ``buffer``: the chunk that they lie in. Never raises, whatever the traffic."""
        self.cutter.receive(buffer, ordinary)
        rows, self._rows = self._rows, []
        return rows

    # For the cutter.

    def owner_of(self, lane: Lane) -> FlowAnalysis:
        """The analysis of a direction's flow."""
        return self._analysis(lane.flow)

    def take(
        self, lane: Lane, owner: FlowAnalysis, words: Words, place: tuple[float, int, int], last_packet: int, held: Held
    ) -> None:
        """Hand a whole segment to its analysis."""
        self._rows += owner.take(lane.direction, Segment(words, *held), _new_place(Place, place), last_packet)

    def receive_event(self, event: FlowData) -> None:
        """Hand on data that go the careful way."""
        self._rows += self._receive_event(event)
