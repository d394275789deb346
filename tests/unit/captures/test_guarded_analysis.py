"""Defects of ours, in a rule or the observer, are a finding and end nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mqbridge.captures.analysis import analyse_file, analyser, whole_captures
from mqbridge.captures.reading.link_layers import ACK
from mqbridge.captures.rules import Deviation, Rule, Severity, load
from mqbridge.captures.rules.judging import GuardedJudge
from mqbridge.captures.tables import FindingRow, FlowRow, SegmentRow
from mqbridge.protocol.observer import Ending, MessageSeen, Observation, Observer, Place, SegmentSeen
from support.captures.analysed_rows import BATCH, EVERYTHING, IN, analysed, of, rules
from support.captures.files import JMS_CAPTURE, Wire, pcap, record
from support.captures.vectors import thesis


def test_a_rule_that_fails_is_a_finding_and_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(seen: SegmentSeen, connection: Observer) -> Deviation:
        raise ValueError("by design")

    def broken_later(seen: MessageSeen, connection: Observer) -> Iterator[Deviation]:
        yield Deviation("one", "another")
        raise KeyError("by design")

    more = [
        Rule("X-001", Severity.ERROR, "broken", "mq-wire.md 2", "", SegmentSeen, broken),
        Rule("X-002", Severity.ERROR, "broken later", "mq-wire.md 2", "", MessageSeen, broken_later),
    ]
    monkeypatch.setattr(analyser, "load", lambda: {row.number: row for row in [*load().values(), *more]})
    whole = analysed(record(*BATCH))
    failed = [row for row in of(FindingRow, whole) if row.rule == "C-999"]
    assert {row.expected for row in failed} == {"a verdict of rule X-001", "a verdict of rule X-002"}
    assert all("by design" in row.seen and row.flow == 1 for row in failed)
    monkeypatch.undo()
    others = [row for row in of(FindingRow, analysed(record(*BATCH))) if row.rule != "C-999"]
    assert [row for row in of(FindingRow, whole) if row.rule != "C-999"] == others


@pytest.mark.interpreted("replaces a method")
def test_an_observer_that_fails_is_a_finding_and_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Observer, *arguments: object) -> list[Observation]:
        raise RuntimeError("by design")

    for method in ("receive", "lose", "close"):
        with monkeypatch.context() as patch:
            patch.setattr(Observer, method, broken)
            wire = Wire()
            packets = [
                *wire.handshake(),
                wire.packet("c", ACK, 1001, 5001, thesis(1)),
                wire.packet("c", ACK, 1001 + 300, 5001, thesis(3)),
                wire.packet("s", ACK, 5001, 2000),
            ]
            rows = analysed(pcap(*(packet.data for packet in packets), link_type=101))
        (found,) = (row for row in of(FindingRow, rows) if row.rule == "C-999")
        assert "RuntimeError: by design" in found.seen
        assert len(of(FlowRow, rows)) == 1
        assert len(of(SegmentRow, rows)) >= (0 if method == "receive" else 2)


def test_rules_across_flows_that_fail_are_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(rows: list[FlowRow]) -> None:
        raise ValueError("by design")

    monkeypatch.setattr(whole_captures, "judge_flows", broken)
    (failed,) = (row for row in of(FindingRow, analysed(record(*BATCH))) if row.rule == "C-999")
    assert (failed.flow, failed.expected) == (0, "a verdict of rule across flows")


def test_no_rule_fails_on_real_traffic() -> None:
    assert rules(list(analyse_file(JMS_CAPTURE, EVERYTHING)))["C-999"] == 0
    for number in range(1, 7):
        rows = analysed(record((IN, thesis(number))))
        assert rules(rows)["C-999"] == 0


def test_the_guard_says_nothing_where_nothing_fails() -> None:
    observer = Observer()
    told = observer.close(Ending.OPEN, Place(1.0, 1, 0))
    assert GuardedJudge([]).judge(told, observer, 1) == []
    assert GuardedJudge([]).failed("X-001", ValueError(), told[0], observer, 1) == []
