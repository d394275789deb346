"""Isolation of rules: a defect of one becomes a finding of rule C-999."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from mqbridge.captures.rules import Finding, Judge, Rule
from mqbridge.captures.rules.capture_faults import RuleFailed
from mqbridge.protocol.observer import Observation, Observer

_FAILED: Final = "C-999"


class GuardedJudge:
    """A ``captures.rules.Judge`` that never raises."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        listed = list(rules)
        self._all = Judge(listed)
        self._each = {rule.number: Judge([rule]) for rule in listed}

    def judge(self, observations: list[Observation], connection: Observer, flow: int) -> list[Finding]:
        """Return the findings of the rules on ``observations``."""
        try:
            return self._all.judge(observations, connection, flow)
        except Exception:
            return self._one_by_one(observations, connection, flow)

    def failed(self, what: str, error: Exception, seen: Observation, connection: Observer, flow: int) -> list[Finding]:
        """Return the finding that reports a defect; ``what``: number of the rule, or ``observer``."""
        told = RuleFailed(seen.direction, seen.place, what, f"{type(error).__name__}: {error}")
        return self._each[_FAILED].judge([told], connection, flow) if _FAILED in self._each else []

    def _one_by_one(self, observations: list[Observation], connection: Observer, flow: int) -> list[Finding]:
        findings: list[Finding] = []
        for seen in observations:
            for number, judge in self._each.items():
                try:
                    findings += judge.judge([seen], connection, flow)
                except Exception as error:
                    findings += self.failed(number, error, seen, connection, flow)
        return findings
