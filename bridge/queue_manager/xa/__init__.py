"""Two-phase commit: branches of transaction managers (XA; mq-wire.md 5.13, client-observed.md O-110 to O-115)."""

from .branch import MAX_BQUAL, MAX_GTRID, Branch, BranchState, Xid, XidError
from .branches import MAX_BRANCHES, Branches, Decision, load_branches
from .resource import TMMIGRATE, XAResource

__all__ = [
    "MAX_BQUAL",
    "MAX_BRANCHES",
    "MAX_GTRID",
    "TMMIGRATE",
    "Branch",
    "BranchState",
    "Branches",
    "Decision",
    "XAResource",
    "Xid",
    "XidError",
    "load_branches",
]
