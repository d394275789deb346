"""All waits of a queue manager, by queue and by end; expired waits are found without a scan."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQGMO

if TYPE_CHECKING:
    from mqbridge.bridge.queue_manager.queues.local_queue import LocalQueue

    from .waiter import Waiter

_FOR_MARKS: Final = int(MQGMO.UNMARKED_BROWSE_MSG)
_CLEAN_AT: Final = 64
"""Number of recorded ends above which those of finished waits are discarded."""


class Waits:
    """Waiters, and the queues at which they wait."""

    __slots__ = ("_at", "_count", "_ends", "_for_gets", "_for_marks", "_queues")

    def __init__(self) -> None:
        self._queues: dict[Waiter, LocalQueue] = {}
        self._at: dict[LocalQueue, list[Waiter]] = {}
        self._for_marks: dict[Waiter, LocalQueue] = {}
        self._for_gets: dict[Waiter, None] = {}
        self._ends: list[tuple[float, int, Waiter]] = []
        self._count = 0

    def add(self, waiter: Waiter, queue: LocalQueue) -> None:
        """Add a wait."""
        self._queues[waiter] = queue
        if waiter.for_gets:
            self._for_gets[waiter] = None
        else:
            queue.waiting += 1
            self._at.setdefault(queue, []).append(waiter)
            if waiter.options.options & _FOR_MARKS:
                self._for_marks[waiter] = queue
        if waiter.until is not None:
            self._remember(waiter.until, waiter)

    def at(self, queue: LocalQueue) -> Sequence[Waiter]:
        """Return the waits for messages at a queue, longest first; not a copy."""
        return self._at.get(queue, ())

    def queue_of(self, waiter: Waiter) -> LocalQueue | None:
        """Return the queue at which a waiter waits for a message; None if the wait has ended or is for something
        else."""
        return None if waiter.for_gets else self._queues.get(waiter)

    def pop(self, waiter: Waiter) -> LocalQueue | None:
        """Remove a wait and return its queue; None if it had ended before."""
        queue = self._queues.pop(waiter, None)
        if queue is None:
            return None
        if waiter.for_gets:
            del self._for_gets[waiter]
            return queue
        queue.waiting -= 1
        if queue.waiting:
            self._at[queue].remove(waiter)
        else:
            del self._at[queue]
        self._for_marks.pop(waiter, None)
        return queue

    def __iter__(self) -> Iterator[Waiter]:
        """Iterate over a copy of all waiters, longest first; waits may end meanwhile."""
        return iter(list(self._queues))

    def next_end(self) -> float | None:
        """Return when the next wait ends, in seconds since the epoch; None without a limited wait."""
        ends, queues = self._ends, self._queues
        while ends and (ends[0][2] not in queues or ends[0][2].until != ends[0][0]):
            heapq.heappop(ends)
        return ends[0][0] if ends else None

    def ended(self, now: Time) -> Iterator[Waiter]:
        """Yield expired waiters; the caller must end the wait of each."""
        while (end := self.next_end()) is not None and end <= now:
            yield heapq.heappop(self._ends)[2]

    def for_marks(self) -> set[LocalQueue]:
        """Return the queues with waits for unmarked messages."""
        return set(self._for_marks.values()) if self._for_marks else set()

    def for_gets(self) -> list[Waiter]:
        """Return the waits until gets are allowed."""
        return list(self._for_gets) if self._for_gets else []

    def _remember(self, until: float, waiter: Waiter) -> None:
        self._count += 1
        ends = self._ends
        heapq.heappush(ends, (until, self._count, waiter))
        if len(ends) > _CLEAN_AT and len(ends) > 2 * len(self._queues):
            latest = {entry[2]: entry for entry in ends if entry[2] in self._queues}
            ends[:] = latest.values()
            heapq.heapify(ends)
