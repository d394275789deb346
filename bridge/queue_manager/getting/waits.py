"""Everybody who waits for a message, at all queues: found by the end of their wait without a look at the others."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from mqbridge.protocol.constants import MQGMO

if TYPE_CHECKING:
    from mqbridge.bridge.queue_manager.queues.local_queue import LocalQueue

    from .waiter import Waiter

_FOR_MARKS: Final = int(MQGMO.UNMARKED_BROWSE_MSG)
_CLEAN_AT: Final = 64
"""Ends that are remembered before those of waits that are over are thrown away."""


class Waits:
    """Waiters and the queues at which they wait."""

    __slots__ = ("_at", "_count", "_ends", "_for_gets", "_for_marks", "_queues")

    def __init__(self) -> None:
        self._queues: dict[Waiter, LocalQueue] = {}
        self._at: dict[LocalQueue, list[Waiter]] = {}
        self._for_marks: dict[Waiter, LocalQueue] = {}
        self._for_gets: dict[Waiter, None] = {}
        self._ends: list[tuple[float, int, Waiter]] = []
        self._count = 0

    def add(self, waiter: Waiter, queue: LocalQueue) -> None:
        """A wait begins."""
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
        """Those who wait for a message at a queue, longest wait first; not a copy."""
        return self._at.get(queue, ())

    def queue_of(self, waiter: Waiter) -> LocalQueue | None:
        """The queue at which somebody waits for a message; None where the wait is over or is for something else."""
        return None if waiter.for_gets else self._queues.get(waiter)

    def pop(self, waiter: Waiter) -> LocalQueue | None:
        """A wait is over: the queue, None where it was over before."""
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
        """All waiters, longest wait first, as they are now: waits may end meanwhile."""
        return iter(list(self._queues))

    def next_end(self) -> float | None:
        """When the next wait ends."""
        ends, queues = self._ends, self._queues
        while ends and (ends[0][2] not in queues or ends[0][2].until != ends[0][0]):
            heapq.heappop(ends)
        return ends[0][0] if ends else None

    def ended(self, now: float) -> Iterator[Waiter]:
        """Waiters whose time is up; whoever takes one ends its wait."""
        while (end := self.next_end()) is not None and end <= now:
            yield heapq.heappop(self._ends)[2]

    def for_marks(self) -> set[LocalQueue]:
        """The queues at which somebody waits for messages that are not marked."""
        return set(self._for_marks.values()) if self._for_marks else set()

    def for_gets(self) -> list[Waiter]:
        """Those who wait until gets are allowed."""
        return list(self._for_gets) if self._for_gets else []

    def _remember(self, until: float, waiter: Waiter) -> None:
        self._count += 1
        ends = self._ends
        heapq.heappush(ends, (until, self._count, waiter))
        if len(ends) > _CLEAN_AT and len(ends) > 2 * len(self._queues):
            latest = {entry[2]: entry for entry in ends if entry[2] in self._queues}
            ends[:] = latest.values()
            heapq.heapify(ends)
