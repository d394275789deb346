"""The page of a report, looked at in a real browser."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

from mqbridge.captures.analysis import ALL_TABLES, AnalysisOptions, analyse_file
from mqbridge.captures.report import PageData, write_page
from mqbridge.captures.tables.rows import BatchRow, FindingRow, FlowRow
from support.captures.vectors import VECTORS
from support.processes.browser import look_at, picture

pytestmark = pytest.mark.interop("chromium")

JMS = VECTORS / "jms-client" / "jms-put-sessions.pcap.gz"
EVIL = "</script><script>document.body.dataset.evil='yes'</script><img src=x onerror=alert(1)>"


def finding(rule: str, severity: str, flow: int, packet: int, seen: str, spec: str = "x.md 1") -> FindingRow:
    return FindingRow("jms", rule, severity, flow, packet, 1757727219.0, f"title of {rule}", "one thing", seen, spec)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of the recorded session of a JMS client, with findings and batches of our own making in it."""
    data = PageData()
    for row in analyse_file(JMS, AnalysisOptions(capture="jms", tables=ALL_TABLES)):
        if isinstance(row, FlowRow) and row.flow == 10:
            data.take(row._replace(findings=2, errors=1))
        elif not isinstance(row, FindingRow):
            data.take(row)
    data.take(finding("C-201", "error", 10, 477, EVIL, "channels.md 5.3"))
    data.take(finding("C-605", "security", 10, 480, "another thing"))
    data.take(finding("C-605", "security", 11, 791, "a third thing"))
    for number in range(5):
        begun = 1757727219.0 + number
        answered = (None, None, "in doubt") if number == 4 else (begun + 2, 1.0, "confirmed")
        data.take(
            BatchRow("jms", 10, "initiator", number, "00", 1, 50, 10 * number, 1000, begun, 477, begun + 1, *answered)
        )
    path = tmp_path_factory.mktemp("page") / "report.html"
    write_page(data, path, title="Traffic of <JMS> & more")
    return path


def test_the_page_shows_every_section(page: Path, tmp_path: Path) -> None:
    seen = look_at(page, tmp_path)
    assert seen.body.get("data-drawn") == "yes"
    assert "could not be drawn" not in seen.text.get("failure", "")
    assert "Does not conform: 1 error" in seen.text["verdict"]
    assert "13 flows, 506 segments, 16 messages" in seen.text["verdict"]
    assert len(seen.rows["flows"]) == 1 + 13
    assert [row[:3] for row in seen.rows["findings"][1:]] == [
        ["C-201", "error", "10"],
        ["C-605", "security", "10"],
        ["C-605", "security", "11"],
    ]
    assert len(seen.rows["messages"]) == 1 + 16
    assert seen.count("timeline", "rect", "bar") > 3
    assert seen.count("timeline", "line", "tick") == 3
    assert seen.count("latency", "circle", "dot") + seen.count("latency", "circle", "dot bad") > 100
    assert (seen.count("batches", "circle", "dot"), seen.count("batches", "circle", "dot bad")) == (4, 1)


def test_what_came_over_the_wire_is_text_and_nothing_else(page: Path, tmp_path: Path) -> None:
    seen = look_at(page, tmp_path)
    assert "data-evil" not in seen.body
    assert seen.rows["findings"][1][7] == EVIL


def test_a_finding_leads_to_the_note_that_it_cites(page: Path, tmp_path: Path) -> None:
    seen = look_at(page, tmp_path)
    assert [row[8] for row in seen.rows["findings"][1:]] == ["channels.md 5.3", "x.md 1", "x.md 1"]
    note = "note-channels.md-5.3"
    assert seen.text[note].startswith("channels.md 5.3: Sequence numbers")
    assert [row[0] for row in seen.rows[note]] == ["#", "1", "2", "3", "4", "5"]
    assert "after SEQWRAP comes 1" in seen.rows[note][1][1]
    assert not seen.unfolded
    clicks = tmp_path / "clicks.html"
    click = "<script>document.querySelector('#findings td a').click()</script></body>"
    clicks.write_text(page.read_text(encoding="utf-8").replace("</body>", click), encoding="utf-8")
    clicked = look_at(clicks, tmp_path)
    assert clicked.unfolded == {note}
    assert clicked.rows["findings"] == seen.rows["findings"], "no filter was set"


def test_the_diagram_is_that_of_the_flow_with_an_error_until_another_is_chosen(page: Path, tmp_path: Path) -> None:
    first = look_at(page, tmp_path)
    assert "Flow 10: client-connection APP.SVRCONN" in first.text["diagram"]
    chosen = look_at(page, tmp_path, "flow=0/1")
    assert "Flow 1: client-connection APP.SVRCONN" in chosen.text["diagram"]
    assert chosen.count_any("diagram", "line", "arrow") == 3 * 8
    assert chosen.count("diagram", "line", "arrow security") == 3  # the user root
    assert "MQCONN_REPLY  reason 2035" in chosen.text["diagram"]
    assert len(chosen.rows["flows"]) == 1 + 1


@pytest.mark.parametrize(
    ("view", "findings"),
    [
        ("severity=security", ["C-605", "C-605"]),
        ("severity=error", ["C-201"]),
        ("rule=C-605&flow=0/11", ["C-605"]),
        ("text=third", ["C-605"]),
        ("text=nowhere", []),
        ("severity=", []),
        ("rule=C-999", []),
        ("flow=0/4711", []),
    ],
)
def test_filters_leave_what_they_name(page: Path, tmp_path: Path, view: str, findings: list[str]) -> None:
    seen = look_at(page, tmp_path, view)
    assert [row[0] for row in seen.rows["findings"][1:]] == findings


def test_the_page_can_be_seen(page: Path, tmp_path: Path) -> None:
    content = picture(page, tmp_path).read_bytes()
    width, height = int.from_bytes(content[16:20], "big"), int.from_bytes(content[20:24], "big")
    assert (width, height) == (1300, 3000)
    start, packed = 8, b""
    while start < len(content):
        length = int.from_bytes(content[start : start + 4], "big")
        if content[start + 4 : start + 8] == b"IDAT":
            packed += content[start + 8 : start + 8 + length]
        start += length + 12
    rows = zlib.decompress(packed)
    stride = len(rows) // height
    different = {rows[row * stride : (row + 1) * stride] for row in range(height)}
    assert len(different) > 500


def test_an_empty_capture_makes_a_page_too(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write_page(PageData(), path)
    seen = look_at(path, tmp_path)
    assert seen.body.get("data-drawn") == "yes"
    assert "Nothing to judge" in seen.text["verdict"]
    assert "No segments." in seen.text["diagram"]


def test_flows_of_several_captures_say_which(tmp_path: Path) -> None:
    data = PageData()
    for name in ("monday", "tuesday"):
        for row in analyse_file(JMS, AnalysisOptions(capture=name, tables=ALL_TABLES)):
            data.take(row)
    data.take(finding("C-910", "warning", 3, 110, "bytes lost")._replace(capture="tuesday"))
    path = tmp_path / "report.html"
    write_page(data, path)
    seen = look_at(path, tmp_path, "flow=1/3")
    assert seen.text["verdict"].startswith("Conforms, as far as it is in the capture: no errors")
    assert [row[:2] for row in seen.rows["captures"][1:]] == [["0", "monday"], ["1", "tuesday"]]
    assert [row[0] for row in seen.rows["flows"][1:]] == ["1/3"]
