"""Branches in doubt after a restart: what they got is hidden again, what they put stays unseen (mqi.md 16)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mqbridge.bridge.queue_manager.queues.rows import POSITION_BYTES, arrival_of_position, pack_position, parse_row
from mqbridge.bridge.queue_manager.uncommitted_puts import UncommittedPut
from mqbridge.bridge.queue_manager.units_of_work import UnitOfWork, UnitState
from mqbridge.bridge.store.interface import AddMessage, Operation, RemoveMessage, StoreDamaged
from mqbridge.protocol.constants import XAReturn

from .branch import BranchState, Xid, XidError
from .branches import TABLE, Branches

if TYPE_CHECKING:
    from mqbridge.bridge.queue_manager.core import Core
    from mqbridge.bridge.queue_manager.queues.local_queue import LocalQueue

_DECISIONS = (int(XAReturn.HEURCOM), int(XAReturn.HEURRB))


def load_branches(core: Core, now: float) -> Branches:
    """The branches that the store holds, once the queues are loaded. Raises `StoreDamaged`."""
    branches = Branches(core)
    numbers = {queue.number: queue for queue in core.queues.values()}
    for key, operations in core.store.branches():
        unit = UnitOfWork(state=UnitState.COMMITTING)
        for operation in operations:
            _take_up(core, unit, operation, numbers)
        branches.add(_named(key), unit, now).state = BranchState.PREPARED
    for key, value in core.store.records(TABLE):
        if len(value) != 1 or value[0] not in _DECISIONS:
            raise StoreDamaged("the decision on a branch cannot be read", f"{TABLE} {key.hex()}")
        branch = branches.add(_named(key), UnitOfWork(), now)
        branch.state, branch.heuristic = BranchState.DECIDED, value[0]
    return branches


def _named(key: bytes) -> Xid:
    try:
        return Xid.from_key(key)
    except XidError as error:
        raise StoreDamaged(f"the name of a branch cannot be read: {error}", f"branch {key.hex()}") from error


def _take_up(core: Core, unit: UnitOfWork, operation: Operation, numbers: dict[int, LocalQueue]) -> None:
    """What one operation of a prepared branch means to the queues; other operations are the store's alone."""
    if not isinstance(operation, AddMessage | RemoveMessage):
        return
    queue = numbers.get(operation.queue)
    if queue is None:
        core.log("AMQ7472", f"a prepared branch and queue number {operation.queue}", "no queue has this number")
        return
    if isinstance(operation, RemoveMessage):
        row = queue.find(pack_position(operation.position))
        if row is not None and queue.take(row):
            queue.uncommitted_gets += 1
            unit.gets.append((queue, row))
        return
    row = operation.index
    put = UncommittedPut(queue, parse_row(row).priority, row[POSITION_BYTES:], b"", None, row)
    unit.puts.append(put)
    queue.uncommitted_puts += 1
    queue.next_arrival = max(queue.next_arrival, arrival_of_position(operation.position) + 1)
