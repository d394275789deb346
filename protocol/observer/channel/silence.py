"""Silence of the sending end (channels.md 6.1)."""

from __future__ import annotations

from typing import Final, final

from mqbridge.protocol.channel.states import State
from mqbridge.protocol.observer.overview import ObservationLog

from .ends import Ends
from .negotiation import Negotiation
from .observations import LongSilence

_NEVER: Final = float("inf")
_SENDS_BY_ITSELF: Final = frozenset((State.RUNNING, State.HEARTBEATING, State.BATCH))


@final
class Silence:
    """How long the sending end has said nothing. ``since``: seconds since the epoch; ``interval``: of heartbeats."""

    __slots__ = ("_ends", "_log", "_negotiation", "interval", "since")

    def __init__(self, log: ObservationLog, negotiation: Negotiation, ends: Ends) -> None:
        self._log, self._negotiation, self._ends = log, negotiation, ends
        self.since = _NEVER
        self.interval = _NEVER

    def agree(self, interval: int) -> None:
        """Go by an agreed interval, in seconds, 0 for none."""
        self.interval = interval or _NEVER
        self.since = self._log.place.time

    def restart(self) -> None:
        """The sending end was answered, or bytes were lost: count from here."""
        self.since = max(self.since, self._log.place.time)

    def check(self, *, over: bool) -> None:
        """Tell a silence longer than ``interval``, where it was the sender's turn; ``over``: the connection ended."""
        agreed, sender = self._negotiation.agreed, self._ends.sender
        if agreed is None or sender is None or not self._ends.settled:
            return
        if self._ends.states.sender not in _SENDS_BY_ITSELF:
            return
        limit = agreed.silence_limit
        if limit is not None:
            seconds, interval = self._log.place.time - self.since, agreed.heartbeat_interval
            self._log.told.append(LongSilence(sender, self._log.place, seconds, interval, limit, over))
