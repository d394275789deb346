"""Unique ids: MsgIds and the like, and names of dynamic queues (mqi.md 2.5, 5.3)."""

from __future__ import annotations

from typing import Final

PREFIX: Final = b"AMQ "
_NAME_LENGTH: Final = 12
_NUMBER_BITS: Final = 32


class IdSource:
    """Generator of ids from the queue manager's name, its start time and a counter.

    ``start``: the start time in whole seconds, later than that of every earlier start; the caller keeps it in the
    store. The counter carries over into the seconds.
    """

    __slots__ = ("_next", "_prefix")

    def __init__(self, queue_manager: str, start: int) -> None:
        name = queue_manager.encode("ascii", "replace")[:_NAME_LENGTH].ljust(_NAME_LENGTH)
        self._prefix = PREFIX + name
        self._next = start << _NUMBER_BITS

    def unique(self) -> int:
        """A 64-bit number, unique for this queue manager."""
        self._next += 1
        return self._next

    def message_id(self) -> bytes:
        """24 bytes: ``AMQ `` and a blank-filled part of the name, then eight bytes (mq-wire.md 9.19)."""
        self._next = number = self._next + 1
        return self._prefix + number.to_bytes(8, "big")

    def block(self, count: int) -> bytes:
        """Reserve ``count`` message ids (a power of two, at most 256) that differ only in their last byte.

        Returns the first one; its last byte is a multiple of ``count``.
        """
        first = -(-(self._next + 1) // count) * count
        self._next = first + count - 1
        return self._prefix + first.to_bytes(8, "big")

    def suffix(self) -> str:
        """16 hexadecimal digits for the name of a dynamic queue."""
        return f"{self.unique():016X}"
