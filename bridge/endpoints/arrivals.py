"""Connections of one listener: how many there are, and those that have said nothing yet."""

from __future__ import annotations

from typing import Any, Final, Protocol

FIRST_BYTES: Final = 30.0
"""Seconds within which a caller must have said something."""
MAX_SILENT: Final = 1000
"""Most connections of a listener that have said nothing. One more ends the oldest of them, so that who opens
connections and says nothing keeps nobody out."""


class Arrival(Protocol):
    """A connection of a listener."""

    def abort(self) -> None:
        """Close at once."""
        ...


class Arrivals:
    """The connections of a listener. ``most``: how many it takes, 0 for no limit; with that many, a new one ends the
    oldest silent one, and is refused where none is silent."""

    def __init__(self, reactor: Any, most: int) -> None:
        self._reactor = reactor
        self._most = most
        self._all: set[Arrival] = set()
        self._silent: dict[Arrival, Any] = {}

    def __len__(self) -> int:
        return len(self._all)

    def arrived(self, carrier: Arrival) -> None:
        """A connection is open."""
        full = 0 < self._most <= len(self._all)
        if self._silent and (full or len(self._silent) >= MAX_SILENT):
            self._end(next(iter(self._silent)))
        elif full:
            carrier.abort()
            return
        self._all.add(carrier)
        self._silent[carrier] = self._reactor.callLater(FIRST_BYTES, self._end, carrier)

    def spoke(self, carrier: Arrival) -> None:
        """A connection has said something."""
        timer = self._silent.pop(carrier, None)
        if timer is not None and timer.active():
            timer.cancel()

    def left(self, carrier: Arrival) -> None:
        """A connection is closed."""
        self.spoke(carrier)
        self._all.discard(carrier)

    def _end(self, carrier: Arrival) -> None:
        self.left(carrier)
        carrier.abort()

    def abort_all(self) -> None:
        """End all."""
        for each in list(self._all):
            self._end(each)
