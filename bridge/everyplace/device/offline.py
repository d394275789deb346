"""A queue manager without connections: what goes to others waits, and questions to them are refused."""

from __future__ import annotations

from collections.abc import Callable

from mqbridge.bridge.everyplace.effects import Transmit
from mqbridge.bridge.everyplace.queue_manager import QueueManager

from .outside import Outside


class Offline:
    """Takes effects where there is no thread for connections; see `engine.Follower`."""

    def __init__(self, manager: QueueManager, outside: Outside, clock: Callable[[], float]) -> None:
        self._manager = manager
        self._outside = outside
        self._clock = clock

    def follow(self) -> None:
        """Do what is due, and refuse what cannot be asked."""
        now = self._clock()
        if self._manager.next_timeout() <= now:
            self._manager.timeout(now)
        for effect in self._manager.take_effects():
            if not isinstance(effect, Transmit):  # which waits
                self._outside.perform(effect)
