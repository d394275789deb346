"""The catalogue: one rule, one function, one row; and the findings of rules.

A rule watches one class of observations. Its function takes an observation and the observer that made it (which knows
the channel, the agreed values, the state) and returns a :class:`Deviation`, several, or None. The docstring explains
the rule to users; its last paragraph is an example of a finding::

    @rule("C-201", Severity.ERROR, "Sequence number out of order", spec="channels.md 5.3")
    def sequence_number(seen: MessageDiffers, connection: Observer) -> Deviation | None:
        \"\"\"Increases by one with each message.

        expected: sequence number 8; seen: 9
        \"\"\"

Numbers, by subject: C-0nn segments, C-1nn negotiation, C-2nn batches and sequence numbers, C-3nn heartbeats and ends,
C-4nn messages, C-5nn calls of clients, C-6nn security, C-7nn performance, C-9nn the capture itself. A number is never
reused for another rule.

Frequent observations mostly repeat. The *memo key* of an observation contains everything its rules look at: the judge
calls them once per key, and not again if they found nothing::

    @memo_key(MessageSeen, "C-412", "C-415")
    def what_matters(seen: MessageSeen, connection: Observer) -> Hashable: ...
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from mqbridge.protocol.observer.observations import Observation
from mqbridge.protocol.states import Member


class Severity(Member):
    """Severity of a finding, as written in reports, in the order of reports."""

    ERROR = "error"
    WARNING = "warning"
    SECURITY = "security"
    PERFORMANCE = "performance"
    INFERRED = "inferred"
    INFO = "info"


SEVERITY_RANKS: Final = {severity.value: rank for rank, severity in enumerate(Severity)}
"""Rank of a severity by its value, 0 for the worst."""


class Deviation(NamedTuple):
    """Result of a rule: what was ``expected`` and what was ``seen``, each a clause without a full stop."""

    expected: str
    seen: str


class Finding(NamedTuple):
    """Row of the table of findings.

    ``rule``: number of the rule, such as ``C-201``. ``flow``: number of the flow in its capture. ``packet``: number of
    the packet, counted as in tshark; 0 for none. ``time``: seconds since the epoch. ``spec``: section of the protocol
    notes that the rule follows.
    """

    rule: str
    severity: Severity
    flow: int
    packet: int
    time: float
    title: str
    expected: str
    seen: str
    spec: str


Verdict = Deviation | Iterable[Deviation] | None
Judgement = Callable[[Any, Any], Verdict]


@dataclass(frozen=True, slots=True)
class Rule:
    """Row of the catalogue. ``watches``: class of the observations passed to ``judge``. ``example``: of a finding."""

    number: str
    severity: Severity
    title: str
    spec: str
    example: str
    watches: type[Observation]
    judge: Judgement
    explanation: str = ""

    def finding(self, deviation: Deviation, flow: int, packet: int, time: float) -> Finding:
        """Return a deviation as a finding at a packet of a flow."""
        return Finding(self.number, self.severity, flow, packet, time, self.title, *deviation, self.spec)


CATALOGUE: Final[dict[str, Rule]] = {}
"""Rules by number, filled when the modules of this package are imported."""


def rule(number: str, severity: Severity, title: str, *, spec: str) -> Callable[[Judgement], Judgement]:
    """Enter the decorated function into the catalogue; the annotation of its first parameter says what it watches.

    Raises ``ValueError`` for a number that is taken, ``TypeError`` for a function without that annotation.
    """

    def enter(function: Judgement) -> Judgement:
        if number in CATALOGUE:
            raise ValueError(f"rule {number} is there already: {CATALOGUE[number].title}")
        watches = _annotation_of_first(function)
        if not (isinstance(watches, type) and issubclass(watches, Observation)):
            raise TypeError(f"the first parameter of {function!r} does not say which observation it watches")
        explanation, _, example = (
            " ".join(part.split()) for part in (inspect.getdoc(function) or "").rpartition("\n\n")
        )
        CATALOGUE[number] = Rule(number, severity, title, spec, example, watches, function, explanation)
        return function

    return enter


def _annotation_of_first(function: Judgement) -> Any:
    """Return the annotation of the first parameter; ``typing`` would evaluate all of them."""
    annotation = next(iter(function.__annotations__.values()), None)
    return eval(annotation, function.__globals__) if isinstance(annotation, str) else annotation


KeyFunction = Callable[[Any, Any], Hashable]


@dataclass(frozen=True, slots=True)
class MemoKey:
    """Memo key of the rules with these ``numbers``.

    ``key_of``: returns a key of an observation and its observer that differs wherever a verdict of these rules may
    differ, or None to call them in any case.
    """

    key_of: KeyFunction
    numbers: frozenset[str]


MEMO_KEYS: Final[dict[type[Observation], MemoKey]] = {}
"""Memo keys by class of observations, filled likewise."""


def memo_key(watches: type[Observation], *numbers: str) -> Callable[[KeyFunction], KeyFunction]:
    """Enter the decorated function as memo key of these rules; other rules that watch the class are always called.

    Raises ``ValueError`` for a class that has a memo key.
    """

    def enter(function: KeyFunction) -> KeyFunction:
        if watches in MEMO_KEYS:
            raise ValueError(f"there is a memo key of {watches.__name__} already")
        MEMO_KEYS[watches] = MemoKey(function, frozenset(numbers))
        return function

    return enter


def rules_by_observation(rules: Iterable[Rule]) -> dict[type[Observation], tuple[Rule, ...]]:
    """Return the rules to call for each class of observations, in the order of their numbers."""
    watched: dict[type[Observation], list[Rule]] = {}
    for row in sorted(rules, key=lambda row: row.number):
        watched.setdefault(row.watches, []).append(row)
    return {observation: tuple(rows) for observation, rows in watched.items()}
