"""Distribution lists: queues that are opened, put to and closed together (mqi.md 2.4, 3, 5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from mqbridge.bridge.queue_manager.calls.outcomes import DestinationOutcome, ListOutcome
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.handle import Handle
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQOO, MQRC

MAX_DESTINATIONS: Final = 10_000
"""Destinations of one list; one more is refused with 2154."""
_NOT_FOR_LISTS: Final = int(
    MQOO.INPUT_AS_Q_DEF | MQOO.INPUT_SHARED | MQOO.INPUT_EXCLUSIVE | MQOO.BROWSE | MQOO.INQUIRE | MQOO.SET
)


@dataclass(slots=True, eq=False)
class DistributionList:
    """An open distribution list. ``destinations``: open queues, or why one is not open. ``closes``: closes a queue."""

    destinations: list[Handle | DestinationOutcome]
    options: int
    closes: Callable[[Handle, Time], object] = field(repr=False)

    @property
    def object_name(self) -> str:
        """Blank: a distribution list has no name."""
        return ""

    def close_at_end(self, now: Time) -> None:
        """Close all destinations: the list is closed, or its connection ends."""
        for each in self.destinations:
            if isinstance(each, Handle):
                self.closes(each, now)
        self.destinations = []


def outcome_of(
    destinations: Sequence[Handle | DestinationOutcome], answers: Sequence[DestinationOutcome]
) -> ListOutcome:
    """The outcome of a call: its answers, and how many destinations are local, remote and failed."""
    failed = sum(answer.failed for answer in answers)
    remote = sum(
        isinstance(destination, Handle) and destination.target.remote and not answer.failed
        for destination, answer in zip(destinations, answers, strict=True)
    )
    return ListOutcome(tuple(answers), len(answers) - failed - remote, remote, failed)


def check_list(count: int, options: int) -> None:
    """Raise `MQError` 2154 for an invalid number of destinations, 2045 for MQOO bits other than those for output."""
    if not 0 < count <= MAX_DESTINATIONS:
        raise MQError(MQRC.RECS_PRESENT_ERROR, str(count))
    if options & _NOT_FOR_LISTS:
        raise MQError(MQRC.OPTION_NOT_VALID_FOR_TYPE, str(MQOO(options & _NOT_FOR_LISTS)))
