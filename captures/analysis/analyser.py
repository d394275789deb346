"""Events of flows in, rows out: a whole capture in one pass, or the flows of one part of it.

One flow's rows never depend on other flows, so parts that hold whole flows give together what the capture gives. Only
what :func:`across_flows` finds needs all rows of flows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from os import PathLike, fspath
from typing import Final

from captures.analysis.flow_analysis import FlowAnalysis, finding_row
from captures.analysis.guarded_judge import GuardedJudge
from captures.analysis.options import AnalysisOptions
from captures.capture_files import CaptureFlows, read_flows
from captures.errors import CaptureError
from captures.reading.link_layers import NotRead
from captures.rules import load
from captures.rules.capture_faults import CaptureEnded
from captures.streams.flow_events import FlowClosed, FlowData, FlowEnd, FlowEvent, FlowGap
from captures.streams.segments import SegmentCutter, SegmentFault
from captures.tables.rows import FindingRow, FlowRow, Row
from protocol.direction import Direction
from protocol.observer import Observer, Place

NOT_OF_MQ: Final = frozenset((NotRead.NOT_IP, NotRead.NOT_TCP))
"""Packets that hold no TCP: nothing is lost where they are passed over."""


class Analyser:
    """Sans-IO: takes the events of any flows in order, gives rows as they are known."""

    def __init__(self, options: AnalysisOptions | None = None) -> None:
        self.options = options or AnalysisOptions()
        self.judge = GuardedJudge(load().values())
        self._cutter = SegmentCutter()
        self._flows: dict[int, FlowAnalysis] = {}

    def receive_event(self, event: FlowEvent) -> list[Row]:
        """Take the next event. Never raises, whatever the traffic."""
        flow = self._flows.get(event.flow.id)
        if flow is None:
            flow = self._flows[event.flow.id] = FlowAnalysis(event.flow, self.options, self.judge)
        rows: list[Row] = []
        if isinstance(event, FlowData):
            flow.bytes += len(event.data)
        elif isinstance(event, FlowEnd):
            flow.note_end(event.direction)
        closed = event if isinstance(event, FlowClosed) else None
        for found in self._cutter.receive_event(event):
            if isinstance(found, SegmentFault):
                rows += flow.miss(found, lost=isinstance(event, FlowGap), closed=closed)
            else:
                rows += flow.receive(found)
        if closed is not None:
            rows += flow.close(closed)
            del self._flows[event.flow.id]
        return rows


def analyse(events: Iterable[FlowEvent], options: AnalysisOptions | None = None) -> Iterator[Row]:
    """Rows of all tables that are wanted, mixed, those of one flow in order and the row of the flow last."""
    receive = Analyser(options).receive_event
    for event in events:
        yield from receive(event)


def across_flows(rows: Iterable[FlowRow]) -> list[FindingRow]:
    """What rules find that look at all flows of a capture, given their rows."""
    try:
        judge_flows = import_module("captures.rules.across_flows").judge_flows
    except ModuleNotFoundError:
        return []
    listed = list(rows)
    capture = listed[0].capture if listed else ""
    return [finding_row(found, capture) for found in judge_flows(listed)]


class CaptureAnalysis:
    """All rows of one capture, to be iterated once; findings of the capture as a whole come last.

    Afterwards ``error`` says why reading stopped early (None: it did not); ``packets``, ``bytes_read``, and ``unread``
    (packets that may hold MQ and cannot be read) count. A path that cannot be opened raises ``OSError`` when the
    iteration begins.
    """

    def __init__(self, flows: CaptureFlows, options: AnalysisOptions) -> None:
        self.options = options
        self._flows = flows

    @property
    def error(self) -> CaptureError | None:
        """Why reading stopped early."""
        return self._flows.error

    @property
    def packets(self) -> int:
        """Packets read."""
        return self._flows.packets

    @property
    def bytes_read(self) -> int:
        """Bytes of the unpacked file."""
        return self._flows.bytes_read

    @property
    def unread(self) -> int:
        """Packets that may hold MQ and cannot be read."""
        return sum(self._unread_by_reason().values())

    def _unread_by_reason(self) -> dict[str, int]:
        return {reason.value: count for reason, count in self._flows.unread.items() if reason not in NOT_OF_MQ}

    def __iter__(self) -> Iterator[Row]:
        analyser = Analyser(self.options)
        wanted = "findings" in self.options.tables
        kept: list[FlowRow] = []
        for event in self._flows:
            for row in analyser.receive_event(event):
                if wanted and isinstance(row, FlowRow):
                    kept.append(row)
                yield row
        if wanted:
            yield from across_flows(kept)
            unread = self._unread_by_reason()
            yield from capture_findings(self.options.capture, self.packets, self.error, unread)


def capture_findings(
    capture: str, packets: int, error: CaptureError | None, unread: Mapping[str, int]
) -> list[FindingRow]:
    """What rules find of a capture as a whole. ``packets``: how many were read, until ``error`` if there is one;
    ``unread``: those of them that may hold MQ and cannot be read, by reason."""
    ended = CaptureEnded(Direction.INITIATOR, Place(0.0, packets, 0), error, dict(unread))
    found = GuardedJudge(load().values()).judge([ended], Observer(), 0)
    return [finding_row(one, capture) for one in found]


def analyse_file(path: str | PathLike[str], options: AnalysisOptions | None = None) -> CaptureAnalysis:
    """Analyse a capture. ``options.capture`` is ``path`` where it is empty."""
    asked = options or AnalysisOptions()
    if not asked.capture:
        asked = AnalysisOptions(fspath(path), asked.tables, asked.bodies, asked.fields)
    return CaptureAnalysis(read_flows(path), asked)
