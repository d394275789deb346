"""XA calls of a transaction manager on one connection (mq-wire.md 5.13, 9.15, client-observed.md O-110 to O-115).

Return values are those of X/Open's XA specification. A connection is associated with at most one branch::

    not associated ──start──► associated ──end(SUSPEND)──► suspended
          ▲                     │    ▲                        │  │
          └──end(SUCCESS|FAIL)──┘    └─────start(RESUME)──────┘  │
          ▲                                                      │
          └──────────────────end(SUCCESS|FAIL)───────────────────┘

    branch:  open ──prepare──► prepared ──commit, rollback──► gone
              │                   └─RESOLVE─► decided ──forget──► gone
              └──commit(ONEPHASE), rollback──► gone

Several connections may work in one branch (JOIN). A branch that is not prepared is rolled back when the connection that
started it, or one that is associated with it, ends; a prepared one belongs to no connection.
"""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.queue_manager.getting.waiter import Waiter
from mqbridge.bridge.queue_manager.units_of_work import UnitOfWork
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import TMFlags, XAReturn

from .branch import Branch, BranchState, Participant, Xid
from .branches import MAX_BRANCHES, Branches, Decision

TMMIGRATE: Final = 0x00100000
"""With SUSPEND: another connection may resume."""
_JOIN, _RESUME = int(TMFlags.JOIN), int(TMFlags.RESUME)
_SUCCESS, _FAIL, _SUSPEND = int(TMFlags.SUCCESS), int(TMFlags.FAIL), int(TMFlags.SUSPEND)
_ONEPHASE = int(TMFlags.ONEPHASE)
_SCAN = int(TMFlags.STARTRSCAN), int(TMFlags.ENDRSCAN)

OK, RDONLY, RETRY = int(XAReturn.OK), int(XAReturn.RDONLY), int(XAReturn.RETRY)
NOTA, INVAL, PROTO = int(XAReturn.NOTA), int(XAReturn.INVAL), int(XAReturn.PROTO)
RMERR, RMFAIL, DUPID = int(XAReturn.RMERR), int(XAReturn.RMFAIL), int(XAReturn.DUPID)
OUTSIDE = int(XAReturn.OUTSIDE)
RBROLLBACK, RBCOMMFAIL, RBOTHER = int(XAReturn.RBROLLBACK), int(XAReturn.RBCOMMFAIL), int(XAReturn.RBOTHER)


class XAResource:
    """XA on one connection. Calls return the XA return value, or a `Decision` if they may need the store."""

    __slots__ = ("_associated", "_branches", "_connection", "_opened", "_scan", "_touched", "unit")

    def __init__(self, branches: Branches, connection: Participant) -> None:
        self._branches = branches
        self._connection = connection
        self._opened = False
        self._associated: Branch | None = None
        self.unit: UnitOfWork | None = None
        """Unit of work of the associated branch."""
        self._touched: list[Branch] = []
        self._scan: list[Xid] | None = None

    @property
    def branch(self) -> Branch | None:
        """The associated branch."""
        return self._associated

    @property
    def xid(self) -> Xid | None:
        """The XID of the associated branch."""
        return None if self._associated is None else self._associated.xid

    @property
    def waiting(self) -> list[Waiter]:
        """The waits of all connections that are active in the associated branch."""
        return [] if self._associated is None else [w for each in self._associated.active for w in each.waiting]

    # --- opening and associating ---------------------------------------------------------------------------------

    def open(self) -> int:
        """XA_OPEN: XA_OK, also if it is already open."""
        self._opened = True
        return OK

    def close(self) -> int:
        """XA_CLOSE: XAER_PROTO while a branch is associated."""
        if self._associated is not None:
            return PROTO
        self._opened = False
        self._scan = None
        return OK

    def start(self, xid: Xid, flags: int, now: Time) -> int:
        """XA_START with NOFLAGS, JOIN or RESUME.

        XAER_OUTSIDE while the local unit of work has messages, DUPID, NOTA, PROTO, INVAL, RMERR (too many branches), or
        the XA_RB… value of a branch that can only be rolled back.
        """
        if flags & ~(_JOIN | _RESUME) or flags == _JOIN | _RESUME:
            return INVAL
        if not self._opened or self._associated is not None:
            return PROTO
        if self._connection.local_unit is not None:
            return OUTSIDE
        branch = self._branches.find(xid)
        if not flags:
            if branch is not None:
                return DUPID
            if len(self._branches) >= MAX_BRANCHES:
                return RMERR
            branch = self._branches.add(xid, UnitOfWork(), now, self._connection)
        elif branch is None:
            return NOTA
        else:
            refused = self._rejoin(branch, flags)
            if refused:
                return refused
        branch.active.append(self._connection)
        self._associated, self.unit = branch, branch.unit
        self._touched = [each for each in self._touched if self._branches.find(each.xid) is each]
        self._touched.append(branch)
        return OK

    def _rejoin(self, branch: Branch, flags: int) -> int:
        """0 if the connection may join or resume a branch, else the return value."""
        if branch.state is not BranchState.OPEN:
            return PROTO
        if flags == _RESUME:
            if self._connection in branch.suspended:
                branch.suspended.remove(self._connection)
            elif branch.may_migrate and branch.suspended:
                branch.suspended.pop()
            else:
                return PROTO
        return branch.rollback_only

    def end(self, xid: Xid, flags: int) -> int:
        """XA_END with SUCCESS, FAIL (the branch becomes rollback-only) or SUSPEND. NOTA, PROTO, INVAL."""
        way = flags & (_SUCCESS | _FAIL | _SUSPEND)
        if way not in (_SUCCESS, _FAIL, _SUSPEND) or flags & ~(way | (TMMIGRATE if way == _SUSPEND else 0)):
            return INVAL
        branch = self._branches.find(xid)
        if branch is None:
            return NOTA
        if self._associated is branch:
            branch.active.remove(self._connection)
            self._associated = self.unit = None
            if way == _SUSPEND:
                branch.suspended.append(self._connection)
                branch.may_migrate = bool(flags & TMMIGRATE)
        elif self._connection in branch.suspended and way != _SUSPEND:
            branch.suspended.remove(self._connection)
        else:
            return PROTO
        if way == _FAIL:
            branch.rollback_only = branch.rollback_only or RBROLLBACK
        return OK

    def mark_rollback_only(self) -> None:
        """Make the associated branch rollback-only: a call in it has failed without a reply to the program."""
        if self._associated is not None:
            self._associated.rollback_only = self._associated.rollback_only or RBOTHER

    # --- deciding ------------------------------------------------------------------------------------------------

    def prepare(self, xid: Xid, flags: int, now: Time) -> Decision:
        """XA_PREPARE: XA_OK when the branch is on disk. NOTA, PROTO, INVAL.

        XA_RDONLY if nothing was done in it, an XA_RB… value if it is rollback-only: the branch is forgotten then.
        """
        branch = self._branches.find(xid)
        if flags:
            return Decision(INVAL)
        if branch is None:
            return Decision(NOTA)
        if not self._opened or branch.state is not BranchState.OPEN or not branch.idle:
            return Decision(PROTO)
        if branch.rollback_only:
            self._branches.drop(branch, now)
            return Decision(branch.rollback_only)
        if not branch.unit.count:
            self._branches.drop(branch, now)
            return Decision(RDONLY)
        return self._branches.prepare(branch, now)

    def commit(self, xid: Xid, flags: int, now: Time) -> Decision:
        """XA_COMMIT of a prepared branch, or with ONEPHASE of one that is not prepared. NOTA, PROTO, INVAL, RMFAIL.

        XA_RETRY: no room in the store, and the branch stays prepared. XA_HEURCOM or XA_HEURRB: an operator has decided.
        """
        branch = self._branches.find(xid)
        if flags & ~_ONEPHASE:
            return Decision(INVAL)
        if branch is None:
            return Decision(NOTA)
        if branch.state is BranchState.DECIDED:
            return Decision(branch.heuristic)
        if not self._opened or branch.state is not (BranchState.OPEN if flags else BranchState.PREPARED):
            return Decision(PROTO)
        if not flags:
            return self._branches.resolve(branch, True, now)
        if not branch.idle:
            return Decision(PROTO)
        if branch.rollback_only:
            self._branches.drop(branch, now)
            return Decision(branch.rollback_only)
        return self._branches.commit_at_once(branch, now)

    def rollback(self, xid: Xid, flags: int, now: Time) -> Decision:
        """XA_ROLLBACK of a branch, prepared or not. XA_HEURCOM or XA_HEURRB: an operator has decided."""
        branch = self._branches.find(xid)
        if flags:
            return Decision(INVAL)
        if branch is None:
            return Decision(NOTA)
        if branch.state is BranchState.DECIDED:
            return Decision(branch.heuristic)
        if not self._opened or branch.state is BranchState.BUSY or not branch.idle:
            return Decision(PROTO)
        if branch.state is BranchState.PREPARED:
            return self._branches.resolve(branch, False, now)
        self._branches.drop(branch, now)
        return Decision(OK)

    def forget(self, xid: Xid, flags: int) -> Decision:
        """XA_FORGET of a branch that an operator has decided. NOTA, PROTO, INVAL."""
        branch = self._branches.find(xid)
        if flags:
            return Decision(INVAL)
        if branch is None:
            return Decision(NOTA)
        if not self._opened or branch.state is not BranchState.DECIDED:
            return Decision(PROTO)
        return self._branches.remove(branch)

    def recover(self, count: int, flags: int) -> tuple[int, list[Xid]]:
        """XA_RECOVER: the next XIDs, at most ``count``, of branches that are prepared or decided, and their number.

        STARTRSCAN starts a scan, ENDRSCAN ends it after this call. XAER_INVAL without a scan, PROTO when not open.
        """
        start, end = _SCAN
        if count < 0 or flags & ~(start | end):
            return INVAL, []
        if not self._opened:
            return PROTO, []
        if flags & start:
            self._scan = self._branches.recoverable()
        if self._scan is None:
            return INVAL, []
        found, rest = self._scan[:count], self._scan[count:]
        self._scan = None if flags & end else rest
        return len(found), found

    # --- the end -------------------------------------------------------------------------------------------------

    def end_of_connection(self, now: Time) -> None:
        """Roll back unprepared branches that the connection started or is associated with, and those it has worked in
        whose starter has ended."""
        self._associated = self.unit = None
        touched, self._touched = self._touched, []
        for branch in touched:
            if branch.state is not BranchState.OPEN or self._branches.find(branch.xid) is not branch:
                continue
            at_work = [ways for ways in (branch.active, branch.suspended) if self._connection in ways]
            for ways in at_work:
                ways.remove(self._connection)
            if not at_work and branch.starter not in (self._connection, None):
                continue
            self._branches.end_early(branch, now)
