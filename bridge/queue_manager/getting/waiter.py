"""Who waits for a message, and what for (mqi.md 8)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.handle import Handle
from mqbridge.bridge.queue_manager.options import BROWSE_OPTIONS, GetOptions
from mqbridge.bridge.queue_manager.queues.local_queue import LocalQueue
from mqbridge.bridge.queue_manager.queues.rows import deadline_of
from mqbridge.bridge.queue_manager.target import Target
from mqbridge.protocol.constants import MQGMO

from .finding import find
from .get_options import HANDLE_OPTIONS
from .selection import matches, select

_THROUGH_HANDLE: Final = HANDLE_OPTIONS | BROWSE_OPTIONS


class WaitOwner(Protocol):
    """Who waits."""

    def woken(self, waiter: Waiter, reason: int, now: float) -> None:
        """A message may be there (reason 0), or the wait has ended for a reason; see `Wake`."""
        ...


@dataclass(slots=True, eq=False)
class Waiter:
    """A get or browse that waits at a queue.

    ``owner``: told when the wait has ended. ``until``: seconds since the epoch, None for MQWI_UNLIMITED. ``options``
    tell what it waits for, whether it browses and whether it fails when the queue manager quiesces. ``queue`` is the
    name of the queue at which it waits or has waited, ``source`` the target. ``handle``: through which it will get,
    where its cursor, its marks or its place in a group decide what it waits for. ``correl_id``: the only CorrelId that
    it takes, None for any. ``for_gets``: it waits for no message, but until gets are allowed where they are inhibited.
    """

    owner: WaitOwner
    options: GetOptions = field(default_factory=GetOptions)
    until: float | None = None
    queue: str = ""
    source: Target | None = None
    handle: Handle | None = None
    correl_id: bytes | None = None
    for_gets: bool = False

    @property
    def browses(self) -> bool:
        """Whether it waits to browse; a browse with LOCK counts as a get (mqi.md 7.4)."""
        options = self.options.options
        return options & BROWSE_OPTIONS != 0 and not options & MQGMO.LOCK

    @property
    def searches(self) -> bool:
        """Whether its handle decides what it may get: its cursor, its marks or its place in a group."""
        return self.handle is not None and self.options.options & _THROUGH_HANDLE != 0

    def finds(self, queue: LocalQueue, now_ms: int) -> bool:
        """Whether there is something for it that has not expired, or it is to find that it has."""
        options = self.options if self.options.in_turns is None else replace(self.options, in_turns=None, search=None)
        if self.handle is None or not self.searches:
            row = select(queue, options)
            return row is not None and (deadline_of(row) or now_ms + 1) > now_ms
        try:
            return find(queue, self.handle, options) is not None
        except MQError:
            return True  # its call is to fail, and must be made for that

    def wants(self, queue: LocalQueue, row: bytes) -> bool:
        """Whether there is something for it because of a message that has become visible."""
        if self.handle is None or not self.searches:
            return matches(row, self.options)
        try:
            return find(queue, self.handle, self.options, row) is not None
        except MQError:
            return True
