"""Uncommitted puts, and gets of them in their own unit of work (mqi.md 4.2 row 3).

No other unit and no browse sees such a message. It gets its position when a get of its unit first searches its queue,
and a row with ``OWN`` (``getting.own_messages``). A message that is got this way is never stored, whether the unit is
committed or backed out; its staged parts are freed at the end.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from mqbridge.bridge.store.interface import Body as StoreBody
from mqbridge.bridge.store.interface import StagedBody
from mqbridge.mappings.body import BodyPieces

from .errors import SearchYielded
from .queues.bodies import BodyInParts, HeldBody, memory_of
from .queues.indexes import IdIndex, IdKind
from .queues.rows import GROUPED, POSITION_BYTES, as_own, flags_of, group_fields, pack_position, position_of

if TYPE_CHECKING:
    from mqbridge.bridge.store.interface import Store

    from .queues.local_queue import LocalQueue
    from .turns import Turns

_AT_ONCE: Final = 32
"""Messages that get a position between two checks of the turn."""
_PLACED: Final = 50
"""Turn units for each of them."""


class UncommittedPut:
    """A message put in a unit of work.

    ``row``: its row, empty until it has a position: when the unit is committed, or a get of the unit searches for it.
    ``tail``: the row behind the position. ``stored``: body in the store's form, None for a message that the store does
    not keep. ``held``: body of such a message. ``taken``: the unit has got it itself.
    """

    __slots__ = ("held", "priority", "queue", "row", "stored", "tail", "taken")

    def __init__(
        self,
        queue: LocalQueue,
        priority: int,
        tail: bytes,
        stored: StoreBody | None,
        held: HeldBody | None,
        row: bytes = b"",
    ) -> None:
        self.queue = queue
        self.priority = priority
        self.tail = tail
        self.stored = stored
        self.held = held
        self.row = row
        self.taken = False


class UnitMessages:
    """The messages that one unit of work has put on one queue and not got itself.

    ``rows``: in order. ``grouped``: those in groups and segments. ``fresh``: those that no get or wait has seen yet.
    """

    __slots__ = ("_indexes", "_items", "fresh", "grouped", "rows")

    def __init__(self) -> None:
        self.rows: list[bytes] = []
        self.fresh: list[bytes] = []
        self.grouped: list[bytes] = []
        self._items: dict[tuple[bytes, int, int], list[bytes]] = {}
        self._indexes: dict[IdKind, IdIndex] = {}

    def add(self, row: bytes) -> None:
        """Add a message."""
        insort(self.rows, row)
        self.fresh.append(row)
        for index in self._indexes.values():
            index.take(row)
        if flags_of(row) & GROUPED:
            insort(self.grouped, row)
            insort(self._items.setdefault(group_fields(row)[:3], []), row)

    def remove(self, row: bytes) -> None:
        """Remove a message."""
        _remove(self.rows, row)
        for index in self._indexes.values():
            index.remove(row)
        if flags_of(row) & GROUPED:
            _remove(self.grouped, row)
            _remove(self._items[group_fields(row)[:3]], row)

    def with_id(self, kind: IdKind, key: bytes) -> Iterable[bytes]:
        """Those with an id, in order."""
        index = self._indexes.get(kind)
        if index is None:
            index = self._indexes[kind] = IdIndex(kind)
            for row in self.rows:
                index.take(row)
            index.upto = None
        return index.of(key).rows(b"")

    def item(self, place: tuple[bytes, int, int]) -> list[bytes]:
        """Those with a GroupId, MsgSeqNumber and Offset, in order."""
        return self._items.get(place, [])

    def behind(self, position: bytes) -> Iterator[bytes]:
        """Those behind a position, in order."""
        for index in range(bisect_left(self.rows, position + b"\xff") if position else 0, len(self.rows)):
            yield self.rows[index]


def _remove(rows: list[bytes], row: bytes) -> None:
    del rows[bisect_left(rows, row[:POSITION_BYTES])]


class UnitPuts:
    """The puts of one unit of work by queue, for gets of the same unit."""

    __slots__ = ("_new", "_on", "_puts", "_seen", "taken")

    def __init__(self) -> None:
        self._seen = 0
        self._new: dict[LocalQueue, list[UncommittedPut]] = {}
        self._on: dict[LocalQueue, UnitMessages] = {}
        self._puts: dict[tuple[LocalQueue, bytes], UncommittedPut] = {}
        self.taken: dict[tuple[LocalQueue, bytes], UncommittedPut] = {}
        """Puts that gets of the unit have got, by queue and position (eight bytes)."""

    def on(self, puts: Sequence[UncommittedPut], queue: LocalQueue, turns: Turns | None) -> UnitMessages:
        """The unit's messages on one queue, after assigning positions to new ones.

        Raises `SearchYielded` if there are more than the turn allows.
        """
        for index in range(self._seen, len(puts)):
            put = puts[index]
            if not put.taken:
                self._new.setdefault(put.queue, []).append(put)
        self._seen = len(puts)
        found = self._on.get(queue)
        if found is None:
            found = self._on[queue] = UnitMessages()
        new = self._new.get(queue)
        while new:
            for put in new[:_AT_ONCE]:
                put.row = put.row or pack_position(queue.new_position(put.priority)) + put.tail
                row = as_own(put.row)
                found.add(row)
                self._puts[queue, row[:POSITION_BYTES]] = put
            del new[:_AT_ONCE]
            if turns is not None and new:
                turns.left -= _AT_ONCE * _PLACED
                if turns.left <= 0:
                    raise SearchYielded(queue.name)
        return found

    def forget(self) -> None:
        """Rebuild at the next query: puts have left the unit."""
        self._seen = 0
        self._new, self._on, self._puts = {}, {}, {}

    def body(self, store: Store, queue: LocalQueue, row: bytes) -> HeldBody:
        """The body of a message that was not got, as a queue holds it; its parts still belong to the put."""
        put = self._puts[queue, row[:POSITION_BYTES]]
        stored = put.stored
        if stored is None:
            assert put.held is not None  # else it is the store's
            return put.held
        if isinstance(stored, StagedBody):
            return BodyInParts(
                store,
                True,
                list(stored.chunks),
                list(stored.lengths),
                bytes(stored.tail),
                bytes(stored.head),
                owned=False,
            )
        return bytes(stored) if isinstance(stored, bytes | memoryview) else BodyPieces(stored)

    def take(self, queue: LocalQueue, row: bytes) -> int:
        """Get a message; the queue holds its body from now on. Returns the bytes by which memory in use grows."""
        key = queue, row[:POSITION_BYTES]
        put = self.taken[key] = self._puts.pop(key)
        put.taken = True
        self._on[queue].remove(row)
        return 0 if put.stored is None else memory_of(queue.memory[position_of(row)])

    def give_back(self, queue: LocalQueue, row: bytes) -> int | None:
        """Undo a get: the message counts as put again. Returns the bytes by which memory in use shrinks.

        None if the message is not one of this unit.
        """
        put = self.taken.pop((queue, row[:POSITION_BYTES]), None)
        if put is None:
            return None
        body = queue.memory.pop(position_of(row))
        put.taken = False
        queue.uncommitted_gets -= 1
        queue.uncommitted_puts += 1
        self.forget()
        return 0 if put.stored is None else memory_of(body)
