"""Waits for messages: how they begin, which message wakes whom, and how they end (mqi.md 8)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from mqbridge.bridge.queue_manager.core import Core
from mqbridge.bridge.queue_manager.effects import Wake
from mqbridge.bridge.queue_manager.options import BROWSE_OPTIONS
from mqbridge.bridge.queue_manager.queues.local_queue import LocalQueue
from mqbridge.bridge.queue_manager.queues.rows import (
    PERSISTENT,
    POSITION_BYTES,
    Row,
    flags_of,
    milliseconds,
)
from mqbridge.bridge.queue_manager.target import Target
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQGMO, MQRC

from .own_messages import hide, is_meant, own_messages, reveal
from .selection import correl_id_wanted, is_specific, select
from .waiter import Waiter

if TYPE_CHECKING:
    from mqbridge.bridge.queue_manager.turns import Steps
    from mqbridge.bridge.queue_manager.units_of_work import UnitOfWork

_FEW: Final = 1_000
"""Maximum of messages times waiters that are handled at once, not in turns."""
_LOOKED_AT: Final = 50
"""Turn units for matching one waiter with one message."""
_IF_PERSISTENT: Final = int(MQGMO.SYNCPOINT_IF_PERSISTENT)
_SYNCPOINTS: Final = int(MQGMO.SYNCPOINT | MQGMO.SYNCPOINT_IF_PERSISTENT)


def register(core: Core, queue: LocalQueue, waiter: Waiter, source: Target) -> None:
    """Register a wait at a queue; the queue is not searched."""
    waiter.queue = queue.name
    waiter.source = source
    if waiter.handle is not None and waiter.handle.selection is not waiter.options.selection:
        waiter.options = waiter.options.copy()
        waiter.options.selection = waiter.handle.selection
    waiter.correl_id = None if waiter.searches else correl_id_wanted(waiter.options)
    core.waits.add(waiter, queue)


def begin_wait(core: Core, source: Target, waiter: Waiter, now: Time) -> None:
    """Register a get that found no message; it is woken at once if there is one now (mqi.md 8).

    With ``in_turns`` the caller has just searched to the end, and the queue is not searched again. Raises `MQError`
    2016, 2161 and those of the target.
    """
    queue = source.require_gettable()
    if waiter.options.options & MQGMO.FAIL_IF_QUIESCING:
        core.require_not_quiescing()
    register(core, queue, waiter, source)
    searched = waiter.options.in_turns is not None and not waiter.options.options & MQGMO.UNMARKED_BROWSE_MSG
    if not searched and waiter.finds(queue, milliseconds(now)):
        end_wait(core, waiter, MQRC.NONE)


def register_for_gets(core: Core, waiter: Waiter, source: Target) -> None:
    """Register a wait until gets from a target are allowed again; it then ends with 2494."""
    queue = source.queue
    if queue is not None:
        waiter.queue, waiter.source, waiter.for_gets = queue.name, source, True
        core.waits.add(waiter, queue)


def end_wait(core: Core, waiter: Waiter, reason: int) -> None:
    """Remove a waiter from its queue and notify its owner."""
    queue = core.waits.pop(waiter)
    if queue is not None:
        core.emit(Wake(waiter, int(reason)))


def wake(core: Core, queue: LocalQueue, rows: Sequence[bytes], now: Time) -> None:
    """Wake one getter for each message that has become visible, preferring those that ask for an id (mqi.md 8).

    All matching browsers are woken (rows 5 and 6). Waiters for another CorrelId are skipped by comparing it, as many
    may wait for replies. Many messages with many waiters are handled in turns.
    """
    if len(rows) * queue.waiting > _FEW:
        core.turns.begin(_wake_in_turns(core, queue, rows), now)
        return
    for row in rows:
        _wake_for(core, queue, row)
        if not queue.waiting:
            return


def _wake_in_turns(core: Core, queue: LocalQueue, rows: Sequence[bytes]) -> Steps:
    yield 0
    for row in rows:
        if not queue.waiting:
            return
        if queue.find(row[:POSITION_BYTES]) is not None:
            yield _LOOKED_AT * queue.waiting
            _wake_for(core, queue, row)


def _wake_for(core: Core, queue: LocalQueue, row: bytes) -> None:
    chosen = None
    correl_id = Row(row).correl_id
    woken = []
    for waiter in core.waits.at(queue):
        if waiter.correl_id is not None and waiter.correl_id != correl_id:
            continue
        browses = waiter.browses
        if (chosen is not None and not browses and not is_specific(waiter.options)) or not waiter.wants(queue, row):
            continue
        if browses:
            woken.append(waiter)
        elif chosen is None or not is_specific(chosen.options):
            chosen = waiter
    if chosen is not None:
        woken.append(chosen)
    for waiter in woken:
        end_wait(core, waiter, MQRC.NONE)


def wake_own(core: Core, waiters: Iterable[Waiter], unit: UnitOfWork, now: Time) -> None:
    """Wake waiters under syncpoint for messages that their own unit of work has put (mqi.md 4.2 row 3)."""
    now_ms = milliseconds(now)
    offered: dict[LocalQueue, list[bytes]] = {}
    for waiter in waiters:
        queue = core.waits.queue_of(waiter)
        bits = waiter.options.options
        if queue is None or not queue.uncommitted_puts or bits & BROWSE_OPTIONS or not bits & _SYNCPOINTS:
            continue
        own = own_messages(unit, queue)
        if own.fresh:
            offered.setdefault(queue, []).extend(own.fresh)
            own.fresh.clear()
        if _own_wanted(core, unit, queue, waiter, offered.get(queue, ()), now_ms):
            end_wait(core, waiter, MQRC.NONE)


def _own_wanted(
    core: Core, unit: UnitOfWork, queue: LocalQueue, waiter: Waiter, fresh: Sequence[bytes], now_ms: int
) -> bool:
    """Whether a waiter wants one of the messages that its unit has put since the wait began."""
    options = waiter.options.at_once()
    rows = [row for row in fresh if not options.options & _IF_PERSISTENT or flags_of(row) & PERSISTENT]
    if not waiter.searches:
        return any(is_meant(core, unit, queue, options, row) for row in rows)
    if not rows:
        return False
    position = waiter.handle.state.gets if waiter.handle is not None and waiter.handle.state is not None else None
    revealed = reveal(core, unit, queue, options, now_ms, position)
    try:
        return bool(revealed) and waiter.finds(queue, now_ms)
    finally:
        hide(core, unit, queue, revealed)


def cancel(core: Core, waiter: Waiter, now: Time = 0.0) -> None:
    """Cancel a wait. If it was already woken, its message wakes another getter."""
    queue = core.waits.pop(waiter)
    if queue is not None or waiter.for_gets:
        return
    queue = core.queues.get(waiter.queue)
    if queue is not None and queue.waiting:
        first = select(queue, waiter.options.at_once())
        if first is not None:
            wake(core, queue, [first], now)


def end_all(core: Core, queue: LocalQueue, reason: int) -> None:
    """End every wait at a queue with a reason code: gets inhibited, queue deleted or changed."""
    for waiter in list(core.waits.at(queue)):
        end_wait(core, waiter, reason)


def end_inhibited(core: Core) -> None:
    """End waits through an alias from which gets are now inhibited."""
    for waiter in core.waits:
        if not waiter.for_gets and waiter.source is not None and waiter.source.get_inhibited:
            end_wait(core, waiter, MQRC.GET_INHIBITED)


def end_enabled(core: Core) -> None:
    """End waits for gets that are no longer inhibited: they are allowed, or fail for another reason."""
    for waiter in core.waits.for_gets():
        source = waiter.source
        if source is None or source.queue is None or source.queue.deleted or not source.get_inhibited:
            end_wait(core, waiter, MQRC.GET_ENABLED)


def end_on_quiesce(core: Core) -> None:
    """End waits with FAIL_IF_QUIESCING when the queue manager quiesces."""
    for waiter in core.waits:
        if waiter.options.options & MQGMO.FAIL_IF_QUIESCING:
            end_wait(core, waiter, MQRC.Q_MGR_QUIESCING)


def end_timed_out(core: Core, now: Time) -> None:
    """End waits whose interval has expired."""
    for waiter in core.waits.ended(now):
        end_wait(core, waiter, MQRC.NO_MSG_AVAILABLE)
