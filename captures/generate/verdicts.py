"""Comparison of our analysis of generated captures with their truth."""

from __future__ import annotations

import io
from typing import NamedTuple

from mqbridge.captures.analysis import AnalysisOptions, analyse_file
from mqbridge.captures.generate.scenario import Case, MadeCapture, Noise, capture_of
from mqbridge.captures.tables.rows import FindingRow

_FINDINGS = AnalysisOptions(tables=frozenset(("findings",)))


class Verdict(NamedTuple):
    """Result for both sides of a case.

    ``found``: whether the rule had a finding at the mark (anywhere, without a mark). ``false``: whether it had one on
    the lawful traffic. ``details``: what is wrong, empty for a right verdict.
    """

    found: bool
    false: bool
    details: str


def findings_of(made: MadeCapture) -> list[FindingRow]:
    """Return all findings on a capture."""
    rows = analyse_file(io.BytesIO(made.data), _FINDINGS, keylog=made.keylog)
    return [row for row in rows if isinstance(row, FindingRow)]


def judge_case(number: str, case: Case, seed: int = 0, *, size: int = 1, noise: Noise | None = None) -> Verdict:
    """Run both sides of the case of a rule through the complete analysis."""
    positive = capture_of(case.positive, seed, size=size, noise=noise)
    said = [(row.flow, row.packet) for row in findings_of(positive) if row.rule == number]
    places = positive.truth.places
    found = bool(said) and all(
        any(place.flow == flow and place.first <= packet <= place.last for flow, packet in said) for place in places
    )
    negative = capture_of(case.negative, seed, size=size, noise=noise)
    wrong = [row for row in findings_of(negative) if row.rule == number]
    details = [] if found else [f"expected at {list(map(tuple, places))}, said at {said}"]
    details += [f"false alarm at {(row.flow, row.packet)}: expected {row.expected}; seen {row.seen}" for row in wrong]
    return Verdict(found, bool(wrong), "; ".join(details))
