"""Observations in, findings out: every observation of a flow is passed to the rules that watch its class."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Final

from mypy_extensions import mypyc_attr

from mqbridge.captures.rules.capture_faults import RuleFailed
from mqbridge.captures.rules.catalogue import (
    MEMO_KEYS,
    Deviation,
    Finding,
    Judgement,
    KeyFunction,
    Rule,
    rules_by_observation,
)
from mqbridge.protocol.observer.connection import Observer
from mqbridge.protocol.observer.observations import Observation

MAX_LAWFUL: Final = 1024
"""Memo keys of one class of observations that are remembered as lawful; beyond it all are forgotten."""

_FAILED: Final = "C-999"


class _Watch:
    """Rules of one class of observations.

    ``key_of``: function of the memo key of the rules ``repeated``, None if there is none. ``lawful``: keys for which
    these rules found nothing.
    """

    __slots__ = ("always", "key_of", "lawful", "repeated", "rules")

    def __init__(self, kind: type[Observation], rules: Iterable[Rule], memo: bool) -> None:
        self.rules: list[tuple[Judgement, Rule]] = [(row.judge, row) for row in rules]
        self.key_of: KeyFunction | None = None
        self.repeated: frozenset[str] = frozenset()
        self.lawful: set[Hashable] = set()
        if memo and (known := MEMO_KEYS.get(kind)) is not None:
            self.key_of, self.repeated = known.key_of, known.numbers
        self.always = [pair for pair in self.rules if pair[1].number not in self.repeated]


class Judge:
    """Calls rules for the observations of any number of flows.

    ``rules``: the rules to call, usually all of :func:`captures.rules.load`. ``memo``: whether to skip rules for
    observations that equal lawful ones, which changes no finding.
    """

    def __init__(self, rules: Iterable[Rule], *, memo: bool = True) -> None:
        watched = rules_by_observation(rules)
        self._watched = {kind: _Watch(kind, rows, memo) for kind, rows in watched.items()}

    def judge(self, observations: Iterable[Observation], connection: Observer, flow: int) -> list[Finding]:
        """Return the findings on observations of ``connection``; ``flow``: number of its flow in the capture."""
        findings: list[Finding] = []
        watched = self._watched.get
        for seen in observations:
            watch = watched(type(seen))
            if watch is None:
                continue
            key_of = watch.key_of
            if key_of is None:
                rules, key = watch.rules, None
            else:
                key = key_of(seen, connection)
                rules = watch.always if key in watch.lawful else watch.rules
            if rules:
                _ask(watch, rules, key, seen, connection, flow, findings)
        return findings


def _ask(
    watch: _Watch,
    rules: list[tuple[Judgement, Rule]],
    key: Hashable,
    seen: Observation,
    connection: Observer,
    flow: int,
    findings: list[Finding],
) -> None:
    """Call ``rules``, and remember a memo ``key`` for which the repeated ones find nothing."""
    lawful = key is not None
    for judge, row in rules:
        if (verdict := judge(seen, connection)) is not None:
            deviations = (verdict,) if isinstance(verdict, Deviation) else tuple(verdict)
            findings += [row.finding(deviation, flow, seen.place.packet, seen.place.time) for deviation in deviations]
            if deviations and row.number in watch.repeated:
                lawful = False
    if lawful:
        if len(watch.lawful) >= MAX_LAWFUL:
            watch.lawful.clear()
        watch.lawful.add(key)


@mypyc_attr(allow_interpreted_subclasses=True)
class GuardedJudge:
    """A :class:`Judge` that never raises: the defect of a rule becomes a finding of C-999."""

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
        failure = RuleFailed(seen.direction, seen.place, what, f"{type(error).__name__}: {error}")
        return self._each[_FAILED].judge([failure], connection, flow) if _FAILED in self._each else []

    def _one_by_one(self, observations: list[Observation], connection: Observer, flow: int) -> list[Finding]:
        findings: list[Finding] = []
        for seen in observations:
            for number, judge in self._each.items():
                try:
                    findings += judge.judge([seen], connection, flow)
                except Exception as error:
                    findings += self.failed(number, error, seen, connection, flow)
        return findings
