"""What ``mqbridge replay`` prints on a terminal that has no room for its tables."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from mqbridge.bridge.cli import replay_report
from mqbridge.captures.analysis import analyse_file
from mqbridge.captures.report.summary import Summary
from mqbridge.captures.rules import load
from support.captures.files import JMS_CAPTURE


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """Eighty columns of a terminal."""
    shown = io.StringIO()
    monkeypatch.setattr(replay_report, "_console", lambda: Console(file=shown, width=80, highlight=False))
    return shown


def test_flows_are_told_in_lines_and_no_word_is_broken(terminal: io.StringIO) -> None:
    summary = Summary(5)
    for row in analyse_file(JMS_CAPTURE):
        summary.add(row)
    replay_report.print_report(summary, None)
    lines = terminal.getvalue().splitlines()
    for flow in summary.flows:
        at = next(number for number, line in enumerate(lines) if line.startswith(f"flow {flow.flow} "))
        assert f"{flow.client} to {flow.server}: {flow.outcome}" in lines[at]
        assert f"client {flow.channel}" in lines[at + 1]
        assert f"{flow.segments} segments" in lines[at + 2]
    calls = lines[lines.index("Calls (milliseconds)") + 1 :]
    assert calls[0].split() == ["call", "count", "failed", "unanswered", "p50", "p95", "p99", "max"]
    reasons = [line for line in calls if line.startswith("  MQCONN: ")]
    assert reasons == ["  MQCONN: MQRC_NOT_AUTHORIZED 9"]


def test_calls_are_told_in_lines_where_their_table_has_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = io.StringIO()
    monkeypatch.setattr(replay_report, "_console", lambda: Console(file=shown, width=40, highlight=False))
    summary = Summary(5)
    for row in analyse_file(JMS_CAPTURE):
        summary.add(row)
    replay_report.print_report(summary, None)
    lines = shown.getvalue().splitlines()
    at = lines.index("MQCONN: 29, 9 failed, 0 unanswered")
    assert lines[at + 1].startswith("  p50 19.916, p95 1,018.759, ")
    assert lines[at + 2] == "  MQRC_NOT_AUTHORIZED 9"


def test_rules_are_told_in_lines(terminal: io.StringIO) -> None:
    rules = load().values()
    replay_report.print_rules(rules)
    lines = terminal.getvalue().splitlines()
    assert len(lines) == 3 * len(rules)
    for rule, head, expected, seen in zip(rules, lines[::3], lines[1::3], lines[2::3], strict=True):
        assert head == f"{rule.number} {rule.severity.value} {rule.title} ({rule.spec})"
        assert f"{expected.strip()}; {' '.join(seen.split())}" == rule.example
