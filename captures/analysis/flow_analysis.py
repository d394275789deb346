"""One connection of a capture: segments to an observer, observations to the rules, everything into rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from mqbridge.captures.analysis.message_rows import PendingRow, pending_row, settled_row
from mqbridge.captures.analysis.observed_rows import BATCH_ROWS, CALL_ROWS
from mqbridge.captures.analysis.options import AnalysisOptions
from mqbridge.captures.analysis.segment_rows import segment_row
from mqbridge.captures.rules import Finding, Severity
from mqbridge.captures.rules.capture_faults import BytesMissing, BytesPassedOver, SegmentCut, TlsSeen
from mqbridge.captures.rules.judging import GuardedJudge
from mqbridge.captures.streams.flow_events import CloseReason, Direction, Flow, FlowClosed
from mqbridge.captures.streams.recognition import StreamKind
from mqbridge.captures.streams.segments import LOST, NOT_WHOLE, CapturedSegment, SegmentFault
from mqbridge.captures.tables.rows import FindingRow, FlowRow, Row
from mqbridge.protocol.observer import (
    ConnectionKind,
    Ending,
    MessageSeen,
    MessageSettled,
    Observation,
    Observer,
    Place,
    UnreadMessageSeen,
)
from mqbridge.protocol.observer.observations import values_of
from mqbridge.protocol.segment import Segment
from mqbridge.protocol.tls_hello import TlsHello

LONGEST_KEPT: Final = 1024
"""Bytes of a message's data kept in memory while its outcome is pending, once its row is made."""

_ENDINGS: Final = {
    CloseReason.ENDED: Ending.CLOSED,
    CloseReason.RESET: Ending.RESET,
    CloseReason.OPEN: Ending.OPEN,
    CloseReason.REUSED: Ending.OPEN,
    CloseReason.EVICTED: Ending.OPEN,
}
_OUTCOMES: Final = {Ending.CLOSED: "ended", Ending.RESET: "cut", Ending.OPEN: "open"}
_TLS: Final = "tls"
_WANT_FLOWS: Final = frozenset(("flows", "findings"))  # some findings are made of the rows of flows


class FlowAnalysis:
    """Analysis of one flow. All methods return the rows known so far; none raises, whatever the traffic."""

    def __init__(self, flow: Flow, options: AnalysisOptions, judge: GuardedJudge) -> None:
        self.flow = flow
        self.bytes = 0
        self._first_end: Direction | None = None
        self._tls: tuple[Direction, Place] | None = None  # where it could not be read
        self._options = options
        self._judge = judge
        self._observer = Observer(flow.from_syn)
        self._broken = False  # the observer raised: it is asked nothing more
        self._pending: dict[int, PendingRow] = {}
        self._lossy = dict.fromkeys(Direction, not flow.from_syn)
        self._first_hole: tuple[Direction, Place] | None = None
        self._holes = 0
        self._missing = dict.fromkeys(Direction, 0)
        self._segments = self._messages = self._calls = self._batches = self._findings = self._errors = self._lost = 0
        tables = options.tables
        self._rows_of_segments = "segments" in tables
        self._rows_of_messages = "messages" in tables
        self._rows_of_calls = "calls" in tables
        self._rows_of_batches = "batches" in tables

    def receive(self, captured: CapturedSegment) -> list[Row]:
        """Take a segment."""
        place = Place(captured.time, captured.packet, captured.offset)
        self._segments += 1
        if self._segments == 1:
            self._observer.encrypted = self.flow.tls is not None
        observations: list[Observation] = []
        if not self._broken:
            try:
                observations = self._observer.receive(captured.direction, captured.segment, place)
            except Exception as error:
                return self._break(error, Observation(captured.direction, place))
        return self._told(observations, captured) if self._rows_of_segments else self._judged(observations)

    def take(
        self, direction: Direction, words: tuple[Any, ...], buffer: bytes, start: int, place: Place, last_packet: int
    ) -> list[Row]:
        """Take a segment given by its header and position, complete with ``last_packet``."""
        observations: list[Observation] | None = None
        if not self._broken:
            try:
                observations = self._observer.receive_in_run(direction, words, buffer, start, place)
            except Exception as error:
                self._segments += 1
                return self._break(error, Observation(direction, place))
            if observations is not None and not self._rows_of_segments:
                self._segments += 1
                return self._judged(observations) if observations else []
        time, packet, offset = place
        segment = Segment(words, buffer, start)
        captured = CapturedSegment(self.flow, direction, offset, time, packet, last_packet, segment)
        if observations is None:
            return self.receive(captured)
        self._segments += 1
        return self._told(observations, captured)

    def _told(self, observations: list[Observation], captured: CapturedSegment) -> list[Row]:
        """Return the row of a segment, and those of what was observed."""
        findings = self._judge.judge(observations, self._observer, self.flow.id) if observations else []
        return [segment_row(captured, findings, self._options), *self._rows(observations, findings)]

    def miss(self, fault: SegmentFault, *, lost: bool = False, closed: FlowClosed | None = None) -> list[Row]:
        """Take bytes that form no segment. ``lost``: reported at a gap of the capture. ``closed``: at the end of the
        flow."""
        place = Place(fault.time, fault.packet, fault.offset)
        direction = fault.direction
        if fault.flow.kind is StreamKind.TLS:
            self._tls = self._tls or (direction, place)
            return []
        self._lost += fault.length
        explained = lost or self._lossy[direction]
        observations: list[Observation] = []
        if lost and fault.reason == LOST:
            self._first_hole = self._first_hole or (direction, place)
            self._holes += 1
            self._missing[direction] += fault.length
        elif closed is not None and fault.reason == NOT_WHOLE:
            observations.append(SegmentCut(direction, place, fault.length, closed.reason is not CloseReason.OPEN))
        elif not lost:
            observations.append(BytesPassedOver(direction, place, fault.length, fault.reason, explained))
        self._lossy[direction] = self._lossy[direction] or lost
        rows = self._judged(observations)
        if not self._broken and closed is None:
            try:
                observations = self._observer.lose(direction, fault.length, place, "" if explained else fault.reason)
            except Exception as error:
                return rows + self._break(error, Observation(direction, place))
            rows += self._judged(observations)
        return rows

    def note_end(self, direction: Direction) -> None:
        """Note that an end sends nothing more."""
        self._first_end = self._first_end or direction

    def close(self, event: FlowClosed) -> list[Row]:
        """End the flow: pending rows, then the row of the flow."""
        rows: list[Row] = []
        ending = _ENDINGS[event.reason]
        first = self._first_end or Direction.INITIATOR
        if not self._broken:
            place = Place(event.time, event.packet, 0)
            try:
                observations = self._observer.close(ending, place, first)
            except Exception as error:
                rows = self._break(error, Observation(first, place))
            else:
                rows = self._judged(observations)
        if self._first_hole is not None:
            missing = self._missing[Direction.INITIATOR], self._missing[Direction.RESPONDER]
            rows += self._judged([BytesMissing(*self._first_hole, self._holes, *missing)])
        if self._tls is not None or self.flow.tls is not None:
            rows += self._judged([self._tls_seen()])
        rows += [settled_row(pending, None) for pending in self._pending.values()]
        self._pending.clear()
        if self.flow.kind is not StreamKind.OTHER and not self._options.tables.isdisjoint(_WANT_FLOWS):
            rows.append(self._flow_row(event, ending))
        return rows

    # what was told becomes rows

    def _judged(self, observations: list[Observation]) -> list[Row]:
        return (
            self._rows(observations, self._judge.judge(observations, self._observer, self.flow.id))
            if observations
            else []
        )

    def _rows(self, observations: list[Observation], findings: list[Finding]) -> list[Row]:
        rows: list[Row] = []
        for seen in observations:
            handler = _HANDLERS.get(type(seen))
            if handler is not None:
                handler(self, seen, rows)
        if findings:
            rows += self._finding_rows(findings)
        return rows

    def _take_call(self, seen: Observation, rows: list[Row]) -> None:
        self._calls += 1
        if self._rows_of_calls:
            rows.append(CALL_ROWS[type(seen)](seen, self._options.capture, self.flow.id))

    def _take_batch(self, seen: Observation, rows: list[Row]) -> None:
        self._batches += 1
        if self._rows_of_batches:
            rows.append(BATCH_ROWS[type(seen)](seen, self._options.capture, self.flow.id))

    def _tls_seen(self) -> TlsSeen:
        where = self._tls or (Direction.INITIATOR, Place(self.flow.start_time, self.flow.first_packet, 0))
        hello = self.flow.tls or TlsHello()
        return TlsSeen(
            *where,
            version=hello.version,
            server_name=hello.server_name,
            cipher_suite=hello.cipher_suite,
            answered=hello.answered,
            alert=hello.alert,
            decrypted=self._tls is None,
        )

    def _see(self, seen: MessageSeen | UnreadMessageSeen, rows: list[Row]) -> None:
        message = seen.message
        self._messages += 1
        if self._rows_of_messages:
            channel = self._observer.overview.channel
            self._pending[id(message)] = pending_row(message, self.flow.id, channel, self._options)
        if len(message.data) > LONGEST_KEPT:
            message.data = b""

    def _settle(self, seen: MessageSettled, rows: list[Row]) -> None:
        known = self._pending.pop(id(seen.message), None)
        if known is not None:
            rows.append(settled_row(known, seen))

    def _finding_rows(self, findings: list[Finding]) -> list[Row]:
        self._findings += len(findings)
        self._errors += sum(found.severity is Severity.ERROR for found in findings)
        if "findings" not in self._options.tables:
            return []
        return [finding_row(found, self._options.capture) for found in findings]

    def _break(self, error: Exception, seen: Observation) -> list[Row]:
        self._broken = True
        return self._finding_rows(self._judge.failed("observer", error, seen, self._observer, self.flow.id))

    def _flow_row(self, event: FlowClosed, ending: Ending) -> FlowRow:
        flow, observer = self.flow, self._observer
        overview = observer.overview
        kind = observer.kind.value
        if flow.kind is StreamKind.TLS and observer.kind is ConnectionKind.UNKNOWN:
            kind = _TLS
        hello = flow.tls or TlsHello()
        return FlowRow(
            capture=self._options.capture,
            flow=flow.id,
            client=str(flow.initiator),
            server=str(flow.responder),
            start=flow.start_time,
            end=flow.end_time,
            kind=kind,
            channel=overview.channel,
            queue_manager=overview.queue_manager,
            user=overview.user,
            segments=self._segments,
            messages=self._messages,
            outcome=overview.outcome if observer.part is not None else _OUTCOMES[ending],
            reason=overview.reason,
            ending=event.reason.value,
            first_packet=flow.first_packet,
            packets=flow.packets,
            bytes=self.bytes,
            lost=self._lost,
            whole=flow.from_syn,
            tls_version=hello.version or None,
            tls_server_name=hello.server_name or None,
            agreed=_agreed(observer.agreed_channel or observer.agreed_client),
            calls=self._calls,
            batches=self._batches,
            findings=self._findings,
            errors=self._errors,
        )


_HANDLERS: Final[dict[type[Observation], Callable[[FlowAnalysis, Any, list[Row]], None]]] = {
    **dict.fromkeys(CALL_ROWS, FlowAnalysis._take_call),
    **dict.fromkeys(BATCH_ROWS, FlowAnalysis._take_batch),
    MessageSeen: FlowAnalysis._see,
    UnreadMessageSeen: FlowAnalysis._see,
    MessageSettled: FlowAnalysis._settle,
}
"""Handler of an observation, by its class."""


def _agreed(values: Any) -> dict[str, str]:
    """Return the negotiated values as text, by name; those with columns of their own are left out."""
    plain = {} if values is None else values_of(values)
    return {name: str(value) for name, value in plain.items() if isinstance(value, int | str)}


def finding_row(found: Finding, capture: str) -> FindingRow:
    """Return a finding as a row."""
    return FindingRow(capture, found.rule, found.severity.value, *found[2:])
