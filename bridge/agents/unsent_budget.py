"""What waits for partners to take it: of all connections together, so that those who stop reading cannot fill memory.

A connection keeps 256 KiB of answers at most, and a long message is read from where it lies as the transport takes it.
When all together keep more than the limit, nothing is done for a connection that has not taken its answers, and no
long message is copied for anybody (2102).
"""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.queue_manager import MQError
from mqbridge.protocol.constants import MQRC

MAX_UNSENT: Final = 1 << 18
"""Bytes that may wait for the transport of one connection before no more is done for its partner."""
UNCOUNTED: Final = 1 << 12
"""Bytes that may wait on a connection whatever else does: most answers are shorter, and gone at once."""
DEFAULT_LIMIT: Final = 64 << 20


class UnsentBudget:
    """Bytes in memory that wait to be sent on all connections, but for a few on each, and how many may."""

    __slots__ = ("limit", "total")

    def __init__(self, limit: int = DEFAULT_LIMIT) -> None:
        self.limit = limit
        self.total = 0

    @property
    def full(self) -> bool:
        """Whether there are as many as there may be."""
        return self.total >= self.limit

    def allows(self, buffered: int) -> bool:
        """Whether more may be done for a connection for which so many bytes wait."""
        return buffered < MAX_UNSENT and not (buffered and self.total >= self.limit)

    def demand_room(self, length: int) -> None:
        """Raises `MQError` 2102 where there is no room for a copy of a message."""
        if self.total + length > max(self.limit, length):
            raise MQError(MQRC.RESOURCE_PROBLEM, f"{self.total} bytes wait to be sent ([limits] unsent)")
