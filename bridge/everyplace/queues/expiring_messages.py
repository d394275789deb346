"""Messages of a queue whose time is over, and those that nobody has confirmed (mqe.md 5, E-204)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from mqbridge.bridge.everyplace.changes import Change
from mqbridge.bridge.everyplace.states import Event, State

from .entry import Entry
from .held_messages import CAN_EXPIRE, HeldMessages, Move, require_settled

_LOOK_AGAIN: Final = 1000
"""Milliseconds after which a message that has expired but is locked is looked at again."""


class Due(NamedTuple):
    """Messages that have expired. ``removable``: to be removed by `ExpiringMessages.remove`. ``in_transfer``: another
    queue manager may have them already; what becomes of them is settled with it (E-086)."""

    removable: list[Entry]
    in_transfer: list[Entry]


class ExpiringMessages:
    """Expiry of the messages of one queue. Times are milliseconds since 1970."""

    __slots__ = ("_held",)

    def __init__(self, held: HeldMessages) -> None:
        self._held = held

    def due(self, now: int) -> Due:
        """Return messages that have expired and are neither locked nor got (E-085)."""
        found = Due([], [])
        for entry in self._held.list.due(now):
            if not self._held.past(entry, now):
                self._held.note_expiry(entry)
                continue
            free = entry.change is None and entry.state in CAN_EXPIRE
            if free and not entry.reserved:
                found.removable.append(entry)
                continue
            if free:
                found.in_transfer.append(entry)
            self._held.list.expire_at(now + _LOOK_AGAIN, entry.uid)
        return found

    def remove(self, entries: Sequence[Entry], event: Event) -> Change[None]:
        """Remove messages that have expired or were transmitted. Raises `Unsettled`."""
        for entry in entries:
            require_settled(entry)
        return self._held.move_all([Move(entry, event, {}) for entry in entries], None)

    @property
    def next_deadline(self) -> int | None:
        """When `due` must be asked next."""
        return self._held.list.next_deadline

    def unconfirmed_since(self, before: int) -> list[Entry]:
        """Return messages put but not confirmed, that arrived before a time (E-204)."""
        return [each for each in self._held.list if each.state is State.PUT_UNCONFIRMED and each.arrived < before]
