"""Committing and backing out units of work (mqi.md 16.1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, Final

from mqbridge.bridge.store.interface import (
    AddMessage,
    ChangeMessage,
    Operation,
    RemoveMessage,
    StagedBody,
    StoreError,
)
from mqbridge.protocol.constants import MQRC

from .core import Core
from .errors import MQError
from .own_puts import end_own
from .putting.publication import give_back, publish
from .queues.bodies import memory_of, release
from .queues.local_queue import LocalQueue
from .queues.rows import OWN, PERSISTENT, STORED, flags_of, pack_position, position_and_flags, position_of, with_backout
from .units_of_work import PendingCommit, Then, UncommittedPut, UnitOfWork, UnitState

_ACTIVE: Final = UnitState.ACTIVE  # a name of our own is looked up at once, a member of an enum is not


def require_active(unit: UnitOfWork) -> None:
    """Raises 2003 when the unit has ended or is being committed."""
    if unit.state is not UnitState.ACTIVE:
        raise MQError(MQRC.BACKED_OUT, f"the unit of work is {unit.state.value}")


def require_room(core: Core, unit: UnitOfWork) -> None:
    """Raises 2024 when the unit may hold no more messages, 2003 when it has ended."""
    if unit.state is not _ACTIVE:
        require_active(unit)
    if len(unit.puts) + len(unit.gets) >= core.max_uncommitted and not unit.implicit:
        raise MQError(MQRC.SYNCPOINT_LIMIT_REACHED, str(core.max_uncommitted))


def durable_operations(unit: UnitOfWork, now: float) -> list[Operation]:
    """Gives the puts of a unit their positions; returns what the store must do when it is committed."""
    operations: list[Operation] = []
    if unit.own is not None:
        end_own(unit, now)
    for put in unit.puts:
        if put.row:
            position = position_of(put.row)
        else:
            position = put.queue.new_position(put.priority)
            put.row = pack_position(position) + put.tail
        if put.stored is not None and not put.queue.deleted:
            operations.append(AddMessage(put.queue.number, position, put.row, put.stored))
    for queue, row in unit.gets:
        position, flags = position_and_flags(row)
        if flags & STORED and not queue.deleted:
            operations.append(RemoveMessage(queue.number, position))
    return operations


def commit(
    core: Core, unit: UnitOfWork, now: float, then: Then | None = None, extra_operations: Sequence[Operation] = ()
) -> None:
    """Gives puts their positions and hands what the store must do to the host; done at once if that is nothing."""
    require_active(unit)
    operations = durable_operations(unit, now)
    operations.extend(extra_operations)
    if operations:
        unit.state = UnitState.COMMITTING
        core.commits.append(PendingCommit(operations, unit, then))
        return
    _complete(core, unit, now)
    if then is not None:
        then(None)


def committed(core: Core, pending: PendingCommit, error: StoreError | None, now: float) -> None:
    """Carries on after the store has answered."""
    unit = pending.unit
    outcome: MQError | None = None
    if error is not None:
        outcome = core.store_error(error, "commit")
        if unit is not None and not unit.implicit:
            outcome = MQError(MQRC.BACKED_OUT, outcome.detail)
    if unit is not None:
        if error is None:
            _complete(core, unit, now)
        else:
            unit.state = UnitState.ACTIVE
            if not unit.stays:
                backout(core, unit, now)
    if pending.then is not None:
        pending.then(outcome)


def _complete(core: Core, unit: UnitOfWork, now: float) -> None:
    unit.state = UnitState.COMMITTED
    for queue, row in unit.gets:
        queue.uncommitted_gets -= 1
        queue.last_get = now
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


def backout(core: Core, unit: UnitOfWork, now: float, *, counted: bool = True) -> None:
    """Takes puts back and returns got messages to their places, with BackoutCount one higher where ``counted``.

    The count of a persistent message is hardened (mqi.md 4.4). A unit that is being committed goes on, one that has
    ended stays as it is.
    """
    if unit.state is not UnitState.ACTIVE:
        return
    unit.state = UnitState.BACKED_OUT
    if unit.own is not None:
        end_own(unit, now)
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
        core.submit(changes, _ignore)
    for queue, rows in returns.items():
        give_back(core, queue, rows, now)


def _ignore(error: MQError | None) -> None:
    """A count that could not be hardened was logged; the message itself is unharmed."""


def _free(core: Core, put: UncommittedPut) -> None:
    """Gives back what the body of a put that does not happen has outside memory."""
    if put.held is not None:
        core.memory_used -= memory_of(put.held)
        release(core.store, put.held)
    elif isinstance(put.stored, StagedBody):
        core.store.staged.drop(put.stored.chunks)


def retract(core: Core, unit: UnitOfWork, count: int) -> None:
    """Takes back the puts of an active unit of work behind the first ``count``: the call that made them has failed."""
    for put in unit.puts[count:]:
        put.queue.uncommitted_puts -= 1
        _free(core, put)
    del unit.puts[count:]


def stored_positions(unit: UnitOfWork, queue_name: str) -> list[int]:
    """Positions of the stored messages that the unit has got from one queue, in the order of the gets."""
    found = [position_and_flags(row) for queue, row in unit.gets if queue.name == queue_name]
    return [position for position, flags in found if flags & STORED]


def hold(core: Core, queue_name: str, positions: Iterable[int], owner: Any) -> UnitOfWork:
    """A unit that has got the messages at some positions, as far as they are there."""
    unit = UnitOfWork(owner)
    queue = core.queues.get(queue_name)
    if queue is None:
        return unit
    for position in positions:
        row = queue.find(pack_position(position))
        if row is not None and queue.take(row):
            queue.uncommitted_gets += 1
            unit.gets.append((queue, row))
    return unit


def move_get(unit: UnitOfWork, other: UnitOfWork, position: int) -> None:
    """Makes the got message at this position part of another unit of work; nothing if there is none. The first and the
    last one are found at once."""
    gets = unit.gets
    for index in chain((0,) if gets else (), range(len(gets) - 1, 0, -1)):
        if position_of(gets[index][1]) == position:
            other.gets.append(gets.pop(index))
            return
