"""The catalogue: one rule, one function, one row.

A rule watches one class of observations. Its function takes an observation and the observer that told it (which knows
the channel, the agreed values, the state) and returns a :class:`~captures.rules.finding.Deviation`, several, or None::

    @rule("C-201", Severity.ERROR, "Sequence number out of order", spec="channels.md 5.3",
          example="expected: sequence number 8; seen: 9")
    def sequence_number(seen: MessageDiffers, connection: Observer) -> Deviation | None: ...

Numbers, by subject: C-0nn segments, C-1nn negotiation, C-2nn batches and sequence numbers, C-3nn heartbeats and ends,
C-4nn messages, C-5nn calls of clients, C-6nn security, C-7nn performance, C-9nn the capture itself. A number is never
given to another rule.

What comes often is mostly as what came before. The *memo key* of an observation holds all that its rules look at, so
that the judge asks them once for each key, and not again where they found nothing::

    @memo_key(MessageSeen, "C-412", "C-415")
    def what_matters(seen: MessageSeen, connection: Observer) -> Hashable: ...
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from mqbridge.captures.rules.finding import Deviation, Severity
from mqbridge.protocol.observer.observations import Observation

Verdict = Deviation | Iterable[Deviation] | None
Judgement = Callable[[Any, Any], Verdict]


@dataclass(frozen=True, slots=True)
class Rule:
    """One row. ``watches``: class of the observations that the function is called with; ``example``: of a finding."""

    number: str
    severity: Severity
    title: str
    spec: str
    example: str
    watches: type[Observation]
    judge: Judgement


CATALOGUE: Final[dict[str, Rule]] = {}
"""Rule by number, filled when the modules of this package are imported."""


def rule(number: str, severity: Severity, title: str, *, spec: str, example: str) -> Callable[[Judgement], Judgement]:
    """Enter the function below into the catalogue; the annotation of its first parameter says what it watches.

    Raises ``ValueError`` for a number that is taken, ``TypeError`` for a function without that annotation.
    """

    def enter(function: Judgement) -> Judgement:
        if number in CATALOGUE:
            raise ValueError(f"rule {number} is there already: {CATALOGUE[number].title}")
        watches = _annotation_of_first(function)
        if not (isinstance(watches, type) and issubclass(watches, Observation)):
            raise TypeError(f"the first parameter of {function!r} does not say which observation it watches")
        CATALOGUE[number] = Rule(number, severity, title, spec, example, watches, function)
        return function

    return enter


def _annotation_of_first(function: Judgement) -> Any:
    """What it says of its first parameter; ``typing`` would evaluate all of them."""
    annotation = next(iter(function.__annotations__.values()), None)
    return eval(annotation, function.__globals__) if isinstance(annotation, str) else annotation


KeyFunction = Callable[[Any, Any], Hashable]


@dataclass(frozen=True, slots=True)
class MemoKey:
    """``key_of``: gives a key of an observation and its observer, which differs wherever a verdict of the rules with
    these ``numbers`` may differ; None where they are to be asked in any case."""

    key_of: KeyFunction
    numbers: frozenset[str]


MEMO_KEYS: Final[dict[type[Observation], MemoKey]] = {}
"""Memo key by class of observations, likewise."""


def memo_key(watches: type[Observation], *numbers: str) -> Callable[[KeyFunction], KeyFunction]:
    """Enter the function below as the memo key of these rules; others that watch the class are always asked.

    Raises ``ValueError`` for a class that has one.
    """

    def enter(function: KeyFunction) -> KeyFunction:
        if watches in MEMO_KEYS:
            raise ValueError(f"there is a memo key of {watches.__name__} already")
        MEMO_KEYS[watches] = MemoKey(function, frozenset(numbers))
        return function

    return enter


def rules_by_observation(rules: Iterable[Rule]) -> dict[type[Observation], tuple[Rule, ...]]:
    """The rules to call for each class of observations, by number."""
    watched: dict[type[Observation], list[Rule]] = {}
    for row in sorted(rules, key=lambda row: row.number):
        watched.setdefault(row.watches, []).append(row)
    return {observation: tuple(rows) for observation, rows in watched.items()}
