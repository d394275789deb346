"""JSON of ``mqbridge replay --json``, version 1, and of ``--rules --json``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from mqbridge.captures.report.summary import Summary
from mqbridge.captures.rules import Rule

VERSION: Final = 1

_FLOW: Final = (
    "client",
    "server",
    "start",
    "end",
    "kind",
    "channel",
    "queue_manager",
    "segments",
    "messages",
    "outcome",
    "reason",
)
_FINDING: Final = ("rule", "severity", "flow", "packet", "time", "title", "expected", "seen", "spec")


def report_json(summary: Summary) -> dict[str, Any]:
    """Return the report as one object.

    ``flow`` of a finding is the ``id`` of the flow; with several captures, whose flows are each numbered from 1,
    findings have ``capture`` as well. ``findings_left_out`` is present only if there are more findings than are kept.
    """
    names = summary.capture_names
    captures = [
        {"path": row.capture, "packets": row.packets, "bytes": row.bytes, "unread": row.unread}
        for row in sorted(summary.captures, key=lambda row: names[row.capture])
    ]
    flows = [
        {"id": row.flow, "capture": names[row.capture], **{key: getattr(row, key) for key in _FLOW}}
        for row in sorted(summary.flows, key=lambda row: (names[row.capture], row.flow))
    ]
    findings: list[dict[str, Any]] = []
    for row in summary.findings():
        shown = {key: getattr(row, key) for key in _FINDING}
        findings.append(shown if len(names) == 1 else {**shown, "capture": names[row.capture]})
    report = {
        "version": VERSION,
        "captures": captures,
        "flows": flows,
        "segments": summary.segments,
        "messages": summary.messages,
        "findings": findings,
        "conforms": summary.conforms,
    }
    left_out = summary.severities.total() - len(findings)
    return {**report, "findings_left_out": left_out} if left_out else report


def rules_json(rules: Iterable[Rule]) -> dict[str, Any]:
    """Return the catalogue of rules."""
    return {
        "version": VERSION,
        "rules": [
            {
                "rule": row.number,
                "severity": row.severity.value,
                "title": row.title,
                "spec": row.spec,
                "example": row.example,
                "explanation": row.explanation,
            }
            for row in rules
        ],
    }
