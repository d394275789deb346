"""Getting what was put in the same unit of work (mqi.md 4.2 row 3): which of it a get may mean.

Such messages stand in the order of the queue while a get of their unit looks for one, with their bodies where bodies in
memory are; so the get finds them as it finds all others. No more are put there than it may come to: the first one that
it means, the next item of its group, or where groups and segments must be whole, all items.
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
    """What a unit of work has put on a queue, for one of its gets. Raises `SearchYielded` where the turn is over."""
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
    """Put messages that the unit has put on a queue into its order, for one of its own gets; returns their rows.

    Expired ones are left out, and those that are not persistent where only persistent ones are got under syncpoint.
    ``position``: where the handle stands in a group. Raises `SearchYielded` as `matching` does.
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
    """Take what was revealed out of the order again; what is no longer in it was got."""
    own = unit.own
    assert own is not None  # it has revealed them
    for row in rows:
        if queue.take(row):
            queue.uncommitted_puts += 1
            del queue.memory[position_of(row)]
        else:
            core.memory_used += own.take(queue, row)


def give_back_own(core: Core, units: Iterable[UnitOfWork], gets: list[tuple[LocalQueue, bytes]]) -> None:
    """Make those of some got messages that units have put themselves messages of these units again."""
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
    """Whether a message that the unit has put is one that a get or a wait means by ids and selector."""
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
    """The first message that fits and that ids and selector mean, or none."""

    def shown(row: bytes, meant: Fits) -> bool:
        """Whether it is meant; a selector may look into its body meanwhile."""
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
    """Whether it is the first item of a group, or in none."""
    return not flags_of(row) & GROUPED or group_fields(row)[1:3] == FIRST
