"""Transaction branches: their names and what is known of each (mq-wire.md 5.13, client-observed.md O-112)."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, Protocol

from mqbridge.bridge.queue_manager.getting.waiter import Waiter
from mqbridge.bridge.queue_manager.units_of_work import UnitOfWork
from mqbridge.protocol.errors import MQBridgeError

MAX_GTRID: Final = 64
MAX_BQUAL: Final = 64
_HEAD = struct.Struct(">iBB")


class XidError(MQBridgeError):
    """What should name a branch has parts of impossible lengths."""


@dataclass(frozen=True, slots=True)
class Xid:
    """The name of a branch: format id, global transaction id and branch qualifier, 1 to 64 and 0 to 64 bytes.

    Only these count: bytes behind them on the wire mean nothing. Raises `XidError` for other lengths or a format id of
    -1, which stands for no name.
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
        """The name under which the store keeps the branch."""
        return _HEAD.pack(self.format_id, len(self.gtrid), len(self.bqual)) + self.gtrid + self.bqual

    @classmethod
    def from_key(cls, key: bytes) -> Xid:
        """The name that `key` wrote; raises `XidError` for anything else."""
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
    """Life of a branch. It is forgotten when it has been committed or rolled back."""

    OPEN = "open"
    """Work may be done in it, or has been; nobody has prepared it."""
    BUSY = "busy"
    """The store is at work on it."""
    PREPARED = "prepared"
    DECIDED = "decided"
    """An operator has committed or rolled it back; its transaction manager has not yet been told."""


class Participant(Protocol):
    """A connection that works in branches."""

    @property
    def local_unit(self) -> UnitOfWork | None:
        """Its own unit of work; None where nothing was put or got in it."""
        ...

    @property
    def waiting(self) -> list[Waiter]:
        """Its waits that are going on."""
        ...


@dataclass(slots=True, eq=False)
class Branch:
    """A transaction branch.

    ``number``: by which operators name it. ``starter``: the connection that began it, None once it is gone. ``active``
    and ``suspended``: the connections associated with it. ``rollback_only``: 0, or the XA_RB… value with which it can
    only be rolled back. ``heuristic``: XA_HEURCOM or XA_HEURRB where an operator decided. ``since``: when it began or
    was found at the start, in seconds since the epoch. ``may_migrate``: suspended so that another may resume it.
    """

    xid: Xid
    number: int
    unit: UnitOfWork
    since: float
    starter: Participant | None = None
    state: BranchState = BranchState.OPEN
    active: list[Participant] = field(default_factory=list)
    suspended: list[Participant] = field(default_factory=list)
    may_migrate: bool = False
    rollback_only: int = 0
    heuristic: int = 0

    @property
    def idle(self) -> bool:
        """Whether nobody is associated with it."""
        return not self.active and not self.suspended
