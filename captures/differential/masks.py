"""What may differ between two answers: rows with a name, the fields, and the reason; and the count of a comparison."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Final

from mqbridge.captures.differential.comparison import AnswerComparison, Difference
from mqbridge.captures.differential.given_values import GIVEN

Judge = Callable[[Any, Any], bool]
"""Takes two values; whether the difference between them is allowed."""

GIVEN_REASONS: Final = {
    "handle": "the server counts its handles as it likes",
    "token": "made by the server for each message",
    "id": "made by the queue manager for each message",
    "name": "made by the queue manager for each dynamic queue",
    "batch": "made by the sender for each batch",
    "tag": "made by the queue manager for each connection",
    "queue manager": "another queue manager",
}
"""Why a value that a server gives may be another one, by its sort; it must then be used throughout."""


def _always(*_: Any) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Mask:
    """Differences that are no fault.

    ``fields``: patterns of keys, separated by blanks; ``answers``: a pattern of what answers are called, ``"*"`` for
    all. ``when``: of the recorded value and the one seen; ``rule``: of the value that the client proposed and the one
    seen, for what both ends agree on (channels.md 4).
    """

    name: str
    fields: str
    reason: str
    answers: str = "*"
    when: Judge = field(default=_always, kw_only=True)
    rule: Judge | None = field(default=None, kw_only=True)

    def covers(self, difference: Difference) -> bool:
        """Whether it excuses a difference."""
        if not any(fnmatchcase(difference.field, pattern) for pattern in self.fields.split()):
            return False
        if not fnmatchcase(difference.where, f"*{self.answers}*"):
            return False
        if self.rule is not None and (difference.proposed is None or difference.ours is None):
            return False
        by_rule = self.rule is None or self.rule(difference.proposed, difference.ours)
        return by_rule and self.when(difference.recorded, difference.ours)


def exactly(recorded: Any, ours: Any) -> Judge:
    """Exactly these two values."""
    return lambda theirs, mine: (theirs, mine) == (recorded, ours)


@dataclass(slots=True)
class Tally:
    """How a comparison came out: fields that are equal, those allowed by name of the mask, and what differs."""

    equal: int = 0
    allowed: Counter[str] = field(default_factory=Counter)
    different: list[Difference] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Count another in."""
        self.equal += other.equal
        self.allowed += other.allowed
        self.different += other.different

    @property
    def fields(self) -> int:
        """How many fields were compared; a difference of whole answers counts as one."""
        return self.equal + self.allowed.total() + len(self.different)


def tally(comparison: AnswerComparison, masks: Sequence[Mask], passed: Set[int] = frozenset()) -> Tally:
    """Judge a comparison; ``passed``: types of answers whose place does not count."""
    found = judge([*comparison.order(passed), *comparison.differences], masks)
    for key, count in comparison.mapped.items():
        found.allowed[GIVEN.get(key, key)] += count
    # Differences of whole answers are none of the fields that were counted.
    found.equal = comparison.compared.total() - len(comparison.differences) - comparison.mapped.total()
    return found


def judge(differences: Iterable[Difference], masks: Sequence[Mask]) -> Tally:
    """Sort differences into what a mask allows (the first that covers it) and what not."""
    found = Tally()
    for difference in differences:
        mask = next((mask for mask in masks if mask.covers(difference)), None)
        if mask is None:
            found.different.append(difference)
        else:
            found.allowed[mask.name] += 1
    return found
