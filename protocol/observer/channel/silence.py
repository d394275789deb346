"""Silence of the sending end (channels.md 6.1)."""

from __future__ import annotations

from typing import Final, final

from mqbridge.protocol.channel.states import State
from mqbridge.protocol.observer.overview import ObservationLog

from .ends import ChannelEnds
from .negotiation import ChannelNegotiationObserver
from .observations import LongSilence

_NEVER: Final = float("inf")
_SENDS_BY_ITSELF: Final = frozenset((State.RUNNING, State.HEARTBEATING, State.BATCH))


@final
class Silence:
    """Silence of the sending end. ``since``: start, seconds since the epoch. ``interval``: heartbeat interval in
    seconds."""

    __slots__ = ("_ends", "_log", "_negotiation", "interval", "since")

    def __init__(self, log: ObservationLog, negotiation: ChannelNegotiationObserver, ends: ChannelEnds) -> None:
        self._log, self._negotiation, self._ends = log, negotiation, ends
        self.since = _NEVER
        self.interval = _NEVER

    def agree(self, interval: int) -> None:
        """Adopt a negotiated interval in seconds, 0 for none."""
        self.interval = interval or _NEVER
        self.since = self._log.place.time

    def restart(self) -> None:
        """Restart the count, because the sending end was answered or bytes were lost."""
        self.since = max(self.since, self._log.place.time)

    def check(self, *, over: bool) -> None:
        """Report a silence longer than ``interval`` if it was the sender's turn; ``over``: the connection ended."""
        agreed, sender = self._negotiation.agreed, self._ends.sender
        if agreed is None or sender is None or not self._ends.settled:
            return
        if self._ends.states.sender not in _SENDS_BY_ITSELF:
            return
        limit = agreed.silence_limit
        if limit is not None:
            seconds, interval = self._log.place.time - self.since, agreed.heartbeat_interval
            self._log.observations.append(LongSilence(sender, self._log.place, seconds, interval, limit, over))
