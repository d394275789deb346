"""Rounds of what is compared: each is warmed up until it is steady, then they alternate."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")

STEADY = 0.05
"""Difference of the last rounds, as part of their median, below which a program is warm."""
LAST = 3
"""Rounds that must differ by less."""


def is_steady(values: Sequence[float]) -> bool:
    """Whether the last three values differ by less than 5 %."""
    last = values[-LAST:]
    return len(last) == LAST and max(last) - min(last) < STEADY * statistics.median(last)


def warm(measure: Callable[[], float], most: int) -> bool:
    """Repeat a round until three in a row differ by less than 5 %, at most ``most`` times; say whether they did."""
    values: list[float] = []
    while len(values) < most:
        values.append(measure())
        if is_steady(values):
            return True
    return False


def alternating(subjects: Sequence[T], rounds: int) -> Iterator[T]:
    """The subjects of each round; every second round has them in reverse order."""
    for number in range(rounds):
        yield from reversed(subjects) if number % 2 else subjects
