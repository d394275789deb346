"""When other queue managers were seen, and what their clocks said (E-087)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .alarms import Alarms


@dataclass(slots=True)
class Sighting:
    """``last_seen``: seconds since the epoch, 0 for never. ``offset``: seconds that its clock is ahead."""

    last_seen: float = 0.0
    offset: float = 0.0


class Sightings:
    """``most``: seconds of difference between two clocks from which on it is an alarm; nothing is corrected."""

    def __init__(self, alarms: Alarms, most: float) -> None:
        self._alarms = alarms
        self._most = most
        self._seen: dict[str, Sighting] = {}

    def heard(self, name: str, time: int, now: float) -> None:
        """Another end has said what time it is, in milliseconds since 1970."""
        offset = time / 1000 - now
        self._seen[name] = Sighting(now, offset)
        key = ("clock", name)
        if abs(offset) <= self._most:
            self._alarms.clear(key)
        elif not self._alarms.text(key):
            word = "ahead of" if offset > 0 else "behind"
            self._alarms.raise_for(key, name, f"the clock of {name} is {abs(offset):.1f} seconds {word} this one")

    def left(self, name: str, when: float) -> None:
        """Its connection is over."""
        self._seen.setdefault(name, Sighting()).last_seen = when

    def of(self, name: str) -> Sighting:
        """Return what is known of one."""
        return self._seen.get(name, Sighting())

    def __iter__(self) -> Iterator[str]:
        return iter(self._seen)
