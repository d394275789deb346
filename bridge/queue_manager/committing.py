"""Committing and backing out units of work (mqi.md 16.1)."""

from __future__ import annotations

from collections.abc import Generator, Hashable, Sequence
from typing import Final

from mqbridge.bridge.store.interface import (
    AddMessage,
    ChangeMessage,
    Operation,
    RemoveMessage,
    StagedBody,
    StoreError,
)
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQRC

from .core import Core
from .errors import MQError
from .putting.publication import give_back, publish
from .queues.bodies import memory_of, release
from .queues.local_queue import LocalQueue
from .queues.rows import (
    FLAGS,
    OWN,
    PERSISTENT,
    STORED,
    flags_of,
    pack_position,
    position_and_flags,
    position_of,
    with_backout,
)
from .turns import Steps
from .uncommitted_puts import UncommittedPut
from .units_of_work import PendingCommit, UnitOfWork, UnitState

_ACTIVE: Final = UnitState.ACTIVE  # a module global is faster than an enum member


def require_active(unit: UnitOfWork) -> None:
    """Raise `MQError` 2003 if the unit has ended or is being committed."""
    if unit.state is not UnitState.ACTIVE:
        raise MQError(MQRC.BACKED_OUT, f"the unit of work is {unit.state.value}")


def require_room(core: Core, unit: UnitOfWork) -> None:
    """Raise `MQError` 2024 if the unit has reached MAXUMSGS, 2003 if it has ended."""
    if unit.state is not _ACTIVE:
        require_active(unit)
    if len(unit.puts) + len(unit.gets) >= core.max_uncommitted and not unit.implicit:
        raise MQError(MQRC.SYNCPOINT_LIMIT_REACHED, str(core.max_uncommitted))


def durable_operations(unit: UnitOfWork, now: Time) -> list[Operation]:
    """Assign positions to the puts of a unit. Returns the operations of the store that commit it."""
    operations: list[Operation] = []
    if unit.own is not None:
        _end_own(unit, now)
    for put in unit.puts:
        queue, row = put.queue, put.row
        if row:
            position = position_of(row)
        else:
            position = queue.new_position(put.priority)
            put.row = row = pack_position(position) + put.tail
        if put.stored is not None and not queue.deleted:
            operations.append(AddMessage(queue.number, position, row, put.stored))
    for queue, row in unit.gets:
        position, flags = position_and_flags(row)
        if flags & STORED and not queue.deleted:
            operations.append(RemoveMessage(queue.number, position))
    return operations


def _end_own(unit: UnitOfWork, now: Time) -> None:
    """Drop the puts that the unit has got itself, before it ends."""
    own, unit.own = unit.own, None
    if own is not None and own.taken:
        unit.puts = [put for put in unit.puts if not put.taken]
        for put in own.taken.values():
            put.queue.last_put = now


def commit(core: Core, unit: UnitOfWork, now: Time, rows: Sequence[Operation] = ()) -> PendingCommit | None:
    """Commit the puts and gets of a unit, and ``rows`` of the caller's own.

    Returns the transaction for the host; None if the store has nothing to do and the commit is complete. Raises
    `MQError` 2003.
    """
    if unit.working:
        unit.pending = PendingCommit(list(rows), unit)
        return unit.pending
    if unit.state is not _ACTIVE:
        require_active(unit)
    operations = durable_operations(unit, now)
    operations.extend(rows)
    if not operations:
        _complete(core, unit, now)
        return None
    unit.state = UnitState.COMMITTING
    pending = PendingCommit(operations, unit)
    core.commits.append(pending)
    return pending


def work_in_turns(
    core: Core, unit: UnitOfWork, work: Generator[int, Time, int], now: Time, order: Hashable
) -> int | None:
    """Run a task of a unit in turns, after those of the same ``order``; a commit of the unit waits for its end.

    Returns the result of the task, None while it is unfinished. Raises its `MQError` if it ends at once; a later one is
    the outcome of the commit.
    """
    found: list[int] = []
    errors: list[MQError] = []

    def steps() -> Steps:
        yield 0
        try:
            found.append((yield from work))
        except MQError as error:
            errors.append(error)
        unit.working = False
        pending, unit.pending = unit.pending, None
        if pending is None:
            return  # the call that began the task has not returned yet
        if errors:
            pending.decided(errors[0])
            return
        pending.found = found[0]
        pending.operations[:0] = durable_operations(unit, now)
        if pending.operations:
            unit.state = UnitState.COMMITTING
            core.commits.append(pending)
            return
        _complete(core, unit, now)
        pending.decided(None)

    unit.working = True
    core.turns.begin(steps(), now, order)
    if errors:
        raise errors[0]
    return found[0] if found else None


def committed(core: Core, pending: PendingCommit, error: StoreError | None, now: Time) -> None:
    """Complete or undo a transaction after the store's answer."""
    unit = pending.unit
    if error is None:
        if unit is not None:
            _complete(core, unit, now)
        pending.decided(None)
        return
    outcome = core.store_error(error, "commit")
    if unit is not None:
        if not unit.implicit:
            outcome = MQError(MQRC.BACKED_OUT, outcome.detail)
        unit.state = UnitState.ACTIVE
        if not unit.stays:
            backout(core, unit, now, counted=not unit.implicit)
    pending.decided(outcome)


def _complete(core: Core, unit: UnitOfWork, now: Time) -> None:
    unit.state = UnitState.COMMITTED
    for queue, row in unit.gets:
        queue.uncommitted_gets -= 1
        queue.last_get = now
        if not row[FLAGS] & STORED:
            held = queue.forget_body(row)
            if held is not None:
                core.memory_used -= release(core.store, held)
    arrivals: dict[LocalQueue, list[bytes]] = {}
    for put in unit.puts:
        queue = put.queue
        queue.uncommitted_puts -= 1
        if queue.deleted:
            _free(core, put)
            continue
        if put.held is not None:
            queue.memory[position_of(put.row)] = put.held
        rows = arrivals.get(queue)
        if rows is None:
            arrivals[queue] = [put.row]
        else:
            rows.append(put.row)
    unit.puts, unit.gets = [], []
    for queue, rows in arrivals.items():
        publish(core, queue, rows, now)


def backout(core: Core, unit: UnitOfWork, now: Time, *, counted: bool = True) -> None:
    """Back out a unit: drop its puts and return got messages to their positions. ``counted``: increment BackoutCount.

    The count of a persistent message is hardened (mqi.md 4.4). A unit that is being committed, or has ended, is not
    changed.
    """
    if unit.state is not UnitState.ACTIVE:
        return
    unit.state = UnitState.BACKED_OUT
    if unit.own is not None:
        _end_own(unit, now)
    for put in unit.puts:
        put.queue.uncommitted_puts -= 1
        _free(core, put)
    returns: dict[LocalQueue, list[bytes]] = {}
    changes: list[Operation] = []
    for queue, row in unit.gets:
        queue.uncommitted_gets -= 1
        if queue.deleted:
            continue
        if flags_of(row) & OWN:
            held = queue.forget_body(row)
            core.memory_used -= 0 if held is None else release(core.store, held)
            continue
        if counted:
            row = with_backout(row)
            if flags_of(row) & (STORED | PERSISTENT) == STORED | PERSISTENT:
                changes.append(ChangeMessage(queue.number, position_of(row), row))
        returns.setdefault(queue, []).append(row)
    unit.puts, unit.gets = [], []
    if changes:
        core.submit(changes)  # if this fails it is logged, and only the hardened count is lost
    for queue, rows in returns.items():
        give_back(core, queue, rows, now)


def _free(core: Core, put: UncommittedPut) -> None:
    """Free the stored parts of the body of a put that is dropped."""
    if put.held is not None:
        core.memory_used -= memory_of(put.held)
        release(core.store, put.held)
    elif isinstance(put.stored, StagedBody):
        core.store.staged.drop(put.stored.chunks)


def retract(core: Core, unit: UnitOfWork, count: int) -> None:
    """Drop the puts of an active unit of work after the first ``count``: the call that made them has failed."""
    for put in unit.puts[count:]:
        put.queue.uncommitted_puts -= 1
        _free(core, put)
    del unit.puts[count:]
