"""The HTML page: its data, gathered from rows within limits, and its single file with markup, style, script and data.

The page contains all findings and flows up to a number, the worst findings and the diagrams of their flows before
others, and a sample of calls and batches if there are very many. What was left out is counted and stated on the page;
the tables contain everything.
"""

from __future__ import annotations

import heapq
import itertools
import json
from collections import Counter
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from mqbridge.captures.report.notes import cited
from mqbridge.captures.report.summary import INCOMPLETE, outcome_of
from mqbridge.captures.rules.catalogue import SEVERITY_RANKS
from mqbridge.captures.tables.rows import (
    BatchRow,
    CallRow,
    CaptureRow,
    FindingRow,
    FlowRow,
    MessageRow,
    Row,
    SegmentRow,
)
from mqbridge.protocol.constants import ControlFlags1, StatusCode

MAX_FLOWS: Final = 5_000
"""Maximum number of flows in the table of flows; as many again are added if they have errors."""
MAX_FINDINGS: Final = 20_000
"""Maximum number of findings in their table; worse ones replace milder ones."""
MAX_DIAGRAM: Final = 2_000
"""Maximum number of segments in a sequence diagram, the first ones; as many again are added if they have findings."""
MAX_DIAGRAMS: Final = 60_000
"""Maximum number of segments in all diagrams."""
HELD: Final = 3
"""Factor by which more are held until everything is read, because later findings decide which are kept."""
MAX_MESSAGES: Final = 2_000
"""Maximum number of messages in their table."""
MAX_POINTS: Final = 20_000
"""Maximum number of points of a plot; beyond it every second one is dropped, then every fourth, and so on."""
MAX_SLOW: Final = 100
"""Maximum number of slowest calls listed."""
BINS: Final = 240
"""Maximum number of columns of the time line."""
MAX_TIMES: Final = 1 << 13
"""Maximum number of time steps for counts of segments; beyond it ten steps become one."""

TITLE: Final = "MQ traffic"
SCRIPTS: Final = ("notes.js", "page.js")

_FlowKey = tuple[int, int]

_NONE: Final = len(SEVERITY_RANKS)


class Sample:
    """An even sample of at most :data:`MAX_POINTS` points: each ``stride``-th."""

    def __init__(self) -> None:
        self.points: list[Any] = []
        self.count = 0
        self.stride = 1

    def add(self, point: Any) -> None:
        """Take or skip a point."""
        if self.count % self.stride == 0:
            self.points.append(point)
            if len(self.points) >= MAX_POINTS:
                del self.points[1::2]
                self.stride *= 2
        self.count += 1


class PageData:
    """Gathers rows of any tables in any order for the page."""

    def __init__(self) -> None:
        self.captures: dict[str, int] = {}
        self.capture_rows: dict[int, CaptureRow] = {}
        self.severities: Counter[str] = Counter()
        self.rules: dict[str, dict[str, Any]] = {}
        self.findings: dict[str, list[list[Any]]] = {severity: [] for severity in SEVERITY_RANKS}
        self.flows: list[dict[str, Any]] = []
        self.diagrams: dict[_FlowKey, list[list[Any]]] = {}
        self.marked: dict[_FlowKey, int] = {}  # flows with findings, and how bad the worst of them is
        self.cut: dict[_FlowKey, int] = {}  # segments that a diagram lacks
        self.messages: list[dict[str, Any]] = []
        self.counts: Counter[str] = Counter()
        self.calls = Sample()
        self.call_names: dict[str, list[Any]] = {}  # how many of each name, and the longest
        self.slow: list[tuple[float, int, dict[str, Any]]] = []
        self.batches = Sample()
        self.times: Counter[int] = Counter()  # segments by steps of time
        self.step = 1  # milliseconds, a power of ten
        self._in_diagrams = 0
        self._kept_findings = 0
        self._passed_over: Counter[_FlowKey] = Counter()  # segments since the last one of a long diagram
        self._take: dict[type[Any], Any] = {
            CaptureRow: self._take_capture,
            FlowRow: self._take_flow,
            SegmentRow: self._take_segment,
            FindingRow: self._take_finding,
            MessageRow: self._take_message,
            CallRow: self._take_call,
            BatchRow: self._take_batch,
        }

    def take(self, row: Row) -> None:
        """Take a row of any table."""
        self._take[type(row)](row)

    def as_json(self) -> dict[str, Any]:
        """Return the data read by the page's script."""
        flows = {(flow["capture"], flow["flow"]) for flow in self.flows}
        self._make_room(MAX_DIAGRAMS)
        return {
            "captures": [
                {"path": path, **(self.capture_rows[number]._asdict() if number in self.capture_rows else {})}
                for path, number in self.captures.items()
            ],
            "counts": dict(self.counts),
            "severities": dict(self.severities),
            "rules": self.rules,
            "notes": cited(row["spec"] for row in self.rules.values()),
            "incomplete": any(rule in self.rules for rule in INCOMPLETE),
            "findings": [
                row
                for found in self.findings.values()
                for row in sorted(found, key=lambda row: (row[5], row[2], row[3], row[0]))
            ],
            "flows": sorted(self.flows, key=lambda flow: (flow["capture"], flow["flow"])),
            "diagrams": {f"{key[0]}/{key[1]}": rows for key, rows in self.diagrams.items() if key in flows},
            "cut": {f"{key[0]}/{key[1]}": count for key, count in self.cut.items()},
            "messages": self.messages,
            "calls": {"points": self.calls.points, "of": self.calls.count, "names": self.call_names},
            "slow": [row for _, _, row in sorted(self.slow, key=lambda each: (-each[0], each[1]))],
            "batches": {"points": self.batches.points, "of": self.batches.count},
            "times": self._time_line(),
        }

    def _capture(self, path: str) -> int:
        return self.captures.setdefault(path, len(self.captures))

    def _take_capture(self, row: CaptureRow) -> None:
        self.capture_rows[self._capture(row.capture)] = row
        self.counts["packets"] += row.packets

    def _take_flow(self, row: FlowRow) -> None:
        self.counts["flows"] += 1
        if len(self.flows) < (2 * MAX_FLOWS if row.errors else MAX_FLOWS):
            self.flows.append({**row._asdict(), "capture": self._capture(row.capture), "outcome": outcome_of(row)})

    def _take_segment(self, row: SegmentRow) -> None:
        self.counts["segments"] += 1
        self._count_at(row.time)
        key = self._capture(row.capture), row.flow
        diagram = self.diagrams.get(key)
        if diagram is None:
            if key in self.cut:
                self.cut[key] += 1
                return
            diagram = self.diagrams[key] = []
        if len(diagram) >= (2 * MAX_DIAGRAM if row.findings else MAX_DIAGRAM):
            self.cut[key] = self.cut.get(key, 0) + 1
            self._passed_over[key] += 1
            return
        self._in_diagrams += 1
        sent = int(row.direction == "responder"), row.time, row.packet, row.segment_name
        diagram.append([*sent, _label(row), row.seg_length, row.findings, self._passed_over.pop(key, 0)])
        if self._in_diagrams > MAX_DIAGRAMS * HELD:
            self._make_room(MAX_DIAGRAMS * HELD // 2)

    def _take_finding(self, row: FindingRow) -> None:
        self.severities[row.severity] += 1
        self.counts["findings"] += 1
        self.rules.setdefault(row.rule, {"title": row.title, "severity": row.severity, "spec": row.spec})
        capture = self._capture(row.capture)
        key, place = (capture, row.flow), SEVERITY_RANKS[row.severity]
        self.marked[key] = min(place, self.marked.get(key, _NONE))
        shown = [row.rule, row.severity, capture, row.flow, row.packet, row.time, row.expected, row.seen]
        self.findings[row.severity].append(shown)
        self._kept_findings += 1
        if self._kept_findings > MAX_FINDINGS:
            self._kept_findings -= 1
            next(filter(None, reversed(self.findings.values()))).pop()

    def _take_message(self, row: MessageRow) -> None:
        self.counts["messages"] += 1
        if len(self.messages) < MAX_MESSAGES:
            self.messages.append(
                {
                    "capture": self._capture(row.capture),
                    **{name: getattr(row, name) for name in _MESSAGE_COLUMNS},
                }
            )

    def _take_call(self, row: CallRow) -> None:
        self.counts["calls"] += 1
        if row.latency is None:
            return
        capture = self._capture(row.capture)
        named = self.call_names.setdefault(row.name, [0, 0.0])
        named[:] = named[0] + 1, max(named[1], row.latency)
        self.calls.add([row.time, row.latency, row.name, row.reason, capture, row.flow])
        if row.wait:
            return  # the latency of a waiting get says nothing about the server
        entry = {**row._asdict(), "capture": capture}
        heapq.heappush(self.slow, (row.latency, -self.counts["calls"], entry))
        if len(self.slow) > MAX_SLOW:
            heapq.heappop(self.slow)

    def _take_batch(self, row: BatchRow) -> None:
        self.counts["batches"] += 1
        self.batches.add([row.begun, row.messages, row.bytes, row.latency, self._capture(row.capture), row.flow])

    def _make_room(self, most: int) -> None:
        """Drop whole diagrams until ``most`` segments are left: of flows with milder findings first, then later
        ones."""
        if self._in_diagrams <= most:
            return
        for key in sorted(self.diagrams, key=lambda key: (-self.marked.get(key, _NONE), -key[0], -key[1])):
            if self._in_diagrams <= most:
                break
            dropped = len(self.diagrams.pop(key))
            self._in_diagrams -= dropped
            self.cut[key] = self.cut.get(key, 0) + dropped

    def _count_at(self, time: float) -> None:
        self.times[int(time * 1000) // self.step] += 1
        if len(self.times) > MAX_TIMES:
            fine, self.times = self.times, Counter()
            self.step *= 10
            for place, count in fine.items():
                self.times[place // 10] += count

    def _time_line(self) -> dict[str, Any]:
        """Return segments by equal time steps, at most :data:`BINS`; ``start``, ``step``: seconds."""
        if not self.times:
            return {"start": 0, "step": 1, "counts": []}
        first, last = min(self.times), max(self.times)
        steps = (times * 10**power for power in itertools.count() for times in (1, 2, 5))
        wide = next(step for step in steps if last // step - first // step < BINS)
        begin = first // wide
        counts = [0] * (last // wide - begin + 1)
        for place, count in self.times.items():
            counts[place // wide - begin] += count
        return {"start": begin * wide * self.step / 1000, "step": wide * self.step / 1000, "counts": counts}


_MESSAGE_COLUMNS: Final = (
    "flow",
    "course",
    "direction",
    "time",
    "packet",
    "channel",
    "queue",
    "queue_manager",
    "sequence_number",
    "batch",
    "fate",
    "latency",
    "length",
    "format",
    "msg_id",
    "correl_id",
    "persistence",
    "user_identifier",
    "put_appl_name",
)


def _label(row: SegmentRow) -> str:
    """Return the short text beside an arrow of a diagram."""
    common = row.common
    if common is None:
        return ""
    words = []
    if row.segment_name == "STATUS_DATA":
        code = int((row.fields or {}).get("STATUS.Code", "0"), 0)
        asks = row.control_flags1 & ControlFlags1.CONFIRM_REQUEST
        words.append(str(StatusCode(code)) if code else "asks for confirmation" if asks else "")
    elif row.segment_name == "INITIAL_DATA":
        words.append(f"{common.channel or ''} {common.queue_manager or ''}".strip())
        if common.fap_level is not None:
            words.append(f"FAP {common.fap_level}")
    elif common.object_name:
        words.append(common.object_name)
    if common.user:
        words.append(f"user {common.user}")
    if common.sequence_number:
        words.append(f"sequence number {common.sequence_number}")
    if common.data_length:
        words.append(f"{common.data_length} bytes")
    if common.reason:
        words.append(f"reason {common.reason}")
    return ", ".join(word for word in words if word)


def write_page(data: PageData, path: Path, *, title: str = TITLE) -> None:
    """Write the page, which needs no server. Raises ``OSError``."""
    parts = files(__package__)
    page = parts.joinpath("page.html").read_text(encoding="utf-8")
    # A closing tag in a name from the wire must not end the script element with the data.
    content = json.dumps(data.as_json(), ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    for mark, text in (
        ("{{title}}", title.replace("&", "&amp;").replace("<", "&lt;")),
        ("{{style}}", parts.joinpath("page.css").read_text(encoding="utf-8")),
        ("{{script}}", "".join(parts.joinpath(each).read_text(encoding="utf-8") for each in SCRIPTS)),
        ("{{data}}", content),
    ):
        page = page.replace(mark, text)
    path.write_text(page, encoding="utf-8", errors="replace")
