"""Ids that are never given twice: message ids and the like, and names of dynamic queues (mqi.md 2.5, 5.3)."""

from __future__ import annotations

from typing import Final

PREFIX: Final = b"AMQ "
_NAME_LENGTH: Final = 12
_NUMBER_BITS: Final = 32


class IdSource:
    """Makes ids out of the queue manager's name, its start time and a counter.

    ``start`` is the time of the start in whole seconds, or one more than that of the start before, whichever is
    later: the host of the source keeps it in the store. The counter carries over into the seconds.
    """

    __slots__ = ("_next", "_prefix")

    def __init__(self, queue_manager: str, start: int) -> None:
        name = queue_manager.encode("ascii", "replace")[:_NAME_LENGTH].ljust(_NAME_LENGTH)
        self._prefix = PREFIX + name
        self._next = start << _NUMBER_BITS

    def unique(self) -> int:
        """A 64-bit number that this source has not given before."""
        self._next += 1
        return self._next

    def message_id(self) -> bytes:
        """24 bytes: ``AMQ `` and a blank-filled part of the name, then eight bytes (mq-wire.md 9.19)."""
        self._next = number = self._next + 1
        return self._prefix + number.to_bytes(8, "big")

    def block(self, count: int) -> bytes:
        """The first of ``count`` message ids (a power of two, 256 at most) that differ in their last byte alone, from
        a multiple of ``count`` on; nobody else gets them."""
        first = -(-(self._next + 1) // count) * count
        self._next = first + count - 1
        return self._prefix + first.to_bytes(8, "big")

    def suffix(self) -> str:
        """16 hexadecimal digits for the name of a dynamic queue."""
        return f"{self.unique():016X}"
