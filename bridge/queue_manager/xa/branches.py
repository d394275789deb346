"""All transaction branches of a queue manager, and what becomes of them (X/Open XA; mq-wire.md 5.13).

A prepared branch is one row of the store, which holds the operations of its unit of work: they are applied, or dropped,
by one operation when it is decided. What was put in it has its place in the queue from then on; what was got stays
hidden, after a restart too. A branch that an operator has decided is remembered, durably, until it is forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mqbridge.bridge.queue_manager.committing import backout, commit, durable_operations
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.units_of_work import PendingCommit, Then, UnitOfWork, UnitState
from mqbridge.bridge.store.interface import Operation, PrepareBranch, PutRecord, RemoveRecord, ResolveBranch
from mqbridge.protocol.constants import MQRC, XAReturn

from .branch import Branch, BranchState, Xid

if TYPE_CHECKING:
    from mqbridge.bridge.queue_manager.core import Core

TABLE: Final = "xa"
"""Table of the store: branches that an operator has decided, with the decision as one byte."""
MAX_BRANCHES: Final = 100_000
"""Branches known at one time; one more cannot be started."""

XAThen: TypeAlias = Callable[[int], None]
"""Called once with the return value of an XA call."""


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
        """The branch of this name."""
        return self._branches.get(xid)

    def numbered(self, number: int) -> Branch | None:
        """The branch by which an operator names it."""
        return next((branch for branch in self._branches.values() if branch.number == number), None)

    def recoverable(self) -> list[Xid]:
        """Branches that are prepared or were decided by an operator."""
        ready = (BranchState.PREPARED, BranchState.DECIDED)
        return [branch.xid for branch in self._branches.values() if branch.state in ready]

    def add(self, xid: Xid, unit: UnitOfWork, now: float, starter: Any = None) -> Branch:
        """A new branch."""
        branch = self._branches[xid] = Branch(xid, self.core.ids.unique(), unit, now, starter)
        return branch

    def forget(self, branch: Branch) -> None:
        """A branch has ended."""
        self._branches.pop(branch.xid, None)

    # --- what becomes of a branch --------------------------------------------------------------------------------

    def prepare(self, branch: Branch, now: float, then: XAThen) -> None:
        """Makes a branch durable, undecided: XA_OK; where the store refuses it is rolled back: XA_RBOTHER."""
        unit = branch.unit
        operations = durable_operations(unit, now)
        branch.state = BranchState.BUSY
        unit.state = UnitState.COMMITTING

        def stored(error: MQError | None) -> None:
            if error is None:
                branch.state = BranchState.PREPARED
                then(int(XAReturn.OK))
                return
            unit.state = UnitState.ACTIVE
            self.drop(branch, now)
            then(int(XAReturn.RBOTHER))

        self.core.submit([PrepareBranch(branch.xid.key(), operations)], stored)

    def commit_at_once(self, branch: Branch, now: float, then: XAThen) -> None:
        """Commits a branch that was not prepared: XA_OK, or XA_RBOTHER where the store refuses."""
        branch.state = BranchState.BUSY
        self.forget(branch)
        commit(
            self.core,
            branch.unit,
            now,
            lambda error: then(int(XAReturn.OK if error is None else XAReturn.RBOTHER)),
        )

    def resolve(self, branch: Branch, decision: bool, now: float, then: Then, heuristic: int = 0) -> None:
        """Commits or rolls back a prepared branch; ``then(MQError)``, and it stays prepared, where the store refuses.

        ``heuristic``: XA_HEURCOM or XA_HEURRB where an operator decides: the branch is then kept until `remove`.
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
                then(error)
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
            then(None)

        if decision:
            unit.stays = unit.implicit = True  # it stays prepared, and the store's reason is told
            self.core.commits.append(PendingCommit(operations, unit, stored))
        else:
            self.core.submit(operations, stored)

    def decide(self, branch: Branch, decision: bool, now: float, then: Then) -> None:
        """An operator commits or rolls back a prepared branch, which its transaction manager is told when it asks.

        Raises `MQError` 2128 for a branch that is not prepared.
        """
        if branch.state is not BranchState.PREPARED:
            raise MQError(MQRC.UOW_IN_PROGRESS, f"the branch is {branch.state.value}")
        heuristic = int(XAReturn.HEURCOM if decision else XAReturn.HEURRB)
        self.resolve(branch, decision, now, then, heuristic)

    def drop(self, branch: Branch, now: float) -> None:
        """Rolls back a branch that was not prepared, and forgets it."""
        backout(self.core, branch.unit, now)
        self.forget(branch)

    def end_early(self, branch: Branch, now: float) -> None:
        """One of those at work in a branch is gone: it is rolled back; forgotten once nobody is associated with it."""
        branch.starter = None
        branch.rollback_only = branch.rollback_only or int(XAReturn.RBCOMMFAIL)
        backout(self.core, branch.unit, now)
        if branch.idle:
            self.forget(branch)

    def remove(self, branch: Branch, then: Then) -> None:
        """Forgets what an operator has decided."""

        def stored(error: MQError | None) -> None:
            if error is None:
                self.forget(branch)
            else:
                branch.state = BranchState.DECIDED
            then(error)

        branch.state = BranchState.BUSY
        self.core.submit([RemoveRecord(TABLE, branch.xid.key())], stored)
