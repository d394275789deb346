"""Messages that a queue keeps for another queue manager, as a lane sends them (E-211)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mqbridge.bridge.everyplace.states import State
from mqbridge.bridge.store.interface import Operation, RemoveMessage

from .entry import Entry
from .held_messages import HeldMessages


class OutgoingMessages:
    """What lanes may do with the messages of a queue. While one is reserved, it is not sent otherwise, and its expiry
    waits."""

    __slots__ = ("_held", "sent")

    def __init__(self, held: HeldMessages) -> None:
        self._held = held
        self.sent: Callable[[Entry], None] | None = None
        """Is called with each message that the next queue manager has (E-520)."""

    def first(self, count: int, now: int, target_queue_manager: str = "") -> list[Entry]:
        """Return the first messages that can be sent, of one target queue manager if it is given."""
        found: list[Entry] = []
        for entry in self._held.list.outgoing(target_queue_manager):
            if len(found) == count:
                break
            if _free(entry) and not self._held.expired(entry, now):
                found.append(entry)
        return found

    def at(self, positions: Sequence[int]) -> list[Entry]:
        """Return the messages at positions of the store, in this order; those that are gone are left out."""
        if not positions:
            return []
        wanted = set(positions)
        found = {entry.position: entry for entry in self._held.list if entry.position in wanted}
        return [found[position] for position in positions if position in found]

    @staticmethod
    def reserve(entries: Sequence[Entry]) -> None:
        """Keep messages for a transfer, until `release`."""
        for entry in entries:
            entry.reserved = True

    @staticmethod
    def release(entries: Sequence[Entry]) -> None:
        """End `reserve`."""
        for entry in entries:
            entry.reserved = False

    def deletes(self, entries: Sequence[Entry]) -> list[Operation]:
        """Return the operations that delete reserved messages; `forget` follows when they are committed."""
        return [RemoveMessage(self._held.number, entry.position) for entry in entries]

    def forget(self, entries: Sequence[Entry]) -> None:
        """Forget reserved messages that the store has deleted."""
        for entry in entries:
            self._held.list.remove(entry)
            if self.sent is not None:
                self.sent(entry)


def _free(entry: Entry) -> bool:
    return entry.state is State.UNLOCKED and entry.change is None and not entry.reserved
