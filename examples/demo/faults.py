"""When what goes wrong: so many kills and cuts, spread over the way of the messages."""

from __future__ import annotations

from dataclasses import dataclass

from proxy import Cut


@dataclass
class Fault:
    """Something that goes wrong once ``share`` (0 to 1) of the answers are back: SATURN dies, or lines are cut."""

    share: float
    cut: Cut | None = None
    """None: SATURN is killed."""


def plan(kills: int, cuts: int) -> list[Fault]:
    """Kills and cuts, each kind evenly spread between one tenth and nine tenths of the way, in order."""
    kinds = (Cut.ANSWER, Cut.ANYWHERE, Cut.QUESTION)
    planned = [Fault(_share(index, kills)) for index in range(kills)]
    planned += [Fault(_share(index, cuts), kinds[index % len(kinds)]) for index in range(cuts)]
    return sorted(planned, key=lambda fault: fault.share)


def _share(index: int, count: int) -> float:
    return 0.1 + 0.8 * (index + 0.5) / count
