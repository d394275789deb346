"""Units of work: messages put and got under syncpoint (mqi.md 16.1). See ``committing`` for their end."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from mqbridge.bridge.store.interface import Operation

from .errors import MQError

if TYPE_CHECKING:
    from .queues.local_queue import LocalQueue
    from .uncommitted_puts import UncommittedPut, UnitPuts

Then: TypeAlias = Callable[["MQError | None"], None]
"""Continuation of a commit, called once: with None when it is on disk, else with the error."""


class UnitState(Enum):
    """State of a unit of work."""

    ACTIVE = "active"
    COMMITTING = "committing"
    COMMITTED = "committed"
    BACKED_OUT = "backed out"


class UnitOfWork:
    """Puts and gets that are committed or backed out together.

    ``implicit``: of a single call outside syncpoint, which fails with the store's reason instead of 2003. ``in_turns``:
    long work in it may be done in turns, and its commit waits for that. ``stays``: a commit that the store refuses
    leaves it unchanged instead of backing it out. ``gets``: queue and row of each message. ``bytes_held``: message data
    in memory. ``own``: its puts for its own gets, None until the first of these. ``working``: a task in turns is
    unfinished. ``pending``: a commit that waits for its end.
    """

    __slots__ = (
        "bytes_held", "gets", "implicit", "in_turns", "own", "pending", "puts", "state", "stays", "working",
    )  # fmt: skip

    def __init__(
        self,
        implicit: bool = False,
        in_turns: bool = False,
        state: UnitState = UnitState.ACTIVE,
        gets: list[tuple[LocalQueue, bytes]] | None = None,
        bytes_held: int = 0,
    ) -> None:
        self.implicit = implicit
        self.in_turns = in_turns
        self.stays = False
        self.state = state
        self.puts: list[UncommittedPut] = []
        self.gets: list[tuple[LocalQueue, bytes]] = [] if gets is None else gets
        self.bytes_held = bytes_held
        self.own: UnitPuts | None = None
        self.working = False
        self.pending: PendingCommit | None = None

    @property
    def count(self) -> int:
        """Number of messages put and got, which MAXUMSGS limits."""
        return len(self.puts) + len(self.gets)


class PendingCommit:
    """A transaction for the store: the host calls ``store.commit([pending.operations])``, then
    ``queue_manager.committed(pending, error, now)``, in the order in which it has taken them.

    ``finish``: the queue manager's own continuation, called first. ``then``: the caller's. Both get None, or the error
    if nothing was committed. ``found``: result of a task in turns (NumPubs).
    """

    __slots__ = ("finish", "found", "operations", "then", "unit")

    def __init__(self, operations: list[Operation], unit: UnitOfWork | None = None) -> None:
        self.operations = operations
        self.unit = unit
        self.then: Then | None = None
        self.finish: Then | None = None
        self.found = 0

    def decided(self, error: MQError | None) -> None:
        """Call the continuations with the outcome."""
        if self.finish is not None:
            self.finish(error)
        if self.then is not None:
            self.then(error)


def on_complete(pending: PendingCommit | None, then: Then | None) -> None:
    """Set the continuation of a transaction; without a transaction call it at once."""
    if then is None:
        return
    if pending is None:
        then(None)
    else:
        pending.then = then
