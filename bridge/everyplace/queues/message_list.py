"""The messages of one queue in memory: by UID, and in queue order (E-182)."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from operator import attrgetter

from mqbridge.protocol.everyplace.uid import MessageUid

from .entry import Entry


class _Order:
    """Entries in queue order: priority from 9 down to 0, then place, lowest first; also those for one target queue
    manager, "" for none."""

    __slots__ = ("_priorities",)

    def __init__(self) -> None:
        # An entry stands in one dictionary alone: a device has room for few bytes a message.
        self._priorities: dict[int, dict[str, dict[int, Entry]]] = {}

    def add(self, entry: Entry) -> None:
        """Add an entry whose place is the last of its priority."""
        self._priorities.setdefault(entry.priority, {}).setdefault(_target(entry), {})[entry.place] = entry

    def remove(self, entry: Entry) -> None:
        """Remove an entry."""
        targets, target = self._priorities[entry.priority], _target(entry)
        del targets[target][entry.place]
        if not targets[target]:
            del targets[target]
        if not targets:
            del self._priorities[entry.priority]

    def of(self, target: str) -> Iterator[Entry]:
        """Yield the entries for one target, in queue order, while nothing is added or removed."""
        for priority in sorted(self._priorities, reverse=True):
            yield from self._priorities[priority].get(target, {}).values()

    def __iter__(self) -> Iterator[Entry]:
        """All, in queue order, while nothing is added or removed."""
        for priority in sorted(self._priorities, reverse=True):
            targets = [each.values() for each in self._priorities[priority].values()]
            yield from targets[0] if len(targets) == 1 else heapq.merge(*targets, key=attrgetter("place"))


def _target(entry: Entry) -> str:
    return "" if entry.target is None else entry.target.queue_manager


class MessageList:
    """The entries of a queue."""

    __slots__ = ("_by_uid", "_count", "_deadlines", "_order", "next_place", "next_position")

    def __init__(self) -> None:
        self._by_uid: dict[str, dict[int, Entry]] = {}
        self._count = 0
        self._order = _Order()
        self._deadlines: list[tuple[int, MessageUid]] = []
        self.next_position = 1
        self.next_place = 1

    def load(self, entries: list[Entry]) -> None:
        """Take over the entries of the store, in any order."""
        for entry in sorted(entries, key=lambda each: each.place):
            self.next_position = max(self.next_position, entry.position + 1)
            self.next_place = max(self.next_place, entry.place + 1)
            self.add(entry)

    def new_position(self) -> int:
        """Return a position that no message has had since the start."""
        position = self.next_position
        self.next_position += 1
        return position

    def new_place(self) -> int:
        """Return the last place."""
        place = self.next_place
        self.next_place += 1
        return place

    def add(self, entry: Entry) -> None:
        """Add a message whose place is the last of its priority."""
        times = self._by_uid.setdefault(entry.origin, {})
        self._count += entry.time not in times
        times[entry.time] = entry
        self._order.add(entry)

    def remove(self, entry: Entry) -> None:
        """Remove a message."""
        times = self._by_uid[entry.origin]
        del times[entry.time]
        if not times:
            del self._by_uid[entry.origin]
        self._count -= 1
        self._order.remove(entry)

    def take_place(self, entry: Entry, place: int) -> None:
        """Give a message the last place of its priority."""
        self._order.remove(entry)
        entry.place = place
        self._order.add(entry)

    def find(self, uid: MessageUid) -> Entry | None:
        """Return the message with this UID."""
        times = self._by_uid.get(uid.origin)
        return None if times is None else times.get(uid.time)

    def outgoing(self, queue_manager: str = "") -> Iterator[Entry]:
        """Yield messages in queue order, those for one queue manager if it is given, while the list stays as it is."""
        return self._order.of(queue_manager) if queue_manager else iter(self._order)

    def expire_at(self, deadline: int, uid: MessageUid) -> None:
        """Note when a message expires, in milliseconds since 1970."""
        heapq.heappush(self._deadlines, (deadline, uid))

    def due(self, now: int) -> list[Entry]:
        """Return the messages whose noted time has passed, once."""
        found = []
        while self._deadlines and self._deadlines[0][0] <= now:
            entry = self.find(heapq.heappop(self._deadlines)[1])
            if entry is not None:
                found.append(entry)
        return found

    @property
    def next_deadline(self) -> int | None:
        """The earliest noted time."""
        return self._deadlines[0][0] if self._deadlines else None

    def __iter__(self) -> Iterator[Entry]:
        """In queue order, also while the list changes."""
        return iter(list(self._order))

    def __len__(self) -> int:
        return self._count
