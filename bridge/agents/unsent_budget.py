"""A limit of unsent bytes of all connections together, so that partners that do not read cannot exhaust memory.

A connection buffers at most 256 KiB of replies, and a long message is read from the store as the transport takes it. If
all connections together exceed the limit, nothing is done for a connection with unsent replies, and no long message is
copied for anyone (2102).
"""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.queue_manager import MQError
from mqbridge.protocol.constants import MQRC

MAX_UNSENT: Final = 1 << 18
"""Unsent bytes of one connection above which nothing is done for its partner."""
UNCOUNTED: Final = 1 << 12
"""Unsent bytes of a connection that do not count: most replies are shorter, and sent at once."""
DEFAULT_LIMIT: Final = 64 << 20


class UnsentBudget:
    """Unsent bytes in memory of all connections, without a few for each, and their limit."""

    __slots__ = ("limit", "total")

    def __init__(self, limit: int = DEFAULT_LIMIT) -> None:
        self.limit = limit
        self.total = 0

    @property
    def full(self) -> bool:
        """Whether the limit is reached."""
        return self.total >= self.limit

    def allows(self, buffered: int) -> bool:
        """Whether work may be done for a connection with that many unsent bytes."""
        return buffered < MAX_UNSENT and not (buffered and self.total >= self.limit)

    def require_room(self, length: int) -> None:
        """Raise `MQError` 2102 if there is no room for a copy of a message."""
        if self.total + length > max(self.limit, length):
            raise MQError(MQRC.RESOURCE_PROBLEM, f"{self.total} bytes wait to be sent ([limits] unsent)")
