"""What was put in a unit of work, for the gets of the same unit (mqi.md 4.2 row 3).

Nobody else sees such a message, and no browse does. It gets its position when a get of its unit first comes to its
queue, and stands in the order of the queue while such a get looks for a message, with a row of its own (``OWN``) and
its body where bodies in memory are; so ids, selectors and groups find it as they find all others. What is taken is
gone whatever becomes of the unit: the store never hears of it, and what was staged for it is given back at the end.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from bridge.store.interface import StagedBody
from mappings.body import Pieces
from protocol.constants import MQGMO

from .queues.bodies import HeldBody, PartedBody, memory_of
from .queues.rows import PERSISTENT, POSITION_BYTES, as_own, deadline_of, flags_of, pack_position, position_of

if TYPE_CHECKING:
    from bridge.store.interface import Store

    from .core import Core
    from .options import GetOptions
    from .queues.local_queue import LocalQueue
    from .units_of_work import UncommittedPut, UnitOfWork

_IF_PERSISTENT: Final = int(MQGMO.SYNCPOINT_IF_PERSISTENT)


class OwnPuts:
    """The puts of one unit of work by queue, as far as gets of the unit have looked at them."""

    __slots__ = ("_new", "_puts", "_rows", "_seen", "taken")

    def __init__(self) -> None:
        self._seen = 0
        self._new: dict[LocalQueue, list[UncommittedPut]] = {}
        self._rows: dict[LocalQueue, list[bytes]] = {}
        self._puts: dict[tuple[LocalQueue, bytes], UncommittedPut] = {}
        self.taken: dict[tuple[LocalQueue, bytes], UncommittedPut] = {}
        """What gets of the unit have taken, by queue and position (eight bytes)."""

    def rows(self, unit: UnitOfWork, queue: LocalQueue) -> list[bytes]:
        """Rows of the messages on one queue in order; those that have none get it now."""
        puts = unit.puts
        for index in range(self._seen, len(puts)):
            put = puts[index]
            if not put.taken:
                self._new.setdefault(put.queue, []).append(put)
        self._seen = len(puts)
        rows = self._rows.setdefault(queue, [])
        for put in self._new.pop(queue, ()):
            put.row = put.row or pack_position(queue.new_position(put.priority)) + put.tail
            row = as_own(put.row)
            insort(rows, row)
            self._puts[queue, row[:POSITION_BYTES]] = put
        return rows

    def forget(self) -> None:
        """Puts have left the unit: all are looked at anew."""
        self._seen = 0
        self._new, self._rows, self._puts = {}, {}, {}

    def body(self, store: Store, queue: LocalQueue, row: bytes) -> HeldBody:
        """The body of a message that was not taken, as a queue holds it; the parts remain those of the put."""
        put = self._puts[queue, row[:POSITION_BYTES]]
        stored = put.stored
        if stored is None:
            assert put.held is not None  # else it is the store's
            return put.held
        if isinstance(stored, StagedBody):
            return PartedBody(
                store,
                True,
                list(stored.chunks),
                list(stored.lengths),
                bytes(stored.tail),
                bytes(stored.head),
                owned=False,
            )
        return bytes(stored) if isinstance(stored, bytes | memoryview) else Pieces(stored)

    def take(self, core: Core, queue: LocalQueue, row: bytes) -> None:
        """A get of the unit has the message; its body is the queue's from now on."""
        key = queue, row[:POSITION_BYTES]
        put = self.taken[key] = self._puts.pop(key)
        put.taken = True
        rows = self._rows[queue]
        del rows[bisect_left(rows, key[1])]
        if put.stored is not None:
            core.memory_used += memory_of(queue.memory[position_of(row)])

    def give_back(self, core: Core, queue: LocalQueue, row: bytes) -> bool:
        """The get has not been: the message is one that was put again. False if it is not one of this unit."""
        put = self.taken.pop((queue, row[:POSITION_BYTES]), None)
        if put is None:
            return False
        body = queue.memory.pop(position_of(row))
        if put.stored is not None:
            core.memory_used -= memory_of(body)
        put.taken = False
        queue.uncommitted_gets -= 1
        queue.uncommitted_puts += 1
        self.forget()
        return True


def reveal(
    core: Core, unit: UnitOfWork, queue: LocalQueue, options: GetOptions, now_ms: int, *, every: bool
) -> list[bytes]:
    """Puts the messages that the unit has put on a queue into its order, for one of its own gets; returns their rows.

    Expired ones are left out, and those that are not persistent where only persistent ones are got under syncpoint.
    Unless ``every`` one is wanted it is the first alone.
    """
    own = unit.own
    if own is None:
        own = unit.own = OwnPuts()
    found = []
    for row in own.rows(unit, queue):
        deadline = deadline_of(row)
        if deadline and deadline <= now_ms:
            continue
        if options.options & _IF_PERSISTENT and not flags_of(row) & PERSISTENT:
            continue
        found.append(row)
        if not every:
            break
    for row in found:
        queue.memory[position_of(row)] = own.body(core.store, queue, row)
    queue.restore(found)
    queue.uncommitted_puts -= len(found)
    return found


def hide(core: Core, unit: UnitOfWork, queue: LocalQueue, rows: Iterable[bytes]) -> None:
    """Takes what was revealed out of the order again; what is no longer in it was got."""
    own = unit.own
    assert own is not None  # it has revealed them
    for row in rows:
        if queue.take(row):
            queue.uncommitted_puts += 1
            del queue.memory[position_of(row)]
        else:
            own.take(core, queue, row)


def end_own(unit: UnitOfWork, now: float) -> None:
    """The unit of work ends: what it has put and got itself is no put any more."""
    own, unit.own = unit.own, None
    if own is not None and own.taken:
        unit.puts = [put for put in unit.puts if not put.taken]
        for put in own.taken.values():
            put.queue.last_put = now


def give_back_own(core: Core, units: Iterable[UnitOfWork], gets: list[tuple[LocalQueue, bytes]]) -> None:
    """Makes those of some got messages that units have put themselves messages of these units again."""
    for unit in units:
        if unit.own is not None and unit.own.taken:
            gets[:] = [got for got in gets if not unit.own.give_back(core, *got)]
