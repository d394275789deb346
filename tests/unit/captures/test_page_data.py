"""What the page of a report shows of very much traffic."""

from __future__ import annotations

import itertools
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from mqbridge.captures.report import PageData, page, write_page
from mqbridge.captures.tables import rows as tables
from mqbridge.captures.tables.rows import BatchRow, CallRow, CommonFields, FindingRow, FlowRow, MessageRow, SegmentRow

BLANK: dict[Any, Any] = {str: "", int: 0, float: 0.0, bool: False, bytes: b""}


@cache
def hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind, vars(tables))


def blank(kind: Any, /, **values: Any) -> Any:
    """A row with nothing in it but what is given."""
    fields = {}
    for name, hint in hints(kind).items():
        text = str(hint)
        origin = [] if text.startswith("list") else {} if text.startswith("dict") else BLANK.get(hint)
        fields[name] = origin
    return kind(**{**fields, **values})


def segment(flow: int, packet: int, **values: Any) -> SegmentRow:
    row: SegmentRow = blank(
        SegmentRow, capture="a", flow=flow, packet=packet, time=float(packet), segment_name="MESSAGE_DATA", **values
    )
    return row


def flow(number: int, **values: Any) -> FlowRow:
    row: FlowRow = blank(FlowRow, capture="a", flow=number, **values)
    return row


def test_diagrams_of_flows_with_findings_outlast_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "MAX_DIAGRAMS", 20)
    data = PageData()
    for number in range(1, 8):
        for packet in range(5):
            data.take(segment(number, packet + 1))
        if number == 2:
            data.take(blank(FindingRow, capture="a", flow=2, rule="C-1", severity="error", packet=3, time=3.0))
        data.take(flow(number, errors=int(number == 2)))
    shown = data.as_json()
    assert "0/2" in shown["diagrams"]
    assert sum(map(len, shown["diagrams"].values())) <= 20
    assert sum(map(len, shown["diagrams"].values())) + sum(shown["cut"].values()) == 35
    assert shown["counts"]["segments"] == 35


def test_a_long_diagram_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "MAX_DIAGRAM", 3)
    data = PageData()
    for packet in range(10):
        data.take(segment(1, packet))
    data.take(flow(1))
    shown = data.as_json()
    assert len(shown["diagrams"]["0/1"]) == 3
    assert shown["cut"] == {"0/1": 7}


def test_what_was_found_late_in_a_long_flow_is_in_its_diagram(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "MAX_DIAGRAM", 3)
    data = PageData()
    for packet in range(10):
        data.take(segment(1, packet, findings=["C-201"] if packet == 7 else []))
    data.take(flow(1, errors=1))
    shown = data.as_json()
    assert [(row[2], row[6], row[7]) for row in shown["diagrams"]["0/1"][2:]] == [(2, [], 0), (7, ["C-201"], 4)]
    assert shown["cut"] == {"0/1": 6}


def finding(flow: int, severity: str, packet: int) -> FindingRow:
    row: FindingRow = blank(FindingRow, capture="a", flow=flow, rule=severity, severity=severity, packet=packet)
    return row


def test_diagrams_of_flows_with_the_worst_findings_outlast_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "MAX_DIAGRAMS", 10)
    data = PageData()
    for packet in range(3):
        for number in range(1, 11):
            data.take(segment(number, packet))
    for number in range(1, 11):
        data.take(finding(number, "error" if number == 9 else "warning" if number == 8 else "security", 1))
        data.take(flow(number))
    assert set(data.as_json()["diagrams"]) == {"0/9", "0/8", "0/1"}


def test_diagrams_are_bounded_while_flows_are_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "MAX_DIAGRAMS", 10)
    data = PageData()
    for packet in range(100):
        for number in range(1, 11):
            data.take(segment(number, packet))
            assert sum(map(len, data.diagrams.values())) <= 10 * page.HELD


def test_an_error_that_comes_last_is_among_the_findings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "MAX_FINDINGS", 3)
    data = PageData()
    for packet, severity in enumerate(("info", "security", "security", "warning", "info", "error")):
        data.take(finding(1, severity, packet))
    assert [(row[1], row[4]) for row in data.as_json()["findings"]] == [("error", 5), ("warning", 3), ("security", 1)]


@pytest.mark.parametrize(
    ("seconds", "step"), [(0.2, 0.001), (2.0, 0.01), (60.0, 0.5), (3600.0, 20.0), (86400.0 * 365, 200_000.0)]
)
def test_the_time_line_has_columns_of_a_round_length(seconds: float, step: float) -> None:
    data = PageData()
    for number in range(20_000):
        data.take(segment(1, 1)._replace(time=1_700_000_000.0 + number * seconds / 20_000))
    shown = data.as_json()["times"]
    assert shown["step"] == step
    assert sum(shown["counts"]) == 20_000
    assert len(shown["counts"]) <= page.BINS
    assert shown["start"] <= 1_700_000_000.0 < shown["start"] + shown["step"]


def test_calls_are_counted_beyond_the_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "MAX_POINTS", 4)
    data = PageData()
    for number in range(101):
        data.take(blank(CallRow, capture="a", latency=float(number), name="MQGET"))
    assert data.as_json()["calls"]["names"] == {"MQGET": [101, 100.0]}


def test_an_outcome_names_the_status() -> None:
    data = PageData()
    for number, reason in enumerate((0, 9, 2035, 0xEE), 1):
        data.take(flow(number, outcome="refused" if reason else "ended", reason=reason))
    shown = [row["outcome"] for row in data.as_json()["flows"]]
    assert shown == ["ended", "refused (TARGET_Q_UNKNOWN)", "refused (2035)", "refused (0xEE)"]


def test_points_beyond_the_limit_are_a_sample_in_even_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "MAX_POINTS", 16)
    data = PageData()
    for number in range(100):
        data.take(blank(BatchRow, capture="a", batch=number, begun=float(number)))
    shown = data.as_json()["batches"]
    assert shown["of"] == 100
    times = [point[0] for point in shown["points"]]
    assert len(times) <= 16
    assert {later - earlier for earlier, later in itertools.pairwise(times)} == {8.0}


def test_the_slowest_calls_are_listed_slowest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "MAX_SLOW", 3)
    data = PageData()
    for latency in (0.5, 9.0, 0.1, 7.0, None, 8.0):
        data.take(blank(CallRow, capture="a", latency=latency, name="MQGET"))
    data.take(blank(CallRow, capture="a", latency=99.0, name="MQGET", wait=-1))  # nobody was slow
    assert [row["latency"] for row in data.as_json()["slow"]] == [9.0, 8.0, 7.0]


def test_counts_are_of_everything_even_where_tables_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in ("MAX_FLOWS", "MAX_FINDINGS", "MAX_MESSAGES"):
        monkeypatch.setattr(page, limit, 2)
    data = PageData()
    for number in range(1, 6):
        data.take(flow(number))
        data.take(blank(MessageRow, capture="a", flow=number))
        data.take(blank(FindingRow, capture="a", flow=number, severity="info", rule="C-9"))
    shown = data.as_json()
    assert [len(shown[name]) for name in ("flows", "messages", "findings")] == [2, 2, 2]
    assert {shown["counts"][name] for name in ("flows", "messages", "findings")} == {5}
    assert shown["severities"] == {"info": 5}


@pytest.mark.parametrize(
    ("common", "label"),
    [
        (None, ""),
        (CommonFields(channel="A.B", queue_manager="QM", fap_level=13), "A.B QM, FAP 13"),
        (CommonFields(user="app"), "user app"),
    ],
)
def test_arrows_say_what_matters(common: CommonFields | None, label: str) -> None:
    data = PageData()
    data.take(segment(1, 1, common=common)._replace(segment_name="INITIAL_DATA"))
    data.take(flow(1))
    assert data.as_json()["diagrams"]["0/1"][0][4] == label


@pytest.mark.parametrize(
    ("fields", "flags", "label"),
    [({"STATUS.Code": "9"}, 0x0A, "TARGET_Q_UNKNOWN"), ({}, 0x01, "asks for confirmation"), ({}, 0x00, "")],
)
def test_arrows_say_what_a_status_is(fields: dict[str, str], flags: int, label: str) -> None:
    data = PageData()
    row = segment(1, 1, common=CommonFields(), fields=fields, control_flags1=flags)
    data.take(row._replace(segment_name="STATUS_DATA"))
    data.take(flow(1))
    assert data.as_json()["diagrams"]["0/1"][0][4] == label


def test_the_page_needs_no_server(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write_page(PageData(), path)
    text = path.read_text(encoding="utf-8")
    assert "{{" not in text
    assert "http://www.w3.org/2000/svg" in text
    assert text.count("http") == 2  # that name space, and http-equiv
