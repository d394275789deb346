"""What a sending end takes from its queue ahead: the next batch, while the partner commits the one before."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

from mqbridge.bridge.agents.message_channel.sender.outgoing import Outgoing
from mqbridge.bridge.queue_manager import MQError, QueueManager, RetrievedMessage, Target, UnitOfWork

LOOK_AHEAD_BYTES: Final = 1 << 18
"""Bytes of messages after which no more are taken ahead."""
LOOK_AHEAD_AGE: Final = 1.0
"""Seconds after which messages that were taken ahead go back to the queue: their expiry is that of another time, and
others of a higher priority may have come."""


class LookAhead:
    """Messages of the next batch, got under its unit of work and ready to be sent.

    ``make``: the wire form of a message, or `MQError`. A message that has none, or that is not in memory, is taken
    too; its wire form is None then, and made when it is sent.
    """

    __slots__ = ("_make", "_manager", "_messages", "_taken_at", "count", "persistent", "unit")

    def __init__(self, manager: QueueManager, make: Callable[[RetrievedMessage], Outgoing]) -> None:
        self._manager = manager
        self._make = make
        self._messages: deque[tuple[RetrievedMessage, Outgoing | None]] = deque()
        self._taken_at = 0.0
        self.unit: UnitOfWork | None = None
        self.count = 0
        """Messages taken ahead, those excepted that have no wire form yet."""
        self.persistent = 0
        """How many of them are persistent."""

    def __bool__(self) -> bool:
        return bool(self._messages)

    def gather(self, source: Target, most: int, now: float, get_at: float) -> None:
        """Takes up to ``most`` messages as of the time ``get_at``; nothing while there are some, or where they cannot
        be got: who gets the next one meets the reason."""
        if self._messages:
            return
        self._taken_at = now
        self.unit = self._manager.begin(self)
        self.count = self.persistent = 0
        try:
            found = self._manager.get_many(source, self.unit, get_at, most=most, room=LOOK_AHEAD_BYTES)
        except MQError:
            return
        for got in found:
            ready = None
            if isinstance(got.message.body, bytes):
                try:
                    ready = self._make(got)
                except MQError:
                    ready = None
            self._messages.append((got, ready))
            if ready is not None:
                self.count += 1
                self.persistent += ready.persistent

    def adopt(self) -> UnitOfWork | None:
        """The unit of work for the batch that begins; None when nothing was taken ahead."""
        unit, self.unit = self.unit, None
        return unit

    def next(self) -> tuple[RetrievedMessage, Outgoing | None]:
        """The first message and its wire form. Raises ``IndexError`` when there is none."""
        got, ready = self._messages.popleft()
        if ready is not None:
            self.count -= 1
            self.persistent -= ready.persistent
        return got, ready

    def leave(self, unit: UnitOfWork) -> None:
        """The batch that has adopted the messages ends without those that are left: they wait for the next one."""
        if self._messages:
            self.unit = self._manager.begin(self)
            self._move(unit, self.unit)

    def stale(self, now: float) -> bool:
        """Whether the messages were taken too long ago."""
        return bool(self._messages) and not 0 <= now - self._taken_at <= LOOK_AHEAD_AGE

    def give_back(self, unit: UnitOfWork | None, now: float) -> None:
        """Puts what is left back to its places as if it had never been taken. ``unit``: who has adopted it."""
        owner, self.unit = self.unit or unit, None
        if owner is not None and self._messages:
            back = self._manager.begin(self)
            self._move(owner, back)
            self._messages.clear()
            self._manager.backout(back, now, counted=False)

    def _move(self, unit: UnitOfWork, other: UnitOfWork) -> None:
        for got, _ in reversed(self._messages):
            self._manager.move_get(unit, other, got.position)
        other.gets.reverse()
