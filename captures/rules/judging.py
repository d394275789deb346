"""Observations in, findings out: every observation of a flow goes to the rules that watch its class."""

from __future__ import annotations

from collections.abc import Iterable

from captures.rules.catalogue import Rule, rules_by_observation
from captures.rules.finding import Deviation, Finding
from protocol.observer.connection import Observer
from protocol.observer.observations import Observation


class Judge:
    """Calls the rules. One serves many flows: it keeps nothing of them.

    ``rules``: those to call, mostly all of :func:`captures.rules.load`.
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        watched = rules_by_observation(rules)
        self._watched = {kind: tuple((row.judge, row) for row in rows) for kind, rows in watched.items()}

    def judge(self, observations: Iterable[Observation], connection: Observer, flow: int) -> list[Finding]:
        """What the rules say of what ``connection`` has just told; ``flow``: number of its flow in the capture."""
        findings: list[Finding] = []
        watched = self._watched.get
        for seen in observations:
            for judge, row in watched(type(seen), ()):
                if (verdict := judge(seen, connection)) is not None:
                    deviations = (verdict,) if isinstance(verdict, Deviation) else verdict
                    findings += [_finding(row, seen, flow, deviation) for deviation in deviations]
        return findings


def _finding(row: Rule, seen: Observation, flow: int, deviation: Deviation) -> Finding:
    place = seen.place
    return Finding(
        row.number,
        row.severity,
        flow,
        place.packet,
        place.time,
        row.title,
        deviation.expected,
        deviation.seen,
        row.spec,
    )
