"""What rules let a network do now (E-501, E-502)."""

from __future__ import annotations

from collections.abc import Iterable

from mqbridge.bridge.everyplace.queues.queue import Queue
from mqbridge.bridge.everyplace.transmission import Transmission

from .timers import Timers


class Gates:
    """Asks the rules for the present time."""

    __slots__ = ("_timers", "_transmission")

    def __init__(self, transmission: Transmission, timers: Timers) -> None:
        self._transmission = transmission
        self._timers = timers

    def may_begin(self, queue: Queue) -> bool:
        """Whether a queue may begin to send or pull."""
        return self._transmission.may_begin(queue, self._timers.now)

    def may_go_on(self, queue: Queue) -> bool:
        """Whether a queue may go on."""
        return self._transmission.may_go_on(queue, self._timers.now)

    def any_begins(self, queues: Iterable[Queue]) -> bool:
        """Whether one of them may begin."""
        return any(map(self.may_begin, queues))

    def any_goes_on(self, queues: Iterable[Queue]) -> bool:
        """Whether one of them may go on."""
        return any(map(self.may_go_on, queues))
