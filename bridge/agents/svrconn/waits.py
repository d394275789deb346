"""Who waits for a message on behalf of a program."""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.queue_manager import MQError, Waiter
from mqbridge.bridge.queue_manager.getting.searching import Search
from mqbridge.protocol.constants import MQGMO, MQRC

UNLIMITED: Final = -1
"""WaitInterval of a wait without end."""


class ProgramWait:
    """Owner of a `Waiter`: told when its wait has ended. ``search``: where the search for its message has come to."""

    __slots__ = ("search",)

    def __init__(self) -> None:
        self.search = Search()

    @property
    def called(self) -> bool:
        """Whether a get of a program waits, which is to be told how its wait ends; else a consumer wants messages."""
        raise NotImplementedError

    def woken(self, waiter: Waiter, reason: int, now: float) -> None:
        """A message may be there, or ``reason`` says how the wait ended."""
        raise NotImplementedError

    def search_on(self, now: float) -> None:
        """A search for a message that gave way to others goes on."""
        raise NotImplementedError

    def search_ended(self, reason: int) -> None:
        """A search for a message is over, for ``reason``."""
        raise NotImplementedError


def check_wait(options: int, interval: int) -> None:
    """Raises 2090 for a WaitInterval that is none."""
    if options & MQGMO.WAIT and interval < UNLIMITED:
        raise MQError(MQRC.WAIT_INTERVAL_ERROR, str(interval))
