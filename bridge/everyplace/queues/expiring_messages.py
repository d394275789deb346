"""Messages of a queue whose time is over, and those that nobody has confirmed (mqe.md 5, E-204)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mqbridge.bridge.everyplace.changes import Change
from mqbridge.bridge.everyplace.states import Event, State

from .entry import Entry
from .held_messages import CAN_EXPIRE, HeldMessages, Move, require_settled

_LOOK_AGAIN: Final = 1000
"""Milliseconds after which a message that has expired but is locked is looked at again."""


class ExpiringMessages:
    """Expiry of the messages of one queue. Times are milliseconds since 1970."""

    __slots__ = ("_held",)

    def __init__(self, held: HeldMessages) -> None:
        self._held = held

    def expired(self, now: int) -> list[Entry]:
        """Return messages that have expired and are neither locked nor got, to be removed by `remove` (E-085)."""
        found = []
        for entry in self._held.list.due(now):
            if not self._held.past(entry, now):
                self._held.note_expiry(entry)
            elif entry.change is None and not entry.reserved and entry.state in CAN_EXPIRE:
                found.append(entry)
            else:
                self._held.list.expire_at(now + _LOOK_AGAIN, entry.uid)
        return found

    def remove(self, entries: Sequence[Entry], event: Event) -> Change[None]:
        """Remove messages that have expired or were transmitted. Raises `Unsettled`."""
        for entry in entries:
            require_settled(entry)
        return self._held.move_all([Move(entry, event, {}) for entry in entries], None)

    @property
    def next_deadline(self) -> int | None:
        """When `expired` must be asked next."""
        return self._held.list.next_deadline

    def unconfirmed_since(self, before: int) -> list[Entry]:
        """Return messages put but not confirmed, that arrived before a time (E-204)."""
        return [each for each in self._held.list if each.state is State.PUT_UNCONFIRMED and each.arrived < before]
