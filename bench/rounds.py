"""Rounds of what is compared: each is warmed up until it is steady, then they alternate."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol, TypeVar

T = TypeVar("T")


class Rated(Protocol):
    """What a round has measured."""

    @property
    def rate(self) -> float:
        """Messages a second."""


M = TypeVar("M", bound=Rated)

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


def collect(ways: Mapping[str, Callable[[], M]], rounds: int, most: int) -> dict[str, list[M]]:
    """Warm each way up, then return what its rounds measured, by name; say which ways did not become steady."""
    for name, way in ways.items():

        def rate(way: Callable[[], M] = way) -> float:
            return way().rate

        if not warm(rate, most):
            print(f"  not steady after {most} rounds: {name}", flush=True)
    found: dict[str, list[M]] = {name: [] for name in ways}
    for name in alternating(list(ways), rounds):
        found[name].append(ways[name]())
    return found
