"""UIDs for new messages, over restarts too (E-037 to E-040)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mqbridge.bridge.store.interface import Operation
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.uid import MessageUid, UidClock

from .registry import Registry

CLOCK_AHEAD: Final = 1_000
"""Milliseconds by which the bound of UID times is written ahead, so that not each message writes it.

After a crash times begin at the bound; so they are that far ahead of the clock, and a backup that is restored sooner
would give UIDs again.
"""


class Identities:
    """Gives messages that are put first on the queue manager ``origin`` their UIDs."""

    def __init__(self, origin: str, registry: Registry) -> None:
        self._origin = origin
        self._clock = UidClock(registry.last_time())
        self._written = self._clock.last

    def identify(self, message: Message, now: float) -> Sequence[Operation]:
        """Give a message its UID, unless it has one. Returns what must be on disk before the message is."""
        return [] if message.uid is not None else self.identify_new(message, now)[1]

    def identify_new(self, message: Message, now: float) -> tuple[MessageUid, Sequence[Operation]]:
        """Give a message that has none its UID. Returns it, and what must be on disk before the message is."""
        time = self._clock.next(now)
        uid = MessageUid(self._origin, time)
        message.identify(uid)
        if time <= self._written:
            return uid, ()
        self._written = time + CLOCK_AHEAD
        return uid, (Registry.put_last_time(self._written),)

    def not_written(self) -> None:
        """What `identify` has returned is not on disk: it comes again with the next message."""
        self._written = 0

    def rest(self) -> Operation:
        """Return what ends the bound of times at the last one given, before a normal end."""
        self._written = self._clock.last
        return Registry.put_last_time(self._written)
