"""Who waits for a message on behalf of a program."""

from __future__ import annotations

from bridge.queue_manager import Waiter


class ProgramWait:
    """Owner of a `Waiter`: told when its wait has ended."""

    __slots__ = ()

    def woken(self, waiter: Waiter, reason: int, now: float) -> None:
        """A message may be there, or ``reason`` says how the wait ended."""
        raise NotImplementedError
