"""Allowed differences between answers: rows with a name, fields and a reason; and the result of a comparison."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Final

from mqbridge.captures.differential.comparison import AnswerComparison, Difference
from mqbridge.captures.differential.given_values import GIVEN

Judge = Callable[[Any, Any], bool]
"""Returns whether the difference between two values is allowed."""

GIVEN_REASONS: Final = {
    "handle": "the server counts its handles as it likes",
    "token": "made by the server for each message",
    "id": "made by the queue manager for each message",
    "name": "made by the queue manager for each dynamic queue",
    "batch": "made by the sender for each batch",
    "tag": "made by the queue manager for each connection",
    "queue manager": "another queue manager",
}
"""Reasons why a value assigned by a server may differ, by its sort; it must then be used consistently."""


def _always(*_: Any) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Mask:
    """Allowed differences.

    ``fields``: patterns of keys, separated by blanks. ``answers``: pattern of descriptions of answers, ``"*"`` for all.
    ``when``: condition on the recorded and the current value. ``rule``: condition on the value proposed by the client
    and the current one, for negotiated values (channels.md 4).
    """

    name: str
    fields: str
    reason: str
    answers: str = "*"
    when: Judge = field(default=_always, kw_only=True)
    rule: Judge | None = field(default=None, kw_only=True)

    def covers(self, difference: Difference) -> bool:
        """Whether it allows a difference."""
        if not any(fnmatchcase(difference.field, pattern) for pattern in self.fields.split()):
            return False
        if not fnmatchcase(difference.where, f"*{self.answers}*"):
            return False
        if self.rule is not None and (difference.proposed is None or difference.ours is None):
            return False
        by_rule = self.rule is None or self.rule(difference.proposed, difference.ours)
        return by_rule and self.when(difference.recorded, difference.ours)


def exactly(recorded: Any, ours: Any) -> Judge:
    """Return the condition that two values are exactly these."""
    return lambda theirs, mine: (theirs, mine) == (recorded, ours)


@dataclass(slots=True)
class Tally:
    """Result of a comparison: number of equal fields, number of allowed differences by name of the mask, and the
    others."""

    equal: int = 0
    allowed: Counter[str] = field(default_factory=Counter)
    different: list[Difference] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Add another result."""
        self.equal += other.equal
        self.allowed += other.allowed
        self.different += other.different

    @property
    def fields(self) -> int:
        """Number of compared fields; a difference of whole answers counts as one."""
        return self.equal + self.allowed.total() + len(self.different)


def tally(comparison: AnswerComparison, masks: Sequence[Mask], passed: Set[int] = frozenset()) -> Tally:
    """Judge a comparison; ``passed``: types of answers whose order is ignored."""
    found = judge([*comparison.order(passed), *comparison.differences], masks)
    for key, count in comparison.mapped.items():
        found.allowed[GIVEN.get(key, key)] += count
    # Differences of whole answers are not among the fields counted.
    found.equal = comparison.compared.total() - len(comparison.differences) - comparison.mapped.total()
    return found


def judge(differences: Iterable[Difference], masks: Sequence[Mask]) -> Tally:
    """Divide differences into those that a mask allows (the first that covers it) and the others."""
    found = Tally()
    for difference in differences:
        mask = next((mask for mask in masks if mask.covers(difference)), None)
        if mask is None:
            found.different.append(difference)
        else:
            found.allowed[mask.name] += 1
    return found
