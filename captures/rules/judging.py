"""Observations in, findings out: every observation of a flow goes to the rules that watch its class."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Final

from mqbridge.captures.rules.catalogue import MEMO_KEYS, Judgement, KeyFunction, Rule, rules_by_observation
from mqbridge.captures.rules.finding import Deviation, Finding
from mqbridge.protocol.observer.connection import Observer
from mqbridge.protocol.observer.observations import Observation

MAX_LAWFUL: Final = 1024
"""Memo keys of one class of observations that are remembered as lawful; beyond, all are judged anew."""


class _Watch:
    """The rules of one class of observations. ``key_of``: the memo key of those that are ``repeated``, None for
    none; ``lawful``: keys for which they found nothing."""

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
    """Calls the rules. One serves many flows: of them it keeps nothing but what it looked at and found lawful.

    ``rules``: those to call, mostly all of :func:`captures.rules.load`. ``memo``: whether to spare rules what they
    have seen, which changes no finding.
    """

    def __init__(self, rules: Iterable[Rule], *, memo: bool = True) -> None:
        watched = rules_by_observation(rules)
        self._watched = {kind: _Watch(kind, rows, memo) for kind, rows in watched.items()}

    def judge(self, observations: Iterable[Observation], connection: Observer, flow: int) -> list[Finding]:
        """What the rules say of what ``connection`` has just told; ``flow``: number of its flow in the capture."""
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
    """Call ``rules``, and remember a memo ``key`` for which those that repeat themselves find nothing."""
    lawful = key is not None
    for judge, row in rules:
        if (verdict := judge(seen, connection)) is not None:
            deviations = (verdict,) if isinstance(verdict, Deviation) else tuple(verdict)
            findings += [_finding(row, seen, flow, deviation) for deviation in deviations]
            if deviations and row.number in watch.repeated:
                lawful = False
    if lawful:
        if len(watch.lawful) >= MAX_LAWFUL:
            watch.lawful.clear()
        watch.lawful.add(key)


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
