"""Transaction branches: their names (XIDs) and their state (mq-wire.md 5.13, client-observed.md O-112)."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, Protocol

from mqbridge.bridge.queue_manager.getting.waiter import Waiter
from mqbridge.bridge.queue_manager.units_of_work import UnitOfWork
from mqbridge.mappings.moment import Time
from mqbridge.protocol.errors import MQBridgeError

MAX_GTRID: Final = 64
MAX_BQUAL: Final = 64
_HEAD = struct.Struct(">iBB")


class XidError(MQBridgeError):
    """An XID is not valid: format id or lengths out of range."""


@dataclass(frozen=True, slots=True)
class Xid:
    """The name of a branch: format id, global transaction id (1 to 64 bytes), branch qualifier (0 to 64 bytes).

    Bytes behind these on the wire have no meaning. Raises `XidError` for other lengths, and for the null XID, whose
    format id is -1.
    """

    format_id: int
    gtrid: bytes
    bqual: bytes

    def __post_init__(self) -> None:
        if not -(2**31) <= self.format_id < 2**31 or self.format_id == -1:
            raise XidError(f"format id {self.format_id}")
        if not 1 <= len(self.gtrid) <= MAX_GTRID or len(self.bqual) > MAX_BQUAL:
            raise XidError(f"{len(self.gtrid)} and {len(self.bqual)} bytes")

    def key(self) -> bytes:
        """Key of the branch in the store."""
        return _HEAD.pack(self.format_id, len(self.gtrid), len(self.bqual)) + self.gtrid + self.bqual

    @classmethod
    def from_key(cls, key: bytes) -> Xid:
        """The XID of a key of the store. Raises `XidError`."""
        if len(key) < _HEAD.size:
            raise XidError(f"{len(key)} bytes")
        format_id, gtrid, bqual = _HEAD.unpack_from(key)
        if len(key) != _HEAD.size + gtrid + bqual:
            raise XidError(f"{len(key)} bytes for {gtrid} and {bqual}")
        middle = _HEAD.size + gtrid
        return cls(format_id, key[_HEAD.size : middle], key[middle:])

    def __str__(self) -> str:
        """As DISPLAY CONN shows it (EXTURID)."""
        gtrid, bqual = self.gtrid.hex().upper(), self.bqual.hex().upper()
        return f"XA_FORMATID[{self.format_id:08X}] XA_GTRID[{gtrid}] XA_BQUAL[{bqual}]"


class BranchState(Enum):
    """State of a branch. A branch that is committed or rolled back is forgotten."""

    OPEN = "open"
    """Active or idle, not prepared."""
    BUSY = "busy"
    """The store is writing its outcome."""
    PREPARED = "prepared"
    DECIDED = "decided"
    """Heuristically completed: an operator has committed or rolled it back, and XA_FORGET has not come."""


class Participant(Protocol):
    """A connection that works in branches."""

    @property
    def local_unit(self) -> UnitOfWork | None:
        """Its local unit of work; None if nothing was put or got in it."""
        ...

    @property
    def waiting(self) -> list[Waiter]:
        """Its current waits."""
        ...


@dataclass(slots=True, eq=False)
class Branch:
    """A transaction branch.

    ``number``: its id in DISPLAY CONN and RESOLVE INDOUBT. ``starter``: the connection that started it, None once that
    has ended. ``active``, ``suspended``: connections associated with it. ``rollback_only``: 0, or the XA_RB… value if
    it can only be rolled back. ``heuristic``: XA_HEURCOM or XA_HEURRB after an operator's decision. ``since``: when it
    was started or recovered, in seconds since the epoch. ``may_migrate``: suspended with TMMIGRATE.
    """

    xid: Xid
    number: int
    unit: UnitOfWork
    since: Time
    starter: Participant | None = None
    state: BranchState = BranchState.OPEN
    active: list[Participant] = field(default_factory=list)
    suspended: list[Participant] = field(default_factory=list)
    may_migrate: bool = False
    rollback_only: int = 0
    heuristic: int = 0

    @property
    def idle(self) -> bool:
        """Whether no connection is associated with it."""
        return not self.active and not self.suspended
