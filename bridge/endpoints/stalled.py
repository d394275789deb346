"""Connections whose sockets take nothing: since when, and who is told when that becomes long."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol

OFTEN: Final = 0.05
SELDOM: Final = 10.0
"""Seconds between two looks, at least and at most."""


class Reader(Protocol):
    """A connection whose partner is to read what is written."""

    @property
    def peer(self) -> str:
        """Who the partner is, for the log."""
        ...

    def give_up(self) -> None:
        """Ends the connection at once."""
        ...


class Stalled:
    """Those that have stopped, by the reactor's clock.

    ``look(reader, seconds)`` is called for each now and then; it gives the seconds until it may be of interest again.
    """

    def __init__(self, reactor: Any, look: Callable[[Reader, float], float]) -> None:
        self._reactor = reactor
        self._look = look
        self._since: dict[Reader, float] = {}
        self._timer: Any = None

    def wrote(self, reader: Reader, given: int, taken: int) -> None:
        """A socket has taken so many of the bytes that were given to it."""
        if taken:
            self.ends(reader)
        if taken < given:
            self.begins(reader)

    def begins(self, reader: Reader) -> None:
        """A socket does not take all that there is."""
        self._since.setdefault(reader, self._reactor.seconds())
        if self._timer is None:
            self._again(0.0)

    def ends(self, reader: Reader) -> None:
        """It has taken everything, or is gone."""
        self._since.pop(reader, None)

    def stop(self) -> None:
        """Looks no more."""
        if self._timer is not None and self._timer.active():
            self._timer.cancel()

    def _again(self, seconds: float) -> None:
        self._timer = self._reactor.callLater(min(max(seconds, OFTEN), SELDOM), self._turn)

    def _turn(self) -> None:
        self._timer = None
        now = self._reactor.seconds()
        soonest = min((self._look(reader, now - since) for reader, since in list(self._since.items())), default=SELDOM)
        if self._since and self._timer is None:
            self._again(min(soonest, SELDOM))
