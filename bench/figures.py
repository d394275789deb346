"""Figures of benches: median and spread of rounds, one line for each, and one table of all at the end.

A bench calls `figure` (or `skipped`) for each figure that has a target. It prints a line and, where the variable
MQBRIDGE_FIGURES names a file, adds the figure to it as a line of JSON. `all` prints the table of all benches.

The spread of a figure is the range of the middle half of its rounds (between the quartiles), as part of the median. A
figure whose spread is over a quarter is unsure: it says neither that the target is reached nor that it is missed.
"""

from __future__ import annotations

import json
import os
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

UNSURE = 0.25
"""Spread above which a figure says nothing."""
FILE = "MQBRIDGE_FIGURES"
"""The variable that names the file of figures."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure: a ratio to a peer, or a value with its ``unit``.

    ``least`` and ``goal``: what is to be reached; None for none. ``lower``: whether less is better. ``skipped``: why it
    was not measured.
    """

    name: str
    peer: str
    value: float = 0.0
    spread: float = 0.0
    least: float | None = None
    goal: float | None = None
    unit: str = ""
    lower: bool = False
    skipped: str = ""

    @property
    def verdict(self) -> str:
        """What came of it: goal, reached, missed by so much, goal missed, unsure, skipped and why; or blank."""
        if self.skipped:
            return f"skipped: {self.skipped}"
        if self.spread > UNSURE:
            return "unsure"
        if self.goal is not None and self._meets(self.goal):
            return "goal"
        if self.least is None:
            return "" if self.goal is None else "goal missed"
        if self._meets(self.least):
            return "reached"
        missing = abs(self.value - self.least) / self.least
        return f"missed by {missing:.0%}"

    def _meets(self, target: float) -> bool:
        return self.value <= target if self.lower else self.value >= target

    def cells(self) -> tuple[str, ...]:
        """The row of the table."""
        value, spread = ("-", "-") if self.skipped else (_number(self.value, self.unit), f"{self.spread:.2f}")
        return (
            self.name,
            self.peer,
            value,
            spread,
            *("-" if each is None else _number(each, "") for each in (self.least, self.goal)),
            self.verdict,
        )


def _number(value: float, unit: str) -> str:
    text = f"{value:,.0f}" if value >= 100 else f"{value:.3g}" if value >= 10 else f"{value:.2f}"
    return f"{text} {unit}".rstrip()


def spread_of(values: Sequence[float]) -> float:
    """Range between the quartiles as part of the median; 0 for fewer than two values, or for a median of 0."""
    middle = statistics.median(values)
    if len(values) < 2 or not middle:
        return 0.0
    first, _, third = statistics.quantiles(values, n=4, method="inclusive")
    return (third - first) / middle


def ratios(ours: Sequence[float], theirs: Sequence[float]) -> list[float]:
    """The ratio of each round; rounds of a peer that measured nothing are left out."""
    return [mine / other for mine, other in zip(ours, theirs, strict=True) if other]


def figure(
    name: str,
    peer: str,
    values: Sequence[float],
    *,
    least: float | None = None,
    goal: float | None = None,
    unit: str = "",
    lower: bool = False,
) -> Figure:
    """Report a figure by its values in each round: print it, and add it to the file of figures."""
    found = Figure(name, peer, statistics.median(values), spread_of(values), least, goal, unit, lower)
    return _reported(found)


def skipped(name: str, peer: str, reason: str, *, least: float | None = None, goal: float | None = None) -> Figure:
    """Report a figure that was not measured, and why."""
    return _reported(Figure(name, peer, least=least, goal=goal, skipped=" ".join(reason.split())))


def _reported(found: Figure) -> Figure:
    _, _, value, spread, least, goal, verdict = found.cells()
    beside = f" of {found.peer}" if found.peer and not found.unit else ""
    print(
        f"    = {found.name}: {verdict}"
        if found.skipped
        else f"    = {found.name}: {value}{beside}, spread {spread}; at least {least}, goal {goal}: {verdict}",
        flush=True,
    )
    if file := os.environ.get(FILE):
        with Path(file).open("a", encoding="utf-8") as out:
            out.write(json.dumps(asdict(found)) + "\n")
    return found


def table(figures: Iterable[Figure]) -> str:
    """The table of figures, as text."""
    rows = [
        ("figure", "peer", "ratio", "spread", "at least", "goal", "what is missed"),
        *(each.cells() for each in figures),
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = (
            cell.rjust(width) if 2 <= at <= 5 else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        lines.append("  ".join(cells).rstrip())
    return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:]])


def load(file: Path) -> list[Figure]:
    """The figures of a file."""
    return [Figure(**json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]
