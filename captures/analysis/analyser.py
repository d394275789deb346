"""Flow events to rows: a whole capture in one pass, or the flows of one part of it.

Rows of one flow never depend on other flows, so parts that contain whole flows give the same rows as the whole capture.
Only the findings of ``across_flows`` need the rows of all flows.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Final

from mqbridge.captures.analysis.flow_analysis import FlowAnalysis
from mqbridge.captures.analysis.options import AnalysisOptions
from mqbridge.captures.analysis.whole_captures import across_flows, capture_rows
from mqbridge.captures.capture_files import CaptureFlows, Source, read_flows
from mqbridge.captures.errors import CaptureError
from mqbridge.captures.reading.link_layers import NotRead
from mqbridge.captures.rotated_sets import set_name
from mqbridge.captures.rules import load
from mqbridge.captures.rules.judging import GuardedJudge
from mqbridge.captures.streams.fast_paths import FastPath
from mqbridge.captures.streams.flow_events import Flow, FlowClosed, FlowData, FlowEnd, FlowEvent, FlowGap
from mqbridge.captures.streams.ordinary import Step
from mqbridge.captures.streams.ordinary_cutter import Held, OrdinaryCutter, Words
from mqbridge.captures.streams.segments import SegmentFault
from mqbridge.captures.tables.rows import FlowRow, Row
from mqbridge.protocol.observer import Place

NOT_OF_MQ: Final = frozenset((NotRead.NOT_IP, NotRead.NOT_TCP))
"""Reasons of packets without TCP, which may be skipped without loss."""

_new_place: Final = tuple.__new__


def unread_of_mq(unread: Mapping[NotRead, int]) -> dict[str, int]:
    """Return the number of unread packets that may hold MQ, by reason."""
    return {reason.value: count for reason, count in unread.items() if reason not in NOT_OF_MQ}


class Analyser:
    """Sans-IO: takes the events of any flows in order, and returns rows as they become known.

    It is the sink of its cutter (:class:`captures.streams.ordinary_cutter.Sink`).
    """

    values = None  # segments are wanted with their bodies

    def __init__(self, options: AnalysisOptions | None = None) -> None:
        self.options = options or AnalysisOptions()
        self.judge = GuardedJudge(load().values())
        self._flows: dict[int, FlowAnalysis] = {}
        self._cutter = OrdinaryCutter(self)
        self._rows: list[Row] = []

    def receive_step(self, step: Step) -> list[Row]:
        """Take ordinary packets and the events behind them. Never raises, whatever the traffic."""
        buffer, ordinary, events = step
        if ordinary:
            self._cutter.receive(buffer, ordinary)
        rows, self._rows = self._rows, []
        for event in events:
            rows += self.receive_event(event)
        return rows

    def _analysis(self, flow: Flow) -> FlowAnalysis:
        known = self._flows.get(flow.id)
        if known is None:
            known = self._flows[flow.id] = FlowAnalysis(flow, self.options, self.judge)
        return known

    def receive_event(self, event: FlowEvent) -> list[Row]:
        """Take the next event. Never raises, whatever the traffic."""
        flow = self._analysis(event.flow)
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

    def owner_of(self, fast_path: FastPath) -> FlowAnalysis:
        """Return the analysis of a direction's flow."""
        return self._analysis(fast_path.flow)

    def take(
        self,
        fast_path: FastPath,
        owner: FlowAnalysis,
        words: Words,
        place: tuple[float, int, int],
        last_packet: int,
        held: Held,
    ) -> None:
        """Take a segment of ordinary packets."""
        buffer, start = held
        self._rows += owner.take(fast_path.direction, words, buffer, start, _new_place(Place, place), last_packet)

    def take_data(self, event: FlowData) -> None:
        """Take data of an ordinary packet as an event."""
        self._rows += self.receive_event(event)


def analyse(events: Iterable[FlowEvent], options: AnalysisOptions | None = None) -> Iterator[Row]:
    """Yield the rows of the requested tables, interleaved; those of one flow in order, the row of the flow last.

    If findings are requested, rows of flows are included, because some findings are made from them (``across_flows``).
    """
    receive = Analyser(options).receive_event
    for event in events:
        yield from receive(event)


def analyse_steps(steps: Iterable[Step], options: AnalysisOptions | None = None) -> Iterator[Row]:
    """Yield the same rows from steps of reading, which is faster."""
    receive = Analyser(options).receive_step
    for step in steps:
        yield from receive(step)


class CaptureAnalysis:
    """All rows of one capture, to be iterated once; findings about the capture as a whole come last.

    Afterwards ``error`` says why reading stopped early (or None); ``packets``, ``bytes_read`` and ``unread`` (packets
    that may hold MQ and cannot be read) are counts. A path that cannot be opened raises ``OSError`` when iteration
    begins.
    """

    def __init__(self, flows: CaptureFlows, options: AnalysisOptions) -> None:
        self.options = options
        self._flows = flows

    @property
    def error(self) -> CaptureError | None:
        """Why reading stopped early, or None."""
        return self._flows.error

    @property
    def packets(self) -> int:
        """Number of packets read."""
        return self._flows.packets

    @property
    def bytes_read(self) -> int:
        """Bytes read of the unpacked file."""
        return self._flows.bytes_read

    @property
    def unread(self) -> int:
        """Number of packets that may hold MQ and cannot be read."""
        return sum(unread_of_mq(self._flows.unread).values())

    def __iter__(self) -> Iterator[Row]:
        analyser = Analyser(self.options)
        tables = self.options.tables
        kept: list[FlowRow] = []
        for step in self._flows.steps():
            for row in analyser.receive_step(step):
                if isinstance(row, FlowRow):
                    if "findings" in tables:
                        kept.append(row)
                    if "flows" not in tables:
                        continue
                yield row
        if "findings" in tables:
            yield from across_flows(kept)
        failed = self._flows.decryption_error
        yield from capture_rows(
            self.options,
            self.packets,
            self.bytes_read,
            self.error,
            unread_of_mq(self._flows.unread),
            "" if failed is None else str(failed),
        )


def analyse_file(
    source: Source, options: AnalysisOptions | None = None, *, keylog: str | PathLike[str] | None = None
) -> CaptureAnalysis:
    """Analyse a capture, given by path or as an open binary file.

    ``keylog``: file with the keys of its TLS connections. ``options.capture`` is the path where it is empty.
    """
    asked = options or AnalysisOptions()
    if not asked.capture and isinstance(source, str | PathLike):
        asked = replace(asked, capture=_as_text(source))
    return CaptureAnalysis(read_flows(source, keylog), asked)


def analyse_set(files: Sequence[str], options: AnalysisOptions | None = None) -> CaptureAnalysis:
    """Analyse the files of a rotated set, in order, as one capture (``captures.rotated_sets``).

    ``options.capture`` defaults to the set's name. Raises ``OSError`` as :func:`analyse_file` does, for the first file;
    an unreadable later file is a finding.
    """
    asked = options or AnalysisOptions()
    if not asked.capture:
        asked = replace(asked, capture=_as_text(set_name(list(files))))
    return CaptureAnalysis(CaptureFlows(files[0], further=files[1:]), asked)


def _as_text(path: str | PathLike[str]) -> str:
    """A path without bytes that are no text, which could stand in no table."""
    return os.fsencode(path).decode(errors="replace")
