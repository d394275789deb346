"""What came of the messages: the figures of the table, out of what was sent, counted and taken."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

COLUMNS = ("sent", "received", "duplicated", "lost", "out of order", "batches", "in-doubt resolved")


@dataclass
class Way:
    """One row of the table: what came of the messages that went one way."""

    name: str
    sent: int
    received: int = 0
    duplicated: int = 0
    lost: int = 0
    out_of_order: int = 0
    batches: int = 0
    resolved: int = 0

    @property
    def figures(self) -> tuple[int, ...]:
        """In the order of `COLUMNS`."""
        return (
            self.sent,
            self.received,
            self.duplicated,
            self.lost,
            self.out_of_order,
            self.batches,
            self.resolved,
        )

    @property
    def exact(self) -> bool:
        """Every message arrived once, in order."""
        return self.received == self.sent and not (self.duplicated or self.lost or self.out_of_order)


def follow(name: str, sent: int, arrived: Iterable[int], received: int) -> Way:
    """Compares the numbers 1 to ``sent`` with those that arrived, in the order in which they did.

    ``received``: how many arrived in all; more than ``arrived`` tells where some of them were lost again later.
    """
    row = Way(name, sent, received)
    seen: set[int] = set()
    highest = 0
    for number in arrived:
        if number in seen:
            row.duplicated += 1
        elif number < highest:
            row.out_of_order += 1
        seen.add(number)
        highest = max(highest, number)
    row.lost = max(0, sent - (received - row.duplicated))
    return row


def both_ways(sent: int, answered: int, arrived: Sequence[tuple[int, int, bool]]) -> tuple[Way, Way]:
    """The way there and the way back.

    ``answered``: the echo program's own count. ``arrived``: (number of the answer, number of the message, …). The
    echo program counts in the order in which it gets the messages: sorted by its count, the answers tell in which
    order they arrived at SATURN.
    """
    by_answer = {answer: message for answer, message, _ in arrived}
    there = follow("EARTH → SATURN", sent, [by_answer[answer] for answer in sorted(by_answer)], answered)
    back = follow("SATURN → EARTH", answered, [answer for answer, _, _ in arrived], len(arrived))
    return there, back
