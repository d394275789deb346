"""Gets of messages that were put in the same unit of work (mqi.md 4.2 row 3).

While a get searches, such messages are temporarily part of the queue's order, with their bodies in its memory, so it
finds them as it finds all others. Only those that it may need are inserted: the first match, the next item of its
group, or all items if groups and segments must be complete.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

from mqbridge.bridge.queue_manager.options import GetOptions
from mqbridge.bridge.queue_manager.queues.local_queue import LocalQueue
from mqbridge.bridge.queue_manager.queues.rows import (
    GROUPED,
    PERSISTENT,
    deadline_of,
    flags_of,
    group_fields,
    position_of,
)
from mqbridge.bridge.queue_manager.uncommitted_puts import UnitMessages, UnitPuts
from mqbridge.protocol.constants import MQGMO

from .groups import FIRST
from .handle_state import GroupPosition
from .selection import first_own, ids_of

if TYPE_CHECKING:
    from mqbridge.bridge.queue_manager.core import Core
    from mqbridge.bridge.queue_manager.turns import Turns
    from mqbridge.bridge.queue_manager.units_of_work import UnitOfWork

_IF_PERSISTENT: Final = int(MQGMO.SYNCPOINT_IF_PERSISTENT)
_LOGICAL: Final = int(MQGMO.LOGICAL_ORDER)
_WHOLE: Final = int(MQGMO.COMPLETE_MSG | MQGMO.ALL_MSGS_AVAILABLE | MQGMO.ALL_SEGMENTS_AVAILABLE)
Fits = Callable[[bytes], bool]


def own_messages(unit: UnitOfWork, queue: LocalQueue, turns: Turns | None = None) -> UnitMessages:
    """Return the messages that a unit of work has put on a queue. Raises `SearchYielded` at the end of the turn."""
    own = unit.own
    if own is None:
        own = unit.own = UnitPuts()
    return own.on(unit.puts, queue, turns)


def reveal(
    core: Core,
    unit: UnitOfWork,
    queue: LocalQueue,
    options: GetOptions,
    now_ms: int,
    position: GroupPosition | None = None,
) -> list[bytes]:
    """Insert uncommitted puts of a unit into the queue's order for a get of the same unit; returns their rows.

    Expired messages are left out, and with MQGMO_SYNCPOINT_IF_PERSISTENT non-persistent ones. ``position``: the
    handle's place in a group. Raises `SearchYielded` as `matching` does.
    """
    own, bits = own_messages(unit, queue, options.in_turns), options.options
    own.fresh.clear()

    def fits(row: bytes) -> bool:
        deadline = deadline_of(row)
        if deadline and deadline <= now_ms:
            return False
        return bool(not bits & _IF_PERSISTENT or flags_of(row) & PERSISTENT)

    if bits & _WHOLE:
        found = [row for row in own.grouped if fits(row)]
        found += _first(core, unit, queue, own, options, lambda row: fits(row) and not flags_of(row) & GROUPED)
    elif not bits & _LOGICAL:
        found = _first(core, unit, queue, own, options, fits)
    elif position is not None and position.current:
        found = [row for row in own.item(position.next_item) if fits(row)]
    else:
        found = _first(core, unit, queue, own, options, lambda row: fits(row) and _begins(row))
    for row in found:
        _expose(core, unit, queue, row)
    queue.restore(found)
    queue.uncommitted_puts -= len(found)
    return found


def hide(core: Core, unit: UnitOfWork, queue: LocalQueue, rows: Iterable[bytes]) -> None:
    """Remove messages that `reveal` has inserted; those no longer in the order were got."""
    own = unit.own
    assert own is not None  # it has revealed them
    for row in rows:
        if queue.take(row):
            queue.uncommitted_puts += 1
            del queue.memory[position_of(row)]
        else:
            core.memory_used += own.take(queue, row)


def give_back_own(core: Core, units: Iterable[UnitOfWork], gets: list[tuple[LocalQueue, bytes]]) -> None:
    """Return messages that a unit has both put and got to its uncommitted puts, and remove them from ``gets``."""
    for unit in units:
        if unit.own is not None and unit.own.taken:
            remaining = []
            for got in gets:
                freed = unit.own.give_back(*got)
                if freed is None:
                    remaining.append(got)
                else:
                    core.memory_used -= freed
            gets[:] = remaining


def is_meant(core: Core, unit: UnitOfWork, queue: LocalQueue, options: GetOptions, row: bytes) -> bool:
    """Whether the ids and selector of a get or wait match a message that the unit has put."""
    return bool(_first(core, unit, queue, None, options, lambda _: True, (row,)))


def _first(
    core: Core,
    unit: UnitOfWork,
    queue: LocalQueue,
    own: UnitMessages | None,
    options: GetOptions,
    fits: Fits,
    rows: Iterable[bytes] | None = None,
) -> list[bytes]:
    """Return the first message that fits and matches ids and selector, as a list of at most one row."""

    def shown(row: bytes, meant: Fits) -> bool:
        """Whether it matches; its body is in the queue's memory meanwhile, for the selector."""
        if not fits(row):
            return False
        if options.selection is None:
            return meant(row)
        _expose(core, unit, queue, row)
        try:
            return meant(row)
        finally:
            del queue.memory[position_of(row)]

    given: Iterable[bytes] | Callable[[bytes], Iterable[bytes]]
    if rows is not None:
        given = rows
    else:
        assert own is not None  # or rows are given
        narrowed = ids_of(options)
        given = own.behind if narrowed is None else own.with_id(*narrowed)
    row = first_own(queue, options, given, shown)
    return [] if row is None else [row]


def _expose(core: Core, unit: UnitOfWork, queue: LocalQueue, row: bytes) -> None:
    assert unit.own is not None  # the row is one of its messages
    queue.memory[position_of(row)] = unit.own.body(core.store, queue, row)


def _begins(row: bytes) -> bool:
    """Whether a message is the first item of a group, or in no group."""
    return not flags_of(row) & GROUPED or group_fields(row)[1:3] == FIRST
