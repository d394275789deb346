"""Rows of requests that have expired, removed from time to time."""

from __future__ import annotations

from functools import partial
from typing import Final

from mqbridge.bridge.agents.linking.context import LinkContext
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.calls.requests import Commit
from mqbridge.bridge.store.interface import Operation
from mqbridge.mappings.moment import Time

INTERVAL: Final = 60.0
"""Seconds between removals."""
MORE_SOON: Final = 1.0
"""Seconds until the next one if there are more rows than one transaction removes."""


class RequestTidier:
    """Removes rows that no other commit has taken along."""

    __slots__ = ("_context", "_program", "due")

    def __init__(self, context: LinkContext) -> None:
        self._context = context
        self._program = context.program()
        self.due = context.host.now + INTERVAL
        """When `turn` is due."""

    def turn(self, now: Time) -> None:
        """Remove what has expired, if it is time."""
        if now < self.due:
            return
        self.due = now + INTERVAL
        requesters = self._context.requesters
        requesters.expire(now)
        rows = tuple(requesters.removals())
        if requesters.has_removals:
            self.due = now + MORE_SOON
        if rows:
            self._program.commit(Commit(self._program.next_tag(), rows), partial(self._removed, rows), now)

    def _removed(self, rows: tuple[Operation, ...], error: MQError | None) -> None:
        if error is not None:
            self._context.requesters.give_back(rows)
