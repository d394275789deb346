"""Distribution lists: several queues that are opened, put to and closed as one (mqi.md 2.4, 3, 5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.opening import Handle
from mqbridge.protocol.constants import MQCC, MQOO, MQRC

MAX_DESTINATIONS: Final = 10_000
"""Destinations of one list; one more is refused with 2154."""
_NOT_FOR_LISTS: Final = int(
    MQOO.INPUT_AS_Q_DEF | MQOO.INPUT_SHARED | MQOO.INPUT_EXCLUSIVE | MQOO.BROWSE | MQOO.INQUIRE | MQOO.SET
)


@dataclass(slots=True)
class Answer:
    """How one destination fared: completion code and reason."""

    completion: int = int(MQCC.OK)
    reason: int = 0

    @property
    def failed(self) -> bool:
        """Nothing was done for it."""
        return self.completion == MQCC.FAILED

    @classmethod
    def of(cls, error: MQError) -> Answer:
        """The answer that an error gives."""
        return cls(int(error.completion), int(error.reason))

    @classmethod
    def warning(cls, reason: int) -> Answer:
        """The answer of a call that returned the reason of a warning, or 0."""
        return cls(int(MQCC.WARNING if reason else MQCC.OK), reason)


@dataclass(slots=True)
class ListOutcome:
    """What a call on a distribution list has come to.

    ``answers``: for each destination. ``known``, ``unknown``, ``invalid``: how many of them are local and succeeded,
    are remote and succeeded, and failed.
    """

    answers: list[Answer]
    known: int = 0
    unknown: int = 0
    invalid: int = 0

    @property
    def completion(self) -> int:
        """OK, WARNING where some failed or warn, FAILED where all failed."""
        if self.invalid == len(self.answers):
            return int(MQCC.FAILED)
        return max(min(each.completion, int(MQCC.WARNING)) for each in self.answers)

    @property
    def reason(self) -> int:
        """The reason that all destinations have in common, else 2136."""
        reasons = {(each.completion, each.reason) for each in self.answers}
        return reasons.pop()[1] if len(reasons) == 1 else int(MQRC.MULTIPLE_REASONS)

    @property
    def mixed(self) -> bool:
        """Whether the destinations must be asked one by one: response records are filled in then only."""
        return self.reason == MQRC.MULTIPLE_REASONS


@dataclass(slots=True, eq=False)
class DistributionList:
    """An open list. ``destinations``: open queues, or why they are not; ``closes``: closes one of them."""

    destinations: list[Handle | Answer]
    options: int
    closes: Callable[[Handle, float], object] = field(repr=False)

    @property
    def object_name(self) -> str:
        """A list has no name."""
        return ""

    def close_at_end(self, now: float) -> None:
        """The list is closed, or its connection ends."""
        for each in self.destinations:
            if isinstance(each, Handle):
                self.closes(each, now)
        self.destinations = []


def outcome_of(destinations: Sequence[Handle | Answer], answers: list[Answer]) -> ListOutcome:
    """The outcome of a call, counted."""
    outcome = ListOutcome(answers)
    for destination, answer in zip(destinations, answers, strict=True):
        if answer.failed:
            outcome.invalid += 1
        elif isinstance(destination, Handle) and destination.target.remote:
            outcome.unknown += 1
        else:
            outcome.known += 1
    return outcome


def check_list(count: int, options: int) -> None:
    """Raises 2154 for a number of destinations that cannot be, 2045 for MQOO bits that a list cannot be opened with."""
    if not 0 < count <= MAX_DESTINATIONS:
        raise MQError(MQRC.RECS_PRESENT_ERROR, str(count))
    if options & _NOT_FOR_LISTS:
        raise MQError(MQRC.OPTION_NOT_VALID_FOR_TYPE, str(MQOO(options & _NOT_FOR_LISTS)))
