"""Rows of any number of captures, aggregated for a report: shown rows are kept, others counted."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from mqbridge.captures.rules.catalogue import SEVERITY_RANKS, Severity
from mqbridge.captures.tables.rows import BatchRow, CallRow, CaptureRow, FindingRow, FlowRow, MessageRow, Row
from mqbridge.protocol.constants import StatusCode

MAX_NUMBERS: Final = 1 << 18
"""Maximum number of values of one statistic for percentiles, the first ones."""
MAX_FINDINGS: Final = 1 << 20
"""Maximum number of findings kept; further ones are counted."""

INCOMPLETE: Final = ("C-901", "C-902", "C-910")
"""Rules that report missing parts of a capture: the verdict then covers the rest."""


@dataclass(slots=True)
class Statistics:
    """Numbers of one kind, such as latencies in seconds."""

    count: int = 0
    highest: float = 0.0
    _kept: array[float] = field(default_factory=lambda: array("d"))

    def add(self, value: float) -> None:
        """Add a value."""
        self.count += 1
        self.highest = max(self.highest, value)
        if len(self._kept) < MAX_NUMBERS:
            self._kept.append(value)

    def percentiles(self, *percents: int) -> list[float]:
        """Return the value that each percentage of the values does not exceed; empty without values."""
        ordered = sorted(self._kept)
        return [ordered[min(len(ordered) - 1, len(ordered) * percent // 100)] for percent in percents if ordered]


@dataclass(slots=True)
class CallStatistics:
    """Calls of one name; gets that wait for messages are ``MQGET, waits``.

    ``failed``: number answered with MQCC_FAILED. ``reasons``: number of incomplete calls by name of the reason.
    """

    name: str
    count: int = 0
    failed: int = 0
    unanswered: int = 0
    latency: Statistics = field(default_factory=Statistics)
    reasons: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class FindingGroup:
    """Findings of one rule. ``kept``: the first of them, in order. ``count``: of all."""

    rule: str
    severity: str
    title: str
    spec: str
    count: int = 0
    kept: list[FindingRow] = field(default_factory=list)


def outcome_of(row: FlowRow) -> str:
    """Return the outcome of a flow as text, with the name of the error status or the number of the reason code."""
    if not row.reason:
        return row.outcome
    return f"{row.outcome} ({StatusCode(row.reason) if row.reason <= _MAX_STATUS else row.reason})"


class Summary:
    """Aggregates rows of all tables. ``keep``: findings kept per rule; None for all.

    ``capture_names``: numbers of all captures, in order of arrival. ``captures``, ``flows``: rows. ``groups``: findings
    by rule. ``calls``: by name. ``severities``, ``fates``: number of findings and messages of each.
    """

    def __init__(self, keep: int | None = None) -> None:
        self.capture_names: dict[str, int] = {}
        self.captures: list[CaptureRow] = []
        self.flows: list[FlowRow] = []
        self.groups: dict[str, FindingGroup] = {}
        self.calls: dict[str, CallStatistics] = {}
        self.severities: Counter[str] = Counter()
        self.fates: Counter[str] = Counter()
        self.segments = 0
        self.messages = 0
        self.bytes = 0
        self.batches = 0
        self.batch_messages = Statistics()
        self.batch_latency = Statistics()
        self.kept_findings = 0
        self._keep = MAX_FINDINGS if keep is None else keep
        self._taken = {
            CaptureRow: self._add_capture,
            FlowRow: self._add_flow,
            FindingRow: self._add_finding,
            MessageRow: self._add_message,
            CallRow: self._add_call,
            BatchRow: self._add_batch,
        }

    def add(self, row: Row) -> None:
        """Take a row; rows of segments are skipped."""
        take = self._taken.get(type(row))
        if take is not None:
            take(row)  # type: ignore[operator]

    @property
    def conforms(self) -> bool:
        """Whether there are no errors."""
        return not self.severities[Severity.ERROR.value]

    @property
    def incomplete(self) -> bool:
        """Whether parts of a capture are missing."""
        return any(group.rule in INCOMPLETE for group in self.groups.values())

    def findings(self) -> Iterator[FindingRow]:
        """Return the kept findings, by capture and packet."""
        names = self.capture_names
        kept = [row for group in self.groups.values() for row in group.kept]
        return iter(sorted(kept, key=lambda row: (names[row.capture], row.flow == 0, row.packet, row.flow, row.rule)))

    def by_severity(self) -> list[FindingGroup]:
        """Return the groups of findings, the worst first."""
        return sorted(self.groups.values(), key=lambda group: (SEVERITY_RANKS[group.severity], group.rule))

    def place_of(self, capture: str) -> int:
        """Return the number of a capture, from 0."""
        return self.capture_names.setdefault(capture, len(self.capture_names))

    def _add_capture(self, row: CaptureRow) -> None:
        self.place_of(row.capture)
        self.captures.append(row)

    def _add_flow(self, row: FlowRow) -> None:
        self.place_of(row.capture)
        self.flows.append(row)
        self.segments += row.segments
        self.messages += row.messages
        self.bytes += row.bytes

    def _add_finding(self, row: FindingRow) -> None:
        self.place_of(row.capture)
        self.severities[row.severity] += 1
        group = self.groups.get(row.rule)
        if group is None:
            group = self.groups[row.rule] = FindingGroup(row.rule, row.severity, row.title, row.spec)
        group.count += 1
        if len(group.kept) < self._keep and self.kept_findings < MAX_FINDINGS:
            self.kept_findings += 1
            group.kept.append(row)

    def _add_message(self, row: MessageRow) -> None:
        self.fates[row.fate] += 1

    def _add_call(self, row: CallRow) -> None:
        # The latency of a waiting get says nothing about the server.
        name = f"{row.name}, waits" if row.wait else row.name
        calls = self.calls.get(name)
        if calls is None:
            calls = self.calls[name] = CallStatistics(name)
        calls.count += 1
        if row.latency is None:
            calls.unanswered += 1
            return
        calls.latency.add(row.latency)
        if row.comp_code:
            calls.failed += row.comp_code == _FAILED
            calls.reasons[row.reason_name] += 1

    def _add_batch(self, row: BatchRow) -> None:
        self.batches += 1
        self.batch_messages.add(row.messages)
        if row.latency is not None:
            self.batch_latency.add(row.latency)


_FAILED: Final = 2
_MAX_STATUS: Final = 0xFF
