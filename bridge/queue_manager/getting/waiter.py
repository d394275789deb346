"""A waiting get or browse, and what it waits for (mqi.md 8)."""

from __future__ import annotations

from typing import Final, Protocol

from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.handle import Handle
from mqbridge.bridge.queue_manager.options import BROWSE_OPTIONS, GetOptions
from mqbridge.bridge.queue_manager.queues.local_queue import LocalQueue
from mqbridge.bridge.queue_manager.queues.rows import deadline_of
from mqbridge.bridge.queue_manager.target import Target
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQGMO

from .finding import find
from .get_options import HANDLE_OPTIONS
from .selection import matches, select

_THROUGH_HANDLE: Final = HANDLE_OPTIONS | BROWSE_OPTIONS


class WaitOwner(Protocol):
    """The owner of a wait."""

    def woken(self, waiter: Waiter, reason: int, now: Time) -> None:
        """Called when a message may be available (reason 0), or the wait has ended with a reason code; see `Wake`."""
        ...


class Waiter:
    """A get or browse that waits at a queue.

    ``owner``: notified when the wait ends. ``options``: of the get. ``until``: end of the wait in seconds since the
    epoch, None for MQWI_UNLIMITED. ``queue``: name of the queue of the current or last wait; ``source``: its target.
    ``handle``: handle of the get, if its cursor, marks or place in a group restrict the messages. ``correl_id``: the
    only CorrelId that matches, None for any. ``for_gets``: waits for gets to be allowed, not for a message.
    """

    __slots__ = ("correl_id", "for_gets", "handle", "options", "owner", "queue", "source", "until")

    def __init__(
        self,
        owner: WaitOwner,
        options: GetOptions | None = None,
        until: Time | None = None,
        *,
        handle: Handle | None = None,
    ) -> None:
        self.owner = owner
        self.options = GetOptions() if options is None else options
        self.until = until
        self.queue = ""
        self.source: Target | None = None
        self.handle = handle
        self.correl_id: bytes | None = None
        self.for_gets = False

    @property
    def browses(self) -> bool:
        """Whether it waits to browse; a browse with LOCK counts as a get (mqi.md 7.4)."""
        options = self.options.options
        return options & BROWSE_OPTIONS != 0 and not options & MQGMO.LOCK

    @property
    def searches(self) -> bool:
        """Whether cursor, marks or place in a group of its handle restrict the messages."""
        return self.handle is not None and self.options.options & _THROUGH_HANDLE != 0

    def finds(self, queue: LocalQueue, now_ms: int) -> bool:
        """Whether the queue has an unexpired message for it, or its get would fail."""
        options = self.options if self.options.in_turns is None else self.options.at_once()
        if self.handle is None or not self.searches:
            row = select(queue, options)
            return row is not None and (deadline_of(row) or now_ms + 1) > now_ms
        try:
            return find(queue, self.handle, options) is not None
        except MQError:
            return True  # the get is made again, and fails

    def wants(self, queue: LocalQueue, row: bytes) -> bool:
        """Whether a message that has become visible makes one available to it, or its get would fail."""
        if self.handle is None or not self.searches:
            return matches(row, self.options)
        try:
            return find(queue, self.handle, self.options, row) is not None
        except MQError:
            return True
