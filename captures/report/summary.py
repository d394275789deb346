"""Rows of any number of captures, added up for a report: what is shown whole is kept, the rest is counted."""

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
"""Values of one statistic that percentiles are taken from: the first so many."""
MAX_FINDINGS: Final = 1 << 20
"""Findings that are kept at the most; more are counted."""

INCOMPLETE: Final = ("C-901", "C-902", "C-910")
"""Rules that say that something was not captured: a verdict is then of the rest."""


@dataclass(slots=True)
class Statistics:
    """Numbers of one kind, such as latencies in seconds."""

    count: int = 0
    highest: float = 0.0
    _kept: array[float] = field(default_factory=lambda: array("d"))

    def add(self, value: float) -> None:
        """Take one."""
        self.count += 1
        self.highest = max(self.highest, value)
        if len(self._kept) < MAX_NUMBERS:
            self._kept.append(value)

    def percentiles(self, *percents: int) -> list[float]:
        """The value that so many percent do not pass, for each; empty where there are no values."""
        ordered = sorted(self._kept)
        return [ordered[min(len(ordered) - 1, len(ordered) * percent // 100)] for percent in percents if ordered]


@dataclass(slots=True)
class CallStatistics:
    """Calls of one name; gets that wait for messages are ``MQGET, waits``.

    ``failed``: answered with MQCC_FAILED; ``reasons``: by name, of calls not all right.
    """

    name: str
    count: int = 0
    failed: int = 0
    unanswered: int = 0
    latency: Statistics = field(default_factory=Statistics)
    reasons: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class FindingGroup:
    """Findings of one rule. ``kept``: the first of them, in order; ``count``: of all."""

    rule: str
    severity: str
    title: str
    spec: str
    count: int = 0
    kept: list[FindingRow] = field(default_factory=list)


def outcome_of(row: FlowRow) -> str:
    """How a flow ended, for people: with the name of the error status, or the number of the reason code."""
    if not row.reason:
        return row.outcome
    return f"{row.outcome} ({StatusCode(row.reason) if row.reason <= _MAX_STATUS else row.reason})"


class Summary:
    """Takes rows of all tables. ``keep``: findings of one rule that are kept; None for all.

    ``capture_names``: of all captures, in the order in which they came; ``captures``, ``flows``: rows; ``groups``:
    findings by rule; ``calls``: by name; ``severities``, ``fates``: how many findings and messages of each.
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
        """Take a row; those of segments are passed over."""
        take = self._taken.get(type(row))
        if take is not None:
            take(row)  # type: ignore[operator]

    @property
    def conforms(self) -> bool:
        """Whether there is no error."""
        return not self.severities[Severity.ERROR.value]

    @property
    def incomplete(self) -> bool:
        """Whether something was not captured."""
        return any(group.rule in INCOMPLETE for group in self.groups.values())

    def findings(self) -> Iterator[FindingRow]:
        """Findings that were kept, by capture and in the order of the packets."""
        names = self.capture_names
        kept = [row for group in self.groups.values() for row in group.kept]
        return iter(sorted(kept, key=lambda row: (names[row.capture], row.flow == 0, row.packet, row.flow, row.rule)))

    def by_severity(self) -> list[FindingGroup]:
        """Groups of findings, the worst first."""
        return sorted(self.groups.values(), key=lambda group: (SEVERITY_RANKS[group.severity], group.rule))

    def place_of(self, capture: str) -> int:
        """Number of a capture, from 0."""
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
        # How long a get waits for a message says nothing of how fast it is served.
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
