"""Transaction branches of a queue manager: outcome and recovery (X/Open XA; mq-wire.md 5.13, mqi.md 16).

A prepared branch is one row of the store with the operations of its unit of work; one operation applies or drops them
when the branch is committed or rolled back. Messages put in it have their positions from then on, and messages got stay
hidden, also after a restart. A branch that an operator has decided is kept, durably, until XA_FORGET.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from mqbridge.bridge.queue_manager.committing import backout, commit, durable_operations
from mqbridge.bridge.queue_manager.core import Core
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.queues.rows import POSITION_BYTES, Row, arrival_of_position, pack_position
from mqbridge.bridge.queue_manager.uncommitted_puts import UncommittedPut
from mqbridge.bridge.queue_manager.units_of_work import PendingCommit, UnitOfWork, UnitState
from mqbridge.bridge.store.interface import (
    AddMessage,
    Operation,
    PrepareBranch,
    PutRecord,
    RemoveMessage,
    RemoveRecord,
    ResolveBranch,
    StoreDamaged,
)
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQRC, XAReturn

from .branch import Branch, BranchState, Participant, Xid, XidError

if TYPE_CHECKING:
    from mqbridge.bridge.queue_manager.queues.local_queue import LocalQueue

TABLE: Final = "xa"
"""Table of the store: branches that an operator has decided, with the decision as one byte."""
MAX_BRANCHES: Final = 100_000
"""Most branches at a time; one more cannot be started."""

_OK: Final = int(XAReturn.OK)
_DECISIONS: Final = (int(XAReturn.HEURCOM), int(XAReturn.HEURRB))


class Decision(NamedTuple):
    """The return value of an XA call.

    With a ``pending`` transaction it holds only if the store commits that; otherwise the value is ``refused``, or
    ``full`` (unless 0) if the store has no room.
    """

    value: int
    pending: PendingCommit | None = None
    refused: int = 0
    full: int = 0

    def answered(self, error: MQError | None) -> int:
        """The return value after the store's answer."""
        if error is None:
            return self.value
        return self.full if self.full and error.reason == MQRC.Q_SPACE_NOT_AVAILABLE else self.refused


class Branches:
    """The branches of one queue manager, by name."""

    def __init__(self, core: Core) -> None:
        self.core = core
        self._branches: dict[Xid, Branch] = {}

    def __len__(self) -> int:
        return len(self._branches)

    def __iter__(self) -> Iterator[Branch]:
        return iter(list(self._branches.values()))

    def find(self, xid: Xid) -> Branch | None:
        """The branch with this XID."""
        return self._branches.get(xid)

    def numbered(self, number: int) -> Branch | None:
        """The branch with the number that operators use."""
        return next((branch for branch in self._branches.values() if branch.number == number), None)

    def recoverable(self) -> list[Xid]:
        """XIDs for XA_RECOVER: of branches that are prepared or decided by an operator."""
        ready = (BranchState.PREPARED, BranchState.DECIDED)
        return [branch.xid for branch in self._branches.values() if branch.state in ready]

    def add(self, xid: Xid, unit: UnitOfWork, now: Time, starter: Participant | None = None) -> Branch:
        """Add a branch."""
        branch = self._branches[xid] = Branch(xid, self.core.ids.unique(), unit, now, starter)
        return branch

    def forget(self, branch: Branch) -> None:
        """Remove a branch that has ended."""
        self._branches.pop(branch.xid, None)

    # --- what becomes of a branch --------------------------------------------------------------------------------

    def prepare(self, branch: Branch, now: Time) -> Decision:
        """Make a branch durable and in doubt: XA_OK. If the store refuses it is rolled back: XA_RBOTHER."""
        unit = branch.unit
        operations = durable_operations(unit, now)
        branch.state = BranchState.BUSY
        unit.state = UnitState.COMMITTING

        def stored(error: MQError | None) -> None:
            if error is None:
                branch.state = BranchState.PREPARED
                return
            unit.state = UnitState.ACTIVE
            self.drop(branch, now)

        pending = self.core.submit([PrepareBranch(branch.xid.key(), operations)])
        pending.finish = stored
        return Decision(_OK, pending, XAReturn.RBOTHER)

    def commit_at_once(self, branch: Branch, now: Time) -> Decision:
        """Commit a branch that is not prepared: XA_OK, or XA_RBOTHER if the store refuses."""
        branch.state = BranchState.BUSY
        self.forget(branch)
        return Decision(_OK, commit(self.core, branch.unit, now), XAReturn.RBOTHER)

    def resolve(self, branch: Branch, decision: bool, now: Time, heuristic: int = 0) -> Decision:
        """Commit or roll back a prepared branch: XA_OK.

        If the store refuses it stays prepared: XA_RETRY if there is no room, else XAER_RMFAIL. ``heuristic``:
        XA_HEURCOM or XA_HEURRB if an operator decides; the branch is then kept until `remove`.
        """
        unit, key = branch.unit, branch.xid.key()
        branch.state = BranchState.BUSY
        operations: list[Operation] = [ResolveBranch(key, decision)]
        if heuristic:
            operations.append(PutRecord(TABLE, key, bytes((heuristic,))))

        def stored(error: MQError | None) -> None:
            if error is not None:
                unit.state = UnitState.COMMITTING
                branch.state = BranchState.PREPARED
                return
            if not decision:
                for put in unit.puts:
                    put.stored = b""  # the store has given back what was staged for it
                unit.state = UnitState.ACTIVE
                backout(self.core, unit, now)
            if heuristic:
                branch.state, branch.heuristic = BranchState.DECIDED, heuristic
                branch.unit = UnitOfWork(state=unit.state)
            else:
                self.forget(branch)

        pending = self.core.submit(operations)
        pending.finish = stored
        if decision:
            unit.stays = unit.implicit = True  # it stays prepared, and the store's reason is told
            pending.unit = unit
        return Decision(_OK, pending, XAReturn.RMFAIL, XAReturn.RETRY)

    def decide(self, branch: Branch, decision: bool, now: Time) -> Decision:
        """Commit or roll back a prepared branch by an operator's decision (RESOLVE INDOUBT).

        Its transaction manager is told at its next call. Raises `MQError` 2128 for a branch that is not prepared.
        """
        if branch.state is not BranchState.PREPARED:
            raise MQError(MQRC.UOW_IN_PROGRESS, f"the branch is {branch.state.value}")
        heuristic = XAReturn.HEURCOM if decision else XAReturn.HEURRB
        return self.resolve(branch, decision, now, heuristic)

    def drop(self, branch: Branch, now: Time) -> None:
        """Roll back a branch that is not prepared, and forget it."""
        backout(self.core, branch.unit, now)
        self.forget(branch)

    def end_early(self, branch: Branch, now: Time) -> None:
        """Roll back a branch because one of its connections has ended; forget it once it is idle."""
        branch.starter = None
        branch.rollback_only = branch.rollback_only or XAReturn.RBCOMMFAIL
        backout(self.core, branch.unit, now)
        if branch.idle:
            self.forget(branch)

    def remove(self, branch: Branch) -> Decision:
        """Forget a branch that an operator has decided: XA_OK, or XAER_RMERR if the store refuses."""

        def stored(error: MQError | None) -> None:
            if error is None:
                self.forget(branch)
            else:
                branch.state = BranchState.DECIDED

        branch.state = BranchState.BUSY
        pending = self.core.submit([RemoveRecord(TABLE, branch.xid.key())])
        pending.finish = stored
        return Decision(_OK, pending, XAReturn.RMERR)


def load_branches(core: Core, now: Time) -> Branches:
    """Recover the branches in the store, after the queues are loaded. Raises `StoreDamaged`."""
    branches = Branches(core)
    numbers = {queue.number: queue for queue in core.queues.values()}
    for key, operations in core.store.branches():
        unit = UnitOfWork(state=UnitState.COMMITTING)
        for operation in operations:
            _restore(core, unit, operation, numbers)
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


def _restore(core: Core, unit: UnitOfWork, operation: Operation, numbers: dict[int, LocalQueue]) -> None:
    """Apply one operation of a prepared branch to its queue: hide a message that was got, count one that was put."""
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
    put = UncommittedPut(queue, Row(row).priority, row[POSITION_BYTES:], b"", None, row)
    unit.puts.append(put)
    queue.uncommitted_puts += 1
    queue.next_arrival = max(queue.next_arrival, arrival_of_position(operation.position) + 1)
