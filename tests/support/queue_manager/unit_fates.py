"""What programs know of their units of work, and how each may be found once their queue manager or line has failed.

A unit puts messages, each with data of its own, to a target queue and gets others from a stock. What was asked for and
what was told decides how it may be found (`FATES`): ``done`` as a whole, ``gone`` as a whole, or in ``doubt``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

FATES = {
    "open": {"gone"},
    "committing": {"gone", "done"},
    "committed": {"done"},
    "backed out": {"gone"},
    "preparing": {"gone", "doubt"},
    "prepared": {"doubt"},
    "committing branch": {"doubt", "done"},
    "rolling back branch": {"doubt", "gone"},
}
"""What was asked for or told last, and how the unit may be found."""

Xid = tuple[int, bytes, bytes]


@dataclass(slots=True)
class Unit:
    """A unit of work. ``fast``: what it put that is not persistent, and may be lost with the queue manager."""

    xid: Xid | None = None
    puts: list[bytes] = field(default_factory=list)
    gets: list[bytes] = field(default_factory=list)
    fate: str = "open"
    fast: list[bytes] = field(default_factory=list)


def judge(
    units: list[Unit],
    stocked: list[bytes],
    target: Counter[bytes],
    stock: Counter[bytes],
    doubtful: set[Xid],
    strays: int = 0,
) -> Iterator[str]:
    """Compares what the programs know with what is on the queues; sets the fate of each unit to what is found.

    ``strays``: gets outside of units of work whose reply never came; each may have taken a message for good.
    """
    takers: Counter[bytes] = Counter()
    for unit in units:
        found = _found(unit, target, doubtful)
        if found not in FATES[unit.fate]:
            yield f"{_name(unit.puts[0])}: {unit.fate}, and {found}"
        for data in unit.fast:
            if target[data] > (found == "done"):
                yield f"{_name(data)}: there {target[data]}, of a unit that is {found}"
        unit.fate = {"done": "committed", "gone": "backed out"}.get(found, unit.fate)
        if found != "gone":
            takers.update(unit.gets)
    known = {data for unit in units for data in unit.puts + unit.fast}
    yield from (f"{_name(data)} came from nowhere" for data in target if data not in known)
    for data in stocked:
        count = stock[data] + takers[data]
        if not count and strays:
            strays -= 1
        elif count != 1:
            yield f"{_name(data)}: there {stock[data]}, taken {takers[data]}"
    yield from (f"{xid} is in doubt, and nobody's" for xid in doubtful - {unit.xid for unit in units})


def _found(unit: Unit, target: Counter[bytes], doubtful: set[Xid]) -> str:
    counts = {target[data] for data in unit.puts} or {0}
    if unit.xid in doubtful:
        return "doubt" if counts == {0} else "in doubt, and visible"
    return {(0,): "gone", (1,): "done"}.get(tuple(sorted(counts)), f"there {sorted(counts)}")


def _name(data: bytes) -> str:
    return data.decode().strip(". ")
